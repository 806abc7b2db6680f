package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// isWhole reports whether a passage can stand for itself: cut out of its text it
// does not lose the beginning or end of a word or number, a sign, a negating
// prefix, a percent sign or a word of magnitude.
func isWhole(text string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	before, open := withoutTags(text[:start])
	return (open || wholeLeft(before, first) || beginsItemOfLine(text, start)) && wholeRight(text[end:], last)
}

// beginsItemOfLine reports whether a place of a text is right behind one of the dashes that
// part the items of a line, each of which has a letter: "Page 1 of 2 - 14 replies - 208 views".
func beginsItemOfLine(text string, at int) bool {
	const dash, fewest, most = " - ", 3, 160 // items, bytes
	if !strings.HasSuffix(text[:at], dash) {
		return false
	}
	before, behind := text[max(0, at-most):at], text[at:min(len(text), at+most)]
	begin, end := strings.LastIndexByte(before, '\n')+1, strings.IndexByte(behind, '\n')
	if end < 0 {
		end = len(behind)
	}
	line := before[begin:] + behind[:end]
	items := strings.Split(line, dash)
	return len(line) < most && len(items) >= fewest && !slices.ContainsFunc(items, func(item string) bool {
		return !strings.ContainsFunc(item, unicode.IsLetter) || strings.ContainsRune(".!?", char.Last(item))
	})
}

func wholeLeft(before string, first rune) bool {
	before = trimInvisibleRight(before)
	prev, size := utf8.DecodeLastRuneInString(before)
	beyond, _ := utf8.DecodeLastRuneInString(trimInvisibleRight(before[:len(before)-size]))
	switch {
	case size == 0:
		return true
	case !char.IsOfWord(first):
		return !char.IsOfWord(prev) || !sign(first) && first != '.' // "-5" out of "3-5"
	case char.IsOfWord(prev):
		return areSeparateWords(prev, first) && !negating(prev)
	case unicode.IsSpace(prev) && hyphenated(before):
		return false // "linear" out of "non-", line end, "linear"
	case !unicode.IsNumber(first):
		return !(hyphen(prev) && char.IsOfWord(beyond)) && !(apostrophe(prev) && (beyond == 'n' || beyond == 'N'))
	}
	return wholeNumberLeft(before, prev, beyond)
}

// wholeNumberLeft judges what stands before a number.
func wholeNumberLeft(before string, prev, beyond rune) bool {
	switch {
	case prev == '.' || sign(prev):
		return false // "-5", "3-5", "1.5"
	case prev == '*':
		return !char.IsOfWord(beyond) // "y*20"
	case prev == ',' || joinsNumbers(prev):
		return !unicode.IsNumber(beyond) // "1,500", "1/2", "10:30"
	}
	return !endsNegative(before)
}

func wholeRight(after string, last rune) bool {
	after = trimInvisibleLeft(after)
	next, size := utf8.DecodeRuneInString(after)
	beyond, _ := utf8.DecodeRuneInString(trimInvisibleLeft(after[size:]))
	switch {
	case size == 0 || !char.IsOfWord(last):
		return true
	case unicode.Is(unicode.Hangul, last) && unicode.Is(unicode.Hangul, next):
		return isVerbEnding(after)
	case char.IsOfWord(next):
		return areSeparateWords(last, next) && !(unicode.IsNumber(last) && words.Unspaced(next))
	case hyphen(next):
		return !char.IsOfWord(beyond) // "smoke" out of "smoke-free"
	case apostrophe(next) && !unicode.IsNumber(last):
		return beyond != 't' && beyond != 'T' // "can" out of "can't"
	case !unicode.IsNumber(last):
		return true
	case strings.ContainsRune("%‰‱°^⁻⁺", next):
		return false
	case next == '.' || next == ',' || joinsNumbers(next) || sign(next):
		return !unicode.IsNumber(beyond)
	}
	return !magnitude(after)
}

// verbEndings make a statement of a noun of Korean, and say no more: a quoter goes on with
// an ending that fits the sentence around.
const verbEndings = ` 하다 한다 하였다 했다 합니다 하였습니다 했습니다 하고 하며 하면서 하여 해 하였고 했고 하였으며 했으며 하였지만 했지만 하였으나 했으나 했는데 하였는데
 되다 된다 되었다 됐다 됩니다 되었습니다 됐습니다 되고 되며 되면서 되어 돼 되었고 됐고 되었으며 됐으며 되었지만 됐지만 되었으나 됐으나
 이다 지만 인데 입니다 이었다 였다 이었습니다 였습니다 이고 이며 이었고 였고 이었으며 였으며 이지만 이었지만 였지만 이나 이었으나 였으나 `

// isVerbEnding reports whether a text begins with such an ending, to its last letter.
func isVerbEnding(after string) bool {
	word := after
	if end := strings.IndexFunc(after, func(r rune) bool { return !char.IsOfWord(r) }); end >= 0 {
		word = after[:end]
	}
	return slices.Contains(strings.Fields(verbEndings), word)
}

// isWholeNumber reports whether a passage ends with a number that is not cut through,
// though its unit may be cut off.
func isWholeNumber(text string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	after := trimInvisibleLeft(text[end:])
	next, size := utf8.DecodeRuneInString(after)
	beyond, _ := utf8.DecodeRuneInString(after[size:])
	return unicode.IsNumber(last) && wholeLeft(text[:start], first) && !numeral(next) && !(unicode.IsNumber(beyond) && !unicode.IsSpace(next) && !unicode.IsLetter(next))
}

