// Package quote says whether a text holds a quotation, where, and how surely.
//
// Five tiers are known. Exact: the very bytes. Normalised: the same once both
// are folded, which undoes what typesetting, copying and line wrapping do to a
// text and nothing that changes what it says. Space-less: the same letters and
// digits, as when a PDF has lost its blanks. Near: but for one or two words
// misspelt. Elided: the quotation leaves words out, marked by an ellipsis or,
// at most two plain ones, unmarked. What it leaves out is told, and may not turn
// what the rest says: an ellipsis that leaves a "not" out of a sentence that is
// quoted is refused; of one left out whole it is told where it takes back what
// stands before it. Where a hyphen, a blank, an apostrophe, a comma or a vowel sign
// may make another word or clause of the same letters, both spellings are told.
//
// In every tier the deciding words of quotation and passage agree (package
// guard): one number, sign, unit, name or negation that differs and the
// quotation is refused, however alike the rest is. And a passage may not be
// cut so that it says something else: it begins and ends between words, not
// within a number, behind a "not", an "up to" or a sign, or before a percent
// sign, a million or a unit. Quotations of fewer than eight words are found
// exactly or normalised or not at all.
//
// Offsets are bytes of the text that was given. Whether the passage supports a
// claim is not judged here.
package quote

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// Tier says how alike a quotation and its passage are.
type Tier string

// The tiers, the surest first.
const (
	Exact      Tier = "exact"      // the same bytes
	Normalised Tier = "normalised" // the same once both are folded
	Spaceless  Tier = "space-less" // the same letters and digits, blanks and lesser marks aside
	Near       Tier = "near"       // the same but for one or two misspelt words, or for capitals
	Elided     Tier = "elided"     // parts of the passage, in order
)

// QuotingRule is what whoever quotes is told, the same everywhere.
const QuotingRule = "Copy the words from the page or file itself, at least eight in a row where it has as many; every number, sign, unit, name and \"not\" stays as it is. " +
	"\"…\" marks words you leave out. Whole sentences, and whole statements of code, may go; within a sentence a \"not\", an exception, a condition or a number may not, so quote that part too."

// ShortQuotation is how many words a quotation needs to be found in other tiers than
// exact and normalised. Where words are not parted by blanks each letter is
// one.
const ShortQuotation = 8

// Span is a part of a text in bytes, End exclusive.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Match is where a text holds a quotation.
type Match struct {
	Tier       Tier
	Start, End int    // the passage's bytes in the text, End exclusive
	Segments   []Span // the parts of an elided passage that the quotation holds; nil in other tiers
	// Gaps are what the quotation leaves out of the text and is to be shown beside
	// it: between its parts, where it has an ellipsis at an end, what a bracket
	// stands for, and the rest of its sentence where that may bound what it says.
	Gaps     []Span
	Misspelt []Misspelling   // words that the quotation has with other letters than the text
	Findings []guard.Finding // why a passage was refused, or what is to be told of one that was found
}

// Misspelling is a word as a quotation and its text have it, a letter or two apart.
type Misspelling struct{ Quoted, Source string }

// Result is what came of looking for a quotation.
type Result struct {
	Found bool
	// Match is the passage. When nothing is found its Tier is "": then it is
	// the passage that was refused, and its Findings are the deciding words in
	// which quotation and passage differ, or which the cut leaves off. It is
	// zero when no passage came close; without Findings it was too unlike in
	// other words.
	Match   Match
	Nearest string // the text's passage nearest to a quotation that was not found, "" for none
}

// Find looks for a quotation in a text. A quotation without a letter or digit
// is never found. Time and memory are linear in both lengths. For more than
// one quotation of the same text, see [Index].
func Find(text, quoted string) (Match, bool) { return Index(text).Find(quoted) }

