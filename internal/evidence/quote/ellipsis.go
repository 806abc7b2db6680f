package quote

import (
	"cmp"
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

const (
	minWords    = 3       // of an elided quotation
	minSegment  = 3       // words of a part that may stand far from the others
	maxGap      = 4 << 10 // bytes an ellipsis may leave out
	maxSegments = 16
	maxPlaces   = 256 // of one part
	maxReach    = 2 * maxGap
)

// ellipsis is a mark for words left out, in brackets or without.
var ellipsis = sync.OnceValue(func() *regexp.Regexp {
	const dots = `(?:…|⋯|‥|\.{3,}|．{3,}|・{3,}|\.(?:[\s\x{a0}\x{2009}\x{202f}]\.){2,})+`
	const bracketed = dots + `|\.\.|-{2,3}|—|– –(?: –)?|- -(?: -)?|(?i:snip|omissis|gekürzt|auslassung|coupure|corte)|中略|前略|後略|略|중략|생략`
	return regexp.MustCompile(`[\[(（［〔【<‹{]\s*(?:` + bracketed + `)\s*[\])）］〕】>›}]|` + dots + `| [-–] [-–](?: [-–])? `)
})

// trimEllipses takes ellipses off both ends.
func trimEllipses(s string) string {
	for {
		s = strings.TrimSpace(s)
		marks := ellipsis().FindAllStringIndex(s, -1)
		switch {
		case len(marks) == 0:
			return s
		case marks[0][0] == 0:
			s = s[marks[0][1]:]
		case strings.Trim(s[marks[len(marks)-1][1]:], " .,;。，、；\"'”’»」") == "":
			s = s[:marks[len(marks)-1][0]]
		default:
			return s
		}
	}
}

// splitAtEllipses splits a quotation at its ellipses.
func splitAtEllipses(quoted string) []string {
	var list []string
	for _, part := range ellipsis().Split(quoted, maxSegments+3) {
		part = strings.TrimSpace(part)
		if rest, ok := strings.CutPrefix(part, ". "); ok && len(list) > 0 {
			part = strings.TrimSpace(rest) // the stop of the sentence that was cut
		}
		if part != "" && (char.HasWord(part) || len(list) == 0 && part != ".") {
			list = append(list, part)
		}
	}
	return list
}

// findElided looks for the parts of a quotation that marks what it leaves out, in
// order and not too far apart. Parts of a word or two, and quotations of few
// words, could be put together from anywhere: theirs stand in one sentence, or
// leave out whole ones.
func (s *search) findElided(q *query) (Match, bool) {
	list := splitAtEllipses(q.raw)
	if len(list) < 2 || len(list) > maxSegments || len(q.tokens) < minWords {
		return Match{}, false
	}
	queries, longest := make([]*query, len(list)), 0
	for i, part := range list {
		if queries[i] = newQuery(part); queries[i] == nil {
			return Match{}, false
		}
		if len(queries[i].tokens) > len(queries[longest].tokens) {
			longest = i
		}
	}
	few := len(q.tokens) < ShortQuotation || slices.ContainsFunc(queries, func(p *query) bool { return len(p.tokens) < minSegment })
	places := make([][]Span, len(list))
	places[longest] = s.findPart(queries[longest], longest == 0, longest == len(list)-1, nil)
	for i, p := range queries {
		if i != longest {
			places[i] = s.findPart(p, i == 0, i == len(list)-1, places[longest])
		}
		if other, ok := otherInitial(p.raw); ok && len(places[i]) == 0 {
			places[i] = s.findPart(newQuery(other), i == 0, i == len(list)-1, places[longest])
		}
		if len(places[i]) == 0 {
			return Match{}, false
		}
	}
	for _, chain := range chains(places) {
		if few && !s.hasFairGaps(chain) || stitchesRows(s.text, chain) {
			continue
		}
		m := Match{Tier: Elided, Start: chain[0].Start, End: chain[len(chain)-1].End, Segments: chain}
		if m, ok := s.checkGaps(m, q); ok {
			return m, true
		}
	}
	return Match{}, false
}

// hasFairGaps reports whether every gap of a chain lies within a sentence or leaves
// out whole ones.
func (s *search) hasFairGaps(chain []Span) bool {
	for i := range len(chain) - 1 {
		gap := s.text[chain[i].End:chain[i+1].Start]
		if isOnePairOfBrackets(gap) && !char.EndsSentence(s.text, chain[i].End) {
			continue
		}
		if next := char.First(s.text[chain[i+1].Start:]); strings.HasSuffix(strings.TrimSpace(gap), ".)") && unicode.IsLower(next) {
			gap = strings.TrimRight(gap, " \n.)") // "(A.F. and L.M.)"
		}
		if isNameOfFirm(s.text[chain[i].Start:chain[i].End], gap) && unicode.IsLower(char.First(s.text[chain[i+1].Start:])) {
			continue
		}
		begins, ends := char.EndsSentence(s.text, chain[i].End), char.EndsSentence(s.text, chain[i+1].Start)
		end := sentenceEnd(gap)
		if end < 0 && begins == ends {
			continue
		}
		begins = begins || end >= 0 && !strings.ContainsFunc(gap[:end], char.IsOfWord)
		rest := gap[lastSentence(gap):]
		behind := s.text[chain[i+1].Start:]
		alone := !strings.ContainsFunc(gap[:len(gap)-len(rest)], char.IsOfWord)
		ends = ends || !strings.ContainsFunc(rest, char.IsOfWord) || begins && (alone && isLead(rest, s.language()) || isShortLead(rest, s.language()) || endsClause(rest, s.language())) || len(rest) < len(gap) && (isEnumerated(gap, rest, s.language()) || isShortLead(rest, s.language()) || endsStatement(rest, behind, s.language()) || begins && (beginsStatement(rest, behind, s.language()) || beginsOwnClause(s.text[chain[i].Start:chain[i].End], rest, behind, s.language())))
		next := char.First(strings.TrimLeft(behind, char.OpeningQuotes))
		if !ends || !begins && !unicode.IsUpper(next) && !isJoinedClause(s.text[:chain[i].End], gap, next) {
			return false
		}
	}
	return true
}

// enumerated is a text that numbers the paragraph behind it.
var enumerated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\n\s*(?:§\s?\d+|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]|[ivx]{1,4})[.)]?)\s*$`)
})

// isEnumerated reports whether what of a text stands behind its last sentence only numbers
// the paragraph that follows.
func isEnumerated(all, rest, language string) bool {
	const most = 24 // bytes of the number and the blanks around it
	line := strings.LastIndexByte(rest, '\n')
	if line < 0 {
		return false
	}
	for line > 0 && rest[line-1] == ' ' || line > 0 && rest[line-1] == '\n' {
		line--
	}
	if number := rest[line:]; len(number) >= most || !enumerated().MatchString(number) {
		return false
	}
	heading := strings.TrimRight(all[:len(all)-len(rest)+line], " \n")
	if heading = heading[strings.LastIndexByte(heading, '\n')+1:]; !strings.ContainsAny(lastOf(heading), ".!?") && !saysNothing(heading, language) {
		return false
	}
	heading = rest[:line]
	return !char.HasWord(heading) || governing.IsBreak(rest, strings.LastIndexByte(rest, '\n')) && saysNothing(heading, language)
}

// lead is what a sentence may begin with: a label at the beginning of a line, or one word and
// a comma.
var lead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\s*\n[\s*_-]*(\p{Lu}\p{L}{1,15})(?: and \p{L}{1,15})?:[\s*_]*|\s*(\p{Lu}\p{L}{2,15}),\s*)$`)
})

