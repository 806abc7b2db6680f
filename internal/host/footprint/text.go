package footprint

import (
	"fmt"

	"github.com/research-council/research-council/internal/base/plural"
)

// List is what there is, in lines.
func (f Footprint) List() []string {
	var lines []string
	for _, r := range f.Running {
		lines = append(lines, "GOING  "+r.text())
	}
	for _, i := range f.Items {
		lines = append(lines, fmt.Sprintf("%-13s %s: %s", i.Kind, i.Path, i.What))
		if i.Problem != "" {
			lines = append(lines, fmt.Sprintf("%-13s   CANNOT: %s", "", i.Problem))
		}
	}
	return append(lines, f.kept()...)
}

func (f Footprint) kept() []string {
	var lines []string
	for _, k := range f.Kept {
		lines = append(lines, fmt.Sprintf("%-13s %s (%s)", "kept", k.Path, k.Why))
	}
	return lines
}

// Outcome is what has come of it, in lines: what is left, and where the runs are.
func (f Footprint) Outcome() []string {
	var lines []string
	done := 0
	for _, i := range f.Items {
		if i.Done {
			done++
			continue
		}
		lines = append(lines, fmt.Sprintf("%-13s %s: %s", "left", i.Path, i.Problem))
	}
	lines = append([]string{fmt.Sprintf("Removed %d of %d.", done, len(f.Items))}, lines...)
	return append(lines, f.RunsText()...)
}

// RunsText says where the runs are, which stay.
func (f Footprint) RunsText() []string {
	const mib = 1 << 20
	text := fmt.Sprintf("Runs stay: %s has %s, %.1f MiB; those of other projects are in research/ there.", f.Runs.Path, plural.Forms(f.Runs.Count, "run", "runs"), float64(f.Runs.Bytes)/mib)
	return []string{"Sessions that are open have the plugin's hooks until they end: close them.", text}
}
