package citation

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/source"
)

// An inspector looks at a document that was read for what is wrong in it.
type inspector struct{ *documentBuilder }

// findings tells what is wrong with how the report cites. What is wrong in many
// places in one way is one finding.
func (r *inspector) findings() {
	listed := 0
	for _, e := range r.doc.References {
		if e.Listed {
			listed++
		}
	}
	switch {
	case listed == 0 && r.markers > 0:
		r.addFinding(Finding{Fault: NoList, Line: r.first, Times: r.markers, Detail: fmt.Sprintf("The text has %s, and there is no list of sources they could refer to.", plural.Of(r.markers, "marker"))})
	case len(r.doc.References) == 0 && r.doc.Sentences > 0 && len(r.leftover) == 0:
		r.addFinding(Finding{Fault: NoSources, Detail: "The report names no source at all."})
	}
	if listed > 0 || r.markers == 0 {
		r.findDangling()
	}
	r.findDuplicates()
	r.findTwins()
	r.findUnused(listed)
	r.findGaps()
	r.findUnlinked()
	r.findMisleading()
	if n := len(r.second); n > 0 {
		r.addFinding(Finding{
			Fault: SecondList, Line: r.lineNumber(r.blocks[r.second[0]].src), Times: n,
			Detail: fmt.Sprintf("A second list of %s has neither addresses nor markers that refer to it.", plural.Of(n, "source")),
		})
	}
	sort.SliceStable(r.doc.Findings, func(i, j int) bool { return r.doc.Findings[i].Line < r.doc.Findings[j].Line })
}

func (r *inspector) addFinding(f Finding) { r.doc.Findings = append(r.doc.Findings, f) }

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" %d times", n)
}

// maxNamed bounds what a sentence names.
const maxNamed = 12

