package reading

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// wikiMarks are what readers of an encyclopedia put in brackets behind a place that wants a source or
// plainer words.
const wikiMarks = `(?:(?:better|additional|full|page|non-primary|third-party|primary) (?:source|citation|number)s?|clarification|verification|quotation|attribution|update|sources?|example) needed|needs update|update|failed verification|not (?:specific enough to verify|in citation given|verified in body)|original research\??|dubious(?: ?[–-] ?discuss)?|(?:unreliable|self-published|non-primary) source\??|(?:when|who|whom|by whom|which|where|why|how|how\?|according to whom|says who|relevant|compared to)\?|vague|peacock (?:term|prose)|weasel words|neutrality is disputed|(?:permanent )?dead link` +
	`|(?:wer|wann|wo|welche[rs]?|Quelle|Beleg|veraltet|Zitat)\s?\?|réf\. (?:souhaitée|à confirmer)|source insuffisante|(?:[Qq]uand|[Qq]ui|[Oo]ù|[Ll]equel|[Pp]ar qui)\s?\?|¿(?:cuándo|quién|quiénes|dónde|cuál|por quién)\?|cita requerida|(?:quando|chi|dove|quale|quem|onde|qual|senza fonte|fonte)\?|(?:wie|wanneer|waar|bron)\?|potrzebny przypis|(?:kto|kiedy|jaki)\?|(?:кто|где|какой|чей|уточнить|источник не указан [^\]]{1,20})\??|(?:хто|коли|джерело)\?|(?:zdroj|kdo|kdy)\?|(?:vem|när|källa)\?|kilde mangler|kilde\?|要出典|出典無効|来源请求|來源請求|哪個|谁`

// NumberedNote is a mark of a note in brackets: [12], [1, 2], [3–5], [^1], [a],
// [note 3], in Western and in wide brackets. It is looked for at the beginning of a text.
func NumberedNote() *regexp.Regexp { return bracketedNote() }

var bracketedNote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\[|［|〔|【)\s?(?:(?:see |cf\. |vgl\. |e\.g\. )?\^?\p{Nd}{1,3}(?:\s?[,;，、–—-]\s?\p{Nd}{1,3})*(?:[,:]\s(?:pp?|S|s|ch|§)\.?\s\p{Nd}{1,4}(?:[–-]\p{Nd}{1,4})?)?|\p{Lu}\p{L}{1,14}\p{Nd}{2,4}[a-z]?(?:[,;]\s?\p{Lu}\p{L}{1,14}\p{Nd}{2,4}[a-z]?)*|[a-z]|\^[\w-]{1,20}|(?:[Nn]ote|n|nb|fn|lower-alpha|upper-alpha|A|注|註|주|nota|przypis|viite|not|Anm\.?|Fn\.?|прим\.?)\s?\d{1,3}|citation needed|källa behövs|lähde|Beleg fehlt|réf\. nécessaire|cita requerida|carece de fontes|senza fonte|bron\?|kaynak belirtilmeli|butuh rujukan|когда\?|источник\?|` + wikiMarks + `)\s?(?:\]|］|〕|】)`)
})

// linkedNote is a mark of a note in reStructuredText: [#few]_, [1]_, [*]_.
var linkedNote = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[(?:#[\w-]{0,20}|\d{1,3}|\*)\]_`) })

// reference is what a bracket begins with that leads elsewhere in the same work.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:see |cf\. |vgl\. |siehe |s\. |voir |cf |véase |ver |vedi |v\. |zie |se |см\. |jfr\.? |jmf\. |ks\. |vrt\. |zob\. |por\. |bkz\. |krş\. |lihat |lih\. |xem |देखें |por ej\. )?(?i:fig(?:ure|\.)?|table|tab\.?|section|sec\.?|sect\.|chapter|chap\.|appendix|app\.|eq\.?|equation|box|annex|abb\.?|abbildung|tabelle|kap\.?|kapitel|abschnitt|anhang|figura|tabla|tabela|tabella|tableau|chapitre|section|annexe|cuadro|sección|capítulo|seção|capitolo|bilaga|bild|tabell|avsnitt|kuva|taulukko|liite|luku|rys\.?|rycina|rozdz\.?|rozdział|şekil|tablo|bölüm|gambar|tabel|bab|lampiran|hình|bảng|चित्र|तालिका|그림|표|شكل|جدول|рис\.?|табл\.?|гл\.?|图|圖|表|図|рисунок|таблица)\s?[\dIVXivxA-Z][\w.]{0,6}(?:\s?[,;–-]\s?[\w.]{1,6})*$`)
})

