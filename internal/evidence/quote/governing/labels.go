package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// A guide has what is right and what is wrong side by side, each with its label: before it in the line, as the term
// of a definition, or as the head of its column. Who quotes the one without its label may take it for the other.

// turningLabel gives the label of a passage, in bytes, that says that it is wrong, or to be avoided.
func turningLabel(text string, start, end int) (from, to int) {
	for _, find := range [...]func(string, int) (int, int){labelBefore, termOver, columnOf} {
		from, to = find(text, start)
		if from < to && isWrongLabel(text[from:to]) {
			return from, to
		}
	}
	if from, to = verdictBelow(text, end); from < to {
		return from, to
	}
	return otherAnswer(text, start, end)
}

// isWrongLabel reports whether a label says that what it belongs to is wrong, forbidden or to be avoided.
func isWrongLabel(label string) bool {
	const few = 5 // words
	label = strings.TrimSpace(anyTag().ReplaceAllString(label, ""))
	bare := strings.Trim(label, " \t*_#:：()[]（）【】!！.")
	if bare == "" || words.Count(bare) > few || strings.ContainsAny(bare, ",;?") {
		return false
	}
	return wrongLabel().MatchString(bare) || forbids().MatchString(bare) && turnsSection(bare) || isTurningLabel(bare+":")
}

// wrongLabel are labels of what is wrong or to be avoided, in many languages.
var wrongLabel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:wrong|incorrect|false|untrue|bad|poor|avoid|to avoid|to be avoided|don['’]ts?|do not|never|never do (?:this|that|it)|not like this|mistakes?|discouraged` +
		`|falsch|nicht so|so nicht|schlecht|vermeiden|zu vermeiden|nie|niemals|unzulässig|faux|fausse|incorrecte?|mauvais|à éviter|à ne pas faire|mal|falso|incorrect[oa]|evitar|a evitar|se debe evitar|nunca|errado|incorret[oa]|sbagliato|scorretto|errato|da evitare|mai|non ammess[oaie]|fout|onjuist|niet zo|vermijden|te vermijden|nooit|fel|felaktigt|undvik|aldrig|forkert|feil|galt|undgå|unngå` +
		`|źle|błędnie|niepoprawnie|nieprawidłowo|unikać|nigdy|špatně|chybně|nesprávně|nikdy|zle|неправильно|неверно|плохо|нельзя|избегать|никогда|погано|невірно|λάθος|προς αποφυγή|ποτέ|yanlış|kaçının|asla|väärin|väärä|vältä|hibás|helytelen|rossz|kerülendő|greșit|incorect|sai|salah|hindari|خطأ|خاطئ|ممنوع|تجنب|לא נכון|שגוי|אסור|गलत|ग़लत)$` +
		`|^(?:誤|誤り|誤答|×|悪い例|間違い|ダメ|禁止|错误|錯誤|错|錯|不正确|不正確|禁止|切勿|반례|틀림|틀린 예|잘못된 (?:방법|예|것)|오답|금지)$`)
})

// labelBefore gives the label right before a passage in its line, with its brackets or its colon.
func labelBefore(text string, start int) (from, to int) {
	const longest = 80 // bytes
	base := words.RuneStart(text, max(0, start-longest))
	before := text[base:start]
	before = strings.TrimRight(before, " \t*_\"“„«")
	tail := strings.TrimRight(before, "<>/abdefgilmnoprstu") // </strong>
	if strings.HasSuffix(before, ">") && strings.HasPrefix(before[len(tail):], "</") {
		before = strings.TrimRight(tail, " ")
	}
	if !strings.ContainsRune(":：)]）】", char.Last(before)) {
		return 0, 0
	}
	inner := strings.TrimRight(before, ":：)]）】*_ ")
	at := strings.LastIndexFunc(inner, func(r rune) bool { return r == '\n' || r == '>' || r == '|' || char.IsSentenceStop(r) })
	if from = base; at >= 0 {
		from += at + len(string(char.First(inner[at:])))
	}
	for _, mark := range [...]string{" ", "-", "*", "•", "+", " ", `\item`, "[", "(", "（", "【", ":"} {
		if rest := text[from : base+len(inner)]; strings.HasPrefix(rest, mark) {
			from += len(mark)
		}
	}
	return from, base + len(inner)
}

