package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/report"
)

// judged is a run in which everything has happened: groups, votes, conflicts,
// a score and a debate.
func judged() report.Final {
	f := final("## Executive Summary\n\nCaches age [C1], it is said [C3], or not [C5, C6].\n")
	entries := f.Registry.Entries
	for i, t := range []claim.SourceType{claim.Official, claim.Code, claim.Community, claim.Community, claim.Standard, ""} {
		entries[i].Type, entries[i].Families = t, []string{"anthropic", "openai"}[:1+i%2]
	}
	entries[0].Confidence, entries[0].Critical = claim.High, true
	entries[0].Location.Snapshot, entries[0].Location.Start, entries[0].Location.End = "0123abcd", 40, 66
	entries[0].Support = &claim.Support{Verdict: "supports", Votes: []claim.Vote{{Seat: "codex", Family: "openai", Answer: "supports"}, {Seat: "gemini", Family: "google", Answer: "qualifies"}}}
	entries[1].Support = &claim.Support{Verdict: "qualifies", Votes: []claim.Vote{{Seat: "codex", Family: "openai", Answer: "qualifies"}}}
	f.Registry.Groups = []claim.Group{{ID: "C1", Members: []string{"C1", "C2"}, Seats: []string{"claude", "codex"}, Families: []string{"anthropic", "openai"}, Sources: 2, Agreed: true}}
	f.Registry.Conflicts = []claim.Conflict{
		{ID: "D1", A: "C3", B: "C4", Kind: claim.ByScope, Severity: claim.Minor, Status: "resolved_A", Resolution: "codex and gemini found a newer page"},
		{ID: "D2", A: "C1", B: "C5", Kind: claim.ByFact, Severity: claim.P0, Detail: "age | do not", Status: "open"},
	}
	f.Plan = scope.Plan{Mode: scope.Decision, ModeFrom: "wording", Agents: 3, Lowered: []string{"the budget is low: the topic is narrow"}, Questions: []scope.Question{{ID: "Q1", Text: f.Topic}, {ID: "Q2", Text: "What of | pipes?"}}}
	f.Warnings = []string{"--mode decison is none"}
	result := score.Measure(f.Registry, score.Input{Mode: scope.Decision, Questions: []string{"Q1", "Q2"}, Failed: 1})
	f.Score = &result
	f.Debate = &report.Debate{Thread: "20260102-030405-abcdef/debate", Rounds: 3, Equilibrium: "none", Insight: "it hangs on [C1] <what> age means", Transcript: "debate.md"}
	f.Sources = map[string]report.SourceLine{
		"file:docs/cache.md": {Title: "Caches"},
		source.Identify("doi:10.1000/Xyz(1)").Key: {
			Title: "No [such] age", Authors: []string{"A", "B", "C", "D"}, Published: "2020", State: "stale", Reason: "dead; an archived copy was taken",
			Fetched: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC), Retracted: true, Notice: "retracted in 2021",
		},
	}
	return f
}

func TestJudgedRun(t *testing.T) {
	f := judged()
	got := report.Render(f)
	r := check(t, got, f.Registry.Entries)
	require.Equal(t, complete(r.headings), r.headings)
	require.Contains(t, r.headings, "Debate Conclusion")
	golden(t, "judged", got)
}

// section is what stands under a title.
func section(t *testing.T, rendered []byte, title string) string {
	t.Helper()
	_, rest, found := strings.Cut(string(rendered), "\n## "+title+"\n")
	require.True(t, found, title)
	body, _, _ := strings.Cut(rest, "\n## ")
	return body
}

func TestTheTablesHaveTheirColumns(t *testing.T) {
	got := report.Render(judged())
	for title, head := range map[string]string{
		"Findings by Source": "| Source | Source Type | Claims | Located | Verified |",
		"Claim Registry":     "| # | Claim | Sources | Consensus | Status |",
		"Coverage Matrix":    "| Dimension | Score | Detail |",
	} {
		require.Contains(t, section(t, got, title), "\n"+head+"\n")
	}
	require.Equal(t, 2+4, strings.Count(section(t, got, "Coverage Matrix"), "\n|"), "four dimensions")
}

