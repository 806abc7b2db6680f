package main

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// usual is the folding that is commonly used: compatibility forms, small
// letters, plain quotation marks and dashes, single blanks.
func usual(s string) string {
	s = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "‑", "-", "–", "-", "—", "-", "\u00ad", "", "\u200b", "").Replace(s)
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(s))), " ")
}

// gate says whether a document holds a quotation.
type gate struct {
	name   string
	accept func(d *document, quoted string) bool
}

func gates() []gate {
	return []gate{
		{"ours", func(d *document, q string) bool { _, ok := d.index.Find(q); return ok }},
		{"exact", func(d *document, q string) bool { return strings.Contains(d.text, q) }},
		{"normalised", holds},
		{"similarity ≥ .90", func(d *document, q string) bool { return holds(d, q) || similar(d, usual(q)) >= 0.9 }},
		{"LCS .75/⅓", func(d *document, q string) bool { return holds(d, q) || common(d, usual(q)) }},
	}
}

func holds(d *document, q string) bool { return strings.Contains(d.plain, usual(q)) }

// run is a common subsequence: how many words, and the words it lies among.
type subsequence struct{ length, first, last int }

// longest gives the longest common subsequence of words, among the shortest
// stretch of the document when several are as long.
func longest(words, quoted []string) subsequence {
	type cell struct{ length, first int }
	row := make([]cell, len(quoted)+1)
	best := subsequence{}
	for j, w := range words {
		diagonal := cell{0, j}
		row[0] = cell{0, j + 1}
		for i, q := range quoted {
			old := row[i+1]
			if q == w {
				c := diagonal
				if c.length == 0 {
					c.first = j
				}
				c.length++
				if c.length > old.length || c.length == old.length && c.first > old.first {
					row[i+1] = c
				}
			}
			if l := row[i]; l.length > row[i+1].length || l.length == row[i+1].length && l.first > row[i+1].first {
				row[i+1] = l
			}
			diagonal = old
		}
		end := row[len(quoted)]
		if end.length > best.length || end.length == best.length && j-end.first < best.last-best.first {
			best = subsequence{end.length, end.first, j}
		}
	}
	return best
}

// pieces are words, or letters where words are not parted by blanks.
func pieces(d *document, s string) []string {
	if d.lang == "zh" || d.lang == "ja" {
		return strings.Split(s, "")
	}
	return strings.Fields(s)
}

func all(d *document) []string {
	if d.lang == "zh" || d.lang == "ja" {
		return strings.Split(d.plain, "")
	}
	return d.words
}

// common is the gate of LangExtract: three quarters of the quotation's words
// in order, among at most three times as many of the document.
func common(d *document, quoted string) bool {
	q := pieces(d, quoted)
	l := longest(all(d), q)
	return float64(l.length) >= 0.75*float64(len(q)) && 3*l.length >= l.last-l.first+1
}

// similar is one less the share of letters to change, at the place where most
// words agree.
func similar(d *document, quoted string) float64 {
	q := pieces(d, quoted)
	words := all(d)
	l := longest(words, q)
	if 2*l.length < len(q) {
		return 0
	}
	glue := " "
	if d.lang == "zh" || d.lang == "ja" {
		glue = ""
	}
	from, to := max(0, l.first-len(q)/2), min(len(words), l.last+1+len(q)/2)
	if to-from > 6*len(q) {
		return 0
	}
	want := []rune(quoted)
	row := make([]int, len(want)+1)
	for i := range row {
		row[i] = i
	}
	best := len(want)
	for _, w := range strings.Join(words[from:to], glue) {
		diagonal := row[0]
		for i, c := range want {
			cost := diagonal
			if c != w {
				cost = 1 + min(diagonal, row[i], row[i+1])
			}
			diagonal, row[i+1] = row[i+1], cost
		}
		best = min(best, row[len(want)])
	}
	return 1 - float64(best)/float64(len(want))
}
