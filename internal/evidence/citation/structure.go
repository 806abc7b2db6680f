package citation

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"research-council/internal/evidence/source"

	"research-council/internal/base/plural"
)

// findings tells what is wrong with how the report cites.
func (r *documentBuilder) findings() {
	listed := 0
	for _, e := range r.doc.References {
		if e.Listed {
			listed++
		}
	}
	switch {
	case listed == 0 && r.markers > 0:
		r.addFinding(Finding{Fault: NoList, Line: r.first, Times: r.markers, Detail: fmt.Sprintf("The text has %s, and there is no list of sources they could refer to.", plural.Of(r.markers, "marker"))})
	case len(r.doc.References) == 0 && r.doc.Sentences > 0:
		r.addFinding(Finding{Fault: NoSources, Detail: "The report names no source at all."})
	}
	for _, l := range r.order {
		f := r.dangling[l]
		f.Detail = fmt.Sprintf("[%s] stands in the text%s, and the list of sources has no such entry.", l, times(f.Times))
		r.addFinding(*f)
	}
	r.findDuplicates()
	r.findUnused(listed)
	r.findGaps()
	r.findUnlinked()
	r.findLeftovers()
	if n := len(r.second); n > 0 {
		r.addFinding(Finding{
			Fault: SecondList, Line: r.lineNumber(r.blocks[r.second[0]].src), Times: n,
			Detail: fmt.Sprintf("A second list of %s has neither addresses nor markers that refer to it.", plural.Of(n, "source")),
		})
	}
	sort.SliceStable(r.doc.Findings, func(i, j int) bool { return r.doc.Findings[i].Line < r.doc.Findings[j].Line })
}

func (r *documentBuilder) addFinding(f Finding) { r.doc.Findings = append(r.doc.Findings, f) }

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" %d times", n)
}

// findDuplicates finds sources with several entries, and labels with several.
func (r *documentBuilder) findDuplicates() {
	sources, labels := map[string][]int{}, map[string][]int{}
	for i, e := range r.doc.References {
		if !e.Listed {
			continue
		}
		if e.Key != "" && e.Label != "" {
			sources[e.Key] = append(sources[e.Key], i)
		}
		if e.Label != "" {
			labels[e.Label] = append(labels[e.Label], i)
		}
	}
	for i, e := range r.doc.References {
		if same := sources[e.Key]; e.Listed && len(same) > 1 && same[0] == i {
			f := Finding{Fault: Duplicate, Line: r.doc.References[same[1]].Line, Times: len(same) - 1, References: same}
			for _, k := range same {
				f.Labels = append(f.Labels, r.doc.References[k].Label)
			}
			f.Detail = fmt.Sprintf("[%s] are one source: %s.", strings.Join(f.Labels, "], ["), e.Key)
			r.addFinding(f)
		}
		if same := labels[e.Label]; e.Listed && len(same) > 1 && same[0] == i {
			r.addFinding(Finding{
				Fault: SameLabel, Line: r.doc.References[same[1]].Line, Times: len(same) - 1, Labels: []string{e.Label}, References: same,
				Detail: fmt.Sprintf("%d entries of the list are called [%s]; markers can only mean the first.", len(same), e.Label),
			})
		}
	}
}

// findUnused finds entries that nothing refers to.
func (r *documentBuilder) findUnused(listed int) {
	used := 0
	for _, e := range r.doc.References {
		if e.Listed && e.Cited > 0 {
			used++
		}
	}
	if listed > 0 && used == 0 {
		r.addFinding(Finding{Fault: NoMarkers, Times: listed, Detail: fmt.Sprintf("Nothing in the text refers to the list of %s.", plural.Of(listed, "source"))})
		return
	}
	for i, e := range r.doc.References {
		if e.Listed && e.Cited == 0 {
			r.addFinding(Finding{Fault: Unused, Line: e.Line, Labels: labelList(e.Label), References: []int{i}, Detail: e.Name() + " is listed, and nothing in the text refers to it."})
		}
	}
}

func labelList(label string) []string {
	if label == "" {
		return nil
	}
	return []string{label}
}

// findGaps finds numbers that a list leaves out.
func (r *documentBuilder) findGaps() {
	var numbers []int
	line := 0
	for _, e := range r.doc.References {
		if n, err := strconv.Atoi(e.Label); err == nil && e.Listed {
			numbers = append(numbers, n)
			line = e.Line
		}
	}
	sort.Ints(numbers)
	var missing []string
	for i := 1; i < len(numbers); i++ {
		for n := numbers[i-1] + 1; n < numbers[i] && len(missing) < 100; n++ {
			missing = append(missing, strconv.Itoa(n))
		}
	}
	if len(missing) > 0 {
		r.addFinding(Finding{Fault: Gap, Line: line, Times: len(missing), Labels: missing, Detail: "The list of sources leaves out " + strings.Join(missing, ", ") + "."})
	}
}

// findUnlinked finds entries that lead nowhere.
func (r *documentBuilder) findUnlinked() {
	for i, e := range r.doc.References {
		f := Finding{Line: e.Line, Labels: labelList(e.Label), References: []int{i}}
		switch {
		case e.Listed && e.URL == "":
			f.Fault = NoAddress
			f.Detail = fmt.Sprintf("%s gives neither an address nor an identifier: %s", e.Name(), shorten(e.Text))
		case strings.HasPrefix(strings.ToLower(e.URL), "http") && source.Identify(e.URL).URL == "":
			f.Fault = Unreadable
			f.Detail = fmt.Sprintf("%s has an address that is none: %s", e.Name(), shorten(e.URL))
		default:
			continue
		}
		r.addFinding(f)
	}
}

// findLeftovers finds what markers and tools left.
func (r *documentBuilder) findLeftovers() {
	for _, m := range r.elsewhere {
		r.addFinding(Finding{
			Fault: Elsewhere, Line: r.lineNumber(m.src), Labels: m.labels,
			Detail: fmt.Sprintf("The marker [%s] links to %s, which is not the address of its entry in the list.", m.labels[0], shorten(m.target)),
		})
	}
	if n := len(r.leftover); n > 0 {
		r.addFinding(Finding{
			Fault: Leftover, Line: r.lineNumber(r.leftover[0].src), Times: n,
			Detail: fmt.Sprintf("%s of a writing tool were left in the text; nobody can follow them.", plural.Of(n, "reference token")),
		})
	}
}

// shorten is the beginning of a text.
func shorten(s string) string {
	if runes := []rune(s); len(runes) > 120 {
		return string(runes[:119]) + "…"
	}
	return s
}