func TestWhatIsInDoubtIsSaidAtTheSentence(t *testing.T) {
	for _, c := range []struct{ cited, want string }{
		{"[C1]", ""},
		{"[C3]", " (quotation not checked)"},
		{"[C6]", " (quotation not found)"},
		{"[C1, C6]", " (C6: quotation not found)"},
		{"[C3, C5, C6]", " (C6: quotation not found; C3 and C5: quotation not checked)"},
		{"[C2]", "†"},
	} {
		f := judged()
		f.Draft = []byte("## Key Findings\n\nSo " + c.cited + ".\n")
		line, _, _ := strings.Cut(strings.TrimSpace(section(t, report.Render(f), "Key Findings")), "\n")
		require.Equal(t, "So"+c.want+".", "So"+line[strings.LastIndex(line, `")`)+2:], c.cited)
	}
	f := judged()
	f.Registry.Entries[0].Support.Verdict = "contradicts"
	require.Contains(t, string(report.Render(f)), `"C1") (contradicted by its passage)`)
}

// A registry of thousands gives a report that can be read: what matters is
// there, what is not shown is counted.
func TestALargeRegistryStaysReadable(t *testing.T) {
	f := final("## Key Findings\n\nSo it is [C1999].\n")
	f.Registry.Entries = nil
	for i := range 2000 {
		l := claim.Location{State: claim.NotFound}
		if i%10 == 0 {
			l = claim.Location{State: claim.Located, Tier: "exact", First: 1, Last: 1}
		}
		e := entry(fmt.Sprintf("C%d", i+1), strings.Repeat("word ", 500), strings.Repeat("quoted ", 500), fmt.Sprintf("https://x.test/%d", i), l, "claude")
		e.Critical = i == 1500
		f.Registry.Entries = append(f.Registry.Entries, e)
	}
	for i := range 500 {
		f.Registry.Conflicts = append(f.Registry.Conflicts, claim.Conflict{ID: fmt.Sprintf("D%d", i+1), A: fmt.Sprintf("C%d", i+1), B: "C1001", Severity: claim.Minor, Status: "open"})
	}
	f.Registry.Conflicts[499].Severity = claim.P0
	got := report.Render(f)
	check(t, got, f.Registry.Entries)
	require.Less(t, len(got), 500<<10)
	for title, rest := range map[string]string{"Findings by Source": "And 1900 sources more", "Claim Registry": "And 1900 claims more"} {
		body := section(t, got, title)
		require.Equal(t, 102, strings.Count(body, "\n|"), title)
		require.Contains(t, body, rest, title)
		require.Contains(t, body, "#c1999 ", "what the text cites stands in %s", title)
		require.Contains(t, body, "#c1501 ", "what is critical stands in %s", title)
	}
	require.Contains(t, section(t, got, "Divergence"), "What is not shown here, 497 disputes, stands under Further Disputes")
	require.Contains(t, section(t, got, "Further Disputes"), "And 493 conflicts more")
	require.Contains(t, section(t, got, "Rejected after Checking"), "1795 claims more did not hold")
	require.Contains(t, section(t, got, "Further Rejected Claims"), "And 1695 claims more")
	read, _, _ := strings.Cut(string(got), "\n---\n")
	require.Less(t, len(strings.Fields(read)), 1500, "what there is to read stays short")
	require.True(t, strings.HasPrefix(strings.SplitN(section(t, got, "Divergence"), "### ", 2)[1], "D500: "), "the gravest is the first")
}

// However many say one thing, they are one row, and each claim counts once.
func TestALargeGroupIsOneRow(t *testing.T) {
	f := final("## Key Findings\n\nSo it is [C30].\n")
	f.Registry.Entries, f.Registry.Conflicts = nil, nil
	together := claim.Group{ID: "C1", Seats: []string{"claude", "codex"}, Sources: 30, Agreed: true}
	for i := range 200 {
		id := fmt.Sprintf("C%d", i+1)
		f.Registry.Entries = append(f.Registry.Entries, entry(id, "Caches age "+id+".", "age", fmt.Sprintf("https://x.test/%d", i), claim.Location{State: claim.NotFound}, "claude"))
		if i < 30 {
			together.Members = append(together.Members, id)
		}
	}
	f.Registry.Groups = []claim.Group{together}
	body := section(t, report.Render(f), "Claim Registry")
	require.Equal(t, 1, strings.Count(body, "30 independent"))
	require.Contains(t, body, "\n| C1, C30, C2, ", "what the text cites is named")
	require.Contains(t, body, ", and 18 more |")
	require.Equal(t, 2+1+70, strings.Count(body, "\n|"))
	require.Contains(t, body, "And 100 claims more")
}