// termOver gives the term that a passage defines: of a list of HTML, of one of Markdown, whose definition begins
// with a colon, and of one of reStructuredText, whose definition is set in.
func termOver(text string, start int) (from, to int) {
	base := words.RuneStart(text, max(0, start-MaxAround))
	before := text[base:start]
	if term := max(strings.LastIndex(before, "<dt"), strings.LastIndex(before, "<DT")); term >= 0 {
		if m := termOfHTML().FindStringSubmatchIndex(before[term:]); m != nil {
			return base + term + m[2], base + term + m[3]
		}
	}
	line := strings.LastIndexByte(before, '\n')
	if line < 0 {
		return 0, 0
	}
	own := before[line+1:]
	above := before[strings.LastIndexByte(before[:line], '\n')+1 : line]
	bare := strings.TrimSpace(own)
	setIn := own != "" && bare == "" && above != "" && !unicode.IsSpace(char.First(above))
	item := (bare == "-" || bare == "*" || bare == "•") && strings.HasSuffix(strings.TrimSpace(above), ":")
	if bare != ":" && !setIn && !item {
		return 0, 0
	}
	return base + line - len(above), base + line
}

var termOfHTML = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<dt(?:\s[^<>]*)?>([^\n]{1,80}?)</dt>\s*<dd(?:\s[^<>]*)?>\s*(?:<p>)?$`)
})

// columnOf gives the head of the column of a table of HTML in whose cell a passage begins.
func columnOf(text string, start int) (from, to int) {
	base := words.RuneStart(text, max(0, start-maxAbove))
	before := text[base:start]
	row := strings.LastIndex(before, "<tr")
	table := strings.LastIndex(before, "<table")
	if row < 0 || table < 0 || row < table {
		return 0, 0
	}
	column := len(cellBegins().FindAllString(before[row:], -1)) - 1
	heads := headCell().FindAllStringSubmatchIndex(before[table:row], column+1)
	if column < 0 || len(heads) <= column {
		return 0, 0
	}
	return base + table + heads[column][2], base + table + heads[column][3]
}

var (
	cellBegins = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<t[dh][\s>]`) })
	headCell   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<th(?:\s[^<>]*)?>(.{1,80}?)</th>`) })
)

// verdictBelow gives the line, or the definition, right below a passage that says that it was rejected: "Status: no".
func verdictBelow(text string, end int) (from, to int) {
	const longest = 120 // bytes
	rest := text[end:words.RuneStart(text, min(len(text), end+longest))]
	m := verdictOf().FindStringSubmatchIndex(rest)
	if m == nil {
		return 0, 0
	}
	value := strings.Trim(rest[m[4]:m[5]], " *_.")
	if !slices.Contains(strings.Fields(answersNo), strings.ToLower(value)) && !withdraws(value) {
		return 0, 0
	}
	return end + m[2], end + m[5]
}

var verdictOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[.!]?["”»]?(?:[ \t]*\n[ \t]*|\s*</(?:dd|p|li|td)>\s*)(?:<(?:dt|p|li|td|b|strong)>|[*_]{2}|:|- )*\s*((?i:status|decision|outcome|result|verdict|resolution|ruling|entscheidung|beschluss|ergebnis|décision|résultat|statut|decisión|estado|resultado|resolución|decisão|decisione|esito|stato|besluit|beslut|afgørelse|avgjørelse|decyzja|wynik|rozhodnutí|výsledek|решение|статус|рішення|απόφαση|karar|sonuç|döntés|päätös|决定|決定|状态|結果|结果|결정|상태)(?:[:：]?[*_]{2}[:：]?|[:：]|</(?:dt|b|strong)>:?)\s*(?:<dd(?:\s[^<>]*)?>)?[ \t]*)([^\n<]{1,40})`)
})

// otherAnswer gives the line below the options of a question that says that another one than a passage is right,
// or where the passage has that itself, the letter of its option.
func otherAnswer(text string, start, end int) (from, to int) {
	line := text[max(0, start-len("- **A.** ")):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	at, of := start-len(line), line
	if strings.TrimSpace(line) == "" {
		at, of = start, text[start:end]
	}
	m := optionLetter().FindStringSubmatchIndex(of)
	if m == nil || at < start && m[1] != len(line) {
		return 0, 0
	}
	letter := of[m[2]:m[3]]
	answer := answerKey().FindStringSubmatchIndex(text[start:words.RuneStart(text, min(len(text), end+MaxAround))])
	if answer == nil || text[start+answer[4]:start+answer[5]] == letter {
		return 0, 0
	}
	if start+answer[2] >= end {
		return start + answer[2], start + answer[5]
	}
	return at + m[2], at + m[3]
}

var (
	optionLetter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[ \t]*(?:[-*] )?[*_]{0,2}\(?([A-H])[.)]\)?[*_]{0,2}[ \t]+`)
	})
	answerKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t*_]*((?i:(?:correct |right )?answer|(?:richtige )?antwort|lösung|(?:bonne )?réponse|respuesta(?: correcta)?|resposta|risposta(?: esatta)?|antwoord|svar|odpowiedź|odpověď|ответ|cevap|答え|正解|答案|정답)[*_ ]*[:：][*_ ]*)\(?([A-H])\)?[.*_ \t]*$`)
	})
)
