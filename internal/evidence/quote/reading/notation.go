package reading

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// notationEdits writes formulas and numbers plainly: raised and lowered digits on
// the line, an exponent of a number behind "^", fractions with a stroke, one sign for
// times and for plus or minus, groups of digits together; and letters that are written with a mark
// or without.
func notationEdits(text string) []Edit {
	var list []Edit
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ': // between groups of digits, before a mark, beside a sign of comparison
			if i == 0 || i+1 == len(text) || !isDigit(text[i-1]) && text[i-1] < utf8.RuneSelf && !strings.ContainsRune("<>=~,;", rune(text[i+1])) && text[i+1] < utf8.RuneSelf && !strings.ContainsRune("<>=~", rune(text[i-1])) {
				i++
				continue
			}
		case c < utf8.RuneSelf && c != '^' && c != '_' && c != '+' && c != '<' && c != '>' && !(c == '!' && strings.HasPrefix(text[i:], "!=")):
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		e, ok := notationAt(text, i, r, size)
		if !ok {
			i += size
			continue
		}
		list = append(list, e)
		i = e.To
	}
	return list
}

// PlainNotation is a text whose formulas and numbers are written plainly, and no more is read.
// Time is linear.
func PlainNotation(text string) string {
	r := &Text{text: text}
	r.rewrite(notationEdits(text))
	return r.text
}

func notationAt(text string, i int, r rune, size int) (Edit, bool) {
	prev, _ := utf8.DecodeLastRuneInString(text[:i])
	next, _ := utf8.DecodeRuneInString(text[i+size:])
	e := Edit{From: i, To: i + size}
	switch {
	case IsRaised(r) || isLowered(r):
		for e.To < len(text) {
			c, n := utf8.DecodeRuneInString(text[e.To:])
			if !IsRaised(c) && !isLowered(c) {
				break
			}
			e.To += n
		}
		e.With = strings.Map(PlainDigit, text[i:e.To])
		if unicode.IsDigit(prev) && IsRaised(r) && !indexed().MatchString(text[max(0, i-8):i]) {
			e.With = "^" + e.With
		}
	case (r == '^' || r == '_') && next == '{' && (char.IsOfWord(prev) || prev == ')' || prev == '}'):
		inner := texScript().FindString(text[i+1 : min(len(text), i+12)])
		if inner == "" || r == '_' && !isBeforeIndex(text[:i]) {
			return Edit{}, false
		}
		e.To, e.With = i+1+len(inner), strings.Trim(inner, "{}")
		if r == '^' && unicode.IsDigit(prev) && !indexed().MatchString(text[max(0, i-8):i]) {
			e.With = "^" + e.With
		}
	case r == '^' && (unicode.IsDigit(next) || next == '+') && unicode.IsDigit(prev) && indexed().MatchString(text[max(0, i-8):i]):
	case r == '_' && unicode.IsDigit(next) && isBeforeIndex(text[:i]):
	case r == '_' && unicode.IsLetter(next) && unicode.IsLetter(prev) && !char.IsOfWord(char.Last(text[:i-utf8.RuneLen(prev)])) && !isNamed(text[i+1+utf8.RuneLen(next):]):
	case r == '^' && (unicode.IsLetter(prev) || prev == ')') && (unicode.IsDigit(next) || char.Plain(next) == '-' || next == '+'):
	case r == '×' && (unicode.IsDigit(prev) || unicode.IsSpace(prev) || unicode.IsDigit(next) && (!unicode.IsLetter(prev) || measures(text[:i]))):
		e.With = "x"
	case r >= 'ₐ' && r <= 'ₜ', r == 'ⁿ', r >= 'ᴬ' && r <= 'ᵪ':
		if e.With = norm.NFKC.String(string(r)); unicode.IsDigit(prev) && (r == 'ⁿ' || r >= 'ᴬ' && r < 'ᵢ') {
			e.With = "^" + e.With // 2ⁿ is no 2n
		}
	case fractions[r] != "":
		if e.With = fractions[r]; unicode.IsDigit(prev) {
			e.With = " " + e.With
		}
	case r == '⁄' && unicode.IsDigit(prev) && unicode.IsDigit(next):
		e.With = "/"
	case strings.HasPrefix(text[i:], "+-") && i+2 < len(text) && (unicode.IsSpace(prev) && (text[i+2] == ' ' || isDigit(text[i+2])) || unicode.IsDigit(prev) && isDigit(text[i+2])):
		e.To, e.With = i+2, "±"
	case strings.HasPrefix(text[i:], "+/-"), strings.HasPrefix(text[i:], "+/−"):
		e.To, e.With = i+2+utf8.RuneLen([]rune(text[i+2:])[0]), "±"
	case (r == '<' || r == '>') && next == '=':
		e.To++
		e.With = map[rune]string{'<': "≤", '>': "≥"}[r]
	case r == '!' && next == '=' && !strings.HasPrefix(text[i:], "!=="):
		e.To++
		e.With = "≠"
	case arrows[r] != "":
		e.With = arrows[r]
	case r == 'µ':
		e.With = "μ"
	case r == '∆', r == '∑', r == '∏':
		e.With = map[rune]string{'∆': "Δ", '∑': "Σ", '∏': "Π"}[r]
	case r == '〜' || r == '～':
		e.With = "~"
	case r == 'ё' || r == 'Ё':
		e.With = map[rune]string{'ё': "е", 'Ё': "Е"}[r]
	case r >= 0x64b && r <= 0x652 || r == 0x670 || r == 0x640: // vowel signs and lengthening of Arabic
	case unicode.IsSpace(r) && unicode.IsDigit(prev) && (isGroup(text, i, size) || strings.ContainsRune("°%‰", next) && next != ' '):
	case r == ' ' && isBesideComparison(text, i, prev, next):
	case unicode.IsSpace(r) && prev == '§' && r != '\n':
	case r == ' ' && strings.ContainsRune(",;", next) && (unicode.IsLetter(prev) || unicode.IsDigit(prev)):
	case unicode.IsSpace(r) && r >= utf8.RuneSelf && r != 0x3000:
		e.With = " "
	default:
		return Edit{}, false
	}
	return e, true
}

