// Package librarian is the seat that needs no model, no key and no network: it
// researches a folder of local files and quotes what they say by path and line.
//
// It extracts and does not write. [Split] cuts a file into passages with exact
// line numbers and sorts them into shards; [Research] takes the question apart
// into terms, picks the passages that answer it best and deepens by following
// the terms these passages have in common; [Refine] follows terms that other
// seats' reports brought up; [Arrange] orders the claims of a registry, and
// [Synthesise] writes a report of them. [Survey] tells what a plan of the research
// can be made of. It reviews nothing, since it can judge nothing. What it does in
// runs of one product alone is a [Role] that the product gives.
//
// What stands in a report is a sentence of a file or says how it was found, and
// the report says so. The same question over the same files gives the same
// report, byte for byte.
//
// All of it is pure: passages come from a [Library], files are read and written
// through a [TurnIO]. [Adapter] is the seat as the driver sees it, [Main] the
// process it starts. Topic, files and other seats' reports are data: any bytes
// may come, none is taken for an instruction.
package librarian

import (
	"context"
	"strings"
)

// Shard is a kind of source. Each of the librarian's three seats has one, so
// that they bring different things; no shard is all of them.
type Shard string

// The shards.
const (
	All       Shard = ""
	Official  Shard = "official"  // documentation, package and design comments, specifications
	Code      Shard = "code"      // declarations with their comments
	Community Shard = "community" // tests, examples, change logs, notes, scripts
)

// Shards are the shards, without the one that is all.
func Shards() []Shard { return []Shard{Official, Code, Community} }

// ShardOf is the shard of a seat: what stands behind "librarian-" in its name.
func ShardOf(seat string) Shard {
	for _, s := range Shards() {
		if strings.HasSuffix(seat, "-"+string(s)) {
			return s
		}
	}
	return All
}

// Passage is a run of lines that belong together: a paragraph, a section, a
// declaration with its comment.
type Passage struct {
	Path        string  // relative to the scope, with slashes
	Address     string  // of the page of the web it is from; "" for a file of a person's
	First, Last int     // lines, from 1, both included
	Text        string  // exactly these lines, joined by "\n", without carriage returns at their ends
	Kinds       string  // what each line is, one of the kinds below for each
	Head        string  // the heading above it or the declaration it belongs to; may be ""
	Shard       Shard   //
	Score       float64 // how well it fits a search, higher is better; only to compare within one answer
}

// Kinds of lines.
const (
	blankLine   = '.'
	proseLine   = 'p' // running text of a document
	headLine    = 'h' // a heading
	commentLine = 'c'
	codeLine    = 'x' // code, data, tables
)

// Query asks a library for passages.
type Query struct {
	Any   []string // stems of which a passage holds at least one; the more the better
	Must  []string // stems that it holds all of
	Shard Shard
	Limit int // passages wanted at most
}

// Stats says what a library holds.
type Stats struct {
	Files    int            // indexed
	Passages map[Shard]int  // by shard
	Skipped  map[string]int // files left out, by reason
}

// Total is the number of passages of a shard, or of all.
func (s Stats) Total(shard Shard) int {
	if shard != All {
		return s.Passages[shard]
	}
	n := 0
	for _, more := range s.Passages {
		n += more
	}
	return n
}

// Library is an index of passages. Stems are those of [Stems]; no word of a
// query has any other meaning than itself.
type Library interface {
	// Search gives the passages that fit best, the best first.
	Search(context.Context, Query) ([]Passage, error)
	// Frequencies says in how many passages of all shards each stem stands;
	// stems that stand in none are left out.
	Frequencies(ctx context.Context, stems []string) (map[string]int, error)
	// Lines are the lines of a file as they are now, as in Passage.Text.
	Lines(path string, first, last int) (string, error)
	Stats() Stats
}
