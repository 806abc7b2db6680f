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
)

// maxAbove is how many bytes before a passage its heading and what leads to its
// list are looked for.
const maxAbove = 2 << 10

// maxThread is how many bytes before and behind a passage others are looked for who quote it or
// speak next.
const maxThread = 16 << 10

// over gives what stands over a passage and says that it is wrong: that it is struck
// out, the heading of its list, or the line that leads to that.
func over(text string, start, end int) []guard.Finding {
	if isStruckOut(text, start, end) {
		return []guard.Finding{{Kind: guard.Begins, Text: "~~"}}
	}
	base := words.RuneStart(text, start-maxThread)
	thread := text[base:words.RuneStart(text, end+maxThread)]
	for _, rejected := range []func(string, int, int) (string, bool){answeredInThread, answeredInTurn, rejectedByNextPost} {
		if answer, ok := rejected(thread, start-base, end-base); ok && !saysSoItself(text, start, end) {
			return []guard.Finding{{Kind: guard.Answered, Text: Shorten(answer)}}
		}
	}
	if before, ok := supposedBefore(text, start, end); ok {
		return []guard.Finding{{Kind: guard.Begins, Text: Shorten(before)}}
	}
	lines := strings.Split(text[words.RuneStart(text, start-maxAbove):start], "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	passage := text[start:end]
	if head, ok := columnOver(lines, passage); ok && untrue().MatchString(head) && !saysSoItself(text, start, end) {
		return []guard.Finding{{Kind: guard.Begins, Text: Shorten(head)}}
	}
	if cell, ok := rejectingCell(last, passage, text[end:]); ok {
		return []guard.Finding{{Kind: guard.Answered, Text: Shorten(cell)}}
	}
	item := beginsItem(last, passage)
	if !item && !isFirstOfParagraph(lines) {
		return nil
	}
	led := true
	for i, line := range slices.Backward(lines[:len(lines)-1]) {
		bare := strings.TrimSpace(line)
		if bare == "" || isUnderline(bare) {
			continue
		}
		below := strings.TrimSpace(lines[i+1])
		heads := isHeading(bare, opensPage(lines, i), below == "" || item && !isItem(bare) && isItem(below+" x")) || isUnderline(below) && !isItem(bare)
		leads := led && !isItem(bare) && (strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "："))
		led = led && isItem(bare)
		if (heads || leads) && untrue().MatchString(bare) && (item || leads || isLabel(bare) && !isTitle(text, bare)) && !saysSoItself(text, start, end) {
			return []guard.Finding{{Kind: guard.Begins, Text: Shorten(strings.Trim(bare, "#*_ "))}}
		}
		if leads && item && !isSentence(text[start:]) {
			language := guard.Language(text[words.RuneStart(text, start-MaxAround):words.RuneStart(text, end+MaxAround)])
			if turnsRound(bare, language) && !isThing(text[start:end], language) {
				return []guard.Finding{{Kind: guard.Begins, Text: Shorten(strings.Trim(bare, "#*_ "))}}
			}
		}
		if heads || !item {
			return nil
		}
	}
	return nil
}

// isSentence reports whether a line begins with a whole sentence, which goes on with none.
func isSentence(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsUpper(first) && strings.HasSuffix(strings.TrimRight(line, " \t"), ".")
}

// turnsRound reports whether the line that leads to a list negates its items, or says that
// something depends on them: "We do not offer:", "unless:".
func turnsRound(lead, language string) bool {
	lead = strings.NewReplacer("*", "", "_", "", "`", "").Replace(strings.TrimRight(lead, " :："))
	lead = lead[strings.LastIndexAny(lead, ".!?,;")+1:]
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(lead)), " ")
	if slices.Contains(strings.Fields("why when if where what how because unless while warum wenn falls weshalb wieso weil pourquoi quand si lorsque por si cuando cuándo perché se quando waarom als wanneer varför när om dlaczego gdy jeśli почему если когда"), first) {
		return false
	}
	return slices.ContainsFunc(guard.WordsIn(lead, func() string { return language }), func(w guard.Word) bool {
		only, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(lead[w.End:], " ")), " ")
		return w.Kind == guard.Negation && (w.Norm == "not" || w.Norm == "no" || w.Norm == "never" || w.Norm == "neither") && !slices.Contains(strings.Fields("only just merely least nur bloß seulement solo sólo só alleen bara tylko только"), only)
	})
}

