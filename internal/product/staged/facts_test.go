package staged

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/vote"
)

// shelf is a library of two texts.
type shelf map[string]string

func (s shelf) Text(source string) (claim.Text, error) {
	if body, ok := s[source]; ok {
		return claim.Text{Body: body}, nil
	}
	if source == "down.txt" {
		return claim.Text{}, claim.ErrRemote
	}
	return claim.Text{}, claim.Absent{Reason: "there is no such file"}
}

func TestFactsGoFromTheAgentsToTheCheck(t *testing.T) {
	list := []AgentAnswer{
		{Agent: "A1", Seat: "claude-1", Family: "anthropic", Facts: []Fact{
			{Statement: "A pump costs 900 euros.", Quote: "The pump costs 900 euros", Source: "price.txt:1", Subtopic: "T1"},
			{Statement: "A pump costs 900 euros.", Quote: "The pump costs 900 euros", Source: "price.txt:1"},
			{Statement: "A pump costs 800 euros.", Quote: "The pump costs 800 euros", Source: "price.txt:1"},
			{Statement: "It is quiet.", Quote: "", Source: "price.txt"},
			{Statement: "", Quote: "x", Source: "price.txt"},
			{Statement: "It lasts.", Quote: "It lasts", Source: " "},
		}, Insights: []string{"Prices fall.", "prices fall", ""}},
		{Agent: "A2", Seat: "gemini-1", Family: "google", Facts: []Fact{
			{Statement: "A pump costs 900 euros.", Quote: "The pump costs 900 euros", Source: "price.txt:1"},
			{Statement: "It is loud.", Quote: "It is loud", Source: "gone.txt:1"},
			{Statement: "It is blue.", Quote: "It is blue", Source: "down.txt:1"},
		}},
		{Agent: "A3", Seat: "codex-1", Family: "openai", Problem: "timed out"},
		{Agent: "A4", Seat: "codex-1", Family: "openai", Insights: []string{"I have looked."}},
	}
	r := Collect(list)
	require.Equal(t, Output{Planned: 4, Returned: 2, Facts: 6, Insights: 2}, r.Output())
	require.Equal(t, []string{"Prices fall."}, r.Agents[0].Insights)
	data, err := json.Marshal(r)
	require.NoError(t, err)
	require.NotContains(t, string(data), "null")

	var drafts []claim.Draft
	for _, g := range r.Agents {
		drafts = append(drafts, Drafts(g)...)
	}
	require.Equal(t, claim.Draft{Text: "A pump costs 900 euros.", Quote: "The pump costs 900 euros", Source: "price.txt:1", Seat: "claude-1", Family: "anthropic", Round: "collection"}, drafts[0])
	reg := claim.Registry{Entries: claim.Locate(claim.Register(nil, drafts), shelf{"price.txt": "The pump costs 900 euros in May.\nIt is quiet.\n"})}
	checked := FactCheck(reg, false)
	require.Equal(t, Stats{Total: 5, Located: 1, Unjudged: 1, Unverified: 4, Sources: 1}, checked.Stats)
	require.Equal(t, []CheckedFact{{
		Fact:     Fact{ID: "C1", Statement: "A pump costs 900 euros.", Quote: "The pump costs 900 euros", Source: "price.txt:1"},
		Families: []string{"anthropic", "google"}, Reason: "located, unjudged: there is nobody with a model to judge whether the passage supports the statement",
		LeftOut: []string{"in May"},
	}}, checked.Unjudged)
	require.Empty(t, checked.Verified, "what is only located verifies nothing")
	reasons := []string{}
	for _, c := range checked.Unverified {
		reasons = append(reasons, c.ID+": "+c.Reason)
	}
	require.Contains(t, reasons[0], "C2: the quotation was not found in its source")
	require.Contains(t, reasons[0], `the nearest passage is "The pump costs 900 euros`)
	require.Equal(t, "C3: no quotation was given", reasons[1])
	require.Equal(t, "C4: the quotation was not found in its source: there is no such file", reasons[2])
	require.Equal(t, "C5: the source could not be read: the source was not fetched", reasons[3])
}

func located(s *claim.Support) claim.Entry {
	return claim.Entry{ID: "C1", Text: "t", Quote: "q", Source: "s", Key: "k", Seats: []string{"a"}, Families: []string{"x"}, Location: claim.Location{State: claim.Located}, Support: s}
}

