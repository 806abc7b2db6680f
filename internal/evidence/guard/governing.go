package guard

import (
	_ "embed"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// Role is what a word outside a passage does to what the passage says.
type Role string

// The roles; governing.txt has their words.
const (
	That       Role = "that"       // opens a clause that something else is said of
	Condition  Role = "condition"  // says when it holds
	When       Role = "when"       // says when or where it happens, or when it holds
	Exception  Role = "exception"  // says of what it does not hold
	Contrast   Role = "contrast"   // takes back what went before
	Concession Role = "concession" // says that it holds all the same
	Only       Role = "only"       // bounds it
	Whether    Role = "whether"    // leaves open whether it is so
	Doubt      Role = "doubt"      // says that it is not known, not likely, not proved
	Rejection  Role = "rejection"  // says that it is wrong
	Claimed    Role = "claim"      // gives it as the word of somebody
	Fact       Role = "fact"       // says that it is so
	And        Role = "and"        // joins another statement to it
	Where      Role = "where"      // begins what says where, when or of whom it holds
	Verb       Role = "verb"       // says something of what stands before it
	Back       Role = "back"       // points back to what was said
)

// Governor is a word or phrase with a role, and its bytes in the text.
type Governor struct {
	Role       Role
	Start, End int
}

//go:embed governing.txt
var governingText string

// governors are those of one language.
type governors struct {
	function map[string]bool
	letters  string // of its own
	within   string // the languages it is told from by its function words, which those lack
	unlike   []string
	first    map[string][]phraseOf // by their first word
	stems    map[string][]phraseOf // by the beginning of their first word
	endings  map[string]Role
	runs     []phraseOf // of a script without blanks, longest first
}

type phraseOf struct {
	role Role
	rest []string // the words behind the first; the last may be a stem
	text string
}

var sharedGovernors = sync.OnceValue(readGovernors)

func readGovernors() map[string]*governors {
	all := map[string]*governors{}
	var language string
	for line := range strings.Lines(governingText) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2 || fields[0] == "#":
		case fields[0] == "language":
			language = fields[1]
			all[language] = &governors{function: map[string]bool{}, first: map[string][]phraseOf{}, stems: map[string][]phraseOf{}, endings: map[string]Role{}}
		case fields[0] == "letters":
			all[language].letters = fields[1]
		case fields[0] == "within":
			all[language].within, all[language].unlike = fields[1], fields[2:]
		case fields[0] == "function":
			for _, w := range fields[1:] {
				all[language].function[w] = true
			}
		default:
			for _, w := range fields[1:] {
				all[language].add(Role(fields[0]), w)
			}
		}
	}
	for _, g := range all {
		slices.SortStableFunc(g.runs, func(a, b phraseOf) int { return len(b.text) - len(a.text) })
	}
	return all
}

func (g *governors) add(role Role, word string) {
	if r, _ := utf8.DecodeRuneInString(word); isUnspacedScript(r) {
		g.runs = append(g.runs, phraseOf{role: role, text: word})
		return
	}
	if end, ok := strings.CutPrefix(word, "*"); ok {
		g.endings[end] = role
		return
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '\'' || r == '-' })
	p := phraseOf{role: role, rest: parts[1:]}
	if stem, ok := strings.CutSuffix(parts[0], "*"); ok && len(parts) == 1 {
		g.stems[stem] = append(g.stems[stem], p)
		return
	}
	g.first[parts[0]] = append(g.first[parts[0]], p)
}

// languagesOf are those told apart by their function words, by what their letters are called;
// the first is the one where no word tells.
var languagesOf = map[string][]string{
	"Latin":    {"en", "de", "fr", "es", "pt", "it", "nl", "sv", "fi", "pl", "cs", "tr", "id", "vi", "da", "ro", "ca", "hr", "sl", "sk", "hu", "et", "lt", "lv", "sw", "is", "sq", "az", "eu", "tl", "eo", "ha", "la"},
	"Cyrillic": {"ru", "uk", "bg", "be", "kk", "sr", "mk"},
	"Arabic":   {"ar", "fa", "ur"},
}

