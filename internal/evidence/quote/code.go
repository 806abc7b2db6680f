package quote

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// codeSpans are the parts of a text that are marked as code: fenced blocks of
// Markdown and preformatted ones of HTML, line by line, without the comments in
// them. What stands there may be prose all the same.
func codeSpans(text string) []Span {
	var list []Span
	add := func(start, end int) {
		if !isCommentLine(strings.TrimSpace(text[start:end])) {
			list = append(list, Span{start, end})
		}
	}
	fence, preformatted, program := "", false, isProgram(text)
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := strings.TrimSpace(text[at:end])
		switch opened := fenceOf(line); {
		case fence != "" && len(line) >= len(fence) && strings.Trim(line, fence[:1]) == "":
			fence = ""
		case fence != "", (program || isIndented(text[at:end])) && isWrittenAsCode(line), program && isWrittenAsCode(writtenString().ReplaceAllString(line, `""`)):
			add(at, end)
		case opened != "" && !preformatted:
			fence = opened
		default:
			from := at
			for _, tag := range preTag().FindAllStringIndex(text[at:end], -1) {
				if preformatted {
					add(from, at+tag[0])
				}
				from, preformatted = at+tag[1], text[at+tag[0]+1] != '/'
			}
			if preformatted {
				add(from, end)
			}
		}
		at = end + 1
	}
	return list
}

// writtenString is a string in a line of code, with its marks.
var writtenString = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]*"`) })

// isIndented reports whether a line stands as far in as a block of code in Markdown.
func isIndented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// isProgram reports whether the whole of a text is a program: it names what runs it, or
// most of its first lines are code, those of its longer comments aside, and no line begins
// with a tag.
func isProgram(text string) bool {
	const looked, least = 80, 8
	if strings.HasPrefix(text, "#!") {
		return true
	}
	code, all, comment := 0, 0, ""
	for line := range strings.Lines(text[:min(len(text), 16<<10)]) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if comment, line = behindComment(line, comment); line == "" {
			continue
		}
		if strings.HasPrefix(line, "<") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|") {
			return false
		}
		if all++; isWrittenAsCode(line) || len(line) < 4 && strings.Trim(line, "{}()[];,\"") == "" {
			code++
		}
		if all == looked {
			break
		}
	}
	return all >= least && 2*code > all
}

// behindComment is what of a line stands outside of a comment of several lines, all of it or
// nothing, and the mark with which the comment ends that is open behind it.
func behindComment(line, open string) (ends, rest string) {
	if open != "" {
		if strings.Contains(line, open) {
			open = ""
		}
		return open, ""
	}
	for _, marks := range [...][2]string{{"/*", "*/"}, {`"""`, `"""`}} {
		if behind, ok := strings.CutPrefix(line, marks[0]); ok {
			if strings.Contains(behind, marks[1]) {
				return "", ""
			}
			return marks[1], ""
		}
	}
	return "", line
}

// preTag is a tag that begins or ends preformatted text.
var preTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)</?pre(?:\s[^<>]*)?>`) })

// fenceOf gives the marks with which a line opens a fenced block, "" for none.
func fenceOf(line string) string {
	for _, mark := range [...]string{"`", "~"} {
		info := strings.TrimLeft(line, mark)
		if n := len(line) - len(info); n >= 3 && (mark == "~" || !strings.Contains(info, mark)) {
			return line[:n]
		}
	}
	return ""
}

// isCommentLine reports whether a line of code holds nothing but a comment.
func isCommentLine(line string) bool {
	for _, mark := range [...]string{"//", "# ", "/*", "* ", "--", `"""`, ";"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// isCode reports whether a passage is code: it is marked as such, in a block or as
// the whole of what a text puts between backticks, and no prose by its words.
func (t *Text) isCode(start, end int) bool {
	return (t.isTicked(start, end) || t.isInCodeBlock(start, end)) && isWrittenAsCode(t.text[start:end])
}

// isWithinStatement reports whether a passage is part of a line of code, as the words of
// a string are.
func (t *Text) isWithinStatement(start, end int) bool {
	if !t.isInCodeBlock(start, end) || strings.Contains(t.text[start:end], "\n") {
		return false
	}
	from, to := strings.LastIndexByte(t.text[:start], '\n')+1, len(t.text)
	if n := strings.IndexByte(t.text[end:], '\n'); n >= 0 {
		to = end + n
	}
	outside := strings.TrimSpace(t.text[from:start]) + " " + strings.TrimSpace(t.text[end:to])
	return isWrittenAsCode(outside) && !joinsString().MatchString(t.text[end:]) && strings.ContainsAny(lastOf(t.text[from:start])+"\n", "\"'`") && strings.ContainsRune("\"'`", char.First(t.text[end:to]))
}

// joinsString is what stands behind a string of a program that another goes on with.
var joinsString = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[\"'`]\\s*(?:\\+|\\.\\.?|<<|&|\\\\|\\|\\|)?\\s*[\"'`]")
})

