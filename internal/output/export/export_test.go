package export_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/output/report"
)

const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func located(passage string) claim.Location {
	return claim.Location{
		State: claim.Located, Tier: "exact", First: 3, Last: 4, Start: 20, End: 20 + len(passage),
		Passage: passage, Context: "Before it. " + passage + " Behind it.", Snapshot: hash, Text: hash,
	}
}

func entry(id, src string, l claim.Location) claim.Entry {
	return claim.Entry{
		ID: id, Text: "Claim " + id + " of caches.", Quote: "Quotation " + id, Source: src, Key: source.Identify(src).Key,
		Type: claim.Official, Confidence: claim.High, Seats: []string{"claude"}, Families: []string{"anthropic"}, Rounds: []string{"research"}, Location: l,
	}
}

// registry is one of every sort of source and state.
func registry() claim.Registry {
	lost := claim.Location{State: claim.NotFound, Reason: "the source does not hold these words", Nearest: "Quotation D2", Findings: []guard.Finding{{Kind: "number", Quote: "2", Text: "3"}}}
	r := claim.Registry{Entries: []claim.Entry{
		entry("C1", "https://www.example.com/a_(b)?id=2&x=%7Ey#top", located("Quotation C1")),
		entry("C2", "doi:10.1000/Xyz_(1)", located("Quotation C2")),
		entry("C3", "docs/cache_file.md:3-4", lost),
		entry("C4", "https://example.com/a_(b)?id=2&x=%7Ey", claim.Location{State: claim.Unchecked, Reason: "the page is blocked"}),
		entry("C5", "RFC 9309", located("Quotation C5")),
		entry("C6", "arXiv:2401.01234", located("Quotation C6")),
		entry("C7", "ISBN 978-3-16-148410-0", located("Quotation C7")),
		entry("C8", "a talk at a conference", claim.Location{State: claim.Unchecked}),
		entry("C9", "PMID 12345678", located("Quotation C9")),
	}}
	r.Entries[0].Support = &claim.Support{Verdict: "supports", Votes: []claim.Vote{{Seat: "codex", Family: "openai", Answer: "supports", Reason: "it says so"}}}
	r.Groups = []claim.Group{{ID: "C1", Members: []string{"C1", "C2"}, Seats: []string{"claude", "codex"}, Families: []string{"anthropic", "openai"}, Sources: 2, Agreed: true}}
	r.Conflicts = []claim.Conflict{{ID: "D1", A: "C1", B: "C5", Kind: claim.ByDate, Severity: claim.P1, Detail: "2024 against 2025", Status: "open"}}
	return r
}

func sources() map[string]export.Source {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return map[string]export.Source{
		source.Identify("https://www.example.com/a_(b)?id=2&x=%7Ey").Key: {
			Title: `50 % of {caches} & "more" #1 a_b c^d ~e <f> \ $g$ 不要`, Authors: []string{"Rock and Roll, Inc.", "Müller, Jürgen", "The Cache Group"},
			Published: "2024-05-06", State: "live", Final: "https://www.example.com/a_(b)?id=2", Fetched: at, Body: hash, Text: hash,
		},
		source.Identify("doi:10.1000/Xyz_(1)").Key: {Title: "On caches", Authors: []string{"Ada Lovelace", "José García Márquez"}, Published: "2021", State: "moved", Reason: "it is elsewhere", Fetched: at, Body: hash, Retracted: true, Notice: "retraction in 2022"},
		source.Identify("arXiv:2401.01234").Key:    {Title: "", Published: "next year", State: "unreachable", Reason: "time-out", Fetched: at},
	}
}

const draft = `## Executive Summary

Caches **age** [C1]; they *do* [C2, C4] -- "so". Some don't [C3].

## Key Findings

- 不要 cached [C5]
  - deeper
    - and [C6]
      - and deeper [C7]
        - still [C1]

1. > quoted [C9]

   | a_b | 100 % |
   | --- | --- |
   | [C1] | $x^2$ |

` + "```sh\necho \"$HOME\" --flag # {a} \\\\ <b>\n\tindented\n```\n"

func publication(draft string, reg claim.Registry) export.Publication {
	plan := scope.Plan{Mode: scope.Decision, ModeFrom: "wording", Agents: 2, Questions: []scope.Question{{ID: "Q1", Text: "How do caches age?"}}}
	result := score.Measure(reg, score.Input{Mode: scope.Decision, Questions: []string{"Q1"}})
	lines := map[string]report.SourceLine{}
	for key, s := range sources() {
		lines[key] = report.SourceLine{Title: s.Title, Authors: s.Authors, Published: s.Published, State: s.State, Reason: s.Reason, Fetched: s.Fetched, Retracted: s.Retracted, Notice: s.Notice}
	}
	f := report.Final{Topic: "How do caches <age> & what's 50 % of $5?", ID: "20260102-030405-abcdef", Status: "completed", Draft: []byte(draft), Registry: reg, Plan: plan, Score: &result, Sources: lines}
	return export.Publication{
		Report: report.Render(f), ID: f.ID, Topic: f.Topic, Written: time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC), Maker: "council 1.0",
		Registry: reg, Score: &result, Sources: sources(),
	}
}

func write(t require.TestingT, p export.Publication, f export.Form) string {
	out, err := export.Write(p, f)
	require.NoError(t, err, f)
	return string(out)
}

// Whoever holds the JSON can reckon the score again.
func TestTheScoreFollowsFromTheJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := publication("", anyRegistry().Draw(t, "registry"))
		var r export.Record
		require.NoError(t, json.Unmarshal([]byte(write(t, p, export.JSON)), &r))
		require.Equal(t, p.Score, r.Score)
		again := score.Measure(r.Registry, r.Score.Input)
		require.Equal(t, *r.Score, again)
	})
}

// A reference has the same key in every export of every run that cites it.
func TestKeysAreStable(t *testing.T) {
	for _, c := range []struct{ cited, key string }{
		{"https://www.example.com/a_(b)?id=2&x=%7Ey#top", "url-example-com-a-b-id-2-x-y-8541c291"},
		{"doi:10.1000/Xyz_(1)", "doi-10-1000-xyz-1-ec02c44c"},
		{"docs/cache_file.md:3-4", "file-docs-cache-file-md-e450b611"},
		{"不要", "file-286834c8"},
	} {
		out := write(t, publication("So [C1].", claim.Registry{Entries: []claim.Entry{entry("C1", c.cited, located("x"))}}), export.BibTeX)
		require.Contains(t, out, "@misc{"+c.key+",", c.cited)
	}
}

func TestFormsHaveNames(t *testing.T) {
	for _, f := range export.Forms() {
		got, err := export.ParseForm(" " + strings.ToUpper(string(f)))
		require.NoError(t, err)
		require.Equal(t, f, got)
	}
	_, err := export.ParseForm("docx")
	require.ErrorIs(t, err, export.ErrForm)
	_, err = export.Write(export.Publication{}, "docx")
	require.ErrorIs(t, err, export.ErrForm)
	require.Equal(t, ".csl.json", export.CSL.Extension())
}

// The same publication gives the same bytes; one without anything is written
// as well.
func TestWritingIsRepeatable(t *testing.T) {
	for _, f := range export.Forms() {
		require.Equal(t, write(t, publication(draft, registry()), f), write(t, publication(draft, registry()), f), f)
		write(t, export.Publication{}, f)
	}
}

func BenchmarkHTML(b *testing.B) {
	p := anyPublication(200)
	for b.Loop() {
		if _, err := export.Write(p, export.HTML); err != nil {
			b.Fatal(err)
		}
	}
}
