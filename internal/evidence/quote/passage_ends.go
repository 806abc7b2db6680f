package quote

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
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// maxBeside is how many bytes around a passage are looked at.
const maxBeside = 72

// checkEnds gives the deciding words a passage leaves off at its ends, so that cut
// out of its text it says something else; none when it can stand for itself.
func checkEnds(text string, start, end int) []guard.Finding {
	if found := omittedBeside(text, start, end); len(found) > 0 {
		return found
	}
	if !isWhole(text, start, end) {
		return []guard.Finding{brokenEnd(text, start, end)}
	}
	return nil
}

// omittedBeside gives what of a whole passage is left off.
func omittedBeside(text string, start, end int) []guard.Finding {
	if found := omittedLeft(text, start, end); len(found) > 0 {
		return found
	}
	return omittedRight(text, start, end)
}

// checkGluedEnds does the same where blanks are lost: the passage may begin and end
// within a run of letters, but not within a number nor beside letters that
// make a deciding word.
func checkGluedEnds(text string, start, end int) []guard.Finding {
	left, right := len(strings.TrimRightFunc(text[:start], char.IsOfWord)), end+leadingLettersEnd(text[end:])
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	if !char.IsOfWord(first) {
		left = start
	}
	if !char.IsOfWord(last) {
		right = end
	}
	if left == start && right == end {
		return checkEnds(text, start, end)
	}
	if left < start && joinsNumerals(text[:start], first) || right > end && joinsNumerals(text[end:], last) {
		return []guard.Finding{brokenEnd(text, start, end)}
	}
	if w, ok := decidingWordBeside(text[max(left, start-16):start], unicode.IsNumber(first), true); ok {
		return []guard.Finding{w}
	}
	if w, ok := decidingWordBeside(text[end:min(right, end+16)], unicode.IsNumber(last), false); ok {
		return []guard.Finding{w}
	}
	if left == start {
		return omittedLeft(text, start, end)
	}
	if right == end {
		return omittedRight(text, start, end)
	}
	return nil
}

// leadingLettersEnd is where the letters end that a text begins with.
func leadingLettersEnd(s string) int {
	if at := strings.IndexFunc(s, func(r rune) bool { return !char.IsOfWord(r) }); at >= 0 {
		return at
	}
	return len(s)
}

// joinsNumerals reports whether a numeral stands beside another.
func joinsNumerals(beside string, r rune) bool {
	a, _ := utf8.DecodeLastRuneInString(beside)
	b, _ := utf8.DecodeRuneInString(beside)
	return numeral(r) && (numeral(a) || numeral(b)) && unicode.IsNumber(r)
}

// decidingWordBeside gives the deciding word that letters beside a passage end with, or
// begin with, and that would change it.
func decidingWordBeside(letters string, number, left bool) (guard.Finding, bool) {
	for i := range letters {
		word := letters[i:]
		if !left {
			word = letters[:len(letters)-i]
		}
		words := guard.Words(word)
		if !utf8.ValidString(word) || utf8.RuneCountInString(word) < 2 || len(words) != 1 || words[0].Text != word {
			continue
		}
		w := words[0]
		first := guard.Word{Kind: guard.Number}
		if left && changesMeaning(w, first, number) || !left && (restrictsMeaning(w) || number && isQuantityWord(first, w)) {
			return guard.Finding{Kind: w.Kind, Text: w.Text}, true
		}
	}
	return guard.Finding{}, false
}

// brokenEnd tells what is cut through at an end.
func brokenEnd(text string, start, end int) guard.Finding {
	at := end
	if first, _ := utf8.DecodeRuneInString(text[start:end]); !wholeLeft(text[:start], first) {
		at = start
	}
	blank := func(r rune) bool { return unicode.IsSpace(r) }
	left, right := text[max(0, at-maxBeside):at], text[at:min(len(text), at+maxBeside)]
	around := left[strings.LastIndexFunc(left, blank)+1:]
	rest := strings.TrimLeftFunc(right, blank)
	if stop := strings.IndexFunc(rest, blank); stop >= 0 {
		rest = rest[:stop]
	}
	if len(rest) < len(right) && around != "" && unicode.IsSpace(rune(right[0])) {
		around += " "
	}
	around = strings.ToValidUTF8(around+rest, "")
	f := guard.Finding{Kind: guard.Negation, Text: around}
	if strings.ContainsFunc(around, unicode.IsNumber) {
		f.Kind = guard.Number
	}
	return f
}