// year is one in which something was published.
var year = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\d])(?:1[5-9]|20)\d\d[a-z]?(?:$|[^\d])`)
})

// noteEdits takes out the marks of notes and references. In a quotation whatever
// may be one is taken out: those of the text are held against them.
func noteEdits(text string, quoted bool) []Edit {
	var list []Edit
	glued := gluedNotes(text, quoted)
	byYear := sync.OnceValue(func() bool { return quoted || citesByYear(text) })
	cites := citingOf(text, quoted)
	counted := !quoted && countsNotes(text)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c < utf8.RuneSelf && c != '[' && c != '(' && c != '^' && c != '$' && c != '\\' && (c < '1' || c > '9'):
			i++
			continue
		case c >= '1' && c <= '9':
			for len(glued) > 0 && glued[0].From < i {
				glued = glued[1:]
			}
			if len(glued) > 0 && glued[0].From == i {
				list = append(list, glued[0])
				i = glued[0].To
				continue
			}
			i++
			continue
		}
		e, ok := noteAt(text, i, cites)
		if counted && !ok {
			if n := raisedEnd(text, i); n > i {
				e, ok = Edit{From: i, To: n, note: true, unsure: true}, true
			}
		}
		if end := yearOfAuthorEnd(text, i, byYear, func(work string) bool { return quoted || cites.works()[work] }); end > 0 {
			e, ok = Edit{From: len(strings.TrimRight(text[:i], " \n\u00a0")), To: end, note: true}, true
		}
		if ok {
			list = append(list, e)
			i = e.To
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return list
}

// noteAt reads a mark that begins at a place, with the blank before it.
func noteAt(text string, i int, cites citing) (Edit, bool) {
	r, _ := utf8.DecodeRuneInString(text[i:])
	end := 0
	switch {
	case r == '[' || r == '［' || r == '〔' || r == '【':
		if mark := linkedNote().FindString(text[i:min(len(text), i+80)]); mark != "" && !char.IsOfWord(char.First(text[i+len(mark):])) {
			end = i + len(mark)
		} else if mark := NumberedNote().FindString(text[i:min(len(text), i+80)]); mark != "" && !strings.HasPrefix(text[i+len(mark):], "(") && !strings.HasPrefix(text[i+len(mark):], "]") {
			end = i + len(mark)
		} else if r == '[' {
			end = squareCitationEnd(text, i, cites.keyed)
		}
	case r == '\\':
		mark := citeCommand().FindString(text[i:min(len(text), i+300)])
		if end = i + len(mark); mark != "" && deniesSomething(strings.NewReplacer("[", " ", "]", " ").Replace(mark[:strings.IndexByte(mark, '{')])) {
			end = i // \cite[not in adults]{a}
		}
		if end == i {
			end = 0
		}
	case r == '^', r == '$':
		end = raisedMarkEnd(text, i)
	case r == '(' || r == '（':
		end = citationEnd(text, i)
	case IsRaised(r):
		end = raisedNoteEnd(text, i)
	case r == '†' || r == '‡':
		end = i + utf8.RuneLen(r)
	case '①' <= r && r <= '⑳':
		end = circledNoteEnd(text, i)
	}
	if end == 0 {
		return Edit{}, false
	}
	unsure := (r == '(' || r == '（') && !cites.isSure(text[i:end]) || '①' <= r && r <= '⑳' || r == '[' && !cites.isSureTag(text, i, end)
	from := i
	if r != '†' && r != '‡' {
		from = len(strings.TrimRight(text[:i], " \u00a0"))
		if r == '\\' {
			from = len(strings.TrimRight(text[:i], " ~"))
		}
		if strings.HasSuffix(text[:from], "\n") || from == 0 {
			// it begins a line, as in a list of sources, or one that was wrapped
			goesOn := from > 0 && strings.ContainsRune(",;:.", char.First(strings.TrimLeft(text[end:min(len(text), end+2)], " ")))
			if next, _ := utf8.DecodeRuneInString(text[end:]); unicode.IsSpace(next) && !goesOn && (from == 0 || !isWrapped(text, from, end)) {
				return Edit{}, false
			}
			from = len(strings.TrimRight(text[:i], " \n"))
			if from == 0 || strings.HasPrefix(text[i:], "[^") && text[end:] != "" && text[end] == ':' { // a note of Markdown
				return Edit{}, false
			}
		}
	}
	return Edit{From: from, To: end, note: true, unsure: unsure}, true
}

// citationEnd is where a citation in round brackets ends, 0 for none: names and
// years, or a figure, table or section of the same work.
func citationEnd(text string, i int) int {
	const longest = 160
	_, size := utf8.DecodeRuneInString(text[i:])
	window := text[i+size : min(len(text), i+longest)]
	stop := strings.IndexAny(window, "()（）\n")
	if stop < 0 || window[stop] != ')' && !strings.HasPrefix(window[stop:], "）") {
		if stop < 0 || window[stop] != '\n' {
			return 0
		}
		next := strings.IndexAny(window[stop+1:], "()\n")
		if next < 0 || window[stop+1+next] != ')' {
			return 0
		}
		stop += 1 + next
	}
	inside := strings.Join(strings.Fields(window[:stop]), " ")
	_, closing := utf8.DecodeRuneInString(window[stop:])
	if reference().MatchString(inside) || isAuthorYear(inside) || areReferences(inside) || isUnpublished(inside) || isLocator(inside) || isShelfmark(inside) || ibid().MatchString(inside) || isCourtCitation(inside) || isPointer(inside) {
		return i + size + stop + closing
	}
	return 0
}

// pointing are words with which a bracket sends its reader elsewhere.
var pointing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:see|siehe|vgl\.|voir|véase|ver|vedi|zie|zob\.|por\.|viz|см\.|jfr\.?|jmf\.?|ks\.|bkz\.|lihat) (?:(?:más|mais|plus|più) )?`)
})

