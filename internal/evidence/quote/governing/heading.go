package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// headingBefore gives the heading of the section in which a passage stands, in bytes, where that turns
// round what is listed below it, calls it untrue or takes it back: "You must not", "What is not covered",
// "Common myths", "Withdrawn". It stands at the head of a page again, where its section goes on.
func headingBefore(text string, start, end int) (from, to int) {
	lines := linesAbove(text, start)
	passage := text[start:end]
	first, _, _ := strings.Cut(passage, "\n")
	if strings.HasPrefix(first, "#") {
		return 0, 0 // it begins with a heading of its own
	}
	own := strings.TrimSpace(lines[len(lines)-1].text)
	item := isListed(own+" x") || own == "" && isListed(first)
	below := own
	if own == "" {
		below = first
	}
	level := 0 // of the nearest heading; one above it may be over both
	for i, line := range slices.Backward(lines[:len(lines)-1]) {
		bare := strings.TrimSpace(line.text)
		if bare == "" || isUnderline(bare) {
			continue
		}
		if level > 0 {
			if at := levelOf(bare); at > 0 && at < level {
				level = at
				bare = strings.TrimSpace(anyTag().ReplaceAllString(bare, ""))
				if takesBackSection(bare) && !isTitle(text, bare) && !isBoundItself(passage) && !saysSoItself(text, start, end) {
					return line.from, line.to
				}
			}
			continue
		}
		next := strings.TrimSpace(lines[i+1].text)
		leads := item && !isListed(bare) && isListed(below+" x")
		colon := leads && strings.ContainsRune(":：,、", char.Last(bare))
		if !isHeading(bare, i == 0 || isParted(lines, i), next == "" || leads) && !isUnderline(next) && !colon {
			if leads && (withdraws(strings.TrimRight(bare, ".")) || falseStatements().MatchString(bare)) && !saysSoItself(text, start, end) {
				return line.from, line.to // "A list of false statements follows."
			}
			item = item && isListed(bare)
			below = bare
			continue
		}
		level = levelOf(bare)
		bare = strings.TrimSpace(anyTag().ReplaceAllString(bare, ""))
		listed := colon && turnsRound(bare, guard.Language(bare)) && isThing(passage, guard.Language(text[words.RuneStart(text, start-maxAbove):end]))
		if bare != "" && (listed || colon && falseStatements().MatchString(bare) || turnsSection(bare) || item && isListed(below+" x") && excludes(bare) || untrue().MatchString(bare) && isLabel(bare) && !isTitle(text, bare) && !isKey(bare, isListed(own+" x"), passage)) && !saysSoItself(text, start, end) {
			return line.from, line.to
		}
		if bare != "" && (withdraws(bare) || saysUntil(bare) || claimOfOthers().MatchString(bare) || isWrongLabel(bare)) && !isTitle(text, bare) && !isBoundItself(passage) && !saysSoItself(text, start, end) {
			return line.from, line.to
		}
		if level < 2 {
			break
		}
	}
	if from, to = statusAbove(text, start); from < to && (isBoundItself(passage) || saysSoItself(text, start, end)) {
		return 0, 0
	}
	return from, to
}

// levelOf is that of a heading which its "#" tell, 0 for others.
func levelOf(heading string) int {
	n := len(heading) - len(strings.TrimLeft(heading, "#"))
	if !strings.HasPrefix(heading[n:], " ") {
		return 0
	}
	return n
}

// takesBackSection reports whether a heading takes back all that stands in its section and in those within it.
func takesBackSection(heading string) bool {
	return withdraws(heading) || saysUntil(heading) || turnsSection(heading) || claimOfOthers().MatchString(heading) || untrue().MatchString(heading) && isLabel(heading)
}