// languageAround is the language of a passage and what stands around it.
func languageAround(text string, start, end int) string {
	return guard.Language(text[words.RuneStart(text, start-governing.MaxAround):words.RuneStart(text, min(end, start+4*governing.MaxAround)+governing.MaxAround)])
}

// omittedLeft gives a deciding word that stands right before a passage, or goes on
// into it.
func omittedLeft(text string, start, end int) []guard.Finding {
	if isNumbered(text, start) {
		return nil
	}
	linked, open := withoutTags(withoutTarget(text[:start]))
	if open {
		return nil
	}
	before := textBeside(linked[max(0, len(linked)-maxBeside):], true)
	if strings.TrimSpace(before) == "" || start > 0 && text[start-1] == '\n' && governing.IsBreak(text, start-1) {
		return nil
	}
	inside := textBeside(text[start:min(end, start+maxBeside)], false)
	words := guard.WordsIn(before+inside, func() string { return languageAround(text, start, end) })
	last, first := guard.Word{End: -1}, guard.Word{Start: -1}
	for _, w := range words {
		switch {
		case w.Start < len(before) && w.End > len(before):
			return []guard.Finding{{Kind: w.Kind, Text: w.Text}}
		case w.End <= len(before):
			last = w
		case first.Start < 0:
			first = w
		}
	}
	if last.End < 0 {
		return nil
	}
	between := before[last.End:] + inside[:len(inside)-len(strings.TrimLeftFunc(inside, char.IsNotOfWord))]
	begins := first.Start >= 0 && !strings.ContainsFunc(inside[:first.Start-len(before)], char.IsOfWord)
	if isAdjacent(between) && changesMeaning(last, first, begins) && !isObjectBefore(last, inside) || isPortionOf(last, between) {
		return []guard.Finding{{Kind: last.Kind, Text: last.Text}}
	}
	return nil
}

// numbered is a number that begins a paragraph, with white space behind it.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\n[ \t]*\n)[ \t]*\d{1,3}(?:\.\d{1,3})*\.?[ \t]+$`)
})

// isNumbered reports whether a passage begins a paragraph behind its number, and with a word
// that is no unit there: "2.1 A survey", "3.2 V-shaped".
func isNumbered(text string, start int) bool {
	const longest = 40 // bytes of the number and the blanks around it
	if !numbered().MatchString(text[max(0, start-longest):start]) {
		return false
	}
	word := text[start:]
	first, size := utf8.DecodeRuneInString(word)
	rest := word[size:]
	word = strings.TrimLeft(rest, " -'’")
	return len(word) < len(rest) && unicode.IsUpper(first) && unicode.IsLower(char.First(word)) && (rest[0] != ' ' || strings.ContainsRune("AEIOYÀÉ", first))
}

// tagAtEnd is a tag that a text ends with.
var tagAtEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<(/?)([A-Za-z][\w.:-]*)(?:\s+[\w.:-]+(?:=(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))?)*\s*/?>$`)
})

// withoutTags is the end of a text without the tags that it ends with. It reports whether one of
// them begins or ends a block, so that nothing stands beside what follows.
func withoutTags(text string) (string, bool) {
	const longest, most = 400, 2 << 10 // bytes of a tag, and of them all
	text = text[words.RuneStart(text, len(text)-most):]
	rest, blank := text, ""
	for {
		bare := strings.TrimRight(rest, " \t\r\n")
		if !strings.HasSuffix(bare, ">") {
			break
		}
		near := max(0, len(bare)-longest)
		from := near + strings.LastIndexByte(bare[near:], '<')
		if from < near {
			break
		}
		m := tagAtEnd().FindStringSubmatch(bare[from:])
		if m == nil {
			break
		}
		if !reading.IsInline(strings.ToLower(m[2])) {
			return "", true
		}
		if len(bare) < len(rest) {
			blank = " "
		}
		rest = bare[:from]
	}
	if len(rest) == len(text) {
		return text, false
	}
	return rest + blank, false
}

// withoutTarget is a text without the target of a link of Markdown at its end.
func withoutTarget(text string) string {
	const most = 400
	bare := strings.TrimRight(text, " ")
	if !strings.HasSuffix(bare, ")") {
		return text
	}
	from := max(0, len(bare)-most)
	if i := strings.LastIndex(bare[from:], "]("); i >= 0 && char.LinkTarget(bare, from+i+1) == len(bare) {
		return bare[:from+i] + text[len(bare):]
	}
	return text
}

// textBeside is a piece of text beside a passage, without the word it was cut
// in.
func textBeside(s string, left bool) string {
	if left {
		for s != "" && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
		if at := strings.IndexByte(s, ' '); at >= 0 && len(s) >= maxBeside-4 {
			s = s[at:]
		}
		return s
	}
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		if r != utf8.RuneError || size != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// isAdjacent reports whether nothing parts a word from the passage beside it.
func isAdjacent(between string) bool {
	return strings.Trim(between, " \t\r\n*_`\u00a0\u202f") == "" && strings.Count(between, "\n") < 2
}