// operators are the marks of code that decide what it does, and that prose has for
// emphasis or not at all.
var operators = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[*&!=<>+^~]+|\|\|`) })

// operatorsDiffer gives the first operator in which a quotation of code differs from its
// passage: "==" for "!=". What marks code in a page is none.
func operatorsDiffer(quoted, passage string) (guard.Finding, bool) {
	list := func(s string) []string {
		return operators().FindAllString(strings.TrimFunc(s, char.IsNotOfWord), -1)
	}
	passage = strings.ReplaceAll(passage, ":`~", ":`") // a name of reStructuredText, shown in short
	ours, theirs := list(quoted), list(passage)
	bare := list(html.UnescapeString(anyTag().ReplaceAllString(strings.ReplaceAll(passage, "\n> ", "\n"), " ")))
	if same := strings.Join(ours, ""); same == strings.Join(theirs, "") || same == strings.Join(bare, "") {
		return guard.Finding{}, false
	}
	if strings.Join(list(plainOfTags(quoted)), "") == strings.Join(list(plainOfTags(passage)), "") {
		return guard.Finding{}, false // each has its own
	}
	f := guard.Finding{Kind: guard.Comparator}
	for i := 0; i < len(ours) || i < len(theirs); i++ {
		f.Quote, f.Text = "", ""
		if i < len(ours) {
			f.Quote = ours[i]
		}
		if i < len(theirs) {
			f.Text = theirs[i]
		}
		if f.Quote != f.Text {
			break
		}
	}
	return f, true
}

// plainOfTags is a text as its tags are read.
func plainOfTags(text string) string {
	return html.UnescapeString(reading.WithoutTags(text))
}

// denial is the sign with which many languages of programming negate what stands behind it.
var denial = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s(=&|,;{])!+\(*[\pL_]`) })

// deniesOtherwise reports whether a passage has more or fewer such signs than its quotation, be
// it marked as code or not: no prose has them.
func deniesOtherwise(quoted, passage string) (guard.Finding, bool) {
	ours, theirs := denial().FindAllString(quoted, -1), denial().FindAllString(passage, -1)
	switch {
	case len(ours) < len(theirs):
		return guard.Finding{Kind: guard.Negation, Text: "!"}, true
	case len(ours) > len(theirs):
		return guard.Finding{Kind: guard.Negation, Quote: "!"}, true
	}
	return guard.Finding{}, false
}

// assigned is a list of numbers that a name before it is given.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[:=]\s*\[\s*([\d._]+(?:\s*,\s*[\d._]+)+)\s*\]`)
})

// assignsOtherwise gives the list of a quotation where its passage, or what stands right behind
// that, has only others: what looks as a mark of notes is a value there.
func assignsOtherwise(text, quoted string, m Match) (guard.Finding, bool) {
	ours := assigned().FindStringSubmatch(quoted)
	if ours == nil {
		return guard.Finding{}, false
	}
	theirs := assigned().FindAllStringSubmatch(text[m.Start:words.RuneStart(text, m.End+len(ours[0])+maxNearby)], -1)
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if len(theirs) == 0 || slices.ContainsFunc(theirs, func(t []string) bool { return bare(t[1]) == bare(ours[1]) }) {
		return guard.Finding{}, false
	}
	return guard.Finding{Kind: guard.Number, Quote: ours[1], Text: theirs[0][1]}, true
}