// isPointer reports whether a bracket sends its reader elsewhere, in some words that decide nothing.
func isPointer(s string) bool {
	lead := pointing().FindString(s)
	return lead != "" && !strings.ContainsAny(s, ";:") && !slices.ContainsFunc(guard.Words(s[len(lead):]), func(w guard.Word) bool {
		isPlace := w.Text == "above" || w.Text == "below"
		return w.Kind != guard.Name && w.Kind != guard.Number && w.Kind != guard.Date && !isPlace
	})
}

// areReferences reports whether a text leads to several works, and to places in the same one.
func areReferences(s string) bool {
	if !strings.Contains(s, ";") {
		return false
	}
	for item := range strings.SplitSeq(s, ";") {
		item = strings.TrimSpace(item)
		if !reference().MatchString(item) && !isAuthorYear(item) && !isLaterYear(item) {
			return false
		}
	}
	return true
}

// unpublished is how a work is cited that has no year: authors, and that it is not out.
var unpublished = sync.OnceValue(func() *regexp.Regexp {
	const name = `\p{Lu}[\pL’'.-]*`
	return regexp.MustCompile(`^(?:see |cf\. )?` + name + `(?:,? (?:` + name + `|and|&|et|und|y|al\.))*,? (?:in press|in prep(?:\.|aration)|forthcoming|submitted|under review|unpubl(?:\.|ished)(?: (?:data|results|observations?|manuscript|thesis))?|pers(?:\.|onal) (?:comm(?:\.|unication)|obs(?:\.|ervation))|im Druck|im Erscheinen|unveröff(?:\.|entlicht)|pers\. Mitt\.|sous presse|à paraître|comm\. pers\.|en prensa|com\. pers\.|in stampa|no prelo|in druk|в печати)$`)
})

