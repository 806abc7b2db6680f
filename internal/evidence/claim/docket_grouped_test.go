package claim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Disputes that share a side are argued as one, wherever the shared side stands.
func TestDisputesThatShareASideAreOne(t *testing.T) {
	point := func(id, a, b string) Point {
		return Point{ID: id, Severity: P1, Conflict: Conflict{ID: id, A: a, B: b}, A: []string{a, a + "'"}, B: []string{b}}
	}
	answer := func(p Point) Point {
		p.Conflict.Answers = true
		return p
	}
	alone := func(id string) Point { return Point{ID: id, A: []string{id}} }
	for name, c := range map[string]struct {
		points []Point
		want   [][]string // the conflicts of each point
		a, b   []string   // of the first
		turned []bool
	}{
		"nothing in common":             {[]Point{point("D1", "C1", "C2"), point("D2", "C3", "C4")}, [][]string{{"D1"}, {"D2"}}, []string{"C1", "C1'"}, []string{"C2"}, nil},
		"the same A":                    {[]Point{point("D1", "C1", "C2"), point("D2", "C1", "C3")}, [][]string{{"D1", "D2"}}, []string{"C1", "C1'"}, []string{"C2", "C3"}, []bool{false}},
		"the same B":                    {[]Point{point("D1", "C1", "C3"), point("D2", "C2", "C3")}, [][]string{{"D1", "D2"}}, []string{"C1", "C2", "C1'", "C2'"}, []string{"C3"}, []bool{false}},
		"A of one is B of the other":    {[]Point{point("D1", "C2", "C3"), point("D2", "C1", "C2")}, [][]string{{"D1", "D2"}}, []string{"C2", "C2'"}, []string{"C3", "C1", "C1'"}, []bool{true}},
		"B of one is A of the other":    {[]Point{point("D1", "C1", "C2"), point("D2", "C2", "C3")}, [][]string{{"D1", "D2"}}, []string{"C1", "C3", "C1'"}, []string{"C2"}, []bool{true}},
		"three against one":             {[]Point{point("D1", "C1", "C2"), point("D2", "C1", "C3"), point("D3", "C1", "C4")}, [][]string{{"D1", "D2", "D3"}}, []string{"C1", "C1'"}, []string{"C2", "C3", "C4"}, []bool{false, false}},
		"each against each":             {[]Point{point("D1", "C1", "C2"), point("D2", "C1", "C3"), point("D3", "C2", "C3")}, [][]string{{"D1", "D2"}, {"D3"}}, []string{"C1", "C1'"}, []string{"C2", "C3"}, []bool{false}},
		"an answer and a fact":          {[]Point{answer(point("D1", "C1", "C2")), point("D2", "C1", "C3")}, [][]string{{"D1"}, {"D2"}}, []string{"C1", "C1'"}, []string{"C2"}, nil},
		"a claim that is read two ways": {[]Point{point("D1", "C1", "C2"), alone("C1")}, [][]string{{"D1"}, {"C1"}}, []string{"C1", "C1'"}, []string{"C2"}, nil},
	} {
		got := Grouped(c.points)
		var ids [][]string
		for _, p := range got {
			ids = append(ids, p.Conflicts())
		}
		require.Equal(t, c.want, ids, name)
		require.Equal(t, c.a, got[0].A, name)
		require.Equal(t, c.b, got[0].B, name)
		var turned []bool
		for _, f := range got[0].With {
			turned = append(turned, f.Turned)
		}
		require.Equal(t, c.turned, turned, name)
	}
}
