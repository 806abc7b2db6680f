package quote

import "github.com/research-council/research-council/internal/evidence/guard"

// finder is one way to look for a quotation.
type finder struct {
	find    func(*search, string) (Match, bool)
	signs   bool // it compares the signs of code itself, cell by cell
	checked bool // what it finds has been checked, and what is around it too
}

// finders are all ways to look for a quotation, in their order: the first that finds it is
// believed.
func finders() []finder {
	return []finder{
		{find: findWritten},
		{find: (*search).findGlossed},
		{find: findHeadAndRows},
		{find: (*search).findTypedRow},
		{find: findTypedCells, signs: true},
		{find: findWideRow},
		{find: findLabelledCells, checked: true},
		{find: findHeading},
		{find: findLabelled},
		{find: findLinesOfRow},
		{find: findWrappedRow, checked: true},
		{find: findNamed, checked: true},
		{find: findStruck, checked: true},
	}
}

// findWritten looks for a quotation in the text as it stands, then as it is read. Where
// words seem left out or joined, it is better found as the text is read (what seems left out
// is no part of it), or with a bracket that stands for them.
func findWritten(s *search, quoted string) (Match, bool) {
	m, ok := s.find(quoted)
	others := []func(string) (Match, bool){s.findRead, s.findGlossed}
	if ok {
		m = notStruck(s, m, quoted)
		if hasFinding(m, guard.Struck, guard.Hidden) {
			return m, true
		}
	} else {
		if m, ok = s.findRead(quoted); !ok {
			return m, false
		}
		others = others[1:]
	}
	if hasFinding(m, guard.Omitted, guard.Joined) {
		inRows := func(find func(*search, string) (Match, bool)) func(string) (Match, bool) {
			return func(quoted string) (Match, bool) { return find(s, quoted) }
		}
		for _, find := range append(others, inRows(findTypedCells), inRows(findWrappedRow)) {
			if other, found := find(quoted); found && len(other.Findings) == 0 {
				return other, true
			}
		}
	}
	return m, true
}