// Language tells the language of a text, by its letters and function words:
// "en" where nothing tells.
func Language(text string) string {
	count := map[string]int{}
	for _, r := range text {
		switch {
		case r < 0x370:
		case unicode.Is(unicode.Greek, r):
			count["el"]++
		case unicode.Is(unicode.Hebrew, r):
			count["he"]++
		case unicode.Is(unicode.Cyrillic, r):
			count["Cyrillic"]++
		case unicode.Is(unicode.Arabic, r):
			count["Arabic"]++
		case unicode.Is(unicode.Devanagari, r):
			count["hi"]++
		case unicode.Is(unicode.Bengali, r):
			count["bn"]++
		case unicode.Is(unicode.Tamil, r):
			count["ta"]++
		case unicode.Is(unicode.Thai, r):
			count["th"]++
		case unicode.Is(unicode.Georgian, r):
			count["ka"]++
		case unicode.Is(unicode.Armenian, r):
			count["hy"]++
		case unicode.Is(unicode.Hangul, r):
			count["ko"]++
		case r >= 0x3041 && r <= 0x30ff:
			count["ja"] += 4
		case unicode.Is(unicode.Han, r):
			count["zh"]++
		}
	}
	best, letters := "Latin", 4
	for _, name := range [...]string{"Cyrillic", "Arabic", "el", "he", "hi", "bn", "ta", "th", "ka", "hy", "ko", "ja", "zh"} {
		if count[name] > letters {
			best, letters = name, count[name]
		}
	}
	if best != "Latin" && letters*4 <= utf8.RuneCountInString(text)/2 {
		best = "Latin"
	}
	if languagesOf[best] == nil {
		return best
	}
	told := toldLanguages(text)
	of := tellers()
	language, most := languagesOf[best][0], 0
	for _, l := range languagesOf[best] {
		if n := told[of.places[l]]; n > most {
			language, most = l, n
		}
	}
	most = 1 // a word more that tells it from that language
	for _, k := range of.kin[language] {
		if n := told[of.places[k]] - told[of.places[k+unlike]]; n > most {
			language, most = k, n
		}
	}
	return language
}

// LanguageIn tells the language of a sentence that stands in a text: the sentence's own
// where its words tell that it is not that of the text, as where a page is translated in
// parts.
func LanguageIn(text, sentence string) string {
	around := Language(text + " " + sentence + " " + sentence + " " + sentence)
	own := Language(sentence)
	if own == around {
		return around
	}
	each := strings.Fields(strings.ToLower(sentence))
	slices.Sort(each)
	each = slices.Compact(each)
	told, of := toldLanguages(strings.Join(each, " ")), tellers()
	const long, few, sure, part = 6, 2, 4, 4 // words: of a sentence that has some of any language, and that tell
	n, others := told[of.places[own]], told[of.places[around]]
	switch {
	case slices.Contains(of.kin[own], around):
	case n >= sure && others <= n/part, n >= few && others == 0 && len(each) >= long:
		return own
	}
	return around
}

// toldLanguages counts the words of a text that tell a language, by its place.
func toldLanguages(text string) (told [64]int) {
	of := tellers()
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		first, _ := utf8.DecodeRuneInString(word)
		low := strings.ToLower(word)
		by := of.words[low]
		for _, r := range low {
			if r >= utf8.RuneSelf && !unicode.IsUpper(first) { // a name may be of anywhere
				by |= of.letters[r]
			}
		}
		for ; by != 0; by &= by - 1 {
			told[bits.TrailingZeros64(by)]++
		}
	}
	return told
}

// unlike stands behind a language for what it is not.
const unlike = "-"

// tellersOf are the languages, a bit each, that a word or a letter tells.
type tellersOf struct {
	places  map[string]int // of the bit of a language
	words   map[string]uint64
	letters map[rune]uint64
	kin     map[string][]string // those that are told from a language once it is told
}

