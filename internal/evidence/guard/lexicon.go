package guard

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

//go:embed lexicon.txt
var lexiconText string

// sense is what a deciding word means.
type sense struct {
	kind     Kind // "" for a word that only looks like a deciding one
	norm     string
	language int  // the language it was first met in
	lower    bool // deciding only when written small
	phrases  []phrase
}

// phrase is what makes one deciding word together with the words before it.
type phrase struct {
	rest string // in lower case, with single blanks
	sense
}

// lexicon holds the deciding words of all languages as one: the same word in
// two texts has the same sense, whatever it means in either language.
type lexicon struct {
	words   map[string]*sense // in lower case
	capital map[string]*sense // in lower case, deciding with a capital first letter
	exact   map[string]*sense // as written
	stems   map[string]*sense
	symbols map[string]*sense   // behind numbers
	suffix  map[string]*sense   // joined to numbers
	longest map[rune]int        // bytes of the longest word that begins with a wide rune
	friends map[string][]string // languages in which a word of another one only looks like it
	seen    [1 << 15]bool       // by [lookupKey] of words in ASCII: most others are told apart without a look at the maps
}

// sharedLexicon gives the lexicon; it is read when first needed.
var sharedLexicon = sync.OnceValue(readLexicon)

func readLexicon() *lexicon {
	lex := &lexicon{
		words: make(map[string]*sense, 4096), capital: map[string]*sense{}, exact: map[string]*sense{},
		stems: map[string]*sense{}, symbols: map[string]*sense{}, suffix: map[string]*sense{}, longest: map[rune]int{}, friends: map[string][]string{},
	}
	tongue := 0
	for line := range strings.Lines(lexiconText) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "#") {
			tongue++ // a heading
		}
		if len(fields) < 3 || fields[0] == "#" {
			continue
		}
		if fields[0] == "friend" {
			for _, word := range fields[2:] {
				lex.friends[word] = append(lex.friends[word], fields[1])
			}
			continue
		}
		for _, word := range fields[2:] {
			lex.add(fields[0], sense{kind: Kind(fields[0]), norm: strings.ReplaceAll(fields[1], "_", " "), language: tongue}, word)
		}
	}
	return lex
}

// add enters a word; the first sense a word is given stays.
func (lex *lexicon) add(kind string, s sense, word string) {
	switch {
	case kind == "symbol":
		s.kind = Unit
		put(lex.symbols, word, s)
	case kind == "suffix":
		s.kind = Magnitude
		put(lex.suffix, word, s)
	case kind == "plain":
		s.kind = ""
		lex.put(word, s)
	default:
		lex.put(word, s)
	}
}

func (lex *lexicon) put(word string, s sense) {
	head, rest, many := strings.Cut(word, "_")
	switch {
	case many:
		if lex.words[head] == nil {
			lex.words[head] = &sense{}
		}
		h := lex.words[head]
		h.phrases = append(h.phrases, phrase{strings.ReplaceAll(rest, "_", " "), s})
	case word[0] == '^':
		put(lex.capital, word[1:], s)
	case word[0] == '=' && strings.ToLower(word) == word:
		s.lower = true
		put(lex.words, word[1:], s)
	case word[0] == '=':
		put(lex.exact, word[1:], s)
	case strings.HasSuffix(word, "*"):
		put(lex.stems, strings.TrimSuffix(word, "*"), s)
	default:
		put(lex.words, word, s)
	}
	lex.seen[lookupKey(strings.TrimLeft(head, "^="))] = true
	if r, _ := utf8.DecodeRuneInString(word); isUnspacedScript(r) {
		lex.longest[r] = max(lex.longest[r], len(word))
	}
}

func put(m map[string]*sense, word string, s sense) {
	old := m[word]
	if old == nil {
		m[word] = &s
	} else if old.kind == "" && old.norm == "" { // known as the head of a phrase alone
		s.phrases = old.phrases
		*old = s
	}
}

// lookupKey is made of the first two letters and the last of a word, whatever
// their case.
func lookupKey(word string) int {
	return int(word[0]&31)<<10 | int(word[min(1, len(word)-1)]&31)<<5 | int(word[len(word)-1]&31)
}

// stem gives the sense of a word that begins with a stem. Endings have at most
// five letters.
func (lex *lexicon) stem(word string) *sense {
	for cut := 0; cut <= 5 && len(word) > 4; cut++ {
		if s := lex.stems[word]; s != nil {
			return s
		}
		_, size := utf8.DecodeLastRuneInString(word)
		word = word[:len(word)-size]
	}
	return nil
}

// particles are written together with the word behind them in Arabic: the, for
// the, and, so, by, for.
var particles = []string{"ال", "لل", "و", "ف", "ب", "ل"}

// arabic gives the sense of a word behind its particles.
func (lex *lexicon) arabic(word string) *sense {
	for range 3 {
		rest := word
		for _, particle := range particles {
			if r, ok := strings.CutPrefix(word, particle); ok && utf8.RuneCountInString(r) > 1 {
				rest = r
				break
			}
		}
		if rest == word {
			return nil
		}
		word = rest
		if s := lex.words[word]; s != nil {
			return s
		}
	}
	return nil
}

// isUnspacedScript reports letters of scripts without blanks between words, and
// the marks between and behind those of Japanese.
func isUnspacedScript(r rune) bool { return words.Unspaced(r) || r >= 0x3041 && r <= 0x30ff }
