package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/score"
)

// Score shows a score to people. Ids come from the registry, and whoever
// wrote it may have put anything there.
func Score(w io.Writer, r score.Result) error {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
	}
	line("Score %s of 100 (%s): raw %s, confidence cap %g (%s), sound claims %s", score.FormatScore(r.Final), r.Mode, score.FormatScore(r.Raw), r.Cap, r.CapReason, fmt.Sprintf("%.2g", r.Sound))
	if r.Limit < 100 {
		line("It is at most %g with fewer than %d types of sources.", r.Limit, score.TypesOverLimit)
	}
	for _, s := range r.Signals {
		line("  %-18s %3.0f %%  weight %2d  %s", s.Name, 100*s.Value, s.Weight, plain.Line(s.Detail, 400))
	}
	line("Next: %s (%s)", r.Gate, strings.Join(r.Reasons, "; "))
	for _, g := range r.Gaps {
		line("Gap in %s: %s", g.Dimension, plain.Line(g.What, 400))
	}
	if r.Unseen != nil {
		line("Unseen claims: %s", r.Unseen)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
