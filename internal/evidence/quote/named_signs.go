package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// otherForms are further letters and signs that a text may have for one.
var otherForms = map[string]string{
	"β": "ϐ", "ε": "ϵ", "θ": "ϑ", "κ": "ϰ", "μ": "µ", "π": "ϖ", "ρ": "ϱ", "φ": "ϕ", "Δ": "∆", "Ω": "\u2126", "Σ": "∑", "Π": "∏",
}

// maxUnsure is how many names of a quotation are tried both ways, the first of letters that the
// text has by their names too.
const maxUnsure = 3

// maxNamed is how many signs of a quotation are looked for at most.
const maxNamed = 64

// findNamed looks for a quotation in which names stand for letters and signs that the text has:
// "alpha", "22 pi", "sqrt(2)" and "GTK ^7" for "α", "22π", "√2" and "GTK ⁷".
func findNamed(s *search, quoted string) (Match, bool) {
	if s.named {
		return Match{}, false
	}
	edits := namedEdits(s.Text, quoted)
	unsure := 0
	for _, e := range edits {
		if e.unsure {
			unsure++
		}
	}
	if len(edits) == 0 {
		return Match{}, false
	}
	for kept := range 1 << min(unsure, maxUnsure) { // which of the unsure names stay
		inner := search{Text: s.Text, from: s.from, to: s.to, named: true}
		m, ok := inner.findAnyhow(withSigns(quoted, edits, kept))
		if !ok {
			if inner.refused.End > 0 {
				s.recordRefused(inner.refused.Start, inner.refused.End, inner.cost-1, inner.refused.Findings)
			}
			continue
		}
		if m.Tier == Exact {
			m.Tier = Normalised
		}
		return m, true
	}
	return Match{}, false
}

// namedEdit puts a sign in the place of its name.
type namedEdit struct {
	from, to int
	with     string
	unsure   bool // the text has the name too
}

// withSigns makes the edits, but for the unsure ones whose bits are in kept.
func withSigns(quoted string, edits []namedEdit, kept int) string {
	var out strings.Builder
	at := 0
	for _, e := range edits {
		if e.unsure {
			stays := kept&1 == 1
			kept >>= 1
			if stays {
				continue
			}
		}
		out.WriteString(quoted[at:e.from] + e.with)
		at = e.to
	}
	return out.String() + quoted[at:]
}

// namedEdits gives the names of a quotation for which the text has a letter or a sign.
func namedEdits(t *Text, quoted string) []namedEdit {
	var list []namedEdit
	for i := 0; i < len(quoted); {
		r, size := utf8.DecodeRuneInString(quoted[i:])
		if !unicode.IsLetter(r) {
			i += size
			continue
		}
		end := len(quoted)
		if n := strings.IndexFunc(quoted[i:], func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
			end = i + n
		}
		if e, ok := namedLetter(t, quoted, i, end); ok && len(list) < maxNamed {
			list = append(list, e)
		}
		i = end
	}
	if strings.Contains(quoted, "sqrt") && strings.Contains(t.signs(), "√") {
		for _, m := range typedRoot().FindAllStringSubmatchIndex(quoted, -1) {
			inner := quoted[m[2]:m[3]]
			for _, root := range []string{"√" + inner, "√ " + inner, "√(" + inner + ")"} {
				if strings.Contains(t.text, root) {
					list = append(list, namedEdit{from: m[0], to: m[1], with: root})
					break
				}
			}
		}
	}
	if strings.Contains(quoted, "hm") {
		for _, m := range typedOhm().FindAllStringSubmatchIndex(quoted, -1) {
			list = append(list, namedEdit{from: m[2], to: m[3], with: "Ω"})
		}
	}
	if strings.ContainsAny(quoted, ">→›»") {
		for _, m := range menusIn(quoted) {
			for _, sign := range menuSigns {
				typed, path := quoted[m[2]:m[3]], quoted[m[0]:m[2]]+sign+quoted[m[3]:m[1]]
				if at := strings.Index(t.text, path); sign != typed && at >= 0 && mayExchange(t.text, at, at+len(path), typed, sign) {
					list = append(list, namedEdit{from: m[2], to: m[3], with: sign})
				}
			}
		}
	}
	for _, m := range typedRaised().FindAllStringSubmatchIndex(quoted, -1) {
		inner := strings.Trim(quoted[m[2]:m[3]], "({})")
		for _, number := range []string{inner, strings.TrimRight(inner, "+-−")} {
			if raised := strings.Map(reading.Superscript, number); raised != "" && strings.ContainsAny(t.signs(), raised) && strings.Contains(t.text, raised) {
				end := m[3]
				if number != inner {
					end = m[2] + len(number)
				}
				list = append(list, namedEdit{from: m[0], to: end, with: raised})
				break
			}
		}
	}
	for _, typed := range typedSigns {
		if !strings.ContainsAny(t.signs(), strings.Join(typed.signs, "")) {
			continue
		}
		for at := range char.Occurrences(quoted, typed.name) {
			if len(list) == maxNamed {
				break
			}
			if e, ok := signFor(t, quoted, Span{at, at + len(typed.name)}, typed.signs); ok {
				list = append(list, e)
			}
		}
	}
	slices.SortFunc(list, func(a, b namedEdit) int { return a.from - b.from })
	return slices.CompactFunc(list, func(b, a namedEdit) bool { return b.from < a.to })
}

