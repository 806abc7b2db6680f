package audit

import (
	"slices"

	"github.com/research-council/research-council/internal/base/usage"
)

// Gate says what a report has to be free of to pass.
type Gate struct {
	FailOn      []string // kinds and severities of findings, or none; empty: all but remarks
	AllowUnread bool     // it passes though not all its sources were read
}

// Check refuses kinds of findings there are not.
func (g Gate) Check() error {
	for _, name := range g.FailOn {
		known := slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Name == name || string(k.Severity) == name })
		if !known && name != "none" {
			return usage.Errorf("--fail-on %q is no kind of finding; `council audit --help` lists them", name)
		}
	}
	return nil
}

// Fails reports whether a report has a finding it must not have.
func (g Gate) Fails(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return slices.ContainsFunc(r.Findings, g.forbids) })
}

func (g Gate) forbids(f Finding) bool {
	if len(g.FailOn) > 0 {
		return slices.Contains(g.FailOn, f.Kind) || slices.Contains(g.FailOn, string(f.Severity))
	}
	return f.Severity != Remark
}

// LeavesOpen reports whether something that has to be checked for a report to pass
// could not be.
func (g Gate) LeavesOpen(results []Result) bool {
	return g.needsSources() && slices.ContainsFunc(results, func(r Result) bool { return r.Open() != "" })
}

// needsSources reports whether sources have to be read for a report to pass.
func (g Gate) needsSources() bool {
	return !g.AllowUnread && (len(g.FailOn) == 0 || slices.ContainsFunc(Kinds(), func(k Kind) bool {
		return k.Reads && (slices.Contains(g.FailOn, k.Name) || slices.Contains(g.FailOn, string(k.Severity)))
	}))
}
