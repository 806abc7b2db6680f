package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

// oneLine is a text without line ends, as long as it was.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}

// IsBreak reports whether the line end or tab at a place of a text ends a
// paragraph, a heading, an item or a cell.
func IsBreak(s string, i int) bool {
	begin := strings.LastIndexByte(s[:i], '\n') + 1
	if s[i] == '\t' {
		return strings.Trim(s[begin:i], "\t ") != "" || withoutIndent(s[begin:]) == s[begin:]
	}
	line := strings.TrimSpace(s[begin:i])
	if line == `"""` || line == "*/" || line == "/" || isPath(line) || IsFurniture(line) {
		return true
	}
	rest := s[i+1:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	next := strings.TrimSpace(rest)
	if line == "" || next == "" || strings.Contains(withoutIndent(s[begin:i])+withoutIndent(rest), "\t") || isItem(next) || next == `"""` || next == "*/" || next == "/" || isComment(line) != isComment(next) || isPath(next) || IsFurniture(next) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(next)
	if strings.ContainsRune(openingQuotes+`"(`, first) { // the word within tells
		first, _ = utf8.DecodeRuneInString(strings.TrimLeftFunc(next, char.IsNotOfWord))
	}
	last, _ := utf8.DecodeLastRuneInString(line)
	if strings.ContainsRune(".!?", last) && isByline(next) {
		return true
	}
	if strings.ContainsRune(".!?", last) && parameter().MatchString(next) {
		return true
	}
	return begin > 0 && isShortLine(line) && !unicode.IsLower(first) && !strings.ContainsRune(",;-–—، 、，", last)
}

// withoutIndent is a line without the tabs it is set in by, of which blanks beside them tell.
func withoutIndent(line string) string {
	words := strings.TrimLeft(line, "\t ")
	if indent := line[:len(line)-len(words)]; strings.Contains(indent, "\t") && strings.Contains(indent, " ") {
		return words
	}
	return line
}

// parameter is how a line begins that tells of one argument of a function: "fair: If true".
var parameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z]\w*(?: \([\w ,.|]{1,40}\))?: \p{Lu}`)
})

// isPath reports whether a line is a menu or says where a page stands: its names are
// parted by the same sign.
func isPath(line string) bool {
	const short = 4 // words
	return slices.ContainsFunc([]string{" > ", " » ", " › ", " · ", " | "}, func(sign string) bool {
		names := strings.Split(line, sign)
		return len(names) > 2 || len(names) == 2 && sign != " > " && len(strings.Fields(names[0])) <= short && len(strings.Fields(names[1])) <= short
	})
}

// isComment reports whether a line of code holds nothing but a comment, as most
// languages write it.
func isComment(line string) bool {
	doc := strings.HasPrefix(line, "/") && strings.HasSuffix(line, " /") // as it is read without its stars
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "-- ") || strings.HasPrefix(line, "/*") || doc
}

// isShortLine reports whether a line is too short to have been broken for its
// length.
func isShortLine(line string) bool {
	n := 0
	for _, r := range line {
		if n++; words.Unspaced(r) {
			n += 2
		}
	}
	return n < 60
}

// isItem reports whether a line begins an item of a list, a heading or a row.
func isItem(line string) bool {
	for _, mark := range [...]string{"- ", "* ", "• ", "+ ", "#", "|", "> "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	if len(line) > 3 && line[0] == '(' && (line[2] == ')' || line[3] == ')') {
		return true
	}
	number := strings.TrimLeftFunc(line, unicode.IsDigit)
	return len(number) < len(line) && (strings.HasPrefix(number, ". ") || strings.HasPrefix(number, ") "))
}

// enumeration is the number or letter of a paragraph.
var enumeration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\(?(?:\d{1,3}(?:\.\d{1,2})*|[a-z]|[ivx]{1,4})[.)]|\d+(?:\.\d+)+)\s`)
})

// spoken cuts a text into sentences, as words.Sentences does, and parts them where a dash
// begins what somebody says, and around what the hearer notes in brackets: "– I saw it",
// "[laughs]"; and where one begins with a small letter or a name of code.
func spoken(text string) []words.Sentence {
	const verdict = 3 // group of turn
	var list []words.Sentence
	for _, s := range words.Sentences(text) {
		for _, at := range smallBeginnings(text[s.Start:s.End], s.Start) {
			list = append(list, words.Sentence{Start: s.Start, End: at})
			s.Start = at
		}
		whole, from := text[s.Start:s.End], s.Start
		for _, at := range turn().FindAllStringSubmatchIndex(whole, -1) {
			for group := 1; 2*group < len(at); group++ {
				if i := at[2*group]; i >= 0 && from+i > s.Start && !(group == verdict && judges(text[from+i:])) {
					list = append(list, words.Sentence{Start: s.Start, End: from + i})
					s.Start = from + i
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// turn is where somebody else begins to speak, or goes on behind what is noted of them, or where a
// string of JSON ends.
var turn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[.!?…]["”»]? (?:([–—] )\p{Lu}|\[\p{Ll}[\p{Ll} ]{1,30}\] (\p{Lu}))|[.!?…]\\?"\s*([}\]]\s*[,}\]]|,\s*\\?"[\w@-]+\\?"\s*:)`)
})

// judges reports whether the rest of an object of JSON, behind one of its strings, says whether that
// is so.
func judges(rest string) bool {
	const most = 300
	object, _, _ := strings.Cut(rest[:words.RuneStart(rest, most)], "}")
	return verdicts().MatchString(object)
}

var verdicts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)"(?:verdict|rating|status|truth|rejected|retracted|refuted|disputed|valid|correct|correction|urteil|bewertung|veredicto|giudizio|valoración)\\?"\s*:|:\s*\\?"(?:false|untrue|not (?:so|true)|wrong|no\.|rejected|retracted|withdrawn|falsch|stimmt nicht|faux|falso|onwaar|falskt|fałsz|ложь)`)
})

