package export_test

import (
	"strings"
	"time"

	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/output/report"
)

// page is a source of the council below.
type page struct{ ref, title, date, text string }

func pages() []page {
	return []page{
		{"https://github.invalid/etcd-raft/README.md", "etcd-io/raft README", "2024-03-02", "Intro.\nAlmost all Raft implementations have a monolithic design. To keep the codebase small as well as provide flexibility, the library only implements the Raft algorithm; both network and disk IO are left to the user. Library users must implement their own transportation layer.\nOutro."},
		{"https://github.invalid/hashicorp-raft/README.md", "hashicorp/raft README", "2023-11-20", "raft is a Go library that manages a replicated log. A log store and a stable store must be provided; raft-boltdb is one. Transport is provided for TCP."},
		{"https://arxiv.invalid/abs/1402.0001", "In Search of an Understandable Consensus Algorithm", "2014-05-20", "Raft separates the key elements of consensus. 💡💡 A leader must not rely on clocks 🙂 unless drift is bounded. Reads may go through the log."},
		{"https://blog.invalid/raft", "Raft in production", "n.d.", "We saw 37 elections in one night. We did not lose data. 🙂🙂 Later: We did not lose data."},
		{"notes/meeting.md", "", "", "We run five nodes in two regions."},
	}
}

// passage is where a text holds a quotation, the last time it does.
func (p page) passage(quote string) claim.Passage {
	key := source.Identify(p.ref).Key
	at := strings.LastIndex(p.text, quote)
	if at < 0 {
		return claim.Passage{Reference: claim.Reference{Quote: quote, Source: p.ref}, Key: key, Location: claim.Location{State: claim.NotFound, Reason: "the source does not hold these words"}}
	}
	return claim.Passage{Reference: claim.Reference{Quote: quote, Source: p.ref}, Key: key, Location: claim.Location{
		State: claim.Located, Tier: "exact", First: 1, Last: 1, Start: at, End: at + len(quote), Passage: quote, Context: p.text, Snapshot: hash, Text: p.ref,
	}}
}

// said is a claim of a seat that rests on passages.
func said(id, text, seat, family string, passages ...claim.Passage) claim.Entry {
	first := passages[0]
	e := claim.Entry{
		ID: id, Text: text, Quote: first.Quote, Source: first.Source, Key: first.Key, Type: claim.Code, Confidence: claim.Medium,
		Seats: []string{seat}, Families: []string{family}, Rounds: []string{"research"}, Location: first.Location,
	}
	if len(passages) > 1 {
		e.Passages = passages
	}
	return e
}

func voted(e claim.Entry, verdict string, votes ...claim.Vote) claim.Entry {
	e.Support = &claim.Support{Verdict: verdict, Votes: votes}
	return e
}

