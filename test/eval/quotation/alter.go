package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// subject is a sentence to be altered, and where it stands.
type subject struct {
	*rand.Rand
	doc      *document
	sentence string
	docs     []*document
	peers    []string // words of documents of its language
}

// altered is what is asked: whether a document holds a quotation.
type altered struct {
	doc    *document
	quoted string
}

// alteration alters a sentence; false when it has nothing to alter.
type alteration struct {
	name  string
	group string
	bar   float64 // the share that may be wrong; 1 for none set
	keeps bool    // what it says is kept: the quotation is to be found
	alter func(s subject) (altered, bool)
}

func quoted(f func(s subject) (string, bool)) func(subject) (altered, bool) {
	return func(s subject) (altered, bool) {
		q, ok := f(s)
		return altered{s.doc, q}, ok && q != s.sentence
	}
}

func alterations() []alteration {
	const harm, mild = 0.001, 0.005
	return []alteration{
		{"number changed", "number", harm, false, quoted(number)},
		{"two digits exchanged", "number", harm, false, quoted(exchanged)},
		{"decimal point lost", "number", harm, false, quoted(point)},
		{"negation put in", "negation", harm, false, quoted(negated)},
		{"negation taken out", "negation", harm, false, quoted(swapper("negation"))},
		{"unit changed", "unit", harm, false, quoted(swapper("unit"))},
		{"magnitude changed", "unit", harm, false, quoted(swapper("magnitude"))},
		{"comparator turned", "comparator", harm, false, quoted(swapper("comparator"))},
		{"month or weekday changed", "date", harm, false, quoted(swapper("date"))},
		{"year changed", "date", harm, false, quoted(year)},
		{"name changed", "name", harm, false, quoted(name)},
		{"quantifier changed", "quantifier", 1, false, quoted(swapper("quantifier"))},
		{"hedge dropped", "hedge", 1, false, quoted(swapper("hedge"))},
		{"content word swapped", "content", mild, false, quoted(content)},
		{"content word swapped for one like it", "lookalike", 1, false, quoted(lookalike)},
		{"two halves stitched", "structure", 1, false, quoted(stitched)},
		{"words shuffled", "structure", 1, false, quoted(shuffled)},
		{"wrong document", "structure", 1, false, wrongDocument},

		{"nothing", "typography", 0.01, true, func(s subject) (altered, bool) { return altered{s.doc, s.sentence}, true }},
		{"typography", "typography", 0.01, true, quoted(typography)},
		{"white space", "white space", 0.01, true, quoted(whiteSpace)},
		{"blanks lost in the text", "PDF", 0.01, true, blanksLost},
		{"blanks lost in the quotation", "PDF", 0.01, true, quoted(glued)},
		{"words divided at line ends", "hyphens", 0.01, true, divided},
		{"soft hyphens", "hyphens", 0.01, true, quoted(softHyphens)},
		{"entities", "entities", 0.01, true, quoted(entities)},
		{"emphasis of Markdown", "entities", 0.01, true, quoted(emphasis)},
		{"one typo in a plain word", "typo", 0.01, true, quoted(typo)},
		{"one typo in a name", "typo in a name", 1, true, quoted(typoInName)},
	}
}

var digitsForm = regexp.MustCompile(`\d+`)

// numberAt picks a number of a sentence.
func numberAt(s subject, fits func(n string) bool) ([]int, bool) {
	all := slices.DeleteFunc(digitsForm.FindAllStringIndex(s.sentence, -1), func(at []int) bool { return !fits(s.sentence[at[0]:at[1]]) })
	if len(all) == 0 {
		return nil, false
	}
	return all[s.IntN(len(all))], true
}

func number(s subject) (string, bool) {
	at, ok := numberAt(s, func(string) bool { return true })
	if !ok {
		return "", false
	}
	n := []byte(s.sentence[at[0]:at[1]])
	i := s.IntN(len(n))
	n[i] = '0' + (n[i]-'0'+byte(1+s.IntN(9)))%10
	return s.sentence[:at[0]] + string(n) + s.sentence[at[1]:], true
}

func exchanged(s subject) (string, bool) {
	at, ok := numberAt(s, func(n string) bool { return len(n) > 1 && strings.Trim(n, n[:1]) != "" })
	if !ok {
		return "", false
	}
	n := []byte(s.sentence[at[0]:at[1]])
	for {
		if i := s.IntN(len(n) - 1); n[i] != n[i+1] {
			n[i], n[i+1] = n[i+1], n[i]
			return s.sentence[:at[0]] + string(n) + s.sentence[at[1]:], true
		}
	}
}