// A Text is a text made ready for many quotations. It does not change and may
// be used by many at once.
type Text struct {
	text   string
	lines  bool // each line stands by itself
	stream letterStream
	// made when first needed
	gramIndex func() *gramIndex
	wordIndex func() *wordIndex
	reading   func() *reading.Text // of the text
	readText  func() *Text         // the reading's text made ready
	// the same with heads and feet of pages, which may be quoted too
	readingOfPages  func() *reading.Text
	readTextOfPages func() *Text
	// and with what one of its pages alone has there
	readingOfSurePages  func() *reading.Text
	readTextOfSurePages func() *Text
	// and without the numbers that may be of pages
	readingOfUnsureLines  func() *reading.Text
	readTextOfUnsureLines func() *Text
	// and without the letters and numbers of items
	readingOfItems  func() *reading.Text
	readTextOfItems func() *Text
	// and with what is struck out or hidden
	readingOfStruck  func() *reading.Text
	readTextOfStruck func() *Text
	struck           func() []reading.Struck // of the text
	// the same with rows of several lines in one
	wrappedRows       func() *reading.Text
	textOfWrappedRows func() *Text
	code              func() []Span // the lines of code in the text
	language          func() string // of the text, by its beginning
	lower             func() string // the text in small letters
	hasTabs           func() bool
	notes             func() notesByMark
	hasFirstNote      func() bool   // a raised one is the mark of its first note
	signs             func() string // what it has of letters and signs that are quoted by their names
}

// Index makes a text ready.
func Index(text string) *Text { return index(text, false) }

// IndexLines makes a text ready that a program has printed: none of its lines goes on in the
// next.
func IndexLines(text string) *Text { return index(text, true) }

func index(text string, lines bool) *Text {
	s := newLetterStream(text)
	read := sync.OnceValue(func() *reading.Text { return reading.Of(text) })
	ofPages := sync.OnceValue(func() *reading.Text { return reading.WithPages(text) })
	ofSurePages := sync.OnceValue(func() *reading.Text { return reading.WithUnsure(text) })
	ofUnsureLines := sync.OnceValue(func() *reading.Text { return reading.WithUnsureLines(text) })
	ofItems := sync.OnceValue(func() *reading.Text { return reading.WithoutItemMarks(text) })
	ofStruck := sync.OnceValue(func() *reading.Text { return reading.WithStruck(text) })
	wrapped := sync.OnceValue(func() *reading.Text { return newWrappedRows(text) })
	return &Text{
		text: text, stream: s, lines: lines,
		gramIndex:             sync.OnceValue(func() *gramIndex { return newGramIndex(s.letters) }),
		wordIndex:             sync.OnceValue(func() *wordIndex { return newWordIndex(s) }),
		reading:               read,
		readText:              sync.OnceValue(func() *Text { return index(read().String(), lines) }),
		readingOfPages:        ofPages,
		readTextOfPages:       sync.OnceValue(func() *Text { return index(ofPages().String(), lines) }),
		readingOfSurePages:    ofSurePages,
		readTextOfSurePages:   sync.OnceValue(func() *Text { return index(ofSurePages().String(), lines) }),
		readingOfUnsureLines:  ofUnsureLines,
		readTextOfUnsureLines: sync.OnceValue(func() *Text { return index(ofUnsureLines().String(), lines) }),
		readingOfItems:        ofItems,
		readTextOfItems:       sync.OnceValue(func() *Text { return index(ofItems().String(), lines) }),
		wrappedRows:           wrapped,
		textOfWrappedRows:     sync.OnceValue(func() *Text { return index(wrapped().String(), lines) }),
		code:                  sync.OnceValue(func() []Span { return codeSpans(text) }),
		language:              sync.OnceValue(func() string { return guard.Language(text[:words.RuneStart(text, 4096)]) }),
		lower:                 sync.OnceValue(func() string { return strings.ToLower(text) }),
		signs:                 sync.OnceValue(func() string { return signsIn(text) }),
		hasTabs:               sync.OnceValue(func() bool { return strings.Contains(text, "\t") }),
		readingOfStruck:       ofStruck,
		readTextOfStruck:      sync.OnceValue(func() *Text { return index(ofStruck().String(), lines) }),
		struck:                sync.OnceValue(func() []reading.Struck { return reading.StruckIn(text) }),
		hasFirstNote:          sync.OnceValue(func() bool { return firstNote().MatchString(text) }),
		notes:                 sync.OnceValue(func() notesByMark { return findNotes(text) }),
	}
}

