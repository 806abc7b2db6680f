package quote_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// page makes a text of about so many bytes out of sentences that are all
// different, and gives some of them.
func page(size, wanted int) (string, []string) {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 20000)
	for i := range vocabulary {
		w := make([]byte, 2+r.IntN(9))
		for k := range w {
			w[k] = "etaoinshrdlucmfwyp"[r.IntN(18)]
		}
		vocabulary[i] = string(w)
	}
	var b strings.Builder
	var all []string
	for b.Len() < size {
		var s []string
		for range 12 + r.IntN(15) {
			s = append(s, vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64()*r.Float64())])
		}
		sentence := fmt.Sprintf("The %s %d %s.", strings.Join(s[:5], " "), r.IntN(5000), strings.Join(s[5:], " "))
		all = append(all, sentence)
		b.WriteString(sentence + []string{" ", "\n"}[r.IntN(2)])
	}
	quotes := make([]string, wanted)
	for i := range quotes {
		quotes[i] = all[i*(len(all)/wanted)]
	}
	return b.String(), quotes
}

func BenchmarkThousandOnFiveMegabytes(b *testing.B) {
	text, quotes := page(5<<20, 1000)
	for name, alter := range map[string]func(i int, q string) string{
		"exact":   func(_ int, q string) string { return q },
		"spaces":  func(_ int, q string) string { return strings.ReplaceAll(q, " ", "\n ") },
		"altered": func(i int, q string) string { return strings.Replace(q, "The ", fmt.Sprintf("The %d ", i), 1) },
		"lines": func(i int, q string) string {
			return strings.Replace(strings.Replace(q, "The ", fmt.Sprintf("The %d ", i), 1), " ", "\n", 4)
		},
		"foreign": func(i int, q string) string { return strings.Map(func(r rune) rune { return r ^ 1 }, q) },
	} {
		asked := make([]string, len(quotes))
		for i, q := range quotes {
			asked[i] = alter(i, q)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				index := quote.Index(text)
				for _, q := range asked {
					index.FindOrExplain(q)
				}
			}
		})
	}
}

// A page may be made to take long: marks that open and never close, a number on each line.
func BenchmarkHostileMegabyte(b *testing.B) {
	const said = "The harbour of the town has forty ferries, which sail at six."
	for name, piece := range map[string]string{
		"struck": "<s>", "deleted": "<del>a ", "comments": "<!-- a ", "choices": "<choice><sic>a ", "styles": "<style>@media{",
		"raised": "<sup>2</sup>", "numbers": "\n1\n", "pages": "Page 3 of 4\n\f", "years": "Year 2031\n\n", "notes": "[^1] ", "pointers": "see (see below) ",
	} {
		text := strings.Repeat(piece, 1<<20/len(piece)) + "\n" + said + "\n" + strings.Repeat(piece, 1000)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				index := quote.Index(text)
				index.FindOrExplain(said)
				index.FindOrExplain("The harbor of the town has … sail at six.")
			}
		})
	}
}
