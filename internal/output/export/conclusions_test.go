package export_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/output/export"
)

// boilers is a research whose answer is drawn from claims: some hold, one was not found,
// one was withdrawn, and two rest on one another.
func boilers() claim.Registry {
	fact := func(id, text, src, quote string) claim.Entry {
		e := entry(id, src, located(quote))
		e.Text, e.Quote = text, quote
		return e
	}
	drawn := func(id string, kind claim.Kind, text, seat string, on ...string) claim.Entry {
		return claim.Entry{ID: id, Kind: kind, Text: text, RestsOn: on, Seats: []string{seat}, Families: []string{seat}, Rounds: []string{"research"}}
	}
	lost := fact("C3", "The new boiler is silent.", "https://tests.example/boilers", "You do not hear it.")
	lost.Location = claim.Location{State: claim.NotFound, Reason: "the source does not hold these words"}
	gone := fact("C10", "The new boiler is cheap.", "https://shop.example/prices", "It costs 900 euros.")
	gone.Location = claim.Location{State: claim.Withdrawn, Reason: "the price was that of another"}
	saves := drawn("C4", claim.Inference, "The new boiler saves 12 kWh a day.", "ada", "C1", "C2")
	saves.Support = &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Seat: "bo", Family: "bo", Answer: claim.Supports, Reason: "30 less 18"}}}
	return claim.Registry{Entries: claim.Ground([]claim.Entry{
		fact("C1", "The new boiler uses 18 kWh a day.", "https://maker.example/new", "In a day it uses 18 kWh."),
		fact("C2", "The old boiler uses 30 kWh a day.", "https://tests.example/boilers", "We measured 30 kWh a day."),
		lost, saves,
		drawn("C5", claim.Recommendation, "Buy the new boiler.", "bo", "C4", "C3"),
		drawn("C6", claim.Inference, "The old boiler fails soon.", "cy", "C7"),
		drawn("C7", claim.Inference, "The old boiler is worn.", "cy", "C6"),
		drawn("C8", claim.Inference, "Nobody will notice the new boiler.", "cy", "C3"),
		drawn("C9", claim.Inference, "It pays for itself in a year.", "ada", "C1", "C10"),
		gone,
	})}
}

func articles(t *testing.T, page string) map[string]*html.Node {
	list := map[string]*html.Node{}
	for _, n := range elements(t, page) {
		if n.Data == "article" {
			list[attr(n, "id")] = n
		}
	}
	return list
}

func wordsOf(n *html.Node) string { return strings.Join(strings.Fields(textOf(n)), " ") }

// A conclusion opens as any other claim: what it is, who holds it, what judges say, and
// what it rests on with the passages, each of which opens in turn.
func TestAConclusionOpensWithWhatItRestsOn(t *testing.T) {
	page := write(t, publication("## Key Findings\n\nIt saves 12 kWh a day [C4]. Buy it [C5].\n", boilers()), export.HTML)
	harmless(t, page)
	open := articles(t, page)
	require.NotNil(t, open["c4"])
	saves := wordsOf(open["c4"])
	for _, want := range []string{"inference", "held by ada", "judges: supported", "bo (bo): supports: 30 less 18", "C1 The new boiler uses 18 kWh a day.", "“In a day it uses 18 kWh.”", "C2 The old boiler uses 30 kWh a day.", "“We measured 30 kWh a day.”"} {
		require.Contains(t, saves, want)
	}
	buy := wordsOf(open["c5"])
	for _, want := range []string{"recommendation", "held by bo", "nobody has judged", "C4 inference The new boiler saves 12 kWh a day.", "the quotation of C3 was not found", "C3 The new boiler is silent.", "not found"} {
		require.Contains(t, buy, want)
	}
	for _, from := range []string{"c4", "c5"} {
		for n := range open[from].Descendants() {
			if to, is := strings.CutPrefix(attr(n, "href"), "#c"); is && n.Data == "a" {
				require.NotNil(t, open["c"+to], "%s leads to C%s", from, to)
			}
		}
	}
	text := strings.Join(strings.Fields(stripped(page)), " ")
	require.Contains(t, text, "It saves 12 kWh a dayC4, 1")
	require.Contains(t, text, "Buy itC5")
}

// What a conclusion rests on may be gone, and conclusions may rest on one another.
func TestAConclusionSaysWhatOfItDoesNotHold(t *testing.T) {
	p := publication("## Key Findings\n\nIt fails soon [C6]. Nobody notices [C8]. It pays in a year [C9].\n", boilers())
	page := write(t, p, export.HTML)
	harmless(t, page)
	open := articles(t, page)
	require.Contains(t, wordsOf(open["c6"]), "C7 rests on it in turn")
	require.Contains(t, wordsOf(open["c7"]), "C6 rests on it in turn", "and it can be followed")
	require.Contains(t, wordsOf(open["c8"]), "the quotation of C3 was not found")
	require.Contains(t, wordsOf(open["c9"]), "C10 was withdrawn")
	require.Contains(t, string(p.Report), "C10 was withdrawn", "in the text too")
	for _, id := range []string{"c6", "c8"} {
		require.Contains(t, attr(open[id], "class"), "is-rejected")
	}
	require.NotContains(t, attr(open["c9"], "class"), "is-rejected")
}