func TestAFactSaysWhatItsQuotationLeavesOut(t *testing.T) {
	drafts := []claim.Draft{{Text: "A pump is cheap in May.", Quote: "The small garden pump … is cheap in the month of May.", Source: "price.txt:1", Seat: "claude", Family: "anthropic"}}
	reg := claim.Registry{Entries: claim.Locate(claim.Register(nil, drafts), shelf{"price.txt": "The small garden pump with its blue handle is cheap in the month of May.\nIt is quiet.\n"})}
	checked := FactCheck(reg, false)
	require.Len(t, checked.Unjudged, 1, "%+v", checked)
	require.Equal(t, []string{"with its blue handle"}, checked.Unjudged[0].LeftOut)
}

func TestVotesVerifyWhatWasLocated(t *testing.T) {
	ballots := func(answers ...string) *claim.Support {
		s := claim.Support{Verdict: answers[0]}
		for i, a := range answers {
			s.Votes = append(s.Votes, claim.Vote{Seat: "j", Family: string(rune('p' + i)), Answer: a, Reason: "because " + a})
		}
		return &s
	}
	doubtful := located(ballots(vote.Supports))
	doubtful.Location.Doubt = "it was retracted"
	alone := located(nil)
	alone.Location.Doubt = "it was retracted"
	unread := located(ballots(vote.Supports))
	unread.Location = claim.Location{State: claim.Unchecked, Reason: "403\n\x1b[2J"}
	absent := located(nil)
	absent.Location = claim.Location{State: claim.NotFound, Nearest: "n\nn", Findings: []guard.Finding{{Kind: guard.Number, Quote: "1", Text: "2"}}}
	own := located(ballots(vote.Supports))
	own.Support.Own, own.Support.Reason = true, "single family, in a fresh turn"
	const verified, qualified, unjudged, unverified = "verified", "qualified", "unjudged", "unverified"
	for _, c := range []struct {
		name    string
		e       claim.Entry
		judges  bool
		want    string // the list it is in
		support string
		reason  string
	}{
		{"supported", located(ballots(vote.Supports)), true, verified, "supports", ""},
		{"supported by its own family", own, true, verified, "supports", "single family, in a fresh turn"},
		{"qualified", located(ballots(vote.Qualifies)), true, qualified, "qualifies", "the passage bears it out in part only: because qualifies"},
		{"contradicted", located(ballots(vote.Contradicts)), true, unverified, "contradicts", "judges hold that the passage contradicts it: because contradicts"},
		{"contradicted, though nobody was to judge", located(ballots(vote.Contradicts)), false, unverified, "contradicts", "judges hold that the passage contradicts it"},
		{"the judges disagree", located(&claim.Support{Verdict: claim.Undecided, Reason: "the votes are split", Votes: []claim.Vote{{Answer: vote.Supports}, {Answer: vote.Contradicts}}}), true, unverified, "undecided", "no majority of judges holds that the passage supports it: the votes are split"},
		{"a verdict nobody knows", located(&claim.Support{Verdict: "fine", Votes: []claim.Vote{{Answer: "fine"}}}), true, unverified, "undecided", "no majority of judges"},
		{"no vote came", located(&claim.Support{Verdict: claim.Unjudged, Reason: "j: timed out"}), true, unjudged, "", "located, unjudged: j: timed out"},
		{"a verdict without votes is none", located(&claim.Support{Verdict: vote.Supports}), true, unjudged, "", "located, unjudged"},
		{"it was on no ballot", located(nil), true, unjudged, "", "located, unjudged: it was on no ballot"},
		{"nobody is there", located(nil), false, unjudged, "", "nobody with a model"},
		{"in doubt", doubtful, true, verified, "supports", "in doubt: it was retracted"},
		{"in doubt, and nobody is there to judge", alone, false, unjudged, "", "nobody with a model to judge whether the passage supports the statement; in doubt: it was retracted"},
		{"in doubt, and no vote came", alone, true, unjudged, "", "; in doubt: it was retracted"},
		{"supported, but not located", unread, true, unverified, "", "the source could not be read: 403"},
		{"not found", absent, true, unverified, "", `the quotation was not found in its source; the number differs; the nearest passage is "n n"`},
	} {
		r := FactCheck(claim.Registry{Entries: []claim.Entry{c.e}}, c.judges)
		lists := map[string][]CheckedFact{verified: r.Verified, qualified: r.Qualified, unjudged: r.Unjudged, unverified: r.Unverified}
		require.Len(t, lists[c.want], 1, c.name)
		one := lists[c.want][0]
		require.Len(t, slices.Concat(r.Usable(), r.Unverified), 1, c.name)
		require.Equal(t, c.want != unverified, len(r.Usable()) == 1, c.name)
		require.Equal(t, c.support, one.Support, c.name)
		require.Contains(t, one.Reason, c.reason, c.name)
		require.NotContains(t, one.Reason, "\n", c.name)
		require.Equal(t, c.reason == "", one.Reason == "", c.name)
	}
}