// changesMeaning reports whether a word right before a passage changes what the
// passage says. Where it needs a number behind it, begins tells whether the
// passage begins with first.
func changesMeaning(last, first guard.Word, begins bool) bool {
	counted := begins && (first.Kind == guard.Number || first.Kind == guard.Date || first.Kind == guard.Magnitude || first.Kind == guard.Unit || first.Norm == "half")
	switch last.Kind {
	case guard.Negation:
		return last.Norm != "in-" && last.Norm != "dis-" && last.Norm != "fail" && last.Norm != "un-" && last.Norm != "lack"
	case guard.Hedge:
		switch last.Norm {
		case "may", "might", "could", "almost", "up to", "possible", "probable", "alleged":
			return true
		}
		return counted && (last.Norm == "about" || last.Norm == "estimate" || last.Norm == "expect")
	case guard.Quantifier:
		switch last.Norm {
		case "few", "only", "half", "most", "some", "majority", "minority", "quarter", "third part":
			return true
		}
	case guard.Comparator:
		switch last.Norm {
		case "minus":
			return true
		case "more", "less", "fewer", "least", "most", "maximum", "minimum", "min", "than", "over", "above", "below", "under", "before", "after", "within", "<", ">", "<=", ">=", "±", "negative":
			return counted
		}
	case guard.Number:
		return begins && (first.Kind == guard.Magnitude || first.Kind == guard.Unit && first.Norm != "dollar" && first.Norm != "euro" && first.Norm != "pound" && first.Norm != "yen" || first.Norm == "half")
	}
	return false
}

// isPortionOf reports whether a passage is what a part or none of something is
// said of: "half of" stands before it.
func isPortionOf(last guard.Word, between string) bool {
	if last.Kind != guard.Quantifier && last.Norm != "no" || last.Norm == "all" || last.Norm == "each" || last.Norm == "every" || last.Norm == "both" {
		return false
	}
	switch strings.Join(strings.Fields(strings.ToLower(between)), " ") {
	case "of", "of the", "of all", "des", "de", "d'", "de los", "de las", "der":
		return true
	}
	return false
}

// omittedRight gives a deciding word that stands right behind a passage, or that
// the passage ends within.
func omittedRight(text string, start, end int) []guard.Finding {
	after := textBeside(text[end:min(len(text), end+maxBeside)], false)
	if strings.TrimSpace(after) == "" {
		return nil
	}
	inside := textBeside(text[max(start, end-maxBeside):end], true)
	last := guard.Word{End: -1}
	for _, w := range guard.WordsIn(inside+after, func() string { return languageAround(text, start, end) }) {
		switch {
		case w.End <= len(inside):
			last = w
		case w.Start < len(inside):
			return []guard.Finding{{Kind: w.Kind, Text: w.Text}}
		case strings.Contains(after[:w.Start-len(inside)], "\n") && isQuantityWord(last, w) && isAboveRow(text, end):
			return nil
		case isAdjacent(inside[max(0, last.End):]+after[:w.Start-len(inside)]) && last.End >= 0 && isQuantityWord(last, w),
			isAdjacent(inside[len(strings.TrimRightFunc(inside, char.IsNotOfWord)):]+after[:w.Start-len(inside)]) && restrictsMeaning(w):
			return []guard.Finding{{Kind: w.Kind, Text: w.Text}}
		default:
			return nil
		}
	}
	return nil
}

// isQuantityWord reports whether a word behind a number multiplies it or gives its
// unit.
func isQuantityWord(number, w guard.Word) bool {
	if number.Kind != guard.Number && number.Kind != guard.Magnitude && number.Kind != guard.Date {
		return false
	}
	return w.Kind == guard.Unit && (number.Kind != guard.Date || w.Norm != "year") || w.Kind == guard.Magnitude
}

// restrictsMeaning reports whether a word right behind a passage takes back or bounds
// what it says.
func restrictsMeaning(w guard.Word) bool {
	switch w.Text {
	case "左右", "上下", "程度", "ほど", "前後", "かもしれない", "かもしれません", "とされる", "ようだ", "らしい", "とみられる", "と思われる", "可能性":
		return true // behind what they qualify
	}
	switch w.Norm {
	case "not":
		return !strings.ContainsAny(w.Text, "不没沒未非并並无無") && w.Text != "не" && w.Text != "ما"
	case "never", "unless", "except", "only":
		return w.Kind == guard.Negation || w.Kind == guard.Quantifier
	}
	return false
}

