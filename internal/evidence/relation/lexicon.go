package relation

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

//go:embed opposites.txt
var oppositesText string

//go:embed effects.txt
var effectsText string

//go:embed synonyms.txt
var synonymsText string

// pole is one of two ends of an axis, as increase and decrease.
type pole struct {
	axis  string
	other bool // the end that its line names second
	verb  bool // both ends are what happens or is done
}

// wordLists are the words that this package knows something of.
type wordLists struct {
	poles   map[string]pole   // by word, in small letters, and by stem
	effects map[string]string // by stem: the first verb of its line
	events  map[string]bool   // by stem
	labels  map[string]bool   // by stem
	alike   map[string]string // by stem: the first word of its line of synonyms
}

var lexicon = sync.OnceValue(func() wordLists {
	k := wordLists{poles: map[string]pole{}, effects: map[string]string{}, events: map[string]bool{}, labels: map[string]bool{}, alike: map[string]string{}}
	for line := range strings.Lines(oppositesText) {
		plain, verb := strings.CutPrefix(strings.TrimSpace(line), "+ ")
		if one, two, ok := strings.Cut(plain, " | "); ok && line[0] != '#' {
			axis := "±" + strings.Fields(one)[0]
			k.addPole(one, pole{axis, false, verb})
			k.addPole(two, pole{axis, true, verb})
		}
	}
	for line := range strings.Lines(effectsText) {
		verbs := strings.Fields(line)
		for _, verb := range verbs {
			if line[0] != '#' && k.effects[words.Stem(verb)] == "" {
				k.effects[words.Stem(verb)] = verbs[0]
			}
		}
	}
	for line := range strings.Lines(synonymsText) {
		list := strings.Fields(line)
		for _, word := range list {
			if line[0] != '#' && k.alike[words.Stem(word)] == "" {
				k.alike[words.Stem(word)] = "=" + words.Stem(list[0])
			}
		}
	}
	for word := range strings.FieldsSeq("found establish release publish launch introduce invent discover sign adopt enact ratify complete open begin start end close acquire buy merge deprecate remove add announce born bear die create build award win patent issue approve ship debut premiere elect happen occur") {
		k.events[words.Stem(word)] = true
	}
	for word := range strings.FieldsSeq("table figure fig chapter section step phase stage part volume page line level type class tier version group question article appendix equation example item rule clause model series season episode act round layer node server http tls port ipv sha utf iso rfc mach apollo python java windows") {
		k.labels[words.Stem(word)] = true
	}
	return k
})

func (k wordLists) addPole(list string, p pole) {
	for word := range strings.FieldsSeq(list) {
		for _, form := range []string{word, words.Stem(word)} {
			if _, known := k.poles[form]; !known {
				k.poles[form] = p
			}
		}
	}
}

// poleOf is the pole of a word in small letters with its stem, the zero one for
// most.
func poleOf(small, stem string) pole {
	k := lexicon()
	if p, known := k.poles[small]; known {
		return p
	}
	return k.poles[stem]
}