// smallBeginning is a full stop behind a word, before what may begin a sentence though no
// capital begins it.
var smallBeginning = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\p{Ll}{3,}|\b(?:up|it|in|on|to|by|so|us|me|do|be))['"’”)]?\. +(?:(` + "`" + `|--?\pL|:\pL[\w:]*:)|(\p{Ll}[\p{Ll}'’]*))`)
})

// clipped are words of English, and others, that are abbreviations with a full stop.
const clipped = "pub sub bldg yrs param params arg args func funcs attr attrs approx est dept min incl excl resp misc info config dist env var vars mind chap par gem zool geb gest evtl ggf bzw etc fig vol cap sat sun gal est max min ref art sec mar col dec spec prop temp tech poss prev sing ill app pop bull tab gen doc mod pot"

// beginnings are words of English that no abbreviation stands before.
const beginnings = "i you he she it we they this that these those there nobody everybody my your our their then"

// smallBeginnings gives where, from a place of a text, sentences begin behind the full stop of a
// word that is no abbreviation, in English: with a name of code, or with any behind a word.
func smallBeginnings(sentence string, from int) []int {
	if !strings.Contains(sentence, ". ") || guard.Language(sentence) != "en" {
		return nil
	}
	var list []int
	for _, m := range smallBeginning().FindAllStringSubmatchIndex(sentence, -1) {
		word, at := sentence[m[2]:m[3]], max(m[4], m[6])
		if slices.Contains(strings.Fields(clipped), word) || words.IsAbbreviation(word) {
			continue
		}
		if m[4] >= 0 || spelling.IsEnglish(word) || slices.Contains(strings.Fields(beginnings), sentence[m[6]:m[7]]) {
			list = append(list, from+at)
		}
	}
	return list
}

// headOf is what of the sentence around a place stands before it.
func headOf(text string, at int) string {
	from, to := 0, len(text)
	for i := range len(text) {
		switch {
		case text[i] != '\n' && text[i] != '\t' || !IsBreak(text, i):
		case i < at:
			from = i + 1
		case i < to:
			to = i
		}
	}
	for at < to && text[at] == ' ' {
		at++ // a mark of emphasis was there
	}
	for _, s := range spoken(oneLine(text[from:to])) {
		if from+s.End > at {
			head := text[from+s.Start : max(at, from+s.Start)]
			if number := enumeration().FindString(head); number != "" {
				head = head[len(number):]
			}
			if i := strings.LastIndex(head, "No. "); i >= 0 && !isDigitAt(text, at) && (i == 0 || strings.ContainsRune(" .:?!", rune(head[i-1]))) && !strings.ContainsFunc(head[i+len("No. "):], char.IsOfWord) {
				head = "" // an answer, and no number
			}
			return strings.ReplaceAll(oneLine(strings.TrimLeftFunc(head, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("#>-•)]`", r) })), "\t", " ")
		}
	}
	return ""
}

// isDigitAt reports whether a digit stands at a place of a text.
func isDigitAt(text string, at int) bool {
	return at < len(text) && text[at] >= '0' && text[at] <= '9'
}

// tailOf is what of the sentence around a place stands behind it, and the sentence
// behind that.
func tailOf(text string, at int) (tail, next string, later []string) {
	to := len(text)
	for i := at; i < len(text); i++ {
		if (text[i] == '\n' || text[i] == '\t') && IsBreak(text, i) {
			to = i
			break
		}
	}
	const answer = 30 // bytes of a paragraph that answers another: "Nonsense."
	defer func() {
		if tail = strings.TrimSpace(tail); next == "" && strings.TrimFunc(tail, char.IsNotOfWord) == "" && to < len(text) {
			if s := words.Sentences(oneLine(strings.TrimSpace(text[to:]))); len(s) > 0 && s[0].End < answer {
				next = strings.TrimSpace(oneLine(strings.TrimSpace(text[to:]))[:s[0].End]) // an answer of its own: "Nonsense."
			}
		}
	}()
	letter := len(strings.TrimRightFunc(text[:at], char.IsNotOfWord))
	whole := oneLine(text[:to])
	list := spoken(whole)
	for i, s := range list {
		if s.End < letter || s.End == letter && i+1 < len(list) {
			continue
		}
		if i+1 < len(list) && s.End >= at-1 {
			next = strings.TrimLeft(whole[list[i+1].Start:list[i+1].End], "`")
			for _, l := range list[i+2 : min(len(list), i+5)] {
				later = append(later, strings.TrimSpace(whole[l.Start:l.End]))
			}
		}
		return strings.TrimSpace(whole[letter:s.End]), strings.TrimSpace(next), later
	}
	return "", "", nil
}
