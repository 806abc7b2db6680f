package citation

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// Seen is something of one form in the text that stands where markers stand and
// is none that can be read.
type Seen struct {
	Form     string   `json:"form"` // how it is set off: the signs around or before it
	Times    int      `json:"times"`
	Line     int      `json:"line"`     // where it is first seen
	Examples []string `json:"examples"` // different ones, a few
}

// maxExamples bounds the examples that are shown of a form.
const maxExamples = 4

// minSeen is how often a form has to be seen to be one.
const minSeen = 3

// A sighting is one thing that may be a marker of a form nobody knows.
type sighting struct {
	form, text string
	src        int
	behind     bool // it stands at the end of a clause
	code       bool // it reads like the name of something, not like words
}

// phrase is a sighting without its numbers, where words enough are left: (see
// source 3 below).
func (s sighting) phrase() string {
	long := 0
	for _, w := range words.Tokens(s.text) {
		long += oneIf(utf8.RuneCountInString(w) > 3 && !strings.ContainsFunc(w, unicode.IsDigit))
	}
	if long < 2 {
		return s.text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, strings.ReplaceAll(s.text, "(see ", "("))
}

// signForm are things between signs or behind one, and raised ones: «src:A7», {{12}}, (A7), ※3, †, ¹².
var signForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`«[^«»]{1,40}»|‹[^‹›]{1,40}›|\{\{[^{}]{1,80}\}\}|\{[^{}]{1,40}\}|⟦[^⟦⟧]{1,40}⟧|〔[^〔〕]{1,40}〕|⟨[^⟨⟩]{1,40}⟩|〈[^〈〉]{1,40}〉|〖[^〖〗]{1,40}〗|<<[^<>]{1,40}>>|\|[^|\s]{1,20}\||\[\[?[^\[\]]{1,40}\]\]?|\([^()]{1,40}\)|（[^（）]{1,40}）|【[^【】]{1,40}】|(?:[※†‡§¶#@★☆◆●◎→⇒↑^~])[\pL\pN][\pL\pN:./_-]{0,15}|[†‡]+|[¹²³⁴-⁹⁰]+(?:[,˒⸴⁻][¹²³⁴-⁹⁰]+)*`)
})

// lookForStrange looks for what stands where markers stand and is none that was
// read, form by form. Chance does not repeat itself there: a form counts that
// is seen several times, mostly at the end of a clause.
func (r *inspector) lookForStrange() []Seen {
	forms := map[string][]sighting{}
	for i := range r.blocks {
		b := &r.blocks[i]
		if !r.isRunning(i) || b.kind == heading {
			continue
		}
		for _, s := range b.sightings() {
			forms[s.form] = append(forms[s.form], s)
		}
	}
	if n := len(r.fragments); n >= minSeen+1 && n*8 >= r.doc.Sentences {
		forms["a sentence of its own"] = r.fragments
	}
	var out []Seen
	for form, all := range forms {
		if seen, ok := r.judge(form, all); ok {
			out = append(out, seen)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].Times > out[j].Times || out[i].Times == out[j].Times && out[i].Form < out[j].Form
	})
	return out
}

// judge says whether sightings of one form are markers.
func (r *inspector) judge(form string, all []sighting) (Seen, bool) {
	again := map[string]int{}
	for _, s := range all {
		again[s.phrase()]++
	}
	like := slices.DeleteFunc(slices.Clone(all), func(s sighting) bool { return !s.code && again[s.phrase()] < minSeen })
	behind := 0
	for _, s := range like {
		behind += oneIf(s.behind)
	}
	if behind < minSeen || behind*10 < len(like)*7 {
		return Seen{}, false
	}
	seen := Seen{Form: form, Times: len(like), Line: r.lineNumber(like[0].src)}
	for _, s := range like {
		if len(seen.Examples) < maxExamples && !slices.Contains(seen.Examples, s.text) {
			seen.Examples = append(seen.Examples, s.text)
		}
	}
	return seen, true
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// sightings are what may be markers of an unknown form in a block.
func (b *block) sightings() []sighting {
	var out []sighting
	for _, at := range signForm().FindAllStringIndex(b.text, -1) {
		text := b.text[at[0]:at[1]]
		if b.isMarked(stated.Span{From: at[0], To: at[1]}) {
			continue
		}
		first, size := utf8.DecodeRuneInString(text)
		last, width := utf8.DecodeLastRuneInString(text)
		s := sighting{form: string(first) + "…", text: text, src: b.sourceOffset(at[0]), code: true}
		if digit(first) != 0 {
			s.form, s.code = "raised numbers", allowsMarker(b.text[:at[0]])
			s.behind = b.endsClause(mark{at: at[0], end: at[1]})
			out = append(out, s)
			continue
		}
		if strings.Trim(text, "†‡") == "" {
			s.form, s.code = "daggers", at[0] > 0 && b.text[at[0]-1] != ' '
		} else if !unicode.IsLetter(last) && !unicode.IsDigit(last) {
			s.form += string(last)
			s.code = isCode(strings.Trim(text[size:len(text)-width], "[]{}<>"), strings.ContainsRune("([（【", first))
		}
		s.behind = b.endsClause(mark{at: at[0], end: at[1]})
		out = append(out, s)
	}
	return out
}

// isMarked reports whether a mark covers some of a piece of the text.
func (b *block) isMarked(e stated.Span) bool {
	behind := sort.Search(len(b.marks), func(i int) bool { return b.marks[i].at >= e.To })
	return behind > 0 && b.marks[behind-1].end > e.From
}

// Forms in brackets that name a source whatever else stands there: a key of a
// bibliography (@ongaro14), a source by its letter (see source A).
var (
	keyForm     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s;-])@\pL[\pL\pN_:.-]+`) })
	namedSource = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:see |cf\. |siehe |vgl\. |véase )?(?i:sources?|refs?|references?|quellen?|belege?|fuentes?|fontes?)\.? [A-Z](?:(?:,|;|/| and| und| y| e| &) ?[A-Z])*$`)
	})
)