// sections are labels for the parts of a paper or of a page, and connectives words that join
// a sentence to the one before, by language: neither says of whom, when or by whose word
// something holds.
var (
	sections = map[string]string{
		"en": "background introduction objective objectives aim aims purpose design setting methods materials measurements intervention interventions results findings conclusion conclusions limitations funding summary abstract note notes tip remark",
		"de": "hintergrund einleitung ziel ziele zweck methode methoden material ergebnis ergebnisse fazit zusammenfassung hinweis anmerkung tipp",
		"fr": "contexte introduction objectif objectifs but méthode méthodes matériel résultat résultats conclusion conclusions résumé note remarque",
		"es": "antecedentes introducción objetivo objetivos método métodos materiales resultado resultados conclusión conclusiones resumen nota",
		"pt": "contexto introdução objetivo objetivos método métodos materiais resultado resultados conclusão conclusões resumo nota",
		"it": "contesto introduzione obiettivo obiettivi metodo metodi materiali risultato risultati conclusione conclusioni riassunto nota",
		"nl": "achtergrond inleiding doel doelen methode methoden resultaat resultaten conclusie conclusies samenvatting opmerking",
		"ru": "введение цель цели методы материалы результаты выводы заключение примечание",
	}
	connectives = map[string]string{
		"en": "however moreover furthermore additionally also besides thus therefore hence consequently accordingly finally lastly meanwhile similarly likewise nevertheless nonetheless indeed notably importantly first firstly second secondly third thirdly further",
		"de": "außerdem ferner zudem schließlich erstens zweitens drittens",
		"fr": "enfin ainsi donc cependant toutefois néanmoins premièrement deuxièmement",
		"es": "además asimismo finalmente primero segundo tercero",
		"pt": "finalmente portanto contudo porém todavia primeiro segundo",
		"it": "inoltre infine tuttavia quindi primo secondo",
		"nl": "bovendien daarnaast tenslotte",
		"pl": "ponadto jednak zatem",
		"ru": "однако наконец итак",
	}
)

