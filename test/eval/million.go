package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/test/eval/plant"
	"github.com/research-council/research-council/test/eval/stage"
)

// load is claims to be merged.
type load struct {
	name   string
	claims int
	text   func(*rand.Rand) string
	hosts  int
	most   float64 // the bar: times the time of reading and tokenising; 0 for none
	memory int64   // the bar, in bytes; 0 for none
}

// million measures `council merge` on one core, from reading the claims to the
// last line written, against reading and tokenising them.
func million(ctx context.Context, b bench) (Result, error) {
	dir := filepath.Join(b.tmp, "registry")
	s, err := stage.New(b.bin, dir)
	if err != nil {
		return Result{}, err
	}
	lexicon := newLexicon(60_000)
	fable, err := plant.Talk("en")
	if err != nil {
		return Result{}, err
	}
	loads := []load{
		{"words drawn from 60,000 by Zipf's law, 5,000 hosts", 1_000_000, lexicon.sentence, 5000, 2.5, 350 << 20},
		{"the same on one host", 200_000, lexicon.sentence, 1, 20, 0},
		{"twelve forms of sentences with some 120 words to fill in", 200_000, fable, 500, 20, 0},
	}
	r := Result{
		Inputs: fmt.Sprintf("Seed %d; JSON lines, of which a fifth repeat an earlier claim, a tenth lack a word of one and a twentieth differ from one in a number. `council merge` as a process of its own with GOMAXPROCS=1; reading and tokenising is one pass that finds text, source and seat in each line and turns the text into the numbers of its words. Times are of the processor, user and system, so that a busy machine tells less; each is the better of two.", b.seed),
		Tables: []Table{{Head: []string{"claims", "lines", "MB", "sets", "conflicts", "reading and cutting into words, s", "reading and tokenising, s", "merge, s", "ratio", "against cutting alone", "memory, MB"}}},
	}
	for _, l := range loads {
		if err := l.measure(ctx, s, b.seed, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (l load) measure(ctx context.Context, s *stage.Stage, seed uint64, r *Result) error {
	in, out := filepath.Join(s.Dir, "claims.jsonl"), filepath.Join(s.Dir, "merged.jsonl")
	defer os.Remove(in)
	defer os.Remove(out)
	if err := l.write(in, seed); err != nil {
		return err
	}
	size, err := os.Stat(in)
	if err != nil {
		return err
	}
	cut, plain, merged, err := race(ctx, s, in, out)
	if err != nil {
		return err
	}
	sets, conflicts, err := outcome(out)
	if err != nil {
		return err
	}
	ratio := merged.CPU.Seconds() / plain.Seconds()
	r.Tables[0].Rows = append(r.Tables[0].Rows, []string{
		l.name, fmt.Sprint(l.claims), fmt.Sprint(size.Size() / 1e6), fmt.Sprint(sets), fmt.Sprint(conflicts),
		fmt.Sprintf("%.1f", cut.Seconds()), fmt.Sprintf("%.1f", plain.Seconds()), fmt.Sprintf("%.1f", merged.CPU.Seconds()), fmt.Sprintf("%.1f", ratio), fmt.Sprintf("%.1f", merged.CPU.Seconds()/cut.Seconds()), fmt.Sprint(merged.RSS / 1e6),
	})
	r.Bars = append(r.Bars, Bar{
		fmt.Sprintf("time of merging %d claims, %s", l.claims, l.name), fmt.Sprintf("≤ %.1f × reading and tokenising", l.most),
		fmt.Sprintf("%.1f ×", ratio), ratio <= l.most,
	})
	if l.memory > 0 && merged.RSS > 0 {
		r.Bars = append(r.Bars, Bar{"memory while merging them", fmt.Sprintf("< %d MB", l.memory>>20), fmt.Sprintf("%d MiB", merged.RSS>>20), merged.RSS < l.memory})
	}
	return nil
}

// race reads, tokenises and merges the claims twice and takes the best
// time of each, but the most memory.
func race(ctx context.Context, s *stage.Stage, in, out string) (cut, plain time.Duration, merged stage.Result, err error) {
	memory := int64(0)
	for i := range 2 {
		a, err := skim(in, (*table).cut)
		if err != nil {
			return 0, 0, merged, err
		}
		b, err := skim(in, (*table).tokenise)
		if err != nil {
			return 0, 0, merged, err
		}
		r, err := s.Pipe(ctx, in, out, "merge")
		if err != nil {
			return 0, 0, merged, err
		}
		if r.Code != 0 {
			return 0, 0, merged, fmt.Errorf("council merge ended with %d: %s", r.Code, r.Errs)
		}
		memory = max(memory, r.RSS)
		if i == 0 {
			cut, plain, merged = a, b, r
		}
		cut, plain = min(cut, a), min(plain, b)
		if r.CPU < merged.CPU {
			merged = r
		}
	}
	merged.RSS = memory
	return cut, plain, merged, nil
}

// write writes the claims down.
func (l load) write(path string, seed uint64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	out := json.NewEncoder(w)
	dice := rand.New(rand.NewPCG(seed, 1))
	var recent [4096]string
	for i := range l.claims {
		text := l.text(dice)
		if i >= len(recent) {
			text = vary(dice, text, recent[dice.IntN(len(recent))])
		}
		recent[dice.IntN(len(recent))] = text
		if err := out.Encode(map[string]any{
			"text": text, "source": fmt.Sprintf("https://www.h%d.example/articles/%d?id=%d", dice.IntN(l.hosts), dice.IntN(400), dice.IntN(9)),
			"seat": []string{"claude", "codex", "gemini"}[i%3], "confidence": "High", "source_type": "official_doc", "questions": []string{"Q1"},
		}); err != nil {
			return err
		}
	}
	return w.Flush()
}

// vary gives the new text, or one like the old.
func vary(dice *rand.Rand, text, old string) string {
	words := strings.Fields(old)
	switch n := dice.IntN(20); {
	case old == "" || n >= 7:
		return text
	case n < 4:
		return old
	case n < 6:
		at := dice.IntN(len(words))
		return strings.Join(append(words[:at:at], words[at+1:]...), " ")
	}
	for i, w := range words {
		if unicode.IsDigit(rune(w[0])) {
			words[i] = fmt.Sprint(2 + dice.IntN(990))
		}
	}
	return strings.Join(words, " ")
}

// lexicon draws sentences of words as frequent as in a language.
type lexicon struct {
	words []string
	total float64
	sums  []float64
}

func newLexicon(n int) *lexicon {
	l := &lexicon{}
	syllables := strings.Fields("ba den gor mi tel ran su pol ver kin tas hel mor dra fen lo wic sta nu per lan gri tho ce bur")
	for i := range n {
		var b strings.Builder
		for k := i + 1; k > 0; k /= len(syllables) {
			b.WriteString(syllables[k%len(syllables)])
		}
		l.words = append(l.words, b.String())
		l.total += 1 / float64(i+3)
		l.sums = append(l.sums, l.total)
	}
	return l
}

func (l *lexicon) sentence(dice *rand.Rand) string {
	n := 12 + dice.IntN(14)
	words := make([]string, 0, n+1)
	for range n {
		words = append(words, l.words[l.find(dice.Float64()*l.total)])
	}
	at := dice.IntN(n)
	words[at] = fmt.Sprint(2 + dice.IntN(990))
	return strings.Join(words, " ") + "."
}

func (l *lexicon) find(x float64) int {
	low, high := 0, len(l.sums)-1
	for low < high {
		if mid := (low + high) / 2; l.sums[mid] < x {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// skim reads the claims and does something with each text.
func skim(path string, do func(*table, string)) (time.Duration, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	began := stage.CPU()
	in := bufio.NewReaderSize(f, 1<<20)
	t := table{numbers: map[string]uint32{}}
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		found := gjson.GetManyBytes(line, "text", "source", "seat")
		do(&t, found[0].String())
	}
	took := stage.CPU() - began
	if t.words == 0 {
		return 0, fmt.Errorf("%s holds no word", path)
	}
	return took, nil
}

// table numbers words in the order in which they are met.
type table struct {
	numbers  map[string]uint32
	numbered bool
	words    int // met up to now
	word     []byte
	bag      []uint32
}

// cut cuts a text into words in small letters.
func (t *table) cut(text string) {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			t.word = utf8.AppendRune(t.word, unicode.ToLower(r))
			continue
		}
		t.end()
	}
	t.end()
}

func (t *table) end() {
	if len(t.word) == 0 {
		return
	}
	t.words++
	if t.numbered {
		n, known := t.numbers[string(t.word)]
		if !known {
			n = uint32(len(t.numbers))
			t.numbers[string(t.word)] = n
		}
		t.bag = append(t.bag, n)
	}
	t.word = t.word[:0]
}

// tokenise turns a text into the numbers of its words, in order and each once:
// what any comparison of sets of words begins with.
func (t *table) tokenise(text string) {
	t.numbered, t.bag = true, t.bag[:0]
	t.cut(text)
	slices.Sort(t.bag)
	t.bag = slices.Compact(t.bag)
}

// outcome counts what a merge has written.
func outcome(path string) (sets, conflicts int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		switch {
		case len(line) == 0 && err == io.EOF:
			return sets, conflicts, nil
		case err != nil && err != io.EOF:
			return 0, 0, err
		case bytes.HasPrefix(line, []byte(`{"conflict"`)):
			conflicts++
		default:
			sets++
		}
	}
}