// isCode reports whether a text reads like the name of something, not like
// words or an amount: one piece or two, of letters and numbers. In brackets, in
// which anything may stand, it has to have both.
func isCode(s string, brackets bool) bool {
	if brackets && (keyForm().MatchString(s) || namedSource().MatchString(s)) {
		return true
	}
	if len(strings.Fields(s)) > 3 {
		return false
	}
	digits, letters := strings.ContainsFunc(s, unicode.IsDigit), strings.ContainsFunc(s, unicode.IsLetter)
	if brackets {
		first, _ := utf8.DecodeRuneInString(s)
		return digits && letters && unicode.IsLetter(first) && !strings.ContainsAny(s, " =") && !yearForm().MatchString(s)
	}
	return digits || strings.ContainsAny(s, ":|/_")
}

// isFragment reports whether a sentence behind another is only what names a
// source: Id. at 4. Its words are short, or names, and it has a number or the
// word that stands for the source before.
func isFragment(sentence string) bool {
	fields := strings.Fields(strings.TrimRight(sentence, " .;"))
	if len(fields) == 0 || len(fields) > 6 || words.Count(sentence) > 12 {
		return false
	}
	numbered := false
	for _, f := range fields {
		word := strings.Trim(f, ".,;:()")
		r, _ := utf8.DecodeRuneInString(word)
		switch lower := strings.ToLower(word); {
		case slices.Contains([]string{"id", "ibid", "ebd", "ibidem", "supra", "infra"}, lower):
			numbered = true
		case strings.ContainsFunc(word, unicode.IsDigit):
			numbered = true
		case unicode.IsLower(r) && utf8.RuneCountInString(word) > 3:
			return false
		}
	}
	last := sentence[len(strings.TrimRight(sentence, " ?!？！")):]
	return numbered && strings.TrimSpace(last) == ""
}

// noteFragments notes the sentences of a block that only name a source.
func (r *documentBuilder) noteFragments(b *block, spans []stated.Span) {
	if b.kind != prose && b.kind != item {
		return
	}
	for k := 1; k < len(spans); k++ {
		s := spans[k]
		text := strings.TrimSpace(b.text[s.From:s.To])
		if before := b.text[spans[k-1].From:spans[k-1].To]; (words.Count(before) > 3 || isFragment(before)) && isFragment(text) {
			r.fragments = append(r.fragments, sighting{form: "", text: text, src: b.sourceOffset(s.From), behind: true, code: true})
		}
	}
}

// usesItsList reports whether most of the entries of the report's lists are
// referred to: its markers are read, and more may stand in brackets besides.
func (r *inspector) usesItsList() bool {
	listed, used := 0, 0
	for _, e := range r.doc.References {
		listed += oneIf(e.Listed)
		used += oneIf(e.Listed && e.Cited > 0)
	}
	return used*2 > listed
}

// understand says whether the report cites in a way that was read: it does not
// where more is seen of what may be markers than of what is.
func (r *inspector) understand() {
	r.doc.Understood = true
	strange := r.lookForStrange()
	times := 0
	for _, s := range strange {
		times += s.Times
	}
	read := len(r.doc.Statements)
	if r.usesItsList() {
		read *= 2
	}
	if times <= read {
		return
	}
	r.doc.Understood, r.doc.Seen = false, strange
	var all []string
	for _, s := range strange {
		all = append(all, s.Examples...)
	}
	r.doc.Findings = []Finding{{
		Fault: Style, Line: strange[0].Line, Times: times,
		Detail: fmt.Sprintf("The report seems to refer to its sources in a way that is not understood: %s; %s.", enumerate(all), plural.Of(times, "such sign")),
	}}
}