// isUnpublished reports whether a text cites such a work.
func isUnpublished(s string) bool { return unpublished().MatchString(s) }

// located is a page, a section or a number by which a place of a source is given.
var located = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s,;:])(?:(?:pp?|ss?|S|f|fols?|vol|vols|Bd|Rn|Rz|paras?|[Aa]rts?|Nos?|Nr|nr|cap|ch|lit|str|стр|ст|с|hal|hlm|Ziff|Abs|poz|dok|refs?|Refs?)\.?\s?|§§?\s?)\d`)
})

// isLocator reports whether a text gives a place of a source: names and numbers,
// with a page or the like among them, and no word that decides what is said.
func isLocator(s string) bool {
	const most = 12 // words
	if !located().MatchString(s) || len(strings.Fields(s)) > most {
		return false
	}
	return !slices.ContainsFunc(guard.Words(s), func(w guard.Word) bool {
		return w.Kind != guard.Name && w.Kind != guard.Number && w.Kind != guard.Date && w.Norm != "no"
	})
}

// shelfmark is the number of a paper in an archive: GCA D-OPW 12/1–19, TNA HO 45/1234.
var shelfmark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\p{Lu}{2,6}(?:[ :]\p{Lu}[\p{Lu}\d-]*)+ \d{1,5}/\d{1,5}(?:[–/-]\d{1,5})*$`)
})