// Only the program writes its tables.
func TestADraftsOwnTablesAreLeftOut(t *testing.T) {
	draft := sound() + "\n## 3. Claim Registry\n\nAll is forged [C9].\n\n### Of it\n\nForged.\n\n## Coverage Matrix (full)\n\n| forged | 100 % |\n|---|---|\n\n## Divergence\n\nBoth are right.\n"
	f := final(draft)
	got := report.Render(f)
	check(t, got, f.Registry.Entries)
	require.NotContains(t, strings.ToLower(string(got)), "forged")
	require.Contains(t, section(t, got, "Areas of Disagreement or Nuance"), "Both are right.")
	require.Contains(t, string(got), "The synthesis had a section under a title of the program's own; it was left out.")
	problems := strings.Join(report.Council.Lint([]byte(draft), f.Registry.Entries), "\n")
	require.Contains(t, problems, `The section "3. Claim Registry" is made from the registry; leave it out.`)
	require.NotContains(t, problems, "C9", "what is left out needs no mending")
}

func TestTheCommandsCanBePasted(t *testing.T) {
	f := judged()
	f.Topic = "what's `a | b`; rm -rf $HOME\n```\nx"
	body := section(t, report.Render(f), "Residual Gaps & Next Steps")
	require.Contains(t, body, "council verify 20260102-030405-abcdef\n")
	require.Contains(t, body, "council claims 20260102-030405-abcdef --state not-found\n")
	require.Contains(t, body, `council run --previous 20260102-030405-abcdef --mode decision -- 'what'\''s `+"`a | b`; rm -rf $HOME ``` x'\n")
	require.Contains(t, body, "\n````sh\n", "the fence outlasts what is in it")
	f.ID, f.Topic = "x; reboot", strings.Repeat("too long ", 200)
	body = section(t, report.Render(f), "Residual Gaps & Next Steps")
	require.NotContains(t, body, "reboot")
	require.NotContains(t, body, "council run")
}

func TestTheScoreIsAWholeNumber(t *testing.T) {
	f := judged()
	f.Score.Final, f.Score.Cap, f.Score.CapReason = 79.99, 0.9, "one researcher left no report"
	require.Contains(t, section(t, report.Render(f), "Research Metadata"), "\n- Score: 79/100 (coverage; confidence cap: 0.9; one researcher left no report)")
}

// What governs a passage outside its ends is said where it is cited from.
func TestWhatGovernsAPassageIsAReservation(t *testing.T) {
	f := judged()
	f.Draft = []byte("## Key Findings\n\nSo [C1].\n")
	f.Registry.Entries[0].Location.Findings = []guard.Finding{{Kind: guard.Begins, Text: "There is no evidence that"}}
	got := report.Render(f)
	require.Contains(t, section(t, got, "Key Findings"), `"C1")†`)
	require.Contains(t, section(t, got, "Comprehensive Source List"), `† the sentence begins: "There is no evidence that".`)
}

func TestRelationsStandWhereTheyHelp(t *testing.T) {
	f := judged()
	f.Registry.Conflicts[1].Possible = true
	f.Registry.Relations = []relation.Relation{
		{A: "C2", B: "C4", Kind: relation.Condition, Condition: "before and since | version 2", Voices: []relation.Voice{{Family: "anthropic"}, {Family: "openai"}}},
		{A: "C3", B: "C6", Kind: relation.Wider},
		{A: "C3", B: "C5", Kind: relation.Narrower, Single: true},
	}
	got := report.Render(f)
	require.Contains(t, section(t, got, "Divergence"), "What is not shown here, 1 dispute and 1 pair of claims that both hold, each under its own condition, stands under Further Disputes")
	divergence := section(t, got, "Further Disputes")
	require.Contains(t, divergence, "No conflict, because each holds under its own condition:\n\n| Claim | Claim | Condition |\n")
	require.Contains(t, divergence, `| before and since \| version 2 |`)
	require.Contains(t, divergence, "| C2 (")
	rows := section(t, got, "Claim Registry")
	require.Equal(t, 1, strings.Count(rows, "narrower than"), "what one family says is not shown as agreed")
	require.Regexp(t, `(?m)^\| C6 \|.*narrower than C3 \|$`, rows)
	require.Contains(t, string(got), "**Disputed:** 2 disputes: 1 settled, 1 possible but not confirmed.\n")

	require.Contains(t, divergence, "Possible disputes alone: ")
	require.NotContains(t, divergence, "### D2", "what nobody has agreed on does not stand as a conflict")
	require.Regexp(t, `(?m)^\| D2 \|.*\| possible, fact, P0 .*\|$`, divergence)

	f.Registry.Conflicts[1].SameToAll = true
	got = report.Render(f)
	require.Contains(t, section(t, got, "Divergence"), "What is not shown here, 1 conflict found to be none and 1 pair of claims")
	require.Contains(t, string(got), "**Disputed:** 1 dispute: 1 settled.\n", "what all who compared it call the same is none, wherever it is told")
	require.Regexp(t, `(?s)Taken for disputes at first, and found to be none:.*\| D2 \|.*those who compared them call them the same`, section(t, got, "Further Disputes"))
	require.NotContains(t, section(t, got, "Claim Registry"), "disputed (D2)")

	f.Registry.Conflicts = nil
	require.Contains(t, section(t, report.Render(f), "Further Disputes"), "No conflict, because", "without a conflict too")
	require.Contains(t, section(t, report.Render(f), "Divergence"), "All that was disputed, 1 pair of claims that both hold, each under its own condition, stands under Further Disputes in the appendix, and with the words of the judges in [disputes.md](disputes.md).")
	require.NotContains(t, string(report.Render(f)), "**Disputed:**")
}