var tellers = sync.OnceValue(func() tellersOf {
	of := tellersOf{map[string]int{}, map[string]uint64{}, map[rune]uint64{}, map[string][]string{}}
	add := func(name string, words iter.Seq[string], letters string) {
		place := len(of.places)
		of.places[name] = place
		for w := range words {
			of.words[w] |= 1 << place
		}
		for _, r := range letters {
			of.letters[r] |= 1 << place
		}
	}
	all := sharedGovernors()
	for _, language := range slices.Sorted(maps.Keys(all)) {
		g := all[language]
		if len(g.function) > 0 {
			add(language, maps.Keys(g.function), g.letters)
		}
		if g.within != "" {
			add(language+unlike, slices.Values(g.unlike), "")
			for other := range strings.SplitSeq(g.within, ",") {
				of.kin[other] = append(of.kin[other], language)
			}
		}
	}
	return of
})

// Governors gives the words of a text that may govern what stands beside it, in
// their order. Time is linear but for the length of words.
func Governors(text, language string) []Governor {
	g := sharedGovernors()[language]
	if g == nil {
		return nil
	}
	low := strings.ToLower(text)
	if len(low) != len(text) {
		low = text // a letter whose small form has another length: places must agree
	}
	if len(g.runs) > 0 {
		return g.inRuns(low)
	}
	var list []Governor
	parts := wordsOf(low)
	for i := 0; i < len(parts); i++ {
		role, n := g.at(low, parts[i:])
		if role != "" {
			list = append(list, Governor{role, parts[i].Start, parts[i+n-1].End})
			i += n - 1
		}
	}
	return list
}

// part is a word's place.
type part struct{ Start, End int }

func wordsOf(text string) []part {
	var list []part
	from := -1
	for i, r := range text {
		switch in := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r); {
		case in && from < 0:
			from = i
		case !in && from >= 0:
			list = append(list, part{from, i})
			from = -1
		}
	}
	if from >= 0 {
		list = append(list, part{from, len(text)})
	}
	return list
}

// arabicClitics are written together with the word behind them.
var arabicClitics = []string{"وال", "بال", "ال", "و", "ف", "ب"}

// at is the role of the word or phrase that begins with the first of some words,
// and how many it takes; the longest wins.
func (g *governors) at(low string, parts []part) (role Role, n int) {
	word := low[parts[0].Start:parts[0].End]
	try := func(list []phraseOf) {
		for _, p := range list {
			if len(p.rest)+1 > n && follow(low, parts[1:], p.rest) {
				role, n = p.role, len(p.rest)+1
			}
		}
	}
	try(g.first[word])
	if n > 0 {
		return role, n
	}
	for i := range word {
		if i >= 3 {
			try(g.stems[word[:i]])
		}
	}
	try(g.stems[word])
	for _, clitic := range arabicClitics {
		if rest, ok := strings.CutPrefix(word, clitic); ok && n == 0 && len(rest) > 4 {
			try(g.first[rest])
		}
	}
	if n > 0 {
		return role, n
	}
	for i := range word {
		if r, ok := g.endings[word[i:]]; ok && i > 2 {
			return r, 1
		}
	}
	return "", 0
}

// follow reports whether words stand one behind the other.
func follow(low string, parts []part, rest []string) bool {
	if len(rest) > len(parts) {
		return false
	}
	for i, w := range rest {
		is := low[parts[i].Start:parts[i].End]
		if stem, ok := strings.CutSuffix(w, "*"); ok && strings.HasPrefix(is, stem) {
			continue
		}
		if is != w {
			return false
		}
	}
	return true
}

// inRuns finds them where words are not parted by blanks.
func (g *governors) inRuns(low string) []Governor {
	var list []Governor
	for i := 0; i < len(low); {
		r, size := utf8.DecodeRuneInString(low[i:])
		if words.Unspaced(r) || isUnspacedScript(r) {
			if at := slices.IndexFunc(g.runs, func(p phraseOf) bool { return strings.HasPrefix(low[i:], p.text) }); at >= 0 {
				list = append(list, Governor{g.runs[at].role, i, i + len(g.runs[at].text)})
				size = len(g.runs[at].text)
			}
		}
		i += size
	}
	return list
}
