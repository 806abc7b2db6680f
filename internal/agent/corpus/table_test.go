package corpus

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/librarian"
)

// aTable is that of two passages in one file, whose records take five bytes and
// whose two lists three each.
func aTable() indexTable {
	return indexTable{
		scope: "/work of art",
		stats: librarian.Stats{Files: 1, Passages: map[librarian.Shard]int{librarian.Code: 1, librarian.Official: 1}, Skipped: map[string]int{"empty": 3, "links": 0}},
		paths: []string{"a \xff.go"},
		passages: []passageEntry{
			{shard: librarian.Code, size: 2, stems: 3},
			{shard: librarian.Official, at: 2, size: 3, stems: 1},
		},
		terms:   []term{{stem: "tea", passages: 2, at: 5, size: 3}, {stem: "茶", passages: 1, at: 8, size: 3}},
		records: 5, average: 2,
	}
}

func TestATableIsReadAsItWasWritten(t *testing.T) {
	want := aTable()
	path := filepath.Join(t.TempDir(), "index")
	require.NoError(t, os.WriteFile(path, want.append(make([]byte, 11), 11), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	got, err := readTable(file)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestEveryByteOfATableCounts(t *testing.T) {
	whole := aTable()
	data := whole.append(make([]byte, 11), 11)
	path := filepath.Join(t.TempDir(), "index")
	for at := 11; at < len(data); at++ {
		data[at] ^= 1
		require.NoError(t, os.WriteFile(path, data, 0o600))
		data[at] ^= 1
		file, err := os.Open(path)
		require.NoError(t, err)
		_, err = readTable(file)
		require.ErrorIs(t, err, errDamaged, "byte %d", at)
		require.NoError(t, file.Close())
	}
}

func TestAPassageIsReadAsItWasWritten(t *testing.T) {
	want := librarian.Passage{First: 3, Last: 70_000, Head: "func f() {}", Kinds: "c.x", Text: "// f\n\nfunc f() {}"}
	record := appendRecord(nil, want)
	got, err := decodeRecord(string(record))
	require.NoError(t, err)
	require.Equal(t, want, got)
	for end := range record {
		_, err := decodeRecord(string(record[:end]))
		require.ErrorIs(t, err, errDamaged)
	}
}

// FuzzTable decodes any bytes: what is taken for a table says of nothing that it
// lies outside of the file.
func FuzzTable(f *testing.F) {
	good := aTable()
	data := good.append(nil, 11)
	f.Add(string(data[:len(data)-endSize]), uint16(11))
	f.Add("", uint16(0))
	f.Add("\x00\x00\x00\x00\xff\xff\xff\xff\x07", uint16(0))
	f.Fuzz(func(t *testing.T, data string, end uint16) {
		got, err := decodeTable(data, int64(end))
		if err != nil {
			return
		}
		for _, p := range got.passages {
			require.Less(t, p.path, len(got.paths))
			require.LessOrEqual(t, p.at+int64(p.size), int64(end))
		}
		for _, s := range got.terms {
			require.LessOrEqual(t, s.at+int64(s.size), int64(end))
		}
	})
}