// around is the text that stands around a span, and the span in it: all of it, or the lines
// that the span is in.
func (t *Text) around(start, end int) (text string, from, to int) {
	if !t.lines {
		return t.text, start, end
	}
	begins, ends := strings.LastIndexByte(t.text[:start], '\n')+1, len(t.text)
	if n := strings.IndexByte(t.text[end:], '\n'); n >= 0 {
		ends = end + n
	}
	return t.text[begins:ends], start - begins, end - begins
}

// Find looks for a quotation. Marks of quotation around the whole of it need
// not be in the text, nor a full stop, comma or ellipsis at its end.
func (t *Text) Find(quoted string) (Match, bool) { return t.FindWithin(quoted, 0, len(t.text)) }

// FindWithin looks for a quotation whose passage lies between two bytes of the
// text. What stands around them is still seen by the guards.
func (t *Text) FindWithin(quoted string, from, to int) (Match, bool) {
	s := search{Text: t, from: from, to: to}
	return s.findAnyhow(quoted)
}

// FindOrExplain looks for a quotation as [Text.Find] does, and tells why it is not
// found.
func (t *Text) FindOrExplain(quoted string) Result {
	s := search{Text: t, to: len(t.text)}
	if m, ok := s.findAnyhow(quoted); ok {
		return Result{Found: true, Match: m}
	}
	if s.refused.End > 0 {
		return Result{Match: s.refused, Nearest: t.widenToSentence(s.refused.Start, s.refused.End)}
	}
	return Result{Nearest: t.Nearest(quoted)}
}

// search is the search for one quotation.
type search struct {
	*Text
	from, to int
	read     bool // the text is a reading of another
	wrapped  bool // its rows are made whole
	named    bool // signs stand in the quotation for their names
	// refused is the passage that came closest, and cost how many words it
	// differs in, and one more.
	refused Match
	cost    int
}

// recordRefused remembers a passage that is not taken when none came closer.
func (s *search) recordRefused(start, end, cost int, findings []guard.Finding) {
	if isCloser(cost, s.cost) {
		s.cost = cost + 1
		s.refused = Match{Start: start, End: end, Findings: findings}
	}
}

// isCloser reports whether a passage is closer than the one refused so far, if any.
func isCloser(cost, than int) bool { return than == 0 || cost+1 < than }

// findAnyhow looks for a quotation in all the ways of [finders], and checks what was found
// and what stands around it.
func (s *search) findAnyhow(quoted string) (Match, bool) {
	for _, f := range finders() {
		m, ok := f.find(s, quoted)
		switch {
		case !ok:
			continue
		case f.checked:
			return m, true
		}
		if m, ok = checkFound(s, quoted, m, f.signs); !ok {
			return findWrappedRow(s, quoted) // marks between its cells are no signs of code
		}
		return addAround(s, quoted, m), true
	}
	return Match{}, false
}

