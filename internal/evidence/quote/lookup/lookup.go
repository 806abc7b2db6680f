// Package lookup answers queries whether texts hold quotations, one JSON object
// each, and reads the files they name. Whether a quotation stands in a text
// package quote alone decides.
package lookup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote"
)

// query is a line of input.
type query struct {
	ID    json.RawMessage `json:"id"`
	Text  *string         `json:"text"`
	File  *string         `json:"file"`
	Quote *string         `json:"quote"`
}

// answer is the answer to it.
type answer struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Found    bool            `json:"found"`
	Tier     quote.Tier      `json:"tier,omitempty"`
	Start    *int            `json:"start,omitempty"` // absent when no passage came close
	End      *int            `json:"end,omitempty"`
	Segments []quote.Span    `json:"segments,omitempty"`
	Gaps     []quote.Span    `json:"gaps,omitempty"` // what the quotation leaves out
	Findings []guard.Finding `json:"findings"`
	Nearest  string          `json:"nearest,omitempty"`
}

// Texts answers queries. It keeps the texts last asked about ready, the latest
// first.
type Texts struct {
	MaxBytes int64 // of a file that is read
	ready    []cachedText
}

type cachedText struct {
	file     string // "" for a text that came in a line
	size     int64
	modified time.Time
	body     string
	text     *quote.Text
}

// Answer answers a line of JSON with a query: whether its text, or its file, holds
// its quotation.
func (x *Texts) Answer(line []byte) (any, error) {
	var in query
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("read the line as JSON: %w", err)
	}
	switch {
	case in.Quote == nil:
		return nil, errors.New(`there is no "quote"`)
	case (in.Text == nil) == (in.File == nil):
		return nil, errors.New(`give either "text" or "file"`)
	}
	text, err := x.text(in)
	if err != nil {
		return nil, err
	}
	r := text.FindOrExplain(*in.Quote)
	out := answer{ID: in.ID, Found: r.Found, Tier: r.Match.Tier, Segments: r.Match.Segments, Gaps: r.Match.Gaps, Findings: r.Match.Findings, Nearest: r.Nearest}
	if r.Match.End > 0 {
		out.Start, out.End = &r.Match.Start, &r.Match.End
	}
	if out.Findings == nil {
		out.Findings = []guard.Finding{}
	}
	return out, nil
}

// text gives what a line asks about, ready to be searched.
func (x *Texts) text(in query) (*quote.Text, error) {
	if in.Text != nil {
		return x.keep(cachedText{body: *in.Text}, func(r cachedText) bool { return r.file == "" && r.body == *in.Text }), nil
	}
	info, err := os.Stat(*in.File)
	if err != nil {
		return nil, fmt.Errorf("look at the text: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > x.MaxBytes {
		return nil, fmt.Errorf("%s is no file of at most %d MiB", *in.File, x.MaxBytes>>20)
	}
	now := cachedText{file: *in.File, size: info.Size(), modified: info.ModTime()}
	same := func(r cachedText) bool {
		return r.file == now.file && r.size == now.size && r.modified.Equal(now.modified)
	}
	if !slices.ContainsFunc(x.ready, same) {
		body, err := os.ReadFile(*in.File)
		if err != nil {
			return nil, fmt.Errorf("read the text: %w", err)
		}
		if bytes.IndexByte(body, 0) >= 0 {
			return nil, fmt.Errorf("%s is no plain text", *in.File)
		}
		now.body = string(body)
	}
	return x.keep(now, same), nil
}

// keep gives the text that is the same, or keeps a new one in place of the one
// that was not asked about for longest.
func (x *Texts) keep(r cachedText, same func(cachedText) bool) *quote.Text {
	const most = 4
	if i := slices.IndexFunc(x.ready, same); i >= 0 {
		r = x.ready[i]
		x.ready = slices.Delete(x.ready, i, i+1)
	} else {
		r.text = quote.Index(r.body)
	}
	x.ready = slices.Insert(x.ready, 0, r)
	x.ready = x.ready[:min(most, len(x.ready))]
	return r.text
}