// joint is an operator of code between two words, with or without blanks around it.
var joint = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\p{L}\p{N}_)\]](\s*)([+*=<>|&]{1,3})(\s*)[\p{L}\p{N}_(\[-]`)
})

// joinsOtherwise gives an operator that a passage of prose, or its quotation, has between two
// words without a blank and the other has not there: "base-size" for "base+size".
func joinsOtherwise(quoted, passage string) (guard.Finding, bool) {
	ours, ourTight := jointsIn(quoted)
	theirs, theirTight := jointsIn(passage)
	if op, ok := firstMissing(theirTight, ours); ok {
		return guard.Finding{Kind: guard.Comparator, Text: op}, true
	}
	if op, ok := firstMissing(ourTight, theirs); ok {
		return guard.Finding{Kind: guard.Comparator, Quote: op}, true
	}
	ours, theirs = arrowsIn(quoted), arrowsIn(passage)
	if len(ours) != len(theirs) {
		return guard.Finding{}, false
	}
	op, ok := firstMissing(ours, theirs)
	return guard.Finding{Kind: guard.Comparator, Quote: op}, ok
}

// arrowsIn are the arrows of a text that point to the left or to the right, as they are typed.
func arrowsIn(text string) []string {
	if !strings.ContainsAny(text, "<>←→⟵⟶") {
		return nil
	}
	var typed strings.Builder
	for _, r := range text {
		typed.WriteString(cmp.Or(reading.TypedArrow(r), string(r)))
	}
	return arrow().FindAllString(typed.String(), -1)
}

var arrow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<-+>?|-+>`) })

// jointsIn are the operators between words of a text, and those of them without blanks. A
// star that has another in its word is emphasis.
func jointsIn(text string) (all, tight []string) {
	text = anyTag().ReplaceAllString(text, " ")
	for at := 0; ; {
		m := joint().FindStringSubmatchIndex(text[at:])
		if m == nil {
			return all, tight
		}
		op := text[at+m[4] : at+m[5]]
		all = append(all, op)
		from, to := at+m[0], at+m[1]
		from = strings.LastIndexAny(text[:from], " \n") + 1
		if n := strings.IndexAny(text[to:], " \n"); n >= 0 {
			to += n
		} else {
			to = len(text)
		}
		if m[2] == m[3] && m[6] == m[7] && !(strings.Contains(op, "*") && strings.Count(text[from:to], "*") > 1) {
			tight = append(tight, op)
		}
		at += m[7] // the word behind it may have another
	}
}

// firstMissing is the first of some operators that is not among others in their order.
func firstMissing(some, others []string) (string, bool) {
	for _, op := range some {
		i := slices.Index(others, op)
		if i < 0 {
			return op, true
		}
		others = others[i+1:]
	}
	return "", false
}

// isTicked reports whether a passage is the whole of what stands between backticks.
func (t *Text) isTicked(start, end int) bool {
	before, behind := strings.TrimRight(t.text[:start], "$ "), strings.TrimLeft(t.text[end:], ".,;: ")
	return strings.HasSuffix(before, "`") && strings.HasPrefix(behind, "`") || start < end && t.text[start] == '`' && t.text[end-1] == '`'
}

// isAmidCode reports whether a passage is code, and the lines too in which it
// stands: a "not" beside it is one of the code. One name between backticks says
// nothing that a "not" outside of them could deny.
func (t *Text) isAmidCode(start, end int) bool {
	if words := strings.Fields(strings.Trim(t.text[start:end], "`")); len(words) == 1 && isCodeToken(words[0]) && t.isTicked(start, end) {
		return true
	}
	from := strings.LastIndexByte(strings.TrimRightFunc(t.text[:start], unicode.IsSpace), '\n') + 1
	to := end + len(t.text[end:]) - len(strings.TrimLeftFunc(t.text[end:], unicode.IsSpace))
	if n := strings.IndexByte(t.text[to:], '\n'); n >= 0 {
		to += n
	} else {
		to = len(t.text)
	}
	return t.isInCodeBlock(start, end) && isWrittenAsCode(t.text[start:end]) && isWrittenAsCode(t.text[from:to])
}

