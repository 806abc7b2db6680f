package main

import (
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/evidence/quote"
)

//go:embed swaps.txt
var swapsText string

var swapTable = sync.OnceValue(func() map[string][][2]string {
	table := map[string][][2]string{}
	word := func(s string) string {
		if s == "-" {
			return ""
		}
		return strings.ReplaceAll(s, "_", " ")
	}
	for line := range strings.Lines(swapsText) {
		if f := strings.Fields(line); len(f) == 4 && f[0] != "#" {
			table[f[0]+" "+f[1]] = append(table[f[0]+" "+f[1]], [2]string{word(f[2]), word(f[3])})
		}
	}
	return table
})

// swaps gives the pairs of words of a kind.
func swaps(lang, kind string) [][2]string {
	if lang == "go" {
		lang = "en"
	}
	return swapTable()[lang+" "+kind]
}

// row is what came of one alteration.
type row struct {
	Alteration string             `json:"alteration"`
	Group      string             `json:"group"`
	Keeps      bool               `json:"keeps"` // what the sentence says
	Bar        float64            `json:"bar,omitempty"`
	Trials     int                `json:"trials"`
	Accepted   map[string]float64 `json:"accepted"`  // share, by gate
	Languages  map[string]share   `json:"languages"` // ours
	Tiers      map[string]int     `json:"tiers"`     // ours
	wrong      int
}

type share struct {
	Trials   int `json:"trials"`
	Accepted int `json:"accepted"`
}

// bar is a group's share of wrong answers and what it may be.
type bar struct {
	Group  string  `json:"group"`
	Wrong  int     `json:"wrong"`
	Trials int     `json:"trials"`
	Share  float64 `json:"share"`
	Bar    float64 `json:"bar"`
	Met    bool    `json:"met"`
}

type report struct {
	Rows  []row  `json:"rows"`
	Bars  []bar  `json:"bars"`
	Speed *speed `json:"speed,omitempty"`
}

func (r report) met() bool {
	return !slices.ContainsFunc(r.Bars, func(b bar) bool { return !b.Met })
}

// languages are those of the sentences; go is the Go documentation, in
// English.
var languages = []string{"go", "en", "de", "fr", "es", "ru", "zh", "ja", "ar"}

func measure(docs []*document, trials int, seed uint64, show int) report {
	byLang := map[string][]*document{}
	peers := map[string][]string{}
	for _, d := range docs {
		byLang[d.lang] = append(byLang[d.lang], d)
		for _, s := range d.sentences {
			if d.lang == "ar" {
				peers[d.lang] = append(peers[d.lang], strings.Fields(strings.Trim(s, "."))...)
				continue
			}
			for _, at := range plainWords(s, 4) {
				peers[d.lang] = append(peers[d.lang], s[at[0]:at[1]])
			}
		}
	}
	peers["en"] = append(peers["en"], peers["go"]...)
	peers["go"] = peers["en"]
	var r report
	for i, a := range alterations() {
		rnd := rand.New(rand.NewPCG(seed, uint64(i)))
		w := row{Alteration: a.name, Group: a.group, Keeps: a.keeps, Bar: a.bar, Accepted: map[string]float64{}, Languages: map[string]share{}, Tiers: map[string]int{}}
		for n := 0; n < 20*trials && w.Trials < trials; n++ {
			lang := languages[n%len(languages)]
			d, sentence := pick(rnd, byLang[lang])
			got, ok := a.alter(subject{rnd, d, sentence, byLang[lang], peers[lang]})
			if ok && (a.keeps || !holds(got.doc, got.quoted) && !holds(got.doc, sentence)) || ok && !a.keeps && got.doc == d && !holds(d, got.quoted) {
				w.try(got, show)
			}
		}
		for name, n := range w.Accepted {
			w.Accepted[name] = n / float64(w.Trials)
		}
		r.Rows = append(r.Rows, w)
	}
	r.judge()
	return r
}

// try asks all gates.
func (w *row) try(got altered, show int) {
	w.Trials++
	for _, g := range gates() {
		ok := g.accept(got.doc, got.quoted)
		if ok {
			w.Accepted[g.name]++
		} else {
			w.Accepted[g.name] += 0
		}
		if g.name != "ours" {
			continue
		}
		s := w.Languages[got.doc.lang]
		s.Trials++
		if ok {
			s.Accepted++
			m, _ := got.doc.index.Find(got.quoted)
			w.Tiers[string(m.Tier)]++
		}
		w.Languages[got.doc.lang] = s
		if ok != w.Keeps {
			if w.wrong++; w.wrong <= show {
				fmt.Fprintf(os.Stderr, "%s, %s: %q\n  %+v\n", w.Alteration, got.doc.name, got.quoted, got.doc.index.FindOrExplain(got.quoted))
			}
		}
	}
}

