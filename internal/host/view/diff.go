package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Difference tells what has changed between two registries, a line each.
func Difference(d claim.Difference) string {
	var b strings.Builder
	line := func(mark string, e claim.Entry, more string) {
		fmt.Fprintf(&b, "%s %s\n    %s%s\n", mark, plain.Terminal(oneLine(e.Text)), plain.Terminal(oneLine(e.Source)), more)
	}
	fmt.Fprintf(&b, "%d gained, %d lost, %d changed, %s drifted", len(d.Gained), len(d.Lost), len(d.Changed), plural.Of(len(d.Drifted), "source"))
	if n := len(d.Reworded); n > 0 {
		fmt.Fprintf(&b, "; %d only in other words", n)
	}
	b.WriteByte('\n')
	for _, e := range d.Gained {
		line("+", e, "")
	}
	for _, e := range d.Lost {
		line("-", e, "")
	}
	for _, c := range d.Changed {
		line("~", c.New, "  "+changeText(c))
	}
	for _, s := range d.Drifted {
		fmt.Fprintf(&b, "! %s has another text now\n", plain.Terminal(oneLine(s.Source)))
	}
	return b.String()
}

func changeText(c claim.Change) string {
	var parts []string
	for _, what := range c.What {
		switch what {
		case "location":
			parts = append(parts, fmt.Sprintf("%s, was %s", c.New.Location.State, c.Old.Location.State))
		case "confidence":
			parts = append(parts, fmt.Sprintf("confidence %s, was %s", c.New.Confidence, c.Old.Confidence))
		case "doubt":
			parts = append(parts, cmp.Or(plain.Terminal(oneLine(c.New.Location.Doubt)), "no longer in doubt"))
		default:
			parts = append(parts, "another "+what)
		}
	}
	return strings.Join(parts, "; ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