// isLead reports whether what of a text stands behind its last sentence is such a lead, and
// no more than a section or a connective, or the phrase of a preposition.
func isLead(rest, language string) bool {
	return isPhraseLead(rest, language) || isShortLead(rest, language)
}

// isShortLead reports whether it is no more than a section or a connective.
func isShortLead(rest, language string) bool {
	const most = 60 // bytes
	if len(rest) >= most {
		return false
	}
	m := lead().FindStringSubmatch(rest)
	return m != nil && (m[1] != "" && has(sections, language, strings.ToLower(m[1])) || m[2] != "" && has(connectives, language, strings.ToLower(m[2])))
}

// saysNothing reports whether no word of a heading or a lead decides what follows.
func saysNothing(text, language string) bool {
	return !slices.ContainsFunc(guard.Governors(text, language), func(g guard.Governor) bool { return g.Role != guard.Contrast && g.Role != guard.Back }) &&
		!slices.ContainsFunc(guard.WordsIn(text, func() string { return language }), func(w guard.Word) bool {
			return w.Kind != guard.Name && w.Kind != guard.Number && w.Kind != guard.Unit
		})
}

// endsStatement reports whether a text ends a statement with a semicolon, and has no word
// that governs what stands behind that too, nor what a pronoun there stands for.
func endsStatement(rest, text, language string) bool {
	first := firstWordOf(text[:words.RuneStart(text, maxNearby)])
	if has(pronouns, language, first) && !has(articles, language, first) && !has(speakers, language, first) {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(rest, " \n"), ";") && !strings.Contains(rest, ":") && !slices.ContainsFunc(guard.Governors(rest, language), func(g guard.Governor) bool {
		return g.Role != guard.And && g.Role != guard.Back && g.Role != guard.Where && g.Role != guard.Verb && g.Role != guard.Fact && g.Role != guard.Contrast
	})
}

// relativesOfHindi begin, behind a comma, a clause that tells more of what stands before it.
const relativesOfHindi = "जो जिसमें जिनमें जिससे जिनसे जिसका जिसकी जिसके जिसे जिन्हें"

// isJoinedClause reports whether a text, of a script without capitals, ends with a whole
// clause: a verb of Korean joins it to what stands behind it, or what stands there tells of a
// part of what it says. A rune of what is quoted next is given.
func isJoinedClause(text, behind string, next rune) bool {
	switch {
	case unicode.Is(unicode.Hangul, next):
		return governing.JoinsClauses(text) || strings.HasPrefix(behind, ",") && (strings.HasSuffix(text, "고") || strings.HasSuffix(text, "며"))
	case unicode.Is(unicode.Devanagari, next):
		return beginsPart(behind, "hi") || slices.Contains(strings.Fields(relativesOfHindi), firstWordOf(behind)) && strings.HasPrefix(behind, ",")
	case unicode.Is(unicode.Han, next):
		behind = behindBracketsInChinese(behind)
		return beginsPart(behind, "zh") || strings.HasPrefix(behind, "，") && isStatementInChinese(text)
	}
	return false
}

