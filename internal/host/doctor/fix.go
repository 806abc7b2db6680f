package doctor

import (
	"context"
	"fmt"
	"strings"
)

// Outcome is what came of mending.
type Outcome struct {
	Report Report   `json:"report"` // as it is now
	Mended []Check  `json:"mended"`
	Left   []Check  `json:"left"` // that is broken still, and not for us to mend
	Said   []string `json:"-"`
}

// Fix mends what can be mended safely, one thing after another, and looks again. What
// changes what a person has chosen is done where agrees says yes.
func Fix(ctx context.Context, s Subject, w Machine, agrees func(Check) bool) Outcome {
	var o Outcome
	for _, c := range Examine(ctx, s, w).Checks {
		if c.mend == nil || !c.Fixable || ctx.Err() != nil {
			continue
		}
		if c.Asks && !agrees(c) {
			continue
		}
		text, err := c.mend(ctx)
		if err != nil {
			o.Said = append(o.Said, fmt.Sprintf("NOT MENDED  %s: %v", c.Path, err))
			continue
		}
		c.Fixed = true
		o.Mended = append(o.Mended, c)
		o.Said = append(o.Said, "MENDED  "+text)
	}
	o.Report = Examine(ctx, s, w)
	for _, c := range o.Report.Checks {
		if c.isBroken() {
			o.Left = append(o.Left, c)
		}
	}
	return o
}

// isBroken reports whether something of ours is broken that --fix was asked to mend: a
// failure, or what it can mend, or what it names by a path and cannot.
func (c Check) isBroken() bool {
	return c.Level == Failure || c.Level != OK && c.Path != ""
}

// Text is the outcome in lines.
func (o Outcome) Text() string {
	lines := o.Said
	if len(lines) == 0 {
		lines = []string{"Nothing was to be mended."}
	}
	for _, c := range o.Left {
		line := "LEFT    " + c.Finding
		if c.Remedy != "" {
			line += " -> " + c.Remedy
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}