// determiners are articles, by language, with which what an item of a list names may begin.
var determiners = map[string]string{
	"en": "the a an", "de": "der die das ein eine den", "fr": "le la les l un une des du", "es": "el la los las un una unos unas", "pt": "o a os as um uma",
	"it": "il lo la i gli le l un uno una", "nl": "de het een",
}

// isThing reports whether an item of a list is the name of a thing, with its article and no verb: it says
// nothing that the line over the list could turn round.
func isThing(item, language string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(item)), " ")
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	return slices.Contains(strings.Fields(determiners[language]), first) && !slices.ContainsFunc(guard.Governors(item, language), func(g guard.Governor) bool {
		return g.Role == guard.Verb || g.Role == guard.That || g.Role == guard.Claimed || g.Role == guard.Condition
	})
}

// isUnderline reports whether a line underlines the one before it, which makes a
// heading of that in Markdown.
func isUnderline(line string) bool {
	return len(line) > 2 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// isLabel reports whether a heading has few words: it names what stands below it and
// says nothing itself.
func isLabel(heading string) bool {
	const few = 4
	return words.Count(heading) <= few && !strings.HasSuffix(heading, "?")
}

// isTitle reports whether a heading is that of the whole text.
func isTitle(text, heading string) bool {
	return strings.HasPrefix(heading, "# ") || strings.HasPrefix(heading, "<h1") || strings.HasPrefix(strings.TrimSpace(text), heading)
}

// isFirstOfParagraph reports whether a passage begins the first paragraph below the line
// before it; the lines before the passage are given.
func isFirstOfParagraph(lines []string) bool {
	return strings.Trim(lines[len(lines)-1], " \t\"“„«*_") == "" && len(lines) > 1
}

// rejectingCell gives a cell behind a passage in its row of a table that says in a word
// or two that the passage is wrong.
func rejectingCell(row, passage, behind string) (string, bool) {
	const few = 3 // words
	if !strings.HasPrefix(row, "|") || strings.Contains(passage, "|") {
		return "", false
	}
	line, _, _ := strings.Cut(behind, "\n")
	_, line, _ = strings.Cut(line, "|")
	for cell := range strings.SplitSeq(line, "|") {
		if words.Count(cell) <= few && rejects(cell, guard.Language(row+passage), words.Count(passage) > few) {
			return strings.TrimSpace(cell), true
		}
	}
	return "", false
}

// rejects reports whether a cell says of a statement that it is wrong, or that it is not
// known, and negates neither.
func rejects(cell, language string, statement bool) bool {
	list := guard.Governors(cell, language)
	negated := slices.ContainsFunc(guard.WordsIn(cell, func() string { return language }), func(w guard.Word) bool {
		return w.Kind == guard.Negation && !slices.ContainsFunc(list, func(g guard.Governor) bool { return g.Start <= w.Start && w.End <= g.End })
	})
	return slices.ContainsFunc(list, func(g guard.Governor) bool {
		return g.Role == guard.Rejection && !negated || statement && (g.Role == guard.Doubt && !negated || g.Role == guard.Fact && negated)
	})
}

// columnOver gives the head of the column in which a passage stands, in a table of
// Markdown of which the lines before it are given.
func columnOver(lines []string, passage string) (string, bool) {
	row := lines[len(lines)-1]
	if !strings.HasPrefix(strings.TrimSpace(row), "|") || strings.Contains(passage, "|") {
		return "", false
	}
	column := strings.Count(row, "|")
	for i := len(lines) - 2; i > 0 && strings.HasPrefix(strings.TrimSpace(lines[i]), "|"); i-- {
		if strings.Trim(lines[i], "|-: \t") != "" {
			continue
		}
		cells := strings.Split(strings.TrimSpace(lines[i-1]), "|")
		if column < len(cells) {
			return strings.TrimSpace(cells[column]), true
		}
	}
	return "", false
}

// beginsItem reports whether a passage stands in the first sentence of an item of a
// list, or in the first cell of a row, of which the line before it is given: what
// comes later may say what is so.
func beginsItem(line, passage string) bool {
	if !isItem(line) && !isItem(line+" x") {
		return false
	}
	if strings.HasPrefix(line, "|") {
		return strings.Count(line, "|") == 1 && !strings.Contains(passage, "|")
	}
	return !sentenceEnd().MatchString(enumeration().ReplaceAllString(line+" ", ""))
}

// sentenceEnd is where a sentence ends within a line.
var sentenceEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!?]["”’»]? `) })

// isHeading reports whether a line is the heading of a section: it is marked as
// one, or is short, ends without a mark and stands alone.
func isHeading(line string, blankBefore, blankBehind bool) bool {
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<h") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(line)
	return blankBefore && blankBehind && isShortLine(line) && char.IsOfWord(last)
}

// untrue is what a heading calls things that are not so. A stem is the whole word but
// for an ending: Mythril and Falstaff are names.
var untrue = sync.OnceValue(func() *regexp.Regexp {
	const word = `(?:^|[^\pL])(?:` +
		`(?:myth|mythe|mythen|mythos|mito|mitos|mity|efsane|myt|myter|legend|legende|leyenda|legenda|hoax|bulo|bufal|rumou?r|gerücht|aberglaube|harhaluulo|fabel)\pL{0,2}|(?:миф|слух)\pL{0,3}|` +
		`(?:misconcept|misunderst|falsehood|superstit|irrtum|irrtüm|irrig|missförst|nieporoz|nieprawd|fałsz|misverst|onjuist|virheellis|yanlış|fallac|ложн|заблуждени)\pL*|` +
		`false|falsely|falsch\pL{0,2}|faux|fausses?|fals[kt]\pL{0,2}|fals[oaie]s?|wrong|incorrect|untrue|idées? reçues?|väär\pL{0,4}|salah|keliru|sai lầm|hiểu lầm|ngộ nhận|भ्रम\pL*|मिथक\pL*|ग़लत\pL*|गलत\pL*|(?:ال)?خراف\pL*|خاطئ\pL*|미신|오해|거짓|잘못된` +
		`)(?:$|[^\pL])`
	return regexp.MustCompile(`(?i)` + word + `|谣言|误解|错误说法|誤解|迷信|俗説|デマ`)
})

// isStruckOut reports whether a passage stands where its text is struck out, as
// Markdown and HTML mark it. What else may do so needs the whole text to be told: see
// StruckIn in package reading.
func isStruckOut(text string, start, end int) bool {
	before := text[words.RuneStart(text, start-MaxAround):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind := text[end:words.RuneStart(text, end+MaxAround)]
	if strings.Count(before, "~~")%2 == 1 && strings.Contains(behind, "~~") {
		return true
	}
	for _, tag := range [...]string{"del", "strike"} {
		open := max(strings.LastIndex(before, "<"+tag+">"), strings.LastIndex(before, "<"+tag+" "))
		if open >= 0 && !strings.Contains(before[open:], "</"+tag) {
			return true
		}
	}
	return false
}

// saysSoItself reports whether a passage says itself that something is claimed, in
// doubt or wrong.
func saysSoItself(text string, start, end int) bool {
	language := guard.Language(text[words.RuneStart(text, start-MaxAround):words.RuneStart(text, end+MaxAround)])
	passage := oneLine(text[start:end])
	if slices.ContainsFunc(guard.Governors(passage, language), func(g guard.Governor) bool {
		return g.Role == guard.Claimed || g.Role == guard.Doubt || g.Role == guard.Rejection
	}) {
		return true
	}
	list := words.Sentences(passage)
	return len(list) > 1 && slices.ContainsFunc(list[1:], func(s words.Sentence) bool { return Denies(passage[s.Start:s.End], language) })
}