var pointForm = regexp.MustCompile(`\d[.,]\d{1,2}\b`)

func point(s subject) (string, bool) {
	at := pointForm.FindStringIndex(s.sentence)
	if at == nil {
		return "", false
	}
	return s.sentence[:at[0]+1] + s.sentence[at[0]+2:], true
}

var yearForm = regexp.MustCompile(`(?:19|20)\d\d`)

func year(s subject) (string, bool) {
	at := yearForm.FindStringIndex(s.sentence)
	if at == nil {
		return "", false
	}
	y, err := strconv.Atoi(s.sentence[at[0]:at[1]])
	if err != nil {
		return "", false
	}
	return s.sentence[:at[0]] + strconv.Itoa(y+[]int{-10, -2, -1, 1, 2, 10}[s.IntN(6)]) + s.sentence[at[1]:], true
}

// swapper exchanges one word of the lists for another that says something
// else.
func swapper(kind string) func(s subject) (string, bool) {
	return func(s subject) (string, bool) {
		type place struct {
			at   int
			pair [2]string
		}
		var places []place
		for _, pair := range swaps(s.doc.lang, kind) {
			for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
				if p[0] == "" || kind == "negation" && p[1] != "" && p == [2]string{pair[1], pair[0]} {
					continue
				}
				for _, at := range wholeWords(s.doc.lang, s.sentence, p[0]) {
					places = append(places, place{at, p})
				}
			}
		}
		if len(places) == 0 {
			return "", false
		}
		p := places[s.IntN(len(places))]
		rest := s.sentence[p.at+len(p.pair[0]):]
		if p.pair[1] == "" {
			rest = strings.TrimPrefix(rest, " ")
		}
		return s.sentence[:p.at] + p.pair[1] + rest, true
	}
}

// wholeWords gives where a word stands, not within another.
func wholeWords(lang, s, word string) []int {
	var places []int
	for from := 0; ; {
		at := strings.Index(s[from:], word)
		if at < 0 {
			return places
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(word):])
		if lang == "zh" || lang == "ja" || !letter(before) && !letter(after) {
			places = append(places, at)
		}
		from = at + len(word)
	}
}