// A side of a dispute is held by all who say the same. What stands between the same
// groups as another dispute is none of its own, and what turned out to be none is not
// called possible.
func TestADisputeIsBetweenGroups(t *testing.T) {
	f := judged()
	f.Registry.Entries[1].Seats = []string{"gemini"}
	f.Registry.Conflicts = append(f.Registry.Conflicts,
		claim.Conflict{ID: "D3", A: "C2", B: "C5", Kind: claim.ByFact, Severity: claim.P0, Status: claim.Dismissed, Resolution: "By comparison: it is between the same groups as D2."},
		claim.Conflict{ID: "D4", A: "C3", B: "C6", Kind: claim.ByFact, Severity: claim.P0, Status: claim.Dismissed, Resolution: "By comparison: 2 families have read both: unrelated."})
	got := report.Render(f)
	require.Contains(t, section(t, got, "Divergence"), "- **A:** C1 (claude, codex and gemini): Caches age. ")
	require.NotContains(t, string(got), "D3")
	require.Contains(t, section(t, got, "Divergence"), "1 conflict found to be none")
	further := section(t, got, "Further Disputes")
	require.NotContains(t, further, "Possible disputes alone")
	require.Regexp(t, `(?s)Taken for disputes at first, and found to be none:.*\| D4 \|`, further)
}

// A dispute shows both claims, why judges say what they say, what would settle it and
// how it ended.
func TestADisputeSaysWhyAndHowItEnded(t *testing.T) {
	f := judged()
	f.Registry.Entries[4].Support = &claim.Support{Votes: []claim.Vote{{Family: "google", Answer: "contradicts", Reason: "the paper | is of 2019"}}}
	f.Registry.Conflicts[1].Settle = "a run for an hour"
	f.Registry.Conflicts[1].Status, f.Registry.Conflicts[1].Resolution = claim.ResolvedB, "By validation: grok is for C5 (High): https://e.org, “they do not”."
	f.Registry.Relations = []relation.Relation{{A: "C1", B: "C5", Kind: relation.Contradicts, Voices: []relation.Voice{
		{Family: "anthropic", Kind: relation.Contradicts, Words: "age / did not"}, {Family: "openai", Kind: relation.Contradicts}, {Family: "google", Kind: relation.Unrelated, Words: "caches / a paper"},
	}}}
	got := section(t, report.Render(f), "Divergence")
	for _, line := range []string{
		"### D2: fact, settled: B (C5) holds\n",
		"- **A, which does not:** C1 (claude and codex): Caches age. ", "“Entries expire after 30 s.”", "- **B, which holds:** C5 (claude): A paper says no. ", "“It did not.”",
		`- They differ in: age \| do not. How it ended: By validation: grok is for C5 (High): https\://e.org, “they do not”.` + "\n",
	} {
		require.Contains(t, got, line)
	}
	require.NotContains(t, got, "a run for an hour", "what is settled needs nothing more")
	f.Registry.Conflicts[1].Status, f.Registry.Conflicts[1].Resolution = claim.StillDivergent, ""
	require.Contains(t, section(t, report.Render(f), "Divergence"), "Would settle it: a run for an hour.\n")
}