// claimOfOthers is a heading over what those say who think otherwise, and falseStatements leads to a list of what
// is not so, in languages whose words have no blanks.
var (
	claimOfOthers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^#*\W*(?:what (?:our |the |my |some )?(?:opponents|critics|adversaries|enemies|deniers|sceptics|skeptics|detractors) (?:claim|say|allege|tell|believe|think|maintain|assert)|was (?:unsere |die |manche )?(?:gegner|kritiker|leugner|feinde)\pL{0,2} (?:behaupten|sagen|meinen|glauben|erzählen)|ce que (?:disent|prétendent|affirment) (?:nos|les|certains) (?:adversaires|opposants|détracteurs|critiques)|lo que (?:dicen|afirman|alegan|sostienen) (?:nuestros|los|algunos) (?:adversarios|oponentes|críticos|detractores)|(?:cosa|ciò che) (?:dicono|sostengono|affermano) (?:i nostri|gli|i) (?:avversari|oppositori|critici|detrattori)|wat (?:onze |de )?(?:tegenstanders|critici) (?:beweren|zeggen))[^\pL]*$`)
	})
	falseStatements = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:次の|以下の|下記の).{0,20}(?:誤り|間違い|偽|事実ではない|正しくない)(?:である|です|だ)?[。:：]?\s*$|(?:以下|下列|下面).{0,20}(?:错误|錯誤|不正确|不正確|不实|不實|虚假)的?[。:：]?\s*$|다음.{0,20}(?:틀렸다|틀린 것이다|거짓이다|사실이 아니다)[.:]?$`)
	})
)

// isListed reports whether a line is an item of a list, with whatever mark.
func isListed(line string) bool {
	return isItem(line) || enumeration().MatchString(line+" ")
}

// isParted reports whether nothing of its paragraph stands above a line: a blank line, the end of a page
// or its head.
func isParted(lines []lineAbove, i int) bool {
	return strings.TrimSpace(lines[i-1].text) == "" || strings.HasPrefix(lines[i].text, "\f") || strings.HasPrefix(lines[i-1].text, "\f")
}

// isKey reports whether a heading is over the key of a map or of a figure, and no tale: each line of that
// says what a sign stands for.
func isKey(heading string, item bool, passage string) bool {
	label := strings.ToLower(strings.Trim(heading, "#*_ :："))
	return slices.Contains(strings.Fields("legend legende légende leyenda legenda"), label) && (item || strings.ContainsAny(passage, ":=–"))
}

// excludes reports whether a heading, or the line over a list, says that what stands below is left out of
// something or is an offence.
func excludes(heading string) bool {
	const few = 10 // words
	return words.Count(heading) <= few && !strings.HasSuffix(heading, "?") && excluding().MatchString(heading)
}

var excluding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:excluded|exclusions|exempt|exempted|(?:an|the|no) offen[cs]e|unlawful|illegal|ausgeschlossen|ausgenommen|ausschlüsse|strafbar|ordnungswidrig|unerlaubt|exclue?s?|exclusions|infraction|illicites?|excluid[oa]s?|excluyen|exclusiones|exent[oa]s|ilícit[oa]s?|delito|excluíd[oa]s?|exclusões|isent[oa]s|esclus[oaie]|esclusioni|esent[ei]|reato|illecit[oaie]|uitgesloten|uitgezonderd|uitsluitingen|strafbaar|vrijgesteld|undant\pL{2,4}|utesluten|uteslutna|straffbart|olaglig[at]|udelukket|undtaget|unntatt|strafbart|ulovligt?|wyłącz\pL{2,5}|wyklucz\pL{2,4}|zwolnien\pL{1,2}|vyloučen\pL?|vyňat\pL?|исключ\pL{2,6}|освобожд\pL{2,6}|kizár\pL{1,6}|hariç|muaf|dikecualikan|εξαιρούνται|exclus[eă]?|excluși)(?:$|[^\pL])|対象外|除外|免責|不包括|免责|제외|면책`)
})

var anyTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]{1,80}>`) })

// opensPage reports whether nothing of its paragraph stands above a line: a blank line, the end of a page
// or its head.
func opensPage(lines []string, i int) bool {
	return i == 0 || strings.TrimSpace(lines[i-1]) == "" || strings.HasPrefix(lines[i], "\f") || strings.HasPrefix(lines[i-1], "\f")
}

// turnsSection reports whether a heading of few words negates or forbids what stands below it, and does not
// ask.
func turnsSection(heading string) bool {
	const few = 7 // words
	heading = strings.Trim(heading, "#*_ :：")
	if n := words.Count(heading); n == 0 || n > few || strings.HasSuffix(heading, "?") {
		return false
	}
	if forbids().MatchString(heading) {
		return !HasNegation(heading, func() string { return guard.Language(heading) })
	}
	if howNot().MatchString(heading) {
		return true
	}
	first, _, _ := strings.Cut(strings.ToLower(heading), " ")
	if slices.Contains(strings.Fields("why when if how because unless while warum wenn falls weshalb wieso weil pourquoi quand si comment cuando cuándo cómo perché se quando come waarom als wanneer hoe varför när hur dlaczego gdy jeśli jak почему если когда как"), first) {
		return false
	}
	return slices.ContainsFunc(guard.WordsIn(heading, func() string { return guard.Language(heading) }), func(w guard.Word) bool {
		return w.Kind == guard.Negation && (w.Norm == "not" || w.Norm == "no" || w.Norm == "never" || w.Norm == "neither")
	})
}

// howNot is a heading over what is to be avoided.
var howNot = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)(?:how (?:you should )?not to|wie (?:man|sie|du) (?:es )?nicht|so nicht|comment ne pas|cómo no|como não|come non|hoe (?:je|het|men) (?:het )?niet|hur man inte|hvordan man ikke|jak nie|jak ne|как не|як не)(?:[^\pL]|$)`)
})

// forbids is how a heading forbids what stands below it.
var forbids = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:forbidden|prohibited|banned|prohibitions?|verboten|untersagt|unzulässig|verbote|interdit\pL{0,2}|interdictions?|défendu|prohibid[oa]s?|prohíbe|prohibiciones|proibid[oa]s?|proíbe|vietat[oaie]|divieti|verboden|förbjud\pL{1,4}|zabroni\pL{1,3}|zabrania|zakaz\pL{0,3}|запрещ\pL{2,6}|kiellet\pL{1,3}|dilarang|yasak\pL{0,5})(?:$|[^\pL])|禁止|금지`)
})