// judge compares groups with their bars.
func (r *report) judge() {
	var kept bar
	for _, w := range r.Rows {
		if w.Bar >= 1 {
			continue
		}
		if w.Keeps {
			kept = bar{Group: "false rejects, all kinds", Wrong: kept.Wrong + w.wrong, Trials: kept.Trials + w.Trials, Bar: w.Bar}
		}
		group := "false accepts: " + w.Group
		if w.Keeps {
			group = "false rejects: " + w.Group
		}
		i := slices.IndexFunc(r.Bars, func(b bar) bool { return b.Group == group })
		if i < 0 {
			i = len(r.Bars)
			r.Bars = append(r.Bars, bar{Group: group, Bar: w.Bar})
		}
		r.Bars[i].Wrong += w.wrong
		r.Bars[i].Trials += w.Trials
	}
	r.Bars = append(r.Bars, kept)
	for i := range r.Bars {
		b := &r.Bars[i]
		b.Share = float64(b.Wrong) / float64(max(1, b.Trials))
		b.Met = b.Trials > 0 && b.Share <= b.Bar
	}
}

func (r report) markdown(out io.Writer) error {
	var b strings.Builder
	b.WriteString("## Quotations: share accepted, %\n\n| alteration | trials |")
	for _, g := range gates() {
		b.WriteString(" " + g.name + " |")
	}
	b.WriteString("\n|---|---:|" + strings.Repeat("---:|", len(gates())) + "\n")
	for i, w := range r.Rows {
		if w.Keeps && (i == 0 || !r.Rows[i-1].Keeps) {
			b.WriteString("| *what keeps its sense* |" + strings.Repeat(" |", 1+len(gates())) + "\n")
		}
		fmt.Fprintf(&b, "| %s | %d |", w.Alteration, w.Trials)
		for _, g := range gates() {
			fmt.Fprintf(&b, " %.4g |", percent(w.Accepted[g.name]))
		}
		b.WriteString("\n")
	}
	b.WriteString("\nOurs by language, accepted of trials:\n\n| alteration | " + strings.Join(languages, " | ") + " |\n|---|" + strings.Repeat("---:|", len(languages)) + "\n")
	for _, w := range r.Rows {
		fmt.Fprintf(&b, "| %s |", w.Alteration)
		for _, l := range languages {
			fmt.Fprintf(&b, " %d/%d |", w.Languages[l].Accepted, w.Languages[l].Trials)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n| bar | wrong | of | % | at most | |\n|---|---:|---:|---:|---:|---|\n")
	for _, x := range r.Bars {
		fmt.Fprintf(&b, "| %s | %d | %d | %.3f | %.1f | %s |\n", x.Group, x.Wrong, x.Trials, percent(x.Share), percent(x.Bar), map[bool]string{true: "met", false: "**missed**"}[x.Met])
	}
	if r.Speed != nil {
		fmt.Fprintf(&b, "\n| time | |\n|---|---:|\n| a quotation in a document of 100 pages (300 kB), median | %.3f ms |\n| the same, 99th percentile | %.3f ms |\n| index of 5 MB and 1,000 quotations | %.0f ms |\n| the same, half of them altered and refused, with reasons | %.0f ms |\n",
			r.Speed.Median, r.Speed.P99, r.Speed.Thousand, r.Speed.Refused)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func percent(x float64) float64 { return 100 * x }

// speed is in milliseconds.
type speed struct {
	Median   float64 `json:"median"`
	P99      float64 `json:"p99"`
	Thousand float64 `json:"thousand"`
	Refused  float64 `json:"refused"`
}

// times measures on the Go documentation.
func times(docs []*document) *speed {
	text, quotes := book(docs, 300<<10)
	index := quote.Index(text)
	index.Find(quotes[0])
	var each []float64
	for _, q := range quotes {
		start := time.Now()
		index.Find(q)
		each = append(each, milliseconds(start))
	}
	slices.Sort(each)
	text, quotes = book(docs, 5<<20)
	step := max(1, len(quotes)/1000)
	start := time.Now()
	index = quote.Index(text)
	for i := range 1000 {
		index.Find(quotes[i*step%len(quotes)])
	}
	s := &speed{Median: each[len(each)/2], P99: each[len(each)*99/100], Thousand: milliseconds(start)}
	start = time.Now()
	index = quote.Index(text)
	for i := range 1000 {
		q := quotes[i*step%len(quotes)]
		if i%2 == 0 {
			q = strings.Replace(q, " the ", " 17 ", 1)
		}
		index.FindOrExplain(q)
	}
	s.Refused = milliseconds(start)
	return s
}

func milliseconds(since time.Time) float64 {
	return float64(time.Since(since).Microseconds()) / 1000
}

// book joins documents to a text of a size, and gives sentences of it.
func book(docs []*document, size int) (string, []string) {
	var b strings.Builder
	var quotes []string
	for b.Len() < size {
		for _, d := range docs {
			if d.lang == "go" && b.Len() < size {
				b.WriteString(d.text)
				quotes = append(quotes, d.sentences...)
			}
		}
	}
	return b.String(), quotes
}