// ibid is a citation of the work that was cited before.
var ibid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:ibid(?:em)?|idem|loc\. ?cit|op\. ?cit|ebd|ebenda|a\. ?a\. ?O|tamże|там же)\.?(?:,? (?:(?:pp?|S|с)\.? ?)?\d{1,4}(?:[–-]\d{1,4})?)?$`)
})

// isShelfmark reports whether a text is one, and no amount.
func isShelfmark(s string) bool {
	return shelfmark().MatchString(s) && !slices.ContainsFunc(guard.Words(s), func(w guard.Word) bool { return w.Kind == guard.Unit })
}

// isAuthorYear reports whether a text is made of names, years and pages alone.
func isAuthorYear(s string) bool {
	if !year().MatchString(s) {
		return false
	}
	for _, w := range guard.Words("in " + s) {
		switch {
		case w.Kind == guard.Date && !strings.ContainsFunc(w.Text, unicode.IsDigit), w.Kind == guard.Unit, w.Kind == guard.Magnitude:
			return false // a month is no author
		}
	}
	names := 0
	for i, w := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:，；：&/–-", r) }) {
		first, _ := utf8.DecodeRuneInString(w)
		switch {
		case unicode.IsUpper(first):
			names++
		case unicode.IsDigit(first):
		case words.Unspaced(first) || !unicode.IsUpper(first) && unicode.ToUpper(first) == first && unicode.IsLetter(first):
			if names++; utf8.RuneCountInString(w) > 6 {
				return false
			}
		case isCitationWord(strings.TrimSuffix(w, "."), i == 0):
		default:
			return false
		}
	}
	return names > 0 && names <= 12
}

// isCitationWord reports whether a small word belongs to a citation.
func isCitationWord(w string, first bool) bool {
	switch w {
	case "but", "contra", "pace", "adapted", "reviewed", "cited", "from", "data", "unpublished", "press", "submitted", "forthcoming", "personal", "communication", "therein", "references", "edition", "trans", "others", "colleagues", "coworkers", "autres", "otros", "outros", "altri", "andere", "anderen", "of", "the", "des", "del", "dos", "das", "do", "dei", "della", "degli", "für", "pour", "para", "per", "for", "on", "dla", "im", "zitiert", "cité", "citado", "citato", "citerad", "sitert", "cyt",
		"et", "al", "and", "und", "y", "e", "i", "и", "og", "och", "en", "ja", "ve", "dan", "và", "др", "u", "a", "de", "van", "von", "der", "den", "di", "da", "du", "la", "le", "p", "pp", "s", "S", "f", "ff", "c", "с", "ch", "vol", "no", "nr", "cap", "kap", "n", "in", "ed", "eds", "sqq", "dkk":
		return true
	case "see", "cf", "vgl", "siehe", "voir", "véase", "ver", "vedi", "zie", "se", "см", "also", "auch", "e.g", "z.B", "por", "ej", "etwa", "nach", "after", "quoted", "zit":
		return first || w == "also" || w == "auch"
	}
	return false
}

// circledNoteEnd is where a number in a circle ends behind a word, as Chinese and Japanese mark notes; 0 where it
// begins something.
func circledNoteEnd(text string, i int) int {
	prev, _ := utf8.DecodeLastRuneInString(text[:i])
	end := i + len("①")
	next := char.First(text[end:])
	if !unicode.IsLetter(prev) && !char.IsSentenceStop(prev) || unicode.IsLetter(next) && !char.IsSentenceStop(prev) || unicode.IsDigit(next) {
		return 0
	}
	return end
}

// raisedNoteEnd is where a raised mark of notes ends, 0 when it is an exponent, a
// charge or a unit's power.
func raisedNoteEnd(text string, i int) int {
	before := strings.TrimRight(text[:i], " \u00a0")
	prev, size := utf8.DecodeLastRuneInString(before)
	if size == 0 || isLowered(prev) || IsRaised(prev) {
		return 0
	}
	end := i
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		next, _ := utf8.DecodeRuneInString(text[end+size:])
		if !IsRaised(r) && !(strings.ContainsRune(",;–-⁾⁽", r) && IsRaised(next)) {
			break
		}
		end += size
	}
	mark := text[i:end]
	if strings.HasPrefix(mark, "⁻") || strings.ContainsAny(mark, "⁺") || strings.HasSuffix(mark, "⁻") {
		return 0
	}
	switch {
	case len(before) < i: // apart from the word before it
		next, _ := utf8.DecodeRuneInString(text[end:])
		if unicode.IsLetter(next) || unicode.IsDigit(next) {
			return 0 // ¹⁴C
		}
		return end
	case unicode.IsDigit(prev):
		if year := char.LastWord(before); len(year) == 4 && (year[0] == '1' || year[0] == '2') && year > "1400" && year < "2100" {
			return end
		}
		return 0
	case strings.ContainsRune("([“„«‘/–—-", prev):
		if next, _ := utf8.DecodeRuneInString(text[end:]); unicode.IsLetter(next) {
			return 0 // (²²²Rn)
		}
		return end
	case prev == ')' || prev == ']':
		if closesFormula(before) {
			return 0
		}
		return end
	case !unicode.IsLetter(prev):
		return end
	case words.Unspaced(prev):
		return end
	}
	word := char.LastWord(before)
	if utf8.RuneCountInString(word) >= 4 && !isFormula(word) || utf8.RuneCountInString(word) > 1 && !isFormula(word) && !guard.IsUnitSymbol(word) {
		return end
	}
	return 0
}

// closesFormula reports whether the bracket that a text ends with closes a formula
// such as "(pc)" and no words.
func closesFormula(text string) bool {
	open := strings.LastIndexAny(text, "([")
	return open < 0 || len(text)-open <= 8 && !strings.Contains(text[open:], " ")
}

// isFormula reports whether a word is one of chemistry or mathematics: it has a
// capital or a digit behind its first letter, or names a function, or is too
// short for a word and has no vowel.
func isFormula(word string) bool {
	switch word {
	case "sin", "cos", "tan", "log", "ln", "exp", "mol", "min":
		return true
	}
	_, size := utf8.DecodeRuneInString(word)
	if strings.ContainsFunc(word[size:], func(r rune) bool { return unicode.IsUpper(r) || unicode.IsNumber(r) }) {
		return true
	}
	return len(word) <= 3 && !strings.ContainsAny(strings.ToLower(word), "aeiouy") && strings.ToLower(word) != "" && word[0] < utf8.RuneSelf
}

// gluedNotes finds numbers of notes that were raised once and now are glued to
// the word, the mark or the year before them: "kg,14 and", "since 1891.4". They
// run through a text in their order; a number without neighbours is none,
// unless it stands behind a mark.
func gluedNotes(text string, quoted bool) []Edit {
	var found []Edit
	var numbers []int
	var kinds []int
	for i := 0; i < len(text); i++ {
		if text[i] < '1' || text[i] > '9' {
			continue
		}
		if i == 0 || text[i-1] == ' ' || text[i-1] == '\n' {
			for i+1 < len(text) && isDigit(text[i+1]) {
				i++
			}
			continue
		}
		end, first, ok := noteNumberEnd(text, i)
		if quoted && end > 0 && strings.ContainsAny(text[end:min(len(text), end+1)], "*_`]") {
			ok = true // marks of Markdown around the word
		}
		if !ok {
			for i+1 < len(text) && char.LowerASCII(text[i+1]) != 0 {
				i++
			}
			continue
		}
		kind := gluedBehind(text[:i])
		if kind != gluedToNothing {
			found = append(found, Edit{From: i, To: end, note: true})
			numbers = append(numbers, first)
			kinds = append(kinds, kind)
		}
		i = end - 1
	}
	var withNumbers map[string]int
	if !quoted && marksNotes(numbers, kinds) {
		withNumbers = wordsWithNumbers(text, found)
		doubtNumbers(text, found, numbers, kinds)
	}
	below := sync.OnceValue(func() map[int][]int { return numbersThatBeginLines(text) })
	var list []Edit
	for i, e := range found {
		switch word := char.LastWord(text[:e.From]); {
		case !quoted && kinds[i] == gluedToWord && withNumbers[word] != 1 && !isInOrder(text, found, numbers, i) && standsBelow(below()[numbers[i]], e.To):
			e.unsure = true
			list = append(list, e)
		case kinds[i] == gluedToMark,
			kinds[i] == gluedToNumber && isNoteBehindNumber(text, e, kinds, numbers, i, quoted),
			kinds[i] == gluedToWord && (quoted || withNumbers[word] == 1 || isInOrder(text, found, numbers, i)):
			list = append(list, e)
		}
	}
	return list
}