// What a seat calls critical counts for a handful alone, and not where it does not hold;
// and where its own confidence is not what the evidence has earned, both are named.
func TestMarksOfSeatsAreBounded(t *testing.T) {
	f := final("")
	f.Registry.Entries = nil
	for i := range 8 {
		e := entry(fmt.Sprintf("C%d", i+1), fmt.Sprintf("Trams run on line %d.", i+1), "They run.", fmt.Sprintf("https://x.test/%d", i), claim.Location{State: claim.Located}, "claude")
		e.Critical = i > 0
		f.Registry.Entries = append(f.Registry.Entries, e)
	}
	f.Registry.Entries[1].Location.State = claim.NotFound
	f.Registry.Entries[7].Support = &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Family: "openai", Answer: claim.Supports}}}
	f.Registry.Entries[0].Said, f.Registry.Entries[0].Confidence = claim.Medium, claim.High
	f.Registry.Entries[2].Said, f.Registry.Entries[2].Confidence = claim.High, claim.High
	got := report.Render(f)
	var order []string
	for _, m := range regexp.MustCompile(`(?m)^- Trams run on line (\d)`).FindAllStringSubmatch(section(t, got, "Key Findings"), -1) {
		order = append(order, m[1])
	}
	require.Equal(t, []string{"3", "4", "5", "6", "8", "1", "7"}, order, "five are critical, one of which does not hold; then what is verified")
	rows := section(t, got, "Claim Registry")
	require.Regexp(t, `(?m)^\| C1 \|.*High \(the researcher's own: Medium\)`, rows)
	require.NotRegexp(t, `(?m)^\| C3 \|.*researcher's own`, rows)
}

// advising is a run in which seats recommend: on two questions, of which one has
// opposite answers.
func advising() report.Final {
	f := judged()
	advice := func(id, text, question, seat, family string, rests ...string) claim.Entry {
		return claim.Entry{
			ID: id, Kind: claim.Recommendation, Text: text, RestsOn: rests, Questions: []string{question}, Seats: []string{seat}, Families: []string{family},
			Rounds: []string{"research"}, Location: claim.Location{State: claim.Reasoned}, Confidence: claim.Medium,
		}
	}
	f.Registry.Entries = append(f.Registry.Entries,
		advice("C7", "Keep the trams.", "Q3", "claude", "anthropic", "C1"), advice("C8", "Sell the trams.", "Q3", "codex", "openai", "C2"),
		advice("C9", "Publish the fares as a table.", "Q2", "claude", "anthropic", "C1"), advice("C10", "Publish the fares in a table.", "Q2", "gemini", "google", "C2"),
	)
	f.Registry.Groups = append(f.Registry.Groups, claim.Group{ID: "C9", Members: []string{"C9", "C10"}})
	f.Registry.Conflicts = append(f.Registry.Conflicts, claim.Conflict{ID: "D3", A: "C7", B: "C8", Kind: claim.ByFact, Answers: true, Severity: claim.P0, Status: claim.StillDivergent, Resolution: "By debate, stable disagreement after 2 rounds"})
	f.Plan.Questions = append(f.Plan.Questions, scope.Question{ID: "Q3", Text: "Should the town keep its trams?"})
	return f
}

// Where seats recommend something the report begins with that: what, and who.
func TestAReportBeginsWithWhatIsRecommended(t *testing.T) {
	f := advising()
	f.Draft = []byte("## Recommendation\n\nKeep the trams [C7], as long as fares cover them.\n\n" + string(f.Draft))
	got := report.Render(f)
	r := check(t, got, f.Registry.Entries)
	require.Equal(t, []string{"Recommendation", "Executive Summary"}, r.headings[:2])
	body := section(t, got, "Recommendation")
	require.True(t, strings.HasPrefix(body, "\nKeep the trams ["), "the answer comes first:\n%s", body)
	require.Regexp(t, `(?m)^- \*\*Should the town keep its trams\?\*\* “Keep the trams”.* \(claude; \*\*against\*\* codex\); “Sell the trams”.* \(codex; \*\*against\*\* claude\); they cannot all be followed: see Divergence\.$`, body)
	require.Regexp(t, `(?m)^- \*\*What of .*\*\* “Publish the fares as a table”.* \(claude and gemini\); several models agree on it\.$`, body)
	require.Less(t, strings.Index(body, "**Should the town"), strings.Index(body, "**What of"), "what is opposed comes first")
	require.Regexp(t, `\[disputes\.md\]\(disputes\.md\)\.\n\n### D3: opposite recommendations, still open after it was judged`, section(t, got, "Divergence"))

	f.Draft = nil
	got = report.Render(f)
	require.Equal(t, "Recommendation", check(t, got, f.Registry.Entries).headings[0], "without a synthesis too")
	require.NotContains(t, section(t, got, "Key Findings"), "the trams")
	require.NotContains(t, string(report.Render(judged())), "## Recommendation", "and without any there is no heading")
}