// council is a research of three families, with claims of every standing: the input of
// somebody who has not seen the code.
func council() export.Publication {
	p := pages()
	yes, no := func(f string) claim.Vote { return claim.Vote{Seat: f, Family: f, Answer: "supports"} }, func(f string) claim.Vote { return claim.Vote{Seat: f, Family: f, Answer: "contradicts"} }
	code := said("C8", "The notes name five nodes.", "ada", "claude", p[4].passage("We run five nodes in two regions."))
	code.Location.Within = []string{"func (n *node) regions() int {"}
	reg := claim.Registry{Entries: []claim.Entry{
		voted(said("C1", "etcd-io/raft leaves network and disk to the user.", "ada", "claude", p[0].passage("the library only implements the Raft algorithm; both network and disk IO are left to the user.")), "supports", yes("codex"), yes("gemini")),
		voted(said("C2", "hashicorp/raft brings a TCP transport.", "bo", "codex", p[1].passage("Transport is provided for TCP.")), "supports", yes("claude"), yes("gemini")),
		said("C3", "Leader leases need bounded clock drift.", "cy", "gemini", p[2].passage("A leader must not rely on clocks 🙂 unless drift is bounded.")),
		voted(said("C4", "No data was lost in a night of 37 elections.", "bo", "codex", p[3].passage("We saw 37 elections in one night."), p[3].passage("We did not lose data.")), "undecided", yes("claude"), no("gemini")),
		said("C5", "In one night 73 elections led to loss of data.", "cy", "gemini", p[3].passage("We saw 73 elections in one night.")),
		said("C6", "Both libraries leave storage to others.", "ada", "claude", p[0].passage("disk IO are left to the user"), p[1].passage("A log store and a stable store must be provided")),
		voted(said("C7", "etcd-io/raft is monolithic.", "cy", "gemini", p[0].passage("Almost all Raft implementations have a monolithic design.")), "contradicts", no("claude"), no("codex")),
		code,
	}}
	reg.Entries[0].Seats, reg.Entries[0].Families = []string{"ada", "bo"}, []string{"claude", "codex"}
	reg.Conflicts = []claim.Conflict{{ID: "D1", A: "C4", B: "C5", Kind: claim.ByFact, Severity: claim.P0, Detail: "37 against 73", Status: "open"}}
	const draft = "## Executive Summary\n\nChoose hashicorp/raft unless you need your own transport. It brings TCP [C2]; etcd-io/raft does not [C1]. One point stays disputed [C4].\n\n" +
		"## Key Findings\n\n### Transport\n\nOne leaves it to you [C1], one brings it [C2]; storage is left by both [C6].\n\n### Clocks\n\nLeases need bounded drift [C3]; 73 elections were told as well [C5].\n\n" +
		"| library | transport |\n|---|---|\n| etcd | own [C1] |\n| hashicorp | TCP [C2] |\n\n```go\n// [C3] inside code is text, no citation\nif x < 3 && y > 2 { }\n```\n\nFive nodes run [C8].\n"
	known, lines := map[string]export.Source{}, map[string]report.SourceLine{}
	at := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	for _, s := range p {
		key := source.Identify(s.ref).Key
		known[key] = export.Source{Title: s.title, Published: s.date, State: "live", Fetched: at, Body: hash}
		lines[key] = report.SourceLine{Title: s.title, Published: s.date, State: "live", Fetched: at}
	}
	result := score.Measure(reg, score.Input{Mode: scope.Decision, Questions: []string{"Q1"}})
	f := report.Final{Topic: "Which Raft library for a five-node store?", ID: "20261122-080000-abcdef", Status: "completed", Draft: []byte(draft), Registry: reg, Score: &result, Sources: lines}
	f.Spent = budget.Spent{USD: 3.47, Reported: true, Estimated: true, Tokens: 1_590_000, Unpriced: 280_000, Turns: 15}
	out := export.Publication{
		Report: report.Render(f), ID: f.ID, Topic: f.Topic, Written: at.Add(141 * time.Minute), Maker: "council 1.0", Registry: reg, Score: &result, Sources: known,
		Texts: func(hash string) string {
			for _, s := range p {
				if s.ref == hash {
					return s.text
				}
			}
			return ""
		},
	}
	began := at
	for _, s := range []struct {
		name string
		took time.Duration
	}{{"plan", 3 * time.Minute}, {"research", 88 * time.Minute}, {"registry", 130 * time.Second}, {"support", 17 * time.Minute}, {"debate", 15 * time.Minute}, {"synthesis", 16 * time.Minute}} {
		out.Course = append(out.Course, export.Stage{Name: s.name, Began: began, Ended: began.Add(s.took), Seats: []string{"ada", "bo", "cy"}})
		began = began.Add(s.took)
	}
	out.Uses = []status.Use{
		{Seat: "ada", Role: "research", Iterations: 5, Cost: flow.Cost{USD: 2.1, Reported: true, Tokens: 410_000}},
		{Seat: "bo", Role: "research", Iterations: 5, Cost: flow.Cost{Tokens: 280_000, Unpriced: 280_000}},
		{Seat: "cy", Role: "research", Iterations: 5, Cost: flow.Cost{USD: 1.37, Estimated: true, Tokens: 900_000}},
	}
	return out
}
