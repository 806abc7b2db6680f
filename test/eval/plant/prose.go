// Package plant makes documents, claims about them and faults in both, from a
// seed: the same seed gives the same bytes on every machine.
//
// A sentence is drawn from a grammar of its language in which every word that
// decides what the sentence says is marked with its kind, so that a fault
// alters exactly what its name says and the plan knows what was altered. The
// package judges nothing and uses nothing of the program that is measured.
package plant

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

//go:embed prose/*.txt
var grammars embed.FS

// Languages lists the languages there are grammars for.
func Languages() []string { return []string{"en", "de", "fr", "es", "ru", "zh", "ja", "ar"} }

// Kind is what sort of word a piece of a sentence is.
type Kind string

// Kinds of words. A plain piece decides nothing; a thing is a content word.
const (
	Plain      Kind = ""
	Number     Kind = "number"
	Year       Kind = "year"
	Month      Kind = "month"
	Unit       Kind = "unit"
	Magnitude  Kind = "magnitude"
	Comparator Kind = "comparator"
	Negation   Kind = "neg"
	Quantifier Kind = "quant"
	Hedge      Kind = "hedge"
	Name       Kind = "name"
	Thing      Kind = "thing"
)

// Piece is a run of a sentence. Alt is what a fault puts in its place; "" in a
// plain one.
type Piece struct {
	Kind      Kind
	Text, Alt string
}

// Sentence is one sentence of a language.
type Sentence []Piece

// String is the sentence as it stands.
func (s Sentence) String() string { return s.with(-1) }

// Altered is the sentence with one word of a kind replaced, and whether it has
// such a word.
func (s Sentence) Altered(k Kind) (string, bool) {
	for i, p := range s {
		if p.Kind == k {
			return s.with(i), true
		}
	}
	return "", false
}

// with is the sentence with the piece at an index replaced.
func (s Sentence) with(at int) string {
	var b strings.Builder
	for i, p := range s {
		if i == at {
			b.WriteString(p.Alt)
			continue
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// grammar is a language's lists of words and forms of sentences.
type grammar struct {
	lists map[string][]string
	forms []string
	joint string // between two sentences
}

// read reads the grammar of a language.
func read(lang string) (grammar, error) {
	data, err := grammars.ReadFile("prose/" + lang + ".txt")
	if err != nil {
		return grammar{}, fmt.Errorf("read the grammar of %s: %w", lang, err)
	}
	g := grammar{lists: map[string][]string{}, joint: " "}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if form, ok := strings.CutPrefix(line, "- "); ok {
			g.forms = append(g.forms, form)
			continue
		}
		name, words, ok := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, "#") || !ok:
		case name == "join":
			g.joint = words
		default:
			g.lists[name] = strings.Split(strings.TrimSpace(words), "|")
		}
	}
	return g, nil
}

// draw makes a sentence of a form drawn at random.
func (g grammar) draw(dice *rand.Rand) Sentence {
	rest := g.forms[dice.IntN(len(g.forms))]
	var s Sentence
	for {
		before, behind, found := strings.Cut(rest, "{")
		if before != "" {
			s = append(s, Piece{Text: before})
		}
		if !found {
			return s
		}
		var word string
		word, rest, _ = strings.Cut(behind, "}")
		s = append(s, g.piece(dice, word))
	}
}

// piece is what a word in braces stands for.
func (g grammar) piece(dice *rand.Rand, word string) Piece {
	if kind, choice, ok := strings.Cut(word, ":"); ok {
		text, alt, _ := strings.Cut(choice, "|")
		return Piece{Kind: Kind(kind), Text: text, Alt: alt}
	}
	switch word {
	case "number":
		return number(dice)
	case "year":
		y := 1960 + dice.IntN(64)
		return Piece{Kind: Year, Text: strconv.Itoa(y), Alt: strconv.Itoa(y + 1 + dice.IntN(9))}
	case "small":
		d := 1 + dice.IntN(28)
		return Piece{Kind: Number, Text: strconv.Itoa(d), Alt: strconv.Itoa(d%28 + 1)}
	}
	list := g.lists[word]
	i := dice.IntN(len(list))
	other := (i + 1 + dice.IntN(len(list)-1)) % len(list)
	return Piece{Kind: Kind(word), Text: list[i], Alt: list[other]}
}

// number draws a number in one of four forms. Its alteration changes one
// digit, swaps two, or moves the point.
func number(dice *rand.Rand) Piece {
	var n string
	switch dice.IntN(4) {
	case 0:
		n = strconv.Itoa(12 + dice.IntN(87))
	case 1:
		n = strconv.Itoa(101 + dice.IntN(898))
	case 2:
		n = fmt.Sprintf("%d.%d", 1+dice.IntN(98), 1+dice.IntN(9))
	default:
		n = fmt.Sprintf("%d,%03d", 1+dice.IntN(98), dice.IntN(1000))
	}
	return Piece{Kind: Number, Text: n, Alt: turned(dice, n)}
}

func turned(dice *rand.Rand, n string) string {
	b := []byte(n)
	last := len(b) - 1
	switch {
	case dice.IntN(3) == 0 && b[0] != b[1] && b[1] >= '1' && b[1] <= '9':
		b[0], b[1] = b[1], b[0]
	case dice.IntN(2) == 0 && b[0] < '9':
		b[0]++
	default:
		b[last] = '0' + (b[last]-'0'+1+byte(dice.IntN(8)))%10
	}
	return string(b)
}

// Talk draws sentences of a language.
func Talk(lang string) (func(*rand.Rand) string, error) {
	g, err := read(lang)
	if err != nil {
		return nil, err
	}
	return func(dice *rand.Rand) string { return g.draw(dice).String() }, nil
}