// isOperand reports whether a number at a place of a text is an exponent or a factor, whose sign
// is no letter of what is read: "20" of "(1+r)^20" and of "y*20".
func isOperand(text string, at int) bool {
	first, _ := utf8.DecodeRuneInString(text[at:])
	before := trimInvisibleRight(text[:at])
	prev, size := utf8.DecodeLastRuneInString(before)
	beyond, _ := utf8.DecodeLastRuneInString(trimInvisibleRight(before[:len(before)-size]))
	return unicode.IsNumber(first) && (prev == '^' || prev == '*' && char.IsOfWord(beyond))
}

// hyphenated reports whether a word is divided at the end of the last line.
func hyphenated(before string) bool {
	word := strings.TrimRight(before, " \t\r\n/*#")
	if !strings.Contains(before[len(word):], "\n") {
		return false
	}
	last, size := utf8.DecodeLastRuneInString(word)
	beyond, _ := utf8.DecodeLastRuneInString(word[:len(word)-size])
	return last == char.SoftHyphen || hyphen(last) && char.IsOfWord(beyond)
}

// minLetters is how many letters and digits a quotation has at least.
const minLetters = 8

// TooShort reports whether a quotation shows nothing wherever it stands: one
// word, or a few letters. Names joined in an expression of code are words of their
// own. Where words are written without blanks a letter counts for three.
func TooShort(text string) bool {
	joints := " "
	if strings.ContainsAny(text, "(){}=") {
		joints = ".()[]{}= "
	}
	letters, count := 0, len(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(joints, r) }))
	for _, r := range text {
		switch {
		case words.Unspaced(r):
			letters += 3
			count++
		case unicode.IsLetter(r), unicode.IsDigit(r):
			letters++
		}
	}
	return count < 2 || letters < minLetters
}

// areSeparateWords reports whether two neighbouring runes can belong to two words. Where
// words are written without blanks any two letters can; numerals stay together.
func areSeparateWords(a, b rune) bool {
	if numeral(a) && numeral(b) {
		return false
	}
	return words.Unspaced(a) || words.Unspaced(b)
}

func numeral(r rune) bool {
	return unicode.IsNumber(r) || strings.ContainsRune("零〇一二三四五六七八九十百千万萬亿億兆两兩点點", r)
}

// negating runes turn the word behind them round, in Chinese and Japanese.
func negating(r rune) bool { return strings.ContainsRune("不没沒未无無非否別别勿莫", r) }

func hyphen(r rune) bool { return r == '-' || r == '‐' || r == '‑' }

func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

// sign runes before a number change it, or tie it to what stands before them.
func sign(r rune) bool {
	return hyphen(r) || strings.ContainsRune("−–‒+±<>≤≥≈~∼=¬#$€£¥×^⁻⁺", r)
}

// joinsNumbers are runes that make one of two numbers.
func joinsNumbers(r rune) bool { return strings.ContainsRune("/⁄:·٫٬'’_*", r) }

// magnitudes are words that multiply the number before them, or divide it.
var magnitudes = []string{
	"%", "‰", "hundred", "thousand", "million", "billion", "trillion", "quadrillion", "percent", "percentage", "per cent",
	"permille", "×", "basis point", "dozen", "mn", "bn", "tn",
	"prozent", "tausend", "millionen", "milliarden", "billionen", "mille", "millions", "milliards", "pour cent", "por ciento", "millones",
	"процент", "тысяч", "миллион", "миллиард",
}

func magnitude(after string) bool {
	if !strings.HasPrefix(after, " ") && !strings.HasPrefix(after, "\u00a0") && !strings.HasPrefix(after, "\u202f") && !strings.HasPrefix(after, "\n") {
		return false
	}
	word := strings.ToLower(strings.TrimLeftFunc(after[:min(len(after), 40)], unicode.IsSpace))
	const short = 2 // letters of a symbol, which begins no other word
	for _, m := range magnitudes {
		if rest, ok := strings.CutPrefix(word, m); ok && (len(m) != short || m == "×" || !char.IsOfWord(char.First(rest)) && !strings.HasPrefix(rest, "_")) {
			return true
		}
	}
	return false
}

// endsNegative reports whether a number that follows is negative or only a
// bound: "minus 5", "> 5".
func endsNegative(before string) bool {
	words := strings.Fields(strings.ToLower(before[max(0, len(before)-40):]))
	if len(words) == 0 {
		return false
	}
	switch words[len(words)-1] {
	case "-":
		return !isListDash(before)
	case "minus", "negative", "−", "<", ">", "≤", "≥", "≈", "±":
		return true
	}
	return false
}

// isListDash reports whether the dash that ends before is a list's.
func isListDash(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	before = strings.TrimRight(strings.TrimSuffix(before, "-"), " \t")
	return before == "" || strings.HasSuffix(before, "\n")
}

// trimInvisibleRight drops what nobody sees before a cut: a soft hyphen between
// two halves of a word does not part them.
func trimInvisibleRight(s string) string { return strings.TrimRightFunc(s, char.IsInvisible) }

func trimInvisibleLeft(s string) string { return strings.TrimLeftFunc(s, char.IsInvisible) }
