package corpus

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestListsAreTheSameHoweverOftenTheyArePacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once, often := lists{open: map[string]*postingList{}}, lists{open: map[string]*postingList{}}
		want := map[string][]int{} // the passages of each stem
		for passage := range rapid.IntRange(0, 20).Draw(t, "passages") {
			for _, stem := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"", "a", "ab", "b", "茶", "zebra"}), rapid.ID).Draw(t, "stems") {
				n := stemCount{head: passage % 3, body: 200 + passage}
				once.add(stem, passage, n)
				often.add(stem, passage, n)
				want[stem] = append(want[stem], passage)
			}
			if rapid.Bool().Draw(t, "pack") {
				often.pack(0)
			}
		}
		require.Equal(t, read(t, &once), read(t, &often))
		require.Len(t, read(t, &often), len(want))
		for _, l := range read(t, &often) {
			require.Equal(t, want[l.stem], l.passages)
		}
	})
}

// stemPassages is a stem and where it stands.
type stemPassages struct {
	stem     string
	passages []int
	data     string
}

func read(t require.TestingT, l *lists) (all []stemPassages) {
	require.NoError(t, l.merged(func(stem string, list postingList) error {
		s := stemPassages{stem: stem, data: string(list.data)}
		at := 0
		for data := list.data; len(data) > 0; {
			var numbers [3]int
			for i := range numbers {
				n, size := binary.Uvarint(data)
				numbers[i], data = int(n), data[size:]
			}
			at += numbers[0]
			s.passages = append(s.passages, at)
		}
		require.Len(t, s.passages, list.passages)
		all = append(all, s)
		return nil
	}))
	return all
}

func TestMuchIsPackedByItself(t *testing.T) {
	l := lists{open: map[string]*postingList{}}
	l.add("a", 1, stemCount{1, 1})
	l.pack(maxOpen)
	require.Empty(t, l.packed)
	l.size = maxOpen
	l.pack(maxOpen)
	require.Len(t, l.packed, 1)
	require.Empty(t, l.open)
	require.Zero(t, l.size)
}