// enumerate puts things into one sentence.
func enumerate(things []string) string {
	if more := len(things) - maxNamed; more > 0 {
		return strings.Join(things[:maxNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(things, ", ")
}

// findDangling finds markers without a reference.
func (r *inspector) findDangling() {
	if len(r.order) == 0 {
		return
	}
	f := Finding{Fault: Dangling, Labels: r.order}
	var named []string
	for _, l := range r.order {
		d := r.dangling[l]
		f.Times += d.times
		if len(d.lines) > 0 && (f.Line == 0 || d.lines[0] < f.Line) {
			f.Line = d.lines[0]
		}
		named = append(named, fmt.Sprintf("[%s]%s", l, times(d.times)))
	}
	f.Detail = fmt.Sprintf("%s stand in the text, and the list of sources has no such entries.", enumerate(named))
	if len(r.order) == 1 {
		f.Detail = fmt.Sprintf("[%s] stands in the text%s, and the list of sources has no such entry.", r.order[0], times(f.Times))
	}
	r.addFinding(f)
}

// findDuplicates finds sources with several entries.
func (r *inspector) findDuplicates() {
	sources := map[string][]int{}
	for i, e := range r.doc.References {
		if e.Listed && e.Key != "" && e.Label != "" {
			key := fmt.Sprintf("%d %s", r.scopeOfReference[i], e.Key)
			sources[key] = append(sources[key], i)
		}
	}
	f := Finding{Fault: Duplicate}
	var named []string
	for i, e := range r.doc.References {
		same := sources[fmt.Sprintf("%d %s", r.scopeOfReference[i], e.Key)]
		if !e.Listed || len(same) < 2 || same[0] != i {
			continue
		}
		var labels []string
		for _, k := range same {
			labels = append(labels, r.doc.References[k].Label)
		}
		f.addTo(r.doc.References[same[1]].Line, len(same)-1, labels, same)
		named = append(named, fmt.Sprintf("[%s] are one source: %s", strings.Join(labels, "], ["), e.Key))
	}
	if len(named) > 0 {
		f.Detail = strings.Join(named[:min(len(named), maxNamed)], "; ") + "."
		r.addFinding(f)
	}
}

// addTo adds another place to a finding.
func (f *Finding) addTo(line, times int, labels []string, references []int) {
	if f.Line == 0 || line < f.Line {
		f.Line = line
	}
	f.Times += times
	f.Labels, f.References = append(f.Labels, labels...), append(f.References, references...)
}

// findTwins finds labels with several entries or addresses, and the markers
// that can therefore mean several.
func (r *inspector) findTwins() {
	labels := map[labelled][]int{}
	for i, e := range r.doc.References {
		if e.Listed && e.Label != "" {
			l := labelled{r.scopeOfReference[i], e.Label}
			labels[l] = append(labels[l], i)
		}
	}
	f := Finding{Fault: SameLabel}
	var named []string
	for i, e := range r.doc.References {
		if same := labels[labelled{r.scopeOfReference[i], e.Label}]; e.Listed && len(same) > 1 && same[0] == i {
			f.addTo(r.doc.References[same[1]].Line, len(same)-1, []string{e.Label}, same)
			named = append(named, fmt.Sprintf("%d entries of the list are called [%s]; markers can only mean the first", len(same), e.Label))
		}
	}
	for _, l := range sortedKeys(r.linked) {
		if to := r.linked[l]; len(to) > 1 {
			f.addTo(r.doc.References[to[1]].Line, len(to)-1, []string{l}, to)
			named = append(named, fmt.Sprintf("the number [%s] leads to %d addresses", l, len(to)))
		}
	}
	if len(named) > 0 {
		f.Detail = upperFirst(strings.Join(named[:min(len(named), maxNamed)], "; ")) + "."
		r.addFinding(f)
	}
	if n := len(r.ambiguous); n > 0 {
		f := Finding{Fault: Ambiguous, Line: r.lineNumber(r.ambiguous[0].src), Times: n}
		for _, m := range r.ambiguous {
			if !slices.Contains(f.Labels, m.labels[0]) {
				f.Labels = append(f.Labels, m.labels[0])
			}
		}
		f.Detail = fmt.Sprintf("[%s] stands in the text%s and can mean several entries; the first was taken.", enumerate(f.Labels), times(n))
		r.addFinding(f)
	}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func sortedKeys(m map[string][]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// findUnused finds entries that nothing refers to. Of several of one label the
// markers mean one or the other.
func (r *inspector) findUnused(listed int) {
	used := map[labelled]bool{}
	for i, e := range r.doc.References {
		if e.Listed && e.Cited > 0 {
			used[labelled{r.scopeOfReference[i], e.Label}] = true
		}
	}
	if listed > 0 && len(used) == 0 {
		said := fmt.Sprintf("The report has a list of %s, and nothing in the text refers to them.", plural.Of(listed, "source"))
		if r.lists > 1 {
			said = fmt.Sprintf("The sources, %d, stand in %d lists behind their sections, and no sentence says which of them it rests on.", listed, r.lists)
		}
		r.addFinding(Finding{Fault: NoMarkers, Times: max(1, r.lists), Detail: said})
		return
	}
	f := Finding{Fault: Unused}
	var named []string
	for i, e := range r.doc.References {
		if e.Listed && e.Cited == 0 && (e.Label == "" || !used[labelled{r.scopeOfReference[i], e.Label}]) {
			f.addTo(e.Line, 1, labelList(e.Label), []int{i})
			named = append(named, e.Name())
		}
	}
	switch len(named) {
	case 0:
		return
	case 1:
		f.Detail = named[0] + " is listed, and nothing in the text refers to it."
	default:
		f.Detail = enumerate(named) + " are listed, and nothing in the text refers to them."
	}
	r.addFinding(f)
}

func labelList(label string) []string {
	if label == "" {
		return nil
	}
	return []string{label}
}

// findGaps finds numbers that a list leaves out and no marker has, which would
// be said of it.
func (r *inspector) findGaps() {
	numbers, line := map[int][]int{}, 0
	last := 0
	for i, e := range r.doc.References {
		if n, err := strconv.Atoi(e.Label); err == nil && e.Listed {
			scope := r.scopeOfReference[i]
			numbers[scope] = append(numbers[scope], n)
			line, last = e.Line, max(last, scope)
		}
	}
	var missing []string
	for scope := 0; scope <= last; scope++ {
		of := numbers[scope]
		sort.Ints(of)
		for i := 1; i < len(of); i++ {
			for n := of[i-1] + 1; n < of[i] && len(missing) < 100; n++ {
				if name := strconv.Itoa(n); r.dangling[name] == nil && r.standing(labelled{scope, name}) == nil {
					missing = append(missing, name)
				}
			}
		}
	}
	if len(missing) > 0 {
		r.addFinding(Finding{Fault: Gap, Line: line, Times: len(missing), Labels: missing, Detail: "The list of sources leaves out " + enumerate(missing) + "."})
	}
}

// findUnlinked finds entries that lead nowhere.
func (r *inspector) findUnlinked() {
	none, bad := Finding{Fault: NoAddress}, Finding{Fault: Unreadable}
	var noneNamed, badNamed []string
	for i, e := range r.doc.References {
		switch {
		case e.Listed && e.URL == "":
			none.addTo(e.Line, 1, labelList(e.Label), []int{i})
			noneNamed = append(noneNamed, fmt.Sprintf("%s gives neither an address nor an identifier: %s", e.Name(), shorten(e.Text)))
		case strings.HasPrefix(strings.ToLower(e.URL), "http") && source.Identify(e.URL).URL == "":
			bad.addTo(e.Line, 1, labelList(e.Label), []int{i})
			badNamed = append(badNamed, fmt.Sprintf("%s has an address that is none: %s", e.Name(), shorten(e.URL)))
		}
	}
	r.addNamed(none, noneNamed)
	r.addNamed(bad, badNamed)
}

// addNamed adds a finding with what there is to say of each of its places.
func (r *inspector) addNamed(f Finding, named []string) {
	if len(named) == 0 {
		return
	}
	f.Detail = strings.Join(named[:min(len(named), maxNamed)], "; ")
	if more := len(named) - maxNamed; more > 0 {
		f.Detail += fmt.Sprintf("; and %d more", more)
	}
	r.addFinding(f)
}

// findMisleading finds markers that lead elsewhere than they say, and what
// tools left.
func (r *inspector) findMisleading() {
	elsewhere, other := Finding{Fault: Elsewhere}, Finding{Fault: OtherHost}
	var elsewhereNamed, otherNamed []string
	for _, m := range r.elsewhere {
		elsewhere.addTo(r.lineNumber(m.src), 1, m.labels, nil)
		elsewhereNamed = append(elsewhereNamed, fmt.Sprintf("The marker [%s] links to %s, which is not the address of its entry in the list", m.labels[0], shorten(m.target)))
	}
	for _, m := range r.otherHost {
		other.addTo(r.lineNumber(m.src), 1, nil, nil)
		otherNamed = append(otherNamed, fmt.Sprintf("A link called %s leads to %s", shorten(m.words), shorten(m.target)))
	}
	if n := len(r.hollow); n > 0 {
		r.addFinding(Finding{Fault: EmptyLink, Line: r.lineNumber(r.hollow[0].src), Times: n, Detail: fmt.Sprintf("The text has %s without an address: %q.", plural.Of(n, "link"), shorten(r.hollow[0].words))})
	}
	r.addNamed(elsewhere, elsewhereNamed)
	r.addNamed(other, otherNamed)
	if n := len(r.leftover); n > 0 {
		tokens := 0
		for _, m := range r.leftover {
			tokens += max(1, len(m.labels))
		}
		r.addFinding(Finding{
			Fault: Leftover, Line: r.lineNumber(r.leftover[0].src), Times: tokens,
			Detail: fmt.Sprintf("%s of a writing tool were left in the text; nobody can follow them.", plural.Of(tokens, "reference token")),
		})
	}
}

// noteOtherHost notes a link whose words name another host than it leads to.
func (r *documentBuilder) noteOtherHost(m mark) {
	if namesOtherHost(m.words, m.target) {
		r.otherHost = append(r.otherHost, m)
	}
}

// shorten is the beginning of a text.
func shorten(s string) string {
	if runes := []rune(s); len(runes) > 120 {
		return string(runes[:119]) + "…"
	}
	return s
}