// isInCodeBlock reports whether a passage begins and ends in lines of a block that
// is marked as code.
func (t *Text) isInCodeBlock(start, end int) bool {
	spans := t.code()
	i, _ := slices.BinarySearchFunc(spans, start, func(s Span, at int) int { return cmp.Compare(s.End, at) })
	j, _ := slices.BinarySearchFunc(spans, end, func(s Span, at int) int { return cmp.Compare(s.End, at) })
	return i < len(spans) && spans[i].Start <= start && j < len(spans) && spans[j].Start < end
}

// isWrittenAsCode reports whether the words of a passage are those of code: it has
// operators, braces or identifiers, and no line of it, comments aside, is prose.
func isWrittenAsCode(passage string) bool {
	const several = 4 // words in a row are prose
	passage = html.UnescapeString(anyTag().ReplaceAllString(passage, " "))
	all := 0
	for line := range strings.Lines(passage) {
		if line = strings.TrimSpace(line); isCommentLine(line) {
			continue
		}
		if len(strings.Fields(line)) <= 2*several && statementLine().MatchString(line) {
			all++
			continue
		}
		signs, plain, row, unspaced := 0, 0, 0, 0
		for token := range strings.FieldsSeq(line) {
			for _, r := range token {
				if words.Unspaced(r) {
					unspaced++
				}
			}
			switch {
			case isCodeToken(token):
				signs, row = signs+1, 0
			case signs > 0 && keywords[token]:
			case strings.ContainsFunc(token, unicode.IsLetter):
				plain, row = plain+1, row+1
			}
			if row == several || unspaced >= several {
				return false
			}
		}
		if settingLine().MatchString(line) {
			signs++
		}
		if plain > 2*signs && plain >= several-1 {
			return false
		}
		all += signs
	}
	return all > 0
}

// keywords are words of programming languages that stand between their values.
var keywords = map[string]bool{
	"if": true, "else": true, "is": true, "not": true, "in": true, "and": true, "or": true, "for": true, "lambda": true, "await": true, "new": true,
	"None": true, "True": true, "False": true, "null": true, "nil": true, "true": true, "false": true, "as": true,
}

// settingLine is a line with a key and at most one word for it, as in YAML.
var settingLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:- )?[a-z][\w.-]*:(?:\s+\S+)?$`) })

// statementLine is a line that a keyword of a programming language begins, in small
// letters, and that ends as one of prose does not; one of SQL, in capitals; or one that
// begins with the name of a program and no word of prose.
var statementLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:if|elif|else|for|while|with|def|class|try|except|func|switch|case)\b[^.!?]*[:{;]|(?:return|break|continue|import)(?:\s\S+)?|(?:raise|throw|yield)(?:\s(?:new\s)?[\w.]+\(.*\);?)?|(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|FROM|WHERE|JOIN|ORDER BY|GROUP BY)\s[^.!?]*;?|(?:\$ )?(?:sudo|apt-get|pip3?|npm|npx|cargo|git|docker|kubectl|curl)\s.*)$`)
})

// anyTag is a tag of HTML.
var anyTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[A-Za-z][^<>]*>`) })

// isCodeToken reports whether what stands between two blanks is no word of prose,
// with the marks around it, and no number.
func isCodeToken(token string) bool {
	if strings.Contains(token, "()") || strings.Contains(token, `":`) || token == "_" {
		return true
	}
	bare := strings.Trim(token, "\"'`“”‘’„«»()[]*_,.;:!?…—–-")
	switch {
	case !strings.ContainsFunc(bare, char.IsOfWord):
		return strings.ContainsAny(token, `=<>{}|&+^~\$`)
	case strings.ContainsAny(bare, `=<>{}()[]|&\_"`):
		return true
	case !strings.ContainsFunc(bare, unicode.IsLetter):
		return false // a number or a price
	case strings.Count(bare, "/") > 1 || strings.HasSuffix(bare, "/"):
		return true
	case token[0] == '-' || strings.ContainsAny(bare[:1], "/$@#!+~"):
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(token, "-/$@#!+~"))
		return char.IsOfWord(first)
	}
	parts := strings.Split(bare, ".")
	if len(parts) > 1 {
		return slices.ContainsFunc(parts, func(s string) bool { return utf8.RuneCountInString(s) > 1 }) // "U.S." is a word
	}
	lower := false
	for _, r := range bare {
		if lower && unicode.IsUpper(r) {
			return true // anIdentifier
		}
		lower = unicode.IsLower(r)
	}
	return false
}
