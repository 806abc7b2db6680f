package relation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/relation"
)

func TestSort(t *testing.T) {
	texts := []string{
		"The application must retry a lost read request by itself.",       // 0
		"The application must retry a lost read request by itself again.", // 1: the same passage
		"The application itself must retry each lost read request.",       // 2: the same passage
		"Lost reads are retried 3 times by the application.",              // 3
		"Lost reads are retried 5 times by the application.",              // 4: another number
		"The log is compacted when a snapshot is taken.",                  // 5
		"The log is never compacted when a snapshot is taken.",            // 6: denied
		"New teams should choose the first library.",                      // 7
		"The second library is recommended.",                              // 8: of another family
		"For large stores the third library is recommended.",              // 9: of the same family
	}
	var list []relation.Statement
	for i, text := range texts {
		s := relation.Statement{Text: text, Source: "a.md", Family: []string{"alpha", "beta"}[i%2]}
		if i < 3 {
			s.First, s.Last = 10, 12
		}
		list = append(list, s)
	}
	given := []relation.Pair{{A: 0, B: 1}, {A: 0, B: 2}, {A: 1, B: 2}, {A: 0, B: 5}, {A: 1, B: 5}, {A: 3, B: 4}, {A: 5, B: 6}, {A: 7, B: 8}, {A: 7, B: 9}}
	clashing, others := relation.Sort(list, given)
	require.Equal(t, []relation.Pair{{A: 3, B: 4}, {A: 5, B: 6}, {A: 7, B: 8}}, clashing)
	require.Equal(t, []relation.Pair{{A: 0, B: 1}, {A: 0, B: 2}, {A: 0, B: 5}, {A: 7, B: 9}}, others, "a star of what is nearly the same, and of its pairs with others one")
	clashing, others = relation.Sort(nil, nil)
	require.Empty(t, append(clashing, others...))
}

// What two things do in their releases is no dispute, however alike the words; what one
// does in two releases may be one, and is none of others where the words name none.
func TestSortReleasesOfOthers(t *testing.T) {
	list := []relation.Statement{
		{Text: "In redkettle v4 the parser refuses an empty list of methods.", Family: "alpha"},
		{Text: "In bluekettle v5 the parser refuses an empty list of methods.", Family: "beta"},
		{Text: "In redkettle v5 the parser refuses an empty list of methods.", Family: "beta"},
		{Text: "Since version 4 lost reads are retried 3 times.", Family: "alpha"},
		{Text: "Since release 4 lost reads are retried 5 times.", Family: "beta"},
	}
	clashing, others := relation.Sort(list, []relation.Pair{{A: 0, B: 1}, {A: 0, B: 2}, {A: 3, B: 4}})
	require.Equal(t, []relation.Pair{{A: 0, B: 2}, {A: 3, B: 4}}, clashing)
	require.Equal(t, []relation.Pair{{A: 0, B: 1}}, others)
}

// Two experiments may differ whoever has read both; two readings of one by a seat do not.
func TestSortMeasurements(t *testing.T) {
	list := []relation.Statement{
		{Text: "A write of 4 KiB with fdatasync took 3.9 ms at the median.", Source: "experiment:E6", Family: "alpha", Measured: true},
		{Text: "A 4 KiB write followed by fdatasync took 0.36 ms on average.", Source: "experiment:E3", Family: "alpha", Measured: true},
		{Text: "A 4 KiB write followed by fdatasync took 98.9 ms at the longest.", Source: "experiment:E6", Family: "alpha", Measured: true},
	}
	clashing, _ := relation.Sort(list, []relation.Pair{{A: 0, B: 1}, {A: 0, B: 2}})
	require.Equal(t, []relation.Pair{{A: 0, B: 1}}, clashing)
}