// indexed is a number below the line, as it is typed.
var indexed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`_\{?\d{1,3}\}?$`) })

// texScript is what stands in braces above or below the line.
var texScript = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{(?:[-−+]?\d{1,3}[-−+]?|[-−+])\}`) })

// beforeIndex is what a formula of chemistry has before a number below the line, and a name of one
// letter: "H", "H_2SO", "x". Longer names, as "sha_256", are those of programs.
var beforeIndex = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL\pN_{}])(?:\pL|\(?(?:\p{Lu}\p{Ll}?(?:_?\{?\d{1,2}\}?)?|[()])*(?:\p{Lu}\p{Ll}?|\)))$`)
})

func isBeforeIndex(before string) bool {
	const longest = 30
	return beforeIndex().MatchString(before[words.RuneStart(before, len(before)-longest):])
}

// isBesideComparison reports whether a blank stands beside a sign of comparison that a number
// follows, "p < 0.05", where it may as well be left out.
func isBesideComparison(text string, i int, prev, next rune) bool {
	const comparisons = "<>=≤≥~≈±"
	isNumber := func(rest string) bool {
		rest = strings.TrimLeft(rest, " ")
		if rest != "" && char.Plain(char.First(rest)) == '-' {
			rest = rest[utf8.RuneLen(char.First(rest)):]
		}
		return rest != "" && (isDigit(rest[0]) || len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]))
	}
	rest := text[i+1:]
	switch {
	case strings.ContainsRune(comparisons, prev):
		before := strings.TrimRight(text[:i], comparisons)
		return i-len(before) <= len("≤") && !strings.ContainsRune("-!:+*/", char.Last(before)) && isNumber(rest)
	case strings.ContainsRune(comparisons, next) && (char.IsOfWord(prev) || prev == ')'):
		sign := len(rest) - len(strings.TrimLeft(rest, comparisons))
		return sign <= len("≤") && isNumber(rest[sign:])
	}
	return false
}

// isNamed reports whether a text goes on with what may belong to the name before it.
func isNamed(text string) bool {
	return char.IsOfWord(char.First(text)) || strings.HasPrefix(text, "_")
}

// measures reports whether a text ends with a number and the symbol of its unit.
func measures(before string) bool {
	unit := char.LastWord(before)
	digits := strings.TrimRight(strings.TrimSuffix(before, unit), " ")
	unit = strings.TrimLeft(unit, "0123456789")
	return guard.IsUnitSymbol(unit) && digits != "" && (isDigit(digits[len(digits)-1]) || len(char.LastWord(before)) > len(unit))
}

// TypedArrow is an arrow that is one character as it is typed, "->"; "" for any other rune.
func TypedArrow(r rune) string { return arrows[r] }

// arrows are those that are one character, as they are typed.
var arrows = map[rune]string{'→': "->", '⟶': "->", '←': "<-", '⟵': "<-", '↔': "<->", '⇒': "=>", '⇔': "<=>"}

// fractions are those that are one character, as they are typed.
var fractions = map[rune]string{
	'½': "1/2", '⅓': "1/3", '⅔': "2/3", '¼': "1/4", '¾': "3/4", '⅕': "1/5", '⅖': "2/5", '⅗': "3/5", '⅘': "4/5",
	'⅙': "1/6", '⅚': "5/6", '⅐': "1/7", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8", '⅑': "1/9", '⅒': "1/10",
}

// isGroup reports whether a blank stands between groups of three digits of one
// number.
func isGroup(text string, i, size int) bool {
	if text[i] == '\n' || text[i] == '\t' {
		return false
	}
	first, behind := i, 0
	for first > 0 && isDigit(text[first-1]) {
		first--
	}
	for i+size+behind < len(text) && isDigit(text[i+size+behind]) {
		behind++
	}
	if first > 1 && (text[first-1] == '.' || text[first-1] == ',') && isDigit(text[first-2]) {
		whole := first - 2
		for whole > 0 && isDigit(text[whole-1]) {
			whole--
		}
		if i-first < 3 || text[whole:first-1] != "0" {
			return false // 8.4 198, 3,150 410
		}
	}
	return i-first <= 3 && behind == 3
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
