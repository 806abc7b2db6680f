package corpus

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/librarian"
)

// An index is a file of four parts: the records of all passages; for each stem
// a list of the passages it stands in; the table, which says where they are;
// and the end, by which an index that is whole is known. Numbers are unsigned
// varints, texts their length and their bytes.
//
// A table is kept in memory, a record or a list is read when it is asked for.
type indexTable struct {
	scope    string
	stats    librarian.Stats
	paths    []string
	passages []passageEntry
	terms    []term  // sorted
	records  int64   // bytes of all records
	average  float64 // stems of a passage
}

// passageEntry says where a passage is.
type passageEntry struct {
	path  int // in paths
	shard librarian.Shard
	at    int64 // its record
	size  int
	stems int // how many it has
}

// term says where the list of a stem is.
type term struct {
	stem     string
	passages int // in how many it stands
	at       int64
	size     int
}

// find gives the term of a stem.
func (t *indexTable) find(stem string) (term, bool) {
	i, ok := slices.BinarySearchFunc(t.terms, stem, func(at term, stem string) int { return strings.Compare(at.stem, stem) })
	if !ok {
		return term{}, false
	}
	return t.terms[i], true
}

// The end of an index: where its table begins, the sum of the table and the
// form, which changes when an index of an older program cannot be used any more.
const (
	indexVersion = "council corpus 3"
	endSize      = 8 + 4 + len(indexVersion)
)

var errDamaged = errors.New("the index is damaged")

// append adds the table, which begins at a place of the file, and the end.
func (t *indexTable) append(to []byte, at int64) []byte {
	const place, other = 64, 16 // bytes of a path and of another entry, about
	to = slices.Grow(to, len(t.paths)*place+(len(t.passages)+len(t.terms))*other)
	begin := len(to)
	to = appendText(to, t.scope)
	to = appendNumber(to, t.stats.Files)
	to = appendNumber(to, len(t.stats.Skipped))
	for _, reason := range slices.Sorted(maps.Keys(t.stats.Skipped)) {
		to = appendNumber(appendText(to, reason), t.stats.Skipped[reason])
	}
	to = appendNumber(to, len(t.paths))
	for _, p := range t.paths {
		to = appendText(to, p)
	}
	to = appendNumber(to, len(t.passages))
	for _, p := range t.passages {
		to = appendText(appendNumber(to, p.path), string(p.shard))
		to = appendNumber(appendNumber(to, p.size), p.stems)
	}
	to = appendNumber(to, len(t.terms))
	for _, s := range t.terms {
		to = appendNumber(appendNumber(appendText(to, s.stem), s.passages), s.size)
	}
	sum := crc32.ChecksumIEEE(to[begin:])
	to = binary.BigEndian.AppendUint64(to, uint64(at))
	to = binary.BigEndian.AppendUint32(to, sum)
	return append(to, indexVersion...)
}

// readTable reads the table of an index that is whole and of this form.
func readTable(file *os.File) (indexTable, error) {
	info, err := file.Stat()
	if err != nil {
		return indexTable{}, err
	}
	size := info.Size() - int64(endSize)
	if size < 0 {
		return indexTable{}, errDamaged
	}
	end := make([]byte, endSize)
	if _, err := file.ReadAt(end, size); err != nil {
		return indexTable{}, err
	}
	at := int64(binary.BigEndian.Uint64(end))
	if string(end[12:]) != indexVersion || at < 0 || at > size {
		return indexTable{}, errDamaged
	}
	var data strings.Builder
	data.Grow(int(size - at))
	sum := crc32.NewIEEE()
	if _, err := io.Copy(io.MultiWriter(&data, sum), io.NewSectionReader(file, at, size-at)); err != nil {
		return indexTable{}, err
	}
	if sum.Sum32() != binary.BigEndian.Uint32(end[8:]) {
		return indexTable{}, errDamaged
	}
	return decodeTable(data.String(), at)
}

// decodeTable reads a table that begins at a place of the file.
func decodeTable(data string, end int64) (indexTable, error) {
	d := decoder{left: data}
	t := indexTable{scope: d.text(), stats: librarian.Stats{Passages: map[librarian.Shard]int{}, Skipped: map[string]int{}}}
	t.stats.Files = d.number()
	for range d.count() {
		reason := d.text()
		t.stats.Skipped[reason] = d.number()
	}
	t.paths = make([]string, d.count())
	for i := range t.paths {
		t.paths[i] = d.text()
	}
	t.passages = make([]passageEntry, d.count())
	stems := 0
	for i := range t.passages {
		p := passageEntry{path: d.number(), shard: librarian.Shard(d.text()), at: t.records, size: d.number(), stems: d.number()}
		if p.path >= len(t.paths) || int64(p.size) > end-t.records {
			return indexTable{}, errDamaged
		}
		t.passages[i] = p
		t.stats.Passages[p.shard]++
		t.records += int64(p.size)
		stems += p.stems
	}
	t.average = float64(stems) / float64(len(t.passages))
	at := t.records
	t.terms = make([]term, d.count())
	for i := range t.terms {
		s := term{stem: d.text(), passages: d.number(), at: at, size: d.number()}
		if int64(s.size) > end-at || s.passages > len(t.passages) {
			return indexTable{}, errDamaged
		}
		t.terms[i] = s
		at += int64(s.size)
	}
	if d.bad || d.left != "" || at != end {
		return indexTable{}, errDamaged
	}
	return t, nil
}

// appendRecord adds what a table does not say of a passage.
func appendRecord(to []byte, p librarian.Passage) []byte {
	to = appendNumber(appendNumber(to, p.First), p.Last)
	return appendText(appendText(appendText(to, p.Head), p.Kinds), p.Text)
}

func decodeRecord(data string) (librarian.Passage, error) {
	d := decoder{left: data}
	p := librarian.Passage{First: d.number(), Last: d.number(), Head: d.text(), Kinds: d.text(), Text: d.text()}
	if d.bad || d.left != "" {
		return librarian.Passage{}, errDamaged
	}
	return p, nil
}

func appendNumber(to []byte, n int) []byte { return binary.AppendUvarint(to, uint64(n)) }

func appendText(to []byte, s string) []byte { return append(appendNumber(to, len(s)), s...) }

// decoder reads numbers and texts from bytes; once they are not what was asked
// for, it is bad and gives nothing more.
type decoder struct {
	left string
	bad  bool
}

// number reads a number that fits 31 bits, as all in an index do.
func (d *decoder) number() int {
	n := uint64(0)
	for i := 0; i < len(d.left) && i < 5; i++ {
		b := d.left[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 && n < 1<<31 {
			d.left = d.left[i+1:]
			return int(n)
		}
	}
	d.left, d.bad = "", true
	return 0
}

// count reads how many things follow, of which each takes a byte or more.
func (d *decoder) count() int {
	n := d.number()
	if n > len(d.left) {
		d.left, d.bad = "", true
		return 0
	}
	return n
}

func (d *decoder) text() string {
	n := d.count()
	text := d.left[:n]
	d.left = d.left[n:]
	return text
}