// In forms that know sources alone a conclusion is the sources of its facts, each once.
func TestAConclusionIsCitedByTheSourcesOfItsFacts(t *testing.T) {
	p := publication("## Key Findings\n\nIt saves much, and is the one to buy [C4, C5].\n\nIt fails soon [C6].\n", boilers())
	body, _, _ := strings.Cut(between(t, write(t, p, export.TeX), `\section*{Key Findings}`, `\section*`), "What the researchers recommend")
	require.Contains(t, body, "inference C4")
	require.Contains(t, body, "recommendation C5")
	require.Equal(t, []string{"url-maker-example-new", "url-tests-example-boilers"}, firstTwo(matches(body, `\\cite\[[^\]]*\]\{([^}]*?)-[0-9a-f]+\}`)))
	require.Len(t, matches(body, `(\\cite)\b`), 2)
	keys := matches(write(t, p, export.BibTeX), `@misc\{([^,]*),`)
	for _, cited := range matches(write(t, p, export.TeX), `\\cite\[[^\]]*\]\{([^}]*)\}`) {
		require.Contains(t, keys, cited)
	}
	require.Contains(t, write(t, p, export.CSL), "maker.example")
	require.Contains(t, write(t, p, export.RIS), "maker.example")
}

func firstTwo(list []string) []string { return list[:min(2, len(list))] }

// A campaign's paper cites conclusions too, and none of them is unknown to it.
func TestAPaperCitesConclusions(t *testing.T) {
	reg := boilers()
	reg.Conflicts = []claim.Conflict{{ID: "D1", A: "C4", B: "C3", Kind: claim.ByFact, Severity: claim.P1, Detail: "saving against silence", Status: "open"}}
	p := export.Paper{
		Kind: export.ReportPaper, Title: "Boilers", Publication: export.Publication{Registry: reg, Sources: sources()},
		Sections: map[string][]byte{"analysis": []byte("It is the one to buy [C5], and fails soon [C6].")},
	}
	out := typeset(t, p)
	analysis := between(t, out, `\section{Analysis \& Synthesis}`, `\section{`)
	require.Contains(t, analysis, "recommendation C5")
	require.Contains(t, analysis, "rests in part on what does not hold")
	require.Contains(t, analysis, "inference C6, which rests on nothing that holds")
	require.Len(t, matches(analysis, `(\\citep)\b`), 2)
	require.Empty(t, export.Unknown(p))
	keys := matches(string(export.Bibliography(p)), `@misc\{([^,]*),`)
	for _, cited := range matches(out, `\\citep(?:\[[^\]]*\])?\{([^}]*)\}`) {
		for key := range strings.SplitSeq(cited, ",") {
			require.Contains(t, keys, key)
		}
	}
	require.Contains(t, between(t, out, `\subsection{Conflicts}`, `\section{`), "inference that rests on C1, C2")
}

// Where seats recommend different things, nobody is told alone that nothing is disputed.
func TestWhatIsNotDisputedMayStillBeAdvisedOtherwise(t *testing.T) {
	reg := boilers()
	const differ = "No claim is disputed, but recommendations differ."
	page := write(t, publication("## Key Findings\n\nBuy it [C5].\n", reg), export.HTML)
	require.Contains(t, page, "No claim is disputed.")
	require.NotContains(t, page, differ)
	reg.Entries = claim.Ground(append(reg.Entries, claim.Entry{ID: "C11", Kind: claim.Recommendation, Text: "Keep the old boiler.", RestsOn: []string{"C2"}, Seats: []string{"cy"}, Families: []string{"cy"}}))
	for _, id := range []string{"C5", "C11"} { // both stand on what was located
		for i := range reg.Entries {
			if reg.Entries[i].ID == id {
				reg.Entries[i].RestsOn = []string{"C2"}
			}
		}
	}
	require.Contains(t, write(t, publication("## Key Findings\n\nBuy it [C5].\n", reg), export.HTML), differ)
	reg.Relations = []relation.Relation{{A: "C5", B: "C11", Kind: relation.Unrelated, Voices: []relation.Voice{{Family: "x", Kind: relation.Unrelated}, {Family: "y", Kind: relation.Unrelated}}}}
	require.NotContains(t, write(t, publication("## Key Findings\n\nBuy it [C5].\n", reg), export.HTML), differ, "both may be done")
}
