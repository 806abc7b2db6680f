package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/evidence/guard"
	"research-council/internal/evidence/quote"
	"research-council/internal/host/program"
)

func quoteCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "quote", Short: "Tell whether texts hold quotations: JSON lines in, JSON lines out",
		Long: `Quote reads JSON lines {"id", "text", "quote"} or {"id", "file", "quote"} and
answers each with

  {"id", "found", "tier", "start", "end", "segments", "gaps", "findings", "nearest"}

Tier is exact, normalised (typesetting undone), space-less (blanks lost, as in
text from PDF), near (a word or two misspelt) or elided (words left out; then
segments are the parts that stand there, and gaps what stands between them).
Whatever the tier, numbers, dates, units, negations, comparators, quantifiers,
hedges and names agree, and the passage is not cut behind a "not" or before a
"million".

Start and end are offsets in bytes of the text's UTF-8, end exclusive: in Python
text.encode()[start:end]. Findings are, for what is found, words an ellipsis
hides and that change the sentence; for what is not found, the deciding words
in which quotation and source differ, with start and end of the passage that
was refused, and nearest is the source's passage most like the quotation.

Id is any JSON value and comes back as it was. Each line is answered as it is
read. Lines about one text should follow one another: it is then prepared once.
A line that cannot be answered gets {"line", "error"}, and the exit code is 1.`,
		Example: `echo '{"id":1,"text":"It fell by 5 percent.","quote":"It fell by 6 percent."}' | council quote
council quote < quotations.jsonl | jq -c 'select(.found | not)'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var shelf textCache
			return filter(e.Stdin, e.Stdout, shelf.answer)
		},
	}
}

// quoteQuery is a line of input.
type quoteQuery struct {
	ID    json.RawMessage `json:"id"`
	Text  *string         `json:"text"`
	File  *string         `json:"file"`
	Quote *string         `json:"quote"`
}

// quoteAnswer is the answer to it.
type quoteAnswer struct {
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

// textCache keeps the texts last asked about ready, the latest first.
type textCache []cachedText

type cachedText struct {
	file     string // "" for a text that came in a line
	size     int64
	modified time.Time
	body     string
	text     *quote.Text
}

func (x *textCache) answer(line []byte) (any, error) {
	var in quoteQuery
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
	out := quoteAnswer{ID: in.ID, Found: r.Found, Tier: r.Match.Tier, Segments: r.Match.Segments, Gaps: r.Match.Gaps, Findings: r.Match.Findings, Nearest: r.Nearest}
	if r.Match.End > 0 {
		out.Start, out.End = &r.Match.Start, &r.Match.End
	}
	if out.Findings == nil {
		out.Findings = []guard.Finding{}
	}
	return out, nil
}

// text gives what a line asks about, ready to be searched.
func (x *textCache) text(in quoteQuery) (*quote.Text, error) {
	if in.Text != nil {
		return x.keep(cachedText{body: *in.Text}, func(r cachedText) bool { return r.file == "" && r.body == *in.Text }), nil
	}
	info, err := os.Stat(*in.File)
	if err != nil {
		return nil, fmt.Errorf("look at the text: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxLineBytes {
		return nil, fmt.Errorf("%s is no file of at most %d MiB", *in.File, maxLineBytes>>20)
	}
	now := cachedText{file: *in.File, size: info.Size(), modified: info.ModTime()}
	same := func(r cachedText) bool {
		return r.file == now.file && r.size == now.size && r.modified.Equal(now.modified)
	}
	if !slices.ContainsFunc(*x, same) {
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
func (x *textCache) keep(r cachedText, same func(cachedText) bool) *quote.Text {
	const most = 4
	if i := slices.IndexFunc(*x, same); i >= 0 {
		r = (*x)[i]
		*x = slices.Delete(*x, i, i+1)
	} else {
		r.text = quote.Index(r.body)
	}
	*x = slices.Insert(*x, 0, r)
	*x = (*x)[:min(most, len(*x))]
	return r.text
}