// Of Chinese: words that a statement has, those with which a clause begins or ends that is none,
// and those with which the rest of a sentence bounds what stands before it.
var (
	predicates   = []string{"是", "为", "有", "了", "于", "达", "将", "已", "被", "由", "着", "过", "建议", "计划", "决定", "宣布", "要求", "提供", "包括", "采用", "使用", "拥有", "成立", "派出", "举行", "开设", "建成", "负责", "经营", "生产", "出版", "增长", "下降", "增加", "减少", "占"}
	clauseHeads  = []string{"对", "关于", "至于", "如", "若", "除", "只", "当", "虽", "由于", "因", "为", "在", "根据", "按", "随着", "尽管", "即使", "无论", "凡", "自", "经", "每"}
	clauseTails  = []string{"时", "后", "前", "者", "中", "下", "里", "内", "外", "上", "来", "的", "以来", "方面", "情况", "时候"}
	boundingRest = []string{"仅", "只", "但", "不", "除", "若", "如", "在", "直", "限", "并", "而", "虽", "尽管", "至少", "至多", "最", "约", "前提", "条件", "须", "且", "然", "却", "或", "否", "据", "尚", "未", "可能"}
)

// isStatementInChinese reports whether the last clause of a text is a statement: it has a verb
// that is known, and not in words that belong to a noun, and bounds nothing.
func isStatementInChinese(text string) bool {
	clause := strings.TrimSpace(text[words.RuneStart(text, len(text)-2*maxNearby):])
	if mark := strings.LastIndexAny(clause, "。！？；，\n"); mark >= 0 {
		clause = strings.TrimLeftFunc(clause[mark:], char.IsNotOfWord)
	}
	begins := func(p string) bool { return strings.HasPrefix(clause, p) }
	ends := func(p string) bool { return strings.HasSuffix(clause, p) }
	if slices.ContainsFunc(clauseHeads, begins) || slices.ContainsFunc(clauseTails, ends) {
		return false
	}
	said := clause[max(0, strings.LastIndex(clause, "的")):]
	return slices.ContainsFunc(predicates, func(p string) bool { return strings.Contains(said, p) })
}

// behindBracketsInChinese is what stands behind the brackets with which a text begins, when
// nothing in them bounds.
func behindBracketsInChinese(text string) string {
	inside, behind, ok := strings.Cut(strings.TrimPrefix(text, "（"), "）")
	if !strings.HasPrefix(text, "（") || !ok || boundsInChinese(inside) {
		return text
	}
	return behind
}

// boundsInChinese reports whether what of a sentence stands behind a comma bounds what stands
// before it, or has a word that excepts.
func boundsInChinese(rest string) bool {
	clause := strings.TrimLeftFunc(rest, char.IsNotOfWord)
	return slices.ContainsFunc(boundingRest, func(p string) bool { return strings.HasPrefix(clause, p) }) ||
		slices.ContainsFunc([]string{"除外", "以外", "为限", "例外", "之外", "不实", "有误"}, func(p string) bool { return strings.Contains(clause, p) })
}

// beginsStatement reports whether a text goes on, behind what of its sentence is given,
// with a statement of its own: behind a mark, with an "and" or a "but" and a pronoun that
// is a subject: the speaker, or who is the subject of what is left out too. No word before it
// governs both, or bounds what is left out.
func beginsStatement(head, text, language string) bool {
	text = strings.TrimLeft(text[:words.RuneStart(text, maxNearby)], " \n")
	all := strings.TrimRight(head, " \n") + " "
	joint := len(all)
	all += text
	mark, subject := false, ""
	for _, g := range guard.Governors(all, language) {
		switch {
		case g.Start > joint:
		case g.Role == guard.And || g.Role == guard.Contrast:
			before := strings.TrimRight(all[:g.Start], " ")
			if g.Start == joint || g.End >= joint-1 {
				mark, subject = strings.ContainsAny(lastOf(before), ",;"), firstWordOf(all[g.End:])
			}
		case g.Role != guard.Back && g.Role != guard.Where && g.Role != guard.Verb && g.Role != guard.Fact && g.Start < joint:
			return false
		}
	}
	mine := slices.Contains(strings.Fields(speakers[language]), subject)
	same := slices.Contains(strings.Fields(subjects[language]), subject) && firstWordOf(head) == subject
	return mark && (mine || same) && !slices.ContainsFunc(guard.WordsIn(head, func() string { return language }), func(w guard.Word) bool {
		return w.Kind == guard.Negation || restrictive(w, false) && w.Kind != guard.Number
	})
}