// checkFound refuses a passage whose numbers, empty cells, years, powers or signs say
// otherwise than the quotation, unless its signs have been compared, and adds the gaps that
// these leave.
func checkFound(s *search, quoted string, m Match, signs bool) (Match, bool) {
	if beginsWithOtherNumber(s.text, quoted, m) || joinsRows(s, quoted, m) {
		return Match{}, false
	}
	for _, check := range []func(*search, string, Match) ([]Span, bool){checkEmptyCells, checkAddedYears, checkPowers} {
		gaps, right := check(s, quoted, m)
		if !right {
			return Match{}, false
		}
		m.Gaps = append(m.Gaps, gaps...)
	}
	if m.Tier != Elided && !signs && (s.isCode(m.Start, m.End) || s.isInCodeBlock(m.Start, m.End)) {
		if f, differ := operatorsDiffer(quoted, s.text[m.Start:m.End]); differ {
			s.recordRefused(m.Start, m.End, 0, []guard.Finding{f})
			return Match{}, false
		}
	}
	if f, differ := saysOtherwise(s.text, quoted, m); differ {
		s.recordRefused(m.Start, m.End, 0, []guard.Finding{f})
		return Match{}, false
	}
	return m, true
}

// addAround adds what governs a passage from outside its ends: findings, and gaps that show
// it. Code and parts of a statement have nothing of the kind.
func addAround(s *search, quoted string, m Match) Match {
	if s.isCode(m.Start, m.End) || s.isWithinStatement(m.Start, m.End) {
		return m
	}
	end := m.End
	if asks := strings.HasSuffix(strings.TrimRight(quoted, `"'”’»`), "?"); asks && strings.HasPrefix(s.text[end:], "?") {
		end++
	}
	around := governing.Find(s.text, m.Start, end, reading.Part)
	if len(around.Findings) == 0 && !around.Tail && !governing.EndsRowOfLines(s.text, m.Start, end) && (endsAtBreak(s.text, end) || beginsBehindBreak(s.text, m.Start) && s.reading().HasPages()) {
		around.Findings = governedOverPages(s.reading(), m.Start, end)
	}
	m.Findings = append(m.Findings, around.Findings...)
	m.Gaps = append(m.Gaps, restOfSentence(s.text, m, around)...)
	for _, shown := range []Span{{around.NextFrom, around.NextTo}, {around.SaidFrom, around.SaidTo}} {
		if shown.Start < shown.End {
			m.Gaps = append(m.Gaps, shown)
		}
	}
	if behind, ok := sentenceBehindMarks(s.text, m.Start, end); ok && len(m.Gaps)+len(m.Findings) == 0 {
		m.Gaps = append(m.Gaps, behind)
	}
	if behind, ok := lineBehind(s, end); ok && len(m.Gaps)+len(m.Findings) == 0 {
		m.Gaps = append(m.Gaps, behind)
	}
	if len(m.Gaps)+len(m.Findings) == 0 {
		m.Gaps = behindPassage(s, quoted, m)
	}
	if around.HeadingFrom < around.HeadingTo {
		m.Gaps = append(m.Gaps, Span{around.HeadingFrom, around.HeadingTo})
	}
	findings, shown := checkNotes(s, quoted, m)
	m.Findings, m.Gaps = append(m.Findings, findings...), append(m.Gaps, shown...)
	slices.SortFunc(m.Gaps, func(a, b Span) int { return a.Start - b.Start })
	return m
}

// saysOtherwise gives in what a quotation denies, calculates or assigns otherwise than the
// passage that it was found in.
func saysOtherwise(text, quoted string, m Match) (guard.Finding, bool) {
	passage := text[m.Start:m.End]
	if m.Tier != Elided {
		if f, differ := deniesOtherwise(quoted, passage); differ {
			return f, true
		}
	}
	if m.Tier != Exact {
		if f, differ := calculatesOtherwise(quoted, passage); differ {
			return f, true
		}
	}
	return assignsOtherwise(text, quoted, m)
}

// hasFinding reports whether something of some kinds is told of a passage.
func hasFinding(m Match, kinds ...guard.Kind) bool {
	return slices.ContainsFunc(m.Findings, func(f guard.Finding) bool { return slices.Contains(kinds, f.Kind) })
}