// What is typed for a sign: a root, an ohm, what is raised.
var (
	typedRoot   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\?\bsqrt ?[({]?([\pL\d.]+)[)}]?`) })
	typedOhm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d ?[kmMGµμ]?([Oo]hms?)\b`) })
	typedRaised = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\^([-−]?\d{1,3}[-−+]?|[({][-−+]?\d{1,3}[-−+]?[)}])`)
	})
)

// typedSigns are signs that are typed with those of a keyboard or as words, the longest first.
var typedSigns = []struct {
	name  string
	signs []string
}{
	{"degrees Celsius", []string{"°C", "℃"}},
	{"degrees Fahrenheit", []string{"°F", "℉"}},
	{"degrees C", []string{"°C", "℃"}},
	{"degrees F", []string{"°F", "℉"}},
	{"deg C", []string{"°C", "℃"}},
	{"deg F", []string{"°F", "℉"}},
	{"degrees", []string{"°"}},
	{"per mille", []string{"‰"}},
	{"*", []string{"·", "⋅", "×", "∙"}},
	{"x", []string{"·", "⋅", "×"}},
	{"/", []string{"÷"}},
	{"~=", []string{"≈", "≅"}},
	{"==", []string{"≡"}},
	{"in", []string{"∈"}},
}

// signFor is the sign that the text has between the words around a span of a quotation.
func signFor(t *Text, quoted string, span Span, signs []string) (namedEdit, bool) {
	const near = 24 // bytes
	bare := strings.TrimRight(quoted[:span.Start], " ")
	rest := strings.TrimLeft(quoted[span.End:], " ")
	name := quoted[span.Start:span.End]
	if name != "x" && char.IsOfWord(char.First(name)) && (len(bare) == span.Start || char.IsOfWord(char.First(quoted[span.End:]))) || len(bare) == 0 {
		return namedEdit{}, false
	}
	before := char.LastWord(bare[words.RuneStart(bare, len(bare)-near):])
	behind := rest
	if n := strings.IndexFunc(rest, char.IsNotOfWord); n >= 0 {
		behind = rest[:n]
	}
	for _, sign := range signs {
		if before == "" || !strings.Contains(t.signs(), string(char.First(sign))) {
			continue
		}
		decimal := (sign == "·" || sign == "∙") && unicode.IsDigit(char.Last(before)) && unicode.IsDigit(char.First(behind)) && !strings.HasPrefix(behind, "10")
		for _, left := range []string{"", " ", "\u00a0"} {
			for _, right := range []string{"", " "} {
				if decimal && left+right == "" {
					continue // "1·5 mg" is one number
				}
				if strings.Contains(t.text, before+left+sign+right+behind) {
					return namedEdit{from: len(bare), to: len(quoted) - len(rest), with: left + sign + right}, true
				}
			}
		}
	}
	return namedEdit{}, false
}

// namedLetter reads the name of a letter at a span of a quotation: also as TeX has it, right behind a
// number, and before the letter it belongs to, "DeltaT".
func namedLetter(t *Text, quoted string, from, to int) (namedEdit, bool) {
	word := quoted[from:to]
	if n := len("delta"); len(word) > n && len(word) <= n+2 && unicode.IsUpper(char.First(word[n:])) && strings.EqualFold(word[:n], "delta") {
		word, to = word[:n], from+n
	}
	name := strings.ToLower(word)
	letters := reading.Greek(name)
	if letters == "" || word[1:] != name[1:] {
		return namedEdit{}, false
	}
	letter := string(char.First(letters))
	if word != name {
		letter = string(char.Last(letters))
	}
	form, ok := t.formOf(letter, word)
	if !ok {
		return namedEdit{}, false
	}
	e := namedEdit{from: from, to: to, with: form, unsure: t.hasWord(name)}
	if before := strings.TrimSuffix(quoted[:from], `\`); len(before) < from {
		e.from, e.unsure = len(before), strings.Contains(t.text, `\`+word)
	}
	if tight := strings.TrimRight(quoted[:e.from], " "); len(tight) < e.from && unicode.IsDigit(char.Last(tight)) {
		number := tight[strings.LastIndexFunc(tight, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })+1:]
		if strings.Contains(t.text, number+form) {
			e.from = len(tight)
		}
	}
	if next := strings.TrimPrefix(quoted[to:], " "); len(next) < len(quoted)-to && strings.Contains(t.text, form+string(char.First(next))) && !char.IsOfWord(char.First(next[min(len(next), len(string(char.First(next)))):])) {
		e.to++ // "Delta T"
	}
	return e, true
}

// formOf is the form in which a text has a letter, if it does.
func (t *Text) formOf(letter, name string) (string, bool) {
	if strings.Contains(t.signs(), letter) || t.stream.decoded && strings.Contains(t.text, "&"+name+";") || strings.Contains(t.signs(), `\`) && strings.Contains(t.text, `\`+name) {
		return letter, true
	}
	form := otherForms[letter]
	return form, form != "" && strings.Contains(t.signs(), form)
}

// signsIn are the letters and signs of a text that may be quoted by their names, each once.
func signsIn(text string) string {
	var seen [0x3000]bool
	var found strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\', 0xc2, 0xc3, 0xcd, 0xce, 0xcf, 0xe2: // TeX, Greek, signs of mathematics, raised digits
			if r, _ := utf8.DecodeRuneInString(text[i:]); int(r) < len(seen) && !seen[r] {
				seen[r] = true
				found.WriteRune(r)
			}
		}
	}
	return found.String()
}