// firstWordOf is the first word of a text, in small letters.
func firstWordOf(s string) string {
	list := nounWords(s)
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// findPart gives where a part of a quotation stands, ascending. Qualifiers cut
// off count at the quotation's own ends; at an ellipsis they are flagged
// instead.
//
// Where beside is given, only places in reach of one of those count.
func (s *search) findPart(q *query, first, last bool, beside []Span) []Span {
	var list []Span
	for at := range s.letterMatches(q.stream.letters) {
		start, end, ok := s.textSpan(at, at+len(q.stream.letters))
		if !ok || start < s.from || end > s.to || beside != nil && !isInReach(beside, start) {
			continue
		}
		m, ok := s.matchExact(q, start)
		if !ok {
			m, ok = s.matchNormalised(q, start, end)
		}
		if !ok || !isWhole(s.text, m.Start, m.End) && !(q.goesOn && isWholeNumber(s.text, m.Start, m.End)) {
			continue
		}
		text, start, end := s.around(m.Start, m.End)
		if first && len(omittedLeft(text, start, end)) > 0 || last && len(omittedRight(text, start, end)) > 0 {
			continue
		}
		if list = append(list, Span{m.Start, m.End}); len(list) == maxPlaces {
			break
		}
	}
	if len(list) == 0 && len(q.tokens) >= ShortQuotation {
		if m, ok := s.findByLetters(q); ok {
			list = append(list, Span{m.Start, m.End})
		} else if m, ok := s.findNear(q); ok && m.Tier == Near {
			list = append(list, Span{m.Start, m.End})
		}
	}
	slices.SortFunc(list, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// isInReach reports whether a place is in reach of one of some others, which
// ascend.
func isInReach(others []Span, at int) bool {
	i, _ := slices.BinarySearchFunc(others, at-maxReach, func(o Span, at int) int { return cmp.Compare(o.Start, at) })
	return i < len(others) && others[i].Start <= at+maxReach
}

// chains gives runs of places, one of each part, in order, the shortest first:
// for each place of the first part the nearest of the others.
func chains(places [][]Span) [][]Span {
	var list [][]Span
	for _, first := range places[0] {
		chain := []Span{first}
		for _, next := range places[1:] {
			end := chain[len(chain)-1].End
			i, _ := slices.BinarySearchFunc(next, end, func(p Span, end int) int { return cmp.Compare(p.Start, end) })
			if i == len(next) || next[i].Start-end > maxGap {
				break
			}
			chain = append(chain, next[i])
		}
		if len(chain) == len(places) {
			list = append(list, chain)
		}
	}
	length := func(chain []Span) int { return chain[len(chain)-1].End - chain[0].Start }
	slices.SortStableFunc(list, func(a, b []Span) int { return cmp.Compare(length(a), length(b)) })
	return list
}

// sentenceEnd is where the first sentence of a text ends, or the first line that
// is a statement of code; -1 when none does.
func sentenceEnd(s string) int {
	for i, r := range s {
		if endsAt(s, i, r) {
			return i
		}
	}
	return -1
}

// lastSentence is where the last sentence of a text begins.
func lastSentence(s string) int {
	at := 0
	for i, r := range s {
		if endsAt(s, i, r) {
			at = i + utf8.RuneLen(r)
		}
	}
	return at
}

// endsAt reports whether a sentence or a statement ends with a character of a text.
func endsAt(s string, i int, r rune) bool {
	switch {
	case char.IsSentenceStop(r):
		return r >= 0x3000 || canEndSentence(s[i+utf8.RuneLen(r):]) && !(r == '.' && isAbbreviated(s[:i], s[i+1:]))
	case r == '\n':
		return strings.HasPrefix(s[i:], "\n\n") || char.IsStatement(s[strings.LastIndexByte(s[:i], '\n')+1:i])
	}
	return false
}

// isAbbreviated reports whether a full stop between two texts is that of an
// abbreviation, an initial or a day of a month, or has a small letter behind it.
func isAbbreviated(before, behind string) bool {
	behind = strings.TrimLeft(behind, ")]") // "(A.F. and L.M.) read"
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind, " "))
	if unicode.IsLower(next) && strings.HasPrefix(behind, " ") {
		return true
	}
	word := before[strings.LastIndexAny(before, " \n(\u00a0")+1:]
	r, size := utf8.DecodeRuneInString(word)
	return words.IsAbbreviation(word) || size == len(word) && unicode.IsUpper(r) && strings.HasPrefix(behind, " ") && unicode.IsUpper(next)
}

// canEndSentence reports whether a sentence can end before a text.
func canEndSentence(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r) || strings.ContainsRune(`"'”’»)]`, r) || reading.IsRaised(r) || reading.NumberedNote().MatchString(rest[:min(len(rest), 40)])
}
