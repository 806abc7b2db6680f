package claim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// eachClaim makes claims of 15 to 25 words, of which frequent ones are more
// frequent as in any language. A quarter repeat one of the last thousands, most
// of them with a word or a number altered.
func eachClaim(n, hosts, vocabulary int, do func(text, source string)) {
	r := rand.New(rand.NewPCG(7, uint64(vocabulary)))
	zipf := rand.NewZipf(r, 1.07, 8, uint64(vocabulary-1))
	word := func() string { return spell(zipf.Uint64()) }
	recent := make([]struct {
		words  []string
		source string
	}, 4096)
	for i := range n {
		c := &recent[r.IntN(len(recent))]
		switch {
		case len(c.words) == 0 || r.IntN(4) > 0:
			c.words = c.words[:0]
			for range 15 + r.IntN(10) {
				c.words = append(c.words, word())
			}
			c.words = append(c.words, fmt.Sprint(r.IntN(1000)), "percent")
			c.source = fmt.Sprintf("https://www.host%d.example/reports/page-%d?id=%d", r.IntN(hosts), i%5000, i)
		case r.IntN(3) > 0:
			c.words[r.IntN(len(c.words))] = word()
		case r.IntN(2) > 0:
			c.words[len(c.words)-2] = fmt.Sprint(r.IntN(1000))
		}
		do(strings.Join(c.words, " "), c.source)
	}
}

// spell makes a word of each number, of four to nine letters.
func spell(n uint64) string {
	h := mix(n+1, seedA)
	word := make([]byte, 4+h%6)
	for i := range word {
		word[i] = 'a' + byte(n%26)
		if n /= 26; n == 0 {
			n = h >> (8 * i)
		}
	}
	return string(word)
}

func claims(n, hosts, vocabulary int) []string {
	var texts []string
	eachClaim(n, hosts, vocabulary, func(text, _ string) { texts = append(texts, text) })
	return texts
}

// A million claims are merged on one core: read, compared, and then read again
// and written. What counts is how many times as long that takes as to read them
// and take their words, in one run, with the reader of this package; for scale
// also with that of the standard library.
func BenchmarkMerge(b *testing.B) {
	for _, c := range []struct {
		name              string
		hosts, vocabulary int
	}{
		{"many hosts", 20000, 60000},
		{"one host", 1, 60000},
		{"small vocabulary", 1, 2700},
	} {
		b.Run(c.name, func(b *testing.B) {
			file := claimsFile(b, c.hosts, c.vocabulary)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(300 << 20))
			var reading, standard, merging, writing time.Duration
			var memory uint64
			for b.Loop() {
				reading += cost(func() { take(b, file) })
				standard += cost(func() { takeByStandard(b, file) })
				var p ExternalMerger
				merging += cost(func() { merge(b, &p, file) })
				writing += cost(func() { require.NoError(b, p.Merge(file, io.Discard)) })
				memory = max(memory, held())
			}
			b.ReportMetric(merging.Seconds()/reading.Seconds(), "merged/read")
			b.ReportMetric((merging+writing).Seconds()/reading.Seconds(), "written/read")
			b.ReportMetric((merging+writing).Seconds()/standard.Seconds(), "written/read-with-encoding/json")
			b.ReportMetric(float64(memory)/(1<<20), "MiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// cost is the time that a processor spends on something, its own and the
// system's: others may be using the machine too.
func cost(do func()) time.Duration {
	runtime.GC()
	began := proctest.Spent()
	do()
	return proctest.Spent() - began
}

func claimsFile(b *testing.B, hosts, vocabulary int) *os.File {
	file, err := os.Create(filepath.Join(b.TempDir(), "claims.jsonl"))
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, file.Close()) })
	out := bufio.NewWriter(file)
	eachClaim(1e6, hosts, vocabulary, func(text, source string) {
		fmt.Fprintf(out, `{"text":%q,"source":%q,"seat":"s%d","confidence":"Medium","source_type":"community"}`+"\n", text, source, len(text)%5)
	})
	require.NoError(b, out.Flush())
	return file
}

// take reads claims and takes their words.
func take(b *testing.B, file *os.File) {
	var sets wordSets
	var cols rawFields
	require.NoError(b, eachLine(io.NewSectionReader(file, 0, 1<<40), func(_ int, _ int64, line []byte) error {
		if err := cols.read(line); err != nil {
			return err
		}
		text, _, err := cols.textAndSource()
		sets.add(text)
		return err
	}))
}

// takeByStandard does the same with the standard library's reader.
func takeByStandard(b *testing.B, file *os.File) {
	var sets wordSets
	require.NoError(b, eachLine(io.NewSectionReader(file, 0, 1<<40), func(_ int, _ int64, line []byte) error {
		var c struct {
			Text, Source, Seat, Confidence string
			Type                           string `json:"source_type"`
		}
		err := json.Unmarshal(line, &c)
		sets.add([]byte(c.Text))
		return err
	}))
}

// merge reads claims and compares them.
func merge(b *testing.B, p *ExternalMerger, file *os.File) {
	require.NoError(b, p.Read(io.NewSectionReader(file, 0, 1<<40), func(r Refusal) error { return fmt.Errorf("line %d: %s", r.Line, r.Reason) }))
	require.NoError(b, p.compare(file))
}

// held is how much memory the process has from the system.
func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}
