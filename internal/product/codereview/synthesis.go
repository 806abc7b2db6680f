package codereview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// Synthesis is what a synthesizer says of all findings.
type Synthesis struct {
	Summary    string
	Judgements []finding.Judgement
	Themes     []finding.Theme
}

// Bounds on what a synthesizer may write, far above what an honest one does.
const (
	maxThemes    = 100
	maxLineBytes = 256 << 10 // bytes
	maxRefused   = 20        // told one by one
)

// DecodeSynthesis reads what a synthesizer has answered, JSON Lines of three
// forms:
//
//	{"id":"F3","verdict":"false_positive","reason":"…"}
//	{"theme":"…","text":"…","findings":["F1","F3"]}
//	{"summary":"…"}
//
// Fences of code and the mark that ends a report are passed over. A line of
// no form is told, for its writer, and the next one read; of several summaries
// the last counts.
func DecodeSynthesis(data []byte, by string) (Synthesis, []string) {
	var s Synthesis
	var judged bytes.Buffer // each line in its place, so that what is told of it is right
	var refused []string
	for n, line := range bytes.Split(data, []byte("\n")) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && !s.parseLine(line) {
			judged.Write(line)
		}
		judged.WriteByte('\n')
		if words := bytes.TrimSpace(line); len(words) > 0 && words[0] != '{' && !isIgnorable(words) {
			refused = append(refused, fmt.Sprintf("line %d: it is no JSON object", n+1))
		}
	}
	list, told := finding.DecodeJudgements(&judged, by)
	s.Judgements = list
	for _, r := range told {
		refused = append(refused, fmt.Sprintf("line %d: %s", r.Line, r.Reason))
	}
	return s, refused[:min(len(refused), maxRefused)]
}

func isIgnorable(line []byte) bool {
	return bytes.HasPrefix(line, []byte("```")) || string(line) == marker.CompleteMarker
}

// parseLine takes in a line that is a summary or a theme.
func (s *Synthesis) parseLine(line []byte) bool {
	var w struct {
		Summary, Theme, Text string
		Findings             []string
	}
	if len(line) > maxLineBytes || json.Unmarshal(line, &w) != nil {
		return false
	}
	switch {
	case strings.TrimSpace(w.Summary) != "":
		s.Summary = w.Summary
	case strings.TrimSpace(w.Theme) == "":
		return false
	case len(s.Themes) < maxThemes:
		s.Themes = append(s.Themes, finding.Theme{Title: w.Theme, Text: w.Text, Findings: w.Findings})
	}
	return true
}
