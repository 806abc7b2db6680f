package citation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/evidence/source"
)

// resolved is what a marker refers to, and how it is written: nothing of both
// for what is no marker after all.
type resolved struct {
	references []int
	written    []string
}

// resolveMark gives what a mark refers to.
func (r *documentBuilder) resolveMark(m mark) resolved {
	if to, ok := r.byID[m.fragment]; ok && m.fragment != "" {
		r.countMarker(m)
		return resolved{to, m.labels}
	}
	switch {
	case m.hollow:
		r.hollow = append(r.hollow, m)
		return resolved{nil, []string{m.words}}
	case m.known != nil:
		r.countMarker(m)
		return resolved{m.known, m.labels}
	case m.ids:
		return r.resolveIDs(m)
	case m.leftover && !r.resolvesAny(m):
		r.leftover = append(r.leftover, m)
		return resolved{nil, m.labels}
	}
	out := r.resolveLabels(m)
	if len(out.written) > 0 && m.target == "" {
		r.countMarker(m)
	}
	if m.target == "" {
		return out
	}
	return r.resolveLink(m, out.references)
}

// countMarker counts a marker that leads to an entry of a list, or ought to.
func (r *documentBuilder) countMarker(m mark) {
	r.markers++
	if r.first == 0 {
		r.first = r.lineNumber(m.src)
	}
}

// resolveLabels gives what the labels of a mark refer to.
func (r *documentBuilder) resolveLabels(m mark) (out resolved) {
	for _, l := range m.labels {
		if r.remarks[l] {
			continue
		}
		found := r.resolveLabel(l)
		if len(found.references) == 0 {
			if m.soft || m.target != "" {
				continue
			}
			r.addDangling(l, m)
		}
		if r.twins[labelled{r.scope, l}] {
			r.ambiguous = append(r.ambiguous, m)
		}
		out.references, out.written = append(out.references, found.references...), append(out.written, found.written...)
	}
	return out
}

func (r *documentBuilder) resolvesAny(m mark) bool {
	return slices.ContainsFunc(m.labels, func(l string) bool { return r.hasLabel(r.scope, l) })
}

// resolveIDs gives the references of a tool's ids.
func (r *documentBuilder) resolveIDs(m mark) (out resolved) {
	r.countMarker(m)
	for _, id := range m.labels {
		found := -1
		for _, form := range idForms(id) {
			if n, ok := r.byLabel[labelled{r.scope, form}]; ok {
				found = n
				break
			}
		}
		if found < 0 {
			r.addDangling(id, m)
		} else if !slices.Contains(out.references, found) {
			out.references = append(out.references, found)
		}
		out.written = append(out.written, id)
	}
	return out
}

// resolveLink gives the references of a link, which may be a numbered marker as
// well.
func (r *documentBuilder) resolveLink(m mark, refs []int) resolved {
	key := source.Identify(m.target).Key
	written := m.words
	if len(m.labels) > 0 {
		written = strings.Join(m.labels, ", ")
	}
	if written == "" {
		written = m.target
	}
	r.noteOtherHost(m)
	if m.further {
		return resolved{[]int{r.inlineReference(m, key)}, nil}
	}
	if len(refs) > 0 {
		if other := r.doc.References[refs[0]].Key; other != "" && other != key {
			m.labels = []string{r.doc.References[refs[0]].Label}
			r.elsewhere = append(r.elsewhere, m)
		}
		return resolved{refs, []string{written}}
	}
	n := r.inlineReference(m, key)
	if len(m.labels) == 1 {
		l := m.labels[0]
		if !slices.Contains(r.linked[l], n) {
			r.linked[l] = append(r.linked[l], n)
		}
	}
	return resolved{[]int{n}, []string{written}}
}

// resolveLabel gives the references a label or range names, and the labels.
func (r *documentBuilder) resolveLabel(l string) (out resolved) {
	if to := r.standing(labelled{r.scope, l}); to != nil {
		return resolved{to, []string{l}}
	}
	from, to, ok := labelRange(l)
	if !ok || !r.hasLabel(r.scope, l) {
		return resolved{nil, []string{l}}
	}
	for n := from; n <= to; n++ {
		name := strconv.Itoa(n)
		out.written = append(out.written, name)
		if to := r.standing(labelled{r.scope, name}); to != nil {
			out.references = append(out.references, to...)
			continue
		}
		r.addDangling(name, mark{src: -1})
	}
	return out
}

func (r *documentBuilder) addDangling(l string, m mark) {
	if r.dangling[l] == nil {
		r.dangling[l] = &dangler{label: l}
		r.order = append(r.order, l)
	}
	d := r.dangling[l]
	d.times++
	if m.src >= 0 {
		d.lines = append(d.lines, r.lineNumber(m.src))
	}
}