// endsAtBreak reports whether a passage ends a paragraph without a stop, maybe with a comma.
func endsAtBreak(text string, end int) bool {
	last := char.Last(strings.TrimRight(text[:end], " "))
	rest := strings.TrimLeft(strings.TrimPrefix(text[end:], ","), " \t\r")
	return char.IsOfWord(last) && strings.HasPrefix(rest, "\n") && strings.HasPrefix(strings.TrimLeft(rest[1:], " \t\r"), "\n")
}

// beginsBehindBreak reports whether no sentence ends between an empty line and a passage
// below it, so that its sentence may have begun above the line.
func beginsBehindBreak(text string, start int) bool {
	const most = 200 // bytes
	from := words.RuneStart(text, start-most)
	at := strings.LastIndex(text[from:start], "\n\n")
	return at >= 0 && !strings.ContainsAny(text[from+at:start], ".!?")
}

// governedOverPages gives what governs a passage where the text is read without what stands
// between its pages.
func governedOverPages(read *reading.Text, start, end int) []guard.Finding {
	if read.IsSame() {
		return nil
	}
	from, to := read.Forward(start), read.Forward(end)
	if from >= to || endsAtBreak(read.String(), to) {
		return nil
	}
	same := func(part string, at int) (string, int) { return part, at }
	return governing.Find(read.String(), from, to, same).Findings
}

// lineBehind is the line below the end of a passage within a sentence, at the end of a page, which may
// be of that or not, or with which the sentence goes on over the page: it may bound what the passage says.
func lineBehind(s *search, end int) (Span, bool) {
	const longest = 120 // bytes
	text := s.text
	if !endsAtBreak(text, end) || !s.reading().HasPages() {
		return Span{}, false
	}
	read := s.reading()
	behind := strings.TrimLeft(text[end:], ", \t\r\n\f")
	from := len(text) - len(behind)
	line, rest, _ := strings.Cut(behind, "\n")
	unsure := slices.ContainsFunc(read.Unsure(), func(u reading.Span) bool { return u.From <= from && from < u.To })
	at := read.Forward(end)
	joined := !endsAtBreak(read.String(), at) && strings.HasPrefix(strings.TrimLeft(read.String()[at:], ", \n"), strings.TrimSpace(line))
	apart := strings.TrimLeft(rest, " \t\r\f") == "" || strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n")
	if !unsure && (!joined || !apart) || len(line) > longest {
		return Span{}, false
	}
	return trimSpan(text, from, from+len(line)), true
}

// Marks, as they stand in a text or in HTML, with which it begins and ends what it quotes.
var (
	opensQuotation = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:[“„«»「『"]|&(?:ldquo|bdquo|laquo|quot);)(?:\s|\x{a0}|&nbsp;)*$`)
	})
	closesQuotation = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[.!?。！？]?(?:\s|\x{a0}|&nbsp;)*(?:[”“»«」』"]|&(?:rdquo|ldquo|raquo|quot);)[.。]?`)
	})
)

// sentenceBehindMarks is the sentence behind a passage that its text only quotes, with the
// marks around the whole of it: it may say what the text holds of that.
func sentenceBehindMarks(text string, start, end int) (Span, bool) {
	const mark, most = 16, 240 // bytes
	bare := strings.TrimFunc(text[start:end], char.IsNotOfWord)
	start += strings.Index(text[start:end], bare)
	end = start + len(bare)
	closing := closesQuotation().FindString(text[end:words.RuneStart(text, end+mark)])
	if bare == "" || closing == "" || !opensQuotation().MatchString(text[words.RuneStart(text, start-mark):start]) {
		return Span{}, false
	}
	from := end + len(closing)
	behind := text[from:words.RuneStart(text, from+most)]
	first := char.First(strings.TrimLeftFunc(behind, unicode.IsSpace))
	if !unicode.IsUpper(first) && !words.Unspaced(first) || strings.HasPrefix(strings.TrimLeft(behind, " \t\r"), "\n") && governing.IsBreak(behind, strings.IndexByte(behind, '\n')) {
		return Span{}, false // the sentence goes on, or another paragraph begins
	}
	if stop := sentenceEnd(behind); stop >= 0 {
		behind = behind[:stop]
	}
	g := trimSpan(text, from, from+len(behind))
	return g, g.Start < g.End
}