func letter(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// negated puts a negation behind or before a word that can take one.
func negated(s subject) (string, bool) {
	type place struct {
		at, end int
		with    string
	}
	var places []place
	for _, pair := range swaps(s.doc.lang, "negatable") {
		for _, at := range wholeWords(s.doc.lang, s.sentence, pair[0]) {
			places = append(places, place{at, at + len(pair[0]), pair[1]})
		}
	}
	if len(places) == 0 {
		return "", false
	}
	p := places[s.IntN(len(places))]
	if s.doc.lang == "go" || s.doc.lang == "en" {
		if rest := s.sentence[p.end:]; strings.HasPrefix(rest, " not") {
			return "", false
		}
	}
	return s.sentence[:p.at] + p.with + s.sentence[p.end:], true
}

var capitalForm = regexp.MustCompile(`[\pL\d] \p{Lu}[\pL\d]+`)

// name exchanges a name for another.
func name(s subject) (string, bool) {
	names := swaps(s.doc.lang, "name")
	if len(names) > 0 {
		var found []string
		for _, n := range names {
			if len(wholeWords(s.doc.lang, s.sentence, n[0])) > 0 {
				found = append(found, n[0])
			}
		}
		if len(found) == 0 {
			return "", false
		}
		other := names[s.IntN(len(names))][0]
		return strings.Replace(s.sentence, found[s.IntN(len(found))], other, 1), true
	}
	places := capitalForm.FindAllStringIndex(s.sentence, -1)
	if len(places) == 0 {
		return "", false
	}
	at := places[s.IntN(len(places))]
	_, size := utf8.DecodeRuneInString(s.sentence[at[0]:])
	for range 50 {
		_, from := pick(s.Rand, s.docs)
		if all := capitalForm.FindAllString(from, -1); len(all) > 0 {
			_, n, _ := strings.Cut(all[s.IntN(len(all))], " ")
			return s.sentence[:at[0]+size+1] + n + s.sentence[at[1]:], true
		}
	}
	return "", false
}

var plainForm = regexp.MustCompile(`\p{Ll}{4,}`)

// plainWords gives where words stand that are written small throughout.
func plainWords(s string, least int) [][]int {
	return slices.DeleteFunc(plainForm.FindAllStringIndex(s, -1), func(at []int) bool {
		before, _ := utf8.DecodeLastRuneInString(s[:at[0]])
		after, _ := utf8.DecodeRuneInString(s[at[1]:])
		return letter(before) || letter(after) || before == '_' || after == '_' || utf8.RuneCountInString(s[at[0]:at[1]]) < least
	})
}

// content exchanges a word written small for another of the language, in
// Chinese and Japanese two letters for two others.
func content(s subject) (string, bool) {
	if s.doc.lang == "zh" || s.doc.lang == "ja" {
		return han(s)
	}
	var places [][]int
	if s.doc.lang == "ar" {
		places = regexp.MustCompile(`\p{Arabic}{4,}`).FindAllStringIndex(s.sentence, -1)
	} else {
		places = plainWords(s.sentence, 4)
	}
	if len(places) == 0 {
		return "", false
	}
	at := places[s.IntN(len(places))]
	with := s.peers[s.IntN(len(s.peers))]
	return s.sentence[:at[0]] + with + s.sentence[at[1]:], with != s.sentence[at[0]:at[1]]
}

var hanForm = regexp.MustCompile(`\p{Han}{2}`)

func han(s subject) (string, bool) {
	places := hanForm.FindAllStringIndex(s.sentence, -1)
	with := hanForm.FindAllString(s.doc.sentences[s.IntN(len(s.doc.sentences))], -1)
	if len(places) == 0 || len(with) == 0 {
		return "", false
	}
	at := places[s.IntN(len(places))]
	return s.sentence[:at[0]] + with[s.IntN(len(with))] + s.sentence[at[1]:], true
}

// lookalike exchanges a word for a word of the language that one or two edits
// make of it.
func lookalike(s subject) (string, bool) {
	places := plainWords(s.sentence, 4)
	if len(places) == 0 {
		return "", false
	}
	at := places[s.IntN(len(places))]
	word := s.sentence[at[0]:at[1]]
	from := s.IntN(len(s.peers))
	for i := range s.peers {
		p := s.peers[(from+i)%len(s.peers)]
		if d := len(p) - len(word); p != word && d >= -2 && d <= 2 && distance(p, word) <= 2 {
			return s.sentence[:at[0]] + p + s.sentence[at[1]:], true
		}
	}
	return "", false
}

func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, c := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, d := range y {
			cost := diagonal
			if c != d {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

// units are the words of a sentence, or its letters where words have no blanks
// between them.
func (s subject) units(sentence string) ([]string, string) {
	if s.doc.lang == "zh" || s.doc.lang == "ja" {
		return strings.Split(sentence, ""), ""
	}
	return strings.Fields(sentence), " "
}

func stitched(s subject) (string, bool) {
	i := slices.Index(s.doc.sentences, s.sentence)
	if i < 0 || len(s.doc.sentences) < 6 {
		return "", false
	}
	other := s.doc.sentences[(i+3+s.IntN(len(s.doc.sentences)-5))%len(s.doc.sentences)]
	a, glue := s.units(s.sentence)
	b, _ := s.units(other)
	return strings.Join(append(slices.Clone(a[:len(a)/2]), b[len(b)/2:]...), glue), true
}

func shuffled(s subject) (string, bool) {
	a, glue := s.units(s.sentence)
	s.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
	return strings.Join(a, glue), true
}

func wrongDocument(s subject) (altered, bool) {
	for range 100 {
		if d, _ := pick(s.Rand, s.docs); d != s.doc && d.lang == s.doc.lang {
			return altered{d, s.sentence}, true
		}
	}
	return altered{}, false
}

func typography(s subject) (string, bool) {
	q := s.sentence
	for _, with := range [][2]string{{"'", "’"}, {`"`, "”"}, {"-", "\u2011"}, {" ", "\u00a0"}, {"fi", "ﬁ"}, {"e", "e\u200b"}} {
		if s.IntN(2) == 0 {
			q = strings.Replace(q, with[0], with[1], 1+s.IntN(3))
		}
	}
	if s.IntN(2) == 0 {
		q = "“" + q + "”"
	}
	return q, true
}

func whiteSpace(s subject) (string, bool) {
	return strings.Map(func(r rune) rune {
		if r == ' ' {
			return []rune{' ', '\n', '\t', '\u00a0', '\u2009'}[s.IntN(5)]
		}
		return r
	}, s.sentence), true
}

// elsewhere is the document with the sentence set in another way.
func elsewhere(s subject, sentence string) altered {
	d := &document{name: s.doc.name, lang: s.doc.lang, text: strings.Replace(s.doc.text, s.sentence, sentence, 1)}
	prepare(d)
	return altered{d, s.sentence}
}

func blanksLost(s subject) (altered, bool) {
	without := strings.Join(strings.Fields(s.sentence), "")
	return elsewhere(s, without), without != s.sentence
}

func glued(s subject) (string, bool) { return strings.Join(strings.Fields(s.sentence), ""), true }

// divided breaks long words of the text at the ends of lines.
func divided(s subject) (altered, bool) {
	places := plainWords(s.sentence, 7)
	if len(places) == 0 {
		return altered{}, false
	}
	at := places[s.IntN(len(places))]
	letters := []rune(s.sentence[at[0]:at[1]])
	cut := 3 + s.IntN(len(letters)-5)
	hyphen := []string{"-\n", "\u00ad\n", "-\n  "}[s.IntN(3)]
	return elsewhere(s, s.sentence[:at[0]]+string(letters[:cut])+hyphen+string(letters[cut:])+s.sentence[at[1]:]), true
}

func softHyphens(s subject) (string, bool) {
	var out strings.Builder
	last := rune(0)
	for _, r := range s.sentence {
		if unicode.IsLetter(last) && unicode.IsLetter(r) && s.IntN(4) == 0 {
			out.WriteRune('\u00ad')
		}
		out.WriteRune(r)
		last = r
	}
	return out.String(), true
}

func entities(s subject) (string, bool) {
	var out strings.Builder
	for _, r := range s.sentence {
		switch {
		case r == '&', r == '<', r == '>', r == '"', r == '\'', r >= utf8.RuneSelf && s.IntN(3) == 0, r == ' ' && s.IntN(4) == 0:
			if r == ' ' {
				out.WriteString("&nbsp;")
			} else {
				fmt.Fprintf(&out, []string{"&#%d;", "&#x%x;"}[s.IntN(2)], r)
			}
		default:
			out.WriteRune(r)
		}
	}
	return out.String(), true
}

func emphasis(s subject) (string, bool) {
	words, glue := s.units(strings.ReplaceAll(s.sentence, "\n", " "))
	if glue == "" {
		mark := []string{"**", "*", "`"}[s.IntN(3)]
		return mark + s.sentence + mark, true
	}
	i := s.IntN(len(words))
	j := min(len(words)-1, i+s.IntN(3))
	mark := []string{"*", "**", "_", "__", "`"}[s.IntN(5)]
	words[i] = mark + words[i]
	words[j] += mark
	return strings.Join(words, glue), true
}

// typo misspells a word written small, of five letters or more: one letter
// wrong, missing or too many, or two exchanged. A misspelling that is another
// word of the documents is left to [lookalike].
func typo(s subject) (string, bool) {
	if s.doc.lang == "zh" || s.doc.lang == "ja" {
		return "", false // where each letter is a word, a misspelling is another word
	}
	places := plainWords(s.sentence, 5)
	if s.doc.lang == "ar" {
		places = regexp.MustCompile(`\p{Arabic}{5,}`).FindAllStringIndex(s.sentence, -1)
		places = slices.DeleteFunc(places, func(at []int) bool { return isName(s, s.sentence[at[0]:at[1]]) })
	}
	return misspelt(s, places)
}

func isName(s subject, word string) bool {
	return slices.ContainsFunc(swaps(s.doc.lang, "name"), func(n [2]string) bool { return strings.Contains(n[0], word) || strings.Contains(word, n[0]) })
}

func typoInName(s subject) (string, bool) {
	places := slices.DeleteFunc(capitalForm.FindAllStringIndex(s.sentence, -1), func(at []int) bool { return at[1]-at[0] < 7 })
	for _, at := range places {
		_, size := utf8.DecodeRuneInString(s.sentence[at[0]:])
		at[0] += size + 1
	}
	return misspelt(s, places)
}

func misspelt(s subject, places [][]int) (string, bool) {
	if len(places) == 0 {
		return "", false
	}
	at := places[s.IntN(len(places))]
	w := []rune(s.sentence[at[0]:at[1]])
	other := w[s.IntN(len(w))]
	if w[0] < utf8.RuneSelf {
		other = 'a' + rune(s.IntN(26))
	}
	i := s.IntN(len(w))
	switch s.IntN(4) {
	case 0:
		w[i] = other
	case 1:
		w = slices.Delete(w, i, i+1)
	case 2:
		w = slices.Insert(w, i, other)
	case 3:
		i = min(i, len(w)-2)
		w[i], w[i+1] = w[i+1], w[i]
	}
	return s.sentence[:at[0]] + string(w) + s.sentence[at[1]:], !slices.Contains(s.peers, string(w))
}