// isInOrder reports whether a number that is glued to a word counts on from one near by, or up to it,
// that is glued to another: "model7 and model8" are names.
func isInOrder(text string, found []Edit, numbers []int, i int) bool {
	const near = 2 // numbers before and behind it, and as much as they differ
	word := char.LastWord(text[:found[i].From])
	for k := max(0, i-near); k < min(len(found), i+near+1); k++ {
		if d := numbers[k] - numbers[i]; d != 0 && d <= near && d >= -near && (word == "" || char.LastWord(text[:found[k].From]) != word) {
			return true
		}
	}
	return false
}

// marksNotes reports whether numbers that are glued to something are marks of notes throughout a
// text, whatever their order: several different ones stand behind marks.
func marksNotes(numbers, kinds []int) bool {
	const several, longest = 4, 600 // the number of the last note, at most
	marked := map[int]bool{}
	for i, n := range numbers {
		if kinds[i] == gluedToMark {
			marked[n] = n < longest
		}
	}
	return len(marked) >= several
}

// wordsWithNumbers counts how often numbers are glued to each word.
func wordsWithNumbers(text string, found []Edit) map[string]int {
	times := map[string]int{}
	for _, e := range found {
		times[char.LastWord(text[:e.From])]++
	}
	return times
}

// isNoteBehindNumber reports whether a number that is glued to the comma of another is that of a
// note and no decimal: notes that stand elsewhere count up to it and on, in a text whose decimals
// have no comma, and no unit stands behind it.
func isNoteBehindNumber(text string, e Edit, kinds, numbers []int, i int, quoted bool) bool {
	if i == 0 || i+1 == len(numbers) || kinds[i-1] == gluedToNumber || kinds[i+1] == gluedToNumber || numbers[i-1] != numbers[i]-1 || numbers[i+1] != numbers[i]+1 {
		return false
	}
	if next := guard.Words(text[e.To:words.RuneStart(text, min(len(text), e.To+20))]); len(next) > 0 && next[0].Kind == guard.Unit && strings.TrimSpace(text[e.To:e.To+next[0].Start]) == "" {
		return false
	}
	return quoted || guard.Language(text[:words.RuneStart(text, 4096)]) == "en"
}

