package relation_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// manyStatements makes statements of 12 to 20 words, of which some are frequent as in
// any language; every fourth repeats an earlier one in part.
func manyStatements(n int) []relation.Statement {
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.07, 8, 60000)
	list := make([]relation.Statement, n)
	var recent [][]string
	for i := range list {
		var said []string
		if len(recent) > 100 && r.IntN(4) == 0 {
			said = append(said, recent[len(recent)-1-r.IntN(100)]...)
			said[r.IntN(len(said))] = fmt.Sprintf("word%dx", zipf.Uint64())
		} else {
			for range 12 + r.IntN(8) {
				said = append(said, spell(zipf.Uint64()))
			}
			said = append(said, fmt.Sprint(r.IntN(1000)), "percent")
		}
		recent = append(recent, said)
		list[i] = relation.Statement{ID: fmt.Sprint("C", i+1), Text: strings.Join(said, " "), Source: fmt.Sprint("page", r.IntN(n)), First: 1 + r.IntN(500), Family: fmt.Sprint("f", i%3)}
	}
	return list
}

// spell makes a word of a number.
func spell(n uint64) string {
	word := []byte{'b' + byte(n%20), 'a', 'r' + byte(n/7%8)}
	for n > 0 {
		word = append(word, 'a'+byte(n%26))
		n /= 26
	}
	return string(word)
}

func BenchmarkRead(b *testing.B) {
	list := manyStatements(1000)
	for i := 0; b.Loop(); i++ {
		relation.Read(list[i%len(list)].Text)
	}
}

// The time for a statement stays about what it is, however many there are.
func BenchmarkCandidates(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list := manyStatements(n)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			pairs := 0
			var took time.Duration
			for b.Loop() {
				began := proctest.Spent()
				pairs = len(relation.Candidates(list, relation.MostPairs))
				took += proctest.Spent() - began
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(took.Microseconds())/float64(b.N)/float64(n), "µs/statement")
			b.ReportMetric(float64(pairs)/float64(n), "pairs/statement")
			b.ReportMetric(float64(after.Sys-before.HeapAlloc)/(1<<20), "MiB")
		})
	}
}
