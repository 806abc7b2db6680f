package finding_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// many are findings as a review of a large tree has them: three seats, five
// reviewers, about 40 places a file, a third of them said by more than one.
func many(n int) []finding.Finding {
	dice := rand.New(rand.NewPCG(1, uint64(n)))
	list := make([]finding.Finding, 0, n)
	for len(list) < n {
		place := dice.IntN(n * 2 / 3)
		kind := finding.Kinds()[dice.IntN(5)]
		list = append(list, finding.Finding{
			ID:   fmt.Sprintf("L%d", len(list)),
			Kind: kind, Reviewer: finding.ReviewerOf(kind), Seat: fmt.Sprintf("seat-%d", dice.IntN(3)), Family: fmt.Sprintf("family-%d", dice.IntN(3)),
			Batch: 1 + place/2000, File: fmt.Sprintf("pkg/p%d/file%d.go", place/400, place/40),
			Severity: finding.Severities()[dice.IntN(5)], Confidence: finding.Confidences()[dice.IntN(3)],
			Line: 1 + place%40*8 + dice.IntN(2), EndLine: 3 + place%40*8, State: finding.Located,
			Category: fmt.Sprintf("category-%d", dice.IntN(12)), Code: fmt.Sprintf("value%d := compute(%d)\nuse(value%d)", place, place, place),
			Title:       fmt.Sprintf("Value %d of compute is not checked before use number %d", place%7, dice.IntN(30)),
			Description: fmt.Sprintf("The value that compute returns for %d may be out of range when the caller passes a list with %d elements, and then use reads beyond the end of it. Nothing between the two lines looks at it.", place, dice.IntN(9)),
		})
	}
	return list
}

func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		list := many(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				finding.Merge(list)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/finding")
		})
	}
}

// One place that a hundred thousand findings are about.
func BenchmarkMergeOfOnePlace(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		list := many(n)
		for i := range list {
			list[i].File, list[i].Line, list[i].EndLine = "a.go", 7, 9
			list[i].Category = fmt.Sprintf("category-%d", i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				finding.Merge(list)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/finding")
		})
	}
}

// Many findings of one large file, half of them moved, and of one whose lines
// are nearly all the same.
func BenchmarkLocate(b *testing.B) {
	for _, c := range []struct {
		name string
		line func(i int) string
	}{
		{"lines that differ", func(i int) string { return fmt.Sprintf("\tvalue%d := compute(%d)\n", i, i) }},
		{"lines that repeat", func(i int) string { return fmt.Sprintf("\tvalue := compute(%d)\n", i/50_000) }},
	} {
		for _, n := range []int{10_000, 100_000} {
			var text strings.Builder
			for i := range n {
				text.WriteString(c.line(i))
			}
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					l := finding.Index(text.String())
					for i := range n / 20 {
						l.Locate(finding.Finding{Line: i*20 + i%2*100, Code: c.line(i*20) + c.line(i*20+1)})
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/line")
			})
		}
	}
}