// noteNumberEnd reads the numbers of notes at a place: one to three digits, or
// some of them with commas or dashes. What follows ends a word.
func noteNumberEnd(text string, i int) (end, first int, ok bool) {
	end = i
	for {
		n := end
		for n < len(text) && isDigit(text[n]) {
			n++
		}
		if n == end || n-end > 3 {
			return 0, 0, false
		}
		if first == 0 {
			first, _ = strconv.Atoi(text[end:n])
		}
		end = n
		if end+1 < len(text) && (text[end] == ',' || text[end] == '-') && text[end+1] >= '1' && text[end+1] <= '9' {
			end++
			continue
		}
		if strings.HasPrefix(text[end:], "–") {
			end += len("–")
			continue
		}
		break
	}
	next, _ := utf8.DecodeRuneInString(text[end:])
	if next == '.' && unicode.IsLower(char.First(text[end+1:])) {
		return end, first, false // page4.html
	}
	return end, first, end == len(text) || unicode.IsSpace(next) || strings.ContainsRune(`.,;:)”"»’—<`, next)
}

// What a number is glued to.
const (
	gluedToNothing = iota
	gluedToMark
	gluedToWord
	gluedToNumber // "30,17": a decimal, unless 16 and 18 stand before and behind it
)

// numbered are the short names of what has a number, which stands right behind them: "No.14".
var numbered = strings.Fields("No Nos Nr Fig Figs Eq Eqs Sec Vol Abb Kap Abs")

// gluedBehind tells what a number stands right behind.
func gluedBehind(before string) int {
	prev, size := utf8.DecodeLastRuneInString(before)
	rest := before[:len(before)-size]
	beyond, _ := utf8.DecodeLastRuneInString(rest)
	word := char.LastWord(rest)
	switch {
	case prev == '.' && slices.Contains(numbered, word):
	case strings.ContainsRune(",.;:!?", prev) && unicode.IsLetter(beyond):
		if utf8.RuneCountInString(word) < 4 && (prev == '.' || prev == ':') && !guard.IsUnitSymbol(word) || strings.ToUpper(word) == word && utf8.RuneCountInString(word) > 1 {
			return gluedToWord // an abbreviation, such as "No.14"
		}
		return gluedToMark
	case (prev == '.' || prev == ',') && IsYear(word):
		return gluedToWord
	case prev == ',' && unicode.IsDigit(beyond) && !strings.ContainsAny(word, ".,"):
		return gluedToNumber
	case prev == ')' && closesFormula(before):
	case strings.ContainsRune(`)”"»’%`, prev) && (unicode.IsLetter(beyond) || unicode.IsDigit(beyond) || unicode.IsPunct(beyond)):
		return gluedToWord
	case unicode.IsLower(prev) && utf8.RuneCountInString(char.LastWord(before)) >= 3 && !strings.ContainsFunc(char.LastWord(before), unicode.IsDigit) && !isFormula(char.LastWord(before)):
		return gluedToWord
	}
	return gluedToNothing
}

// IsYear reports whether a word is a year in four digits, behind 1400 and before 2100.
func IsYear(word string) bool {
	return len(word) == 4 && word > "1400" && word < "2100" && !strings.ContainsAny(word, ".,")
}