func (s *search) find(quoted string) (Match, bool) {
	var forms []*query
	for _, form := range quotationForms(quoted) {
		if q := newQuery(form); q != nil {
			q.quotation = quoted
			forms = append(forms, q)
		}
	}
	if n := len(forms); n > 0 && len(forms[n-1].tokens) > 1 && len(forms[n-1].tokens) < ShortQuotation {
		if other, ok := otherInitial(forms[n-1].raw); ok {
			q := newQuery(other)
			q.quotation = quoted
			forms = append(forms, q)
		}
	}
	for _, find := range []func(*query) (Match, bool){s.findByLetters, s.findBytes, s.findElided, s.findNear} {
		for _, q := range forms {
			m, ok := find(q)
			if !ok {
				continue
			}
			if m, ok := s.checkGaps(m, q); ok {
				m.Misspelt = append(m.Misspelt, spelledOtherwise(s.text, m, q)...)
				return m, true
			}
		}
	}
	return Match{}, false
}

// query is a form of the quotation that is looked for.
type query struct {
	quotation  string // the quotation it is a form of
	raw        string
	normalised string
	stream     letterStream
	tokens     []token
	// lead and trail are what folded has before the first letter or digit and
	// behind the last.
	lead, trail string
	goesOn      bool // brackets stand behind it, which may have the unit of its last number
}

// newQuery makes a form ready; nil for one without a letter or digit.
func newQuery(form string) *query {
	q := &query{raw: form, normalised: normalise(form).text, stream: newLetterStream(form)}
	first := strings.IndexFunc(q.normalised, char.IsOfWord)
	if first < 0 || len(q.stream.letters) == 0 || !char.HasWord(q.normalised) {
		return nil
	}
	core := strings.TrimRightFunc(q.normalised, func(r rune) bool { return !char.IsOfWord(r) })
	q.lead, q.trail = q.normalised[:first], q.normalised[len(core):]
	q.tokens = tokens(q.normalised)
	return q
}

// quotationForms gives the quotation as it stands, without marks of quotation around
// it, and without an ellipsis at either end.
func quotationForms(quoted string) []string {
	quoted = strings.TrimSpace(quoted)
	forms := []string{quoted}
	if inner, ok := trimQuotationMarks(quoted); ok {
		forms = append(forms, inner)
	}
	last := forms[len(forms)-1]
	if bare := strings.TrimSpace(trimEllipses(last)); bare != last {
		forms = append(forms, bare)
	}
	if bare := trimBullet(last); bare != last {
		forms = append(forms, bare)
	}
	if signed := typedRights().ReplaceAllString(last, "©$1"); signed != last {
		forms = append(forms, signed)
	}
	return forms
}

// trimBullet takes off the sign before an item of a list.
func trimBullet(s string) string {
	for _, sign := range []string{"- ", "• ", "* ", "– ", "· "} {
		if rest, ok := strings.CutPrefix(s, sign); ok && unicode.IsLetter(char.First(rest)) {
			return rest
		}
	}
	return s
}

// otherInitial gives a quotation with its first letter as it would be within a
// sentence, or at its beginning.
func otherInitial(s string) (string, bool) {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	if unicode.IsUpper(second) {
		return "", false
	}
	switch {
	case unicode.IsUpper(first):
		return string(unicode.ToLower(first)) + s[size:], true
	case unicode.IsLower(first) && unicode.ToUpper(first) != first:
		return string(unicode.ToUpper(first)) + s[size:], true
	}
	return "", false
}

// trimQuotationMarks takes off a pair of quotation marks that encloses the whole.
func trimQuotationMarks(s string) (string, bool) {
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"”", "”"}, {"«", "»"}, {"»", "«"}, {"‹", "›"}, {"›", "‹"}, {"『", "』"}, {"「", "」"}, {"'", "'"}, {"‘", "’"}} {
		inner, opened := strings.CutPrefix(s, pair[0])
		inner, closed := strings.CutSuffix(inner, pair[1])
		if opened && closed {
			return strings.TrimSpace(inner), true
		}
	}
	return "", false
}