func TestCopiesOfOneTextAreOneSource(t *testing.T) {
	one, other := located(nil), located(nil)
	other.ID, other.Key = "C2", "k2"
	reg := claim.Registry{Entries: []claim.Entry{one, other}}
	require.Equal(t, 2, FactCheck(reg, false).Stats.Sources)
	reg.Copies = map[string]string{"k2": "k"}
	require.Equal(t, 1, FactCheck(reg, false).Stats.Sources)
}

func TestTheStatisticsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var reg claim.Registry
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			e := located(nil)
			e.Key = rapid.SampledFrom([]string{"k", "l", "m"}).Draw(t, "key")
			e.Location.State = rapid.SampledFrom([]claim.State{claim.Located, claim.NotFound, claim.Unchecked, ""}).Draw(t, "state")
			if rapid.Bool().Draw(t, "voted") {
				e.Support = &claim.Support{Verdict: rapid.SampledFrom([]string{vote.Supports, vote.Qualifies, vote.Contradicts, claim.Undecided, ""}).Draw(t, "verdict")}
				e.Support.Votes = make([]claim.Vote, rapid.IntRange(0, 2).Draw(t, "votes"))
			}
			reg.Entries = append(reg.Entries, e)
		}
		r := FactCheck(reg, rapid.Bool().Draw(t, "judged"))
		s := r.Stats
		require.Equal(t, len(reg.Entries), s.Total)
		require.Equal(t, s.Total, s.Verified+s.Qualified+s.Unjudged+s.Unverified)
		require.Equal(t, s.Verified, s.Supported)
		require.Len(t, r.Usable(), s.Total-s.Unverified)
		require.Equal(t, s.Verified, len(r.Verified))
		require.LessOrEqual(t, s.Verified, s.Located)
		require.LessOrEqual(t, s.Sources, s.Total-s.Unverified)
		require.Equal(t, s.Verified > 0 || s.Unjudged > 0 && !s.Judges, Judge(Factcheck, Output{Stats: &s}, GateInput{}).Pass)
		for _, c := range r.Unverified {
			require.NotEmpty(t, c.Reason)
		}
	})
}

func TestLintNamesWhatRestsOnNothing(t *testing.T) {
	known := func(id string) bool { return id == "C1" || id == "C2" }
	for _, c := range []struct {
		name, role, in string
		want           []string
	}{
		{"all is well", "findings", `{"key_findings":[{"finding":"f","claims":["C1","C2"]}],"recommendations":[{"recommendation":"r"},{"recommendation":"s","claims":["C1"]}]}`, nil},
		{"a finding without claims", "findings", `{"key_findings":[{"finding":"It is dear.\nVery.","claims":[" "]},{"finding":"","claims":[]}]}`, []string{
			"key_findings, entry 1 (It is dear. Very) cites no claim; give the ids of the facts it rests on",
			"key_findings, entry 2 cites no claim; give the ids of the facts it rests on",
		}},
		{"ids that are not there", "findings", `{"key_findings":[{"finding":"f","claims":["C1","C9"]}],"recommendations":[{"recommendation":"r","claims":["c1","\u001b[2J"]}]}`, []string{
			`key_findings, entry 1 (f) cites "C9", which is the id of no fact that can be built on`,
			`recommendations, entry 1 (r) cites "c1", which is the id of no fact that can be built on`,
			`recommendations, entry 1 (r) cites "", which is the id of no fact that can be built on`,
		}},
		{"the devil's advocate", "advocate", `{"risks":[{"risk":"r","claims":["C7"]},{"risk":"s"}],"counterarguments":[{"against":"a","argument":"b","claims":["C1","C8"]}]}`, []string{
			`risks, entry 1 (r) cites "C7", which is the id of no fact that can be built on`,
			`counterarguments, entry 1 (b) cites "C8", which is the id of no fact that can be built on`,
		}},
		{"what cannot be read", "findings", `[]`, []string{"the answer cannot be read: it cannot be a JSON array"}},
		{"another role", "planning", `[]`, nil},
	} {
		require.Equal(t, c.want, Lint(c.role, []byte(c.in), known), c.name)
	}
	many := `{"key_findings":[` + strings.Repeat(`{"finding":"f"},`, 50) + `{"finding":"f"}]}`
	lines := Lint("findings", []byte(many), known)
	require.Len(t, lines, 21)
	require.Equal(t, "and 31 more of this kind", lines[20])
	require.Len(t, Lint("advocate", []byte(`{"risks":[{"risk":"r","claims":["C1"]}]}`), nil), 1, "without a registry no id is known")
}
