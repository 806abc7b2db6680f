package supervisor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/host/verify"
)

// juror is a fake agent that claims what $CLAIM holds, supports every claim on
// its ballot, says $RELATION of every pair of claims, or that the first two contradict each other, rules as $RULING says and argues for $SIDE
// from $MINE, having recorded $NEW.
const juror = `dir=$(dirname "$RESEARCH_REPORT_PATH")
case "$RESEARCH_REPORT_PATH" in
*-votes*.md) sed -n 's/^## \(C[0-9]*\)$/{"id":"\1","answer":"supports","reason":"it says so"}/p' "$dir"/inputs/ballot-*.md > "$RESEARCH_REPORT_PATH" ;;
*-comparison-*.json) awk -v all="$RELATION" 'BEGIN{printf "{\"pairs\":["} /^- C/{said = all ? all : n++ ? "unrelated" : "contradicts"; printf "%s{\"pair\":\"%s\",\"relation\":\"%s\",\"words\":\"as they say\"}", sep, $2, said; sep=","} END{print "]}"}' "$dir"/inputs/pairs-*.md > "$RESEARCH_REPORT_PATH" ;;
*-verdicts.md) printf '%s\n' "$RULING" > "$RESEARCH_REPORT_PATH" ;;
*-debate-*.md) [ -z "$NEW" ] || printf '%s\n' "$NEW" > "$dir/claims.jsonl"; printf '{"conflict":"D1","side":"%s","arguments":[{"claim":"%s","because":"it is the page that defines it"}],"insight":"the limits differ by plan"}\n' "$SIDE" "$MINE" > "$RESEARCH_REPORT_PATH" ;;
*-report.md) printf '%s\n' "$CLAIM" > "$dir/claims.jsonl" ;;
esac
case "$RESEARCH_REPORT_PATH" in
*-report.md|*-refined.md|*synthesis.md) printf '# Report\n\n## Key Findings\n\n%s\n' "$WORDS" > "$RESEARCH_REPORT_PATH" ;;
esac
printf '\n<!-- RESEARCH_COMPLETE -->\n' >> "$RESEARCH_REPORT_PATH"
`

// rivals are two families that disagree on what local files say, and a third.
func rivals(t *testing.T, mode scope.Mode) *councilRun {
	say := func(limit, file string) string {
		return fmt.Sprintf(`{"text":"The upload limit of the service is %s megabytes for every single file.","quote":"The upload limit of the service is %s megabytes for every single file.","source":"%s:1","source_type":"official_doc","critical":true,"questions":["Q1"]}`, limit, limit, file)
	}
	as := func(name, claim, side, mine string) string {
		return fmt.Sprintf("CLAIM='%s'; SIDE=%s; MINE=%s; RULING='%s'\n", claim, side, mine,
			`{"claim_id":"D1","verdict":"resolved_B","evidence":"late.md","quote":"Since March the limit of the free plan is the lower of the two.","confidence":"High"}`) + juror
	}
	c := newCouncil(t, map[string]string{
		"ada": as("ada", say("20", "a.md"), "A", "C1"),
		"bea": as("bea", say("30", "b.md"), "B", "C2"),
		"cid": as("cid", say("30", "b.md"), "B", "C2"),
	})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md":    "The upload limit of the service is 20 megabytes for every single file.\n",
		"b.md":    "The upload limit of the service is 30 megabytes for every single file.\n",
		"late.md": "Since March the limit of the free plan is the lower of the two.\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	c.setup.Scope = dir
	c.setup.Plan = scope.Plan{Mode: mode, Debate: scope.Auto, Budget: scope.Medium, Questions: scope.QuestionsOf(c.setup.Topic)}
	return c
}

func visited(r flow.Run) []string {
	var list []string
	for _, v := range r.History {
		list = append(list, v.Stage)
	}
	return append(list, r.Stage)
}

func TestFamiliesVoteAndDebateWhatStaysOpen(t *testing.T) {
	t.Parallel()
	c := rivals(t, scope.Exploratory)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, visited(r), "debate", c.file("progress.log"))

	reg, err := claim.ParseRegistry([]byte(c.file("registry.json")))
	require.NoError(t, err)
	require.Len(t, reg.Entries, 2)
	for i, e := range reg.Entries {
		require.Equal(t, claim.Located, e.Location.State, e.Location.Reason)
		require.NotNil(t, e.Support, "others have voted on %s", e.ID)
		require.Equal(t, vote.Supports, e.Support.Verdict)
		require.Len(t, e.Support.Votes, 2-i, "no family votes on its own claim")
	}
	require.Equal(t, []string{"bea", "cid"}, reg.Entries[1].Families)
	require.Len(t, reg.Conflicts, 1)
	require.Equal(t, claim.ByFact, reg.Conflicts[0].Kind)
	require.Equal(t, claim.P0, reg.Conflicts[0].Severity)
	require.Equal(t, "still_divergent", reg.Conflicts[0].Status, "nobody gave way")

	var debate vote.Result
	require.NoError(t, json.Unmarshal([]byte(c.file("debate.json")), &debate))
	require.Equal(t, vote.Stable, debate.Equilibrium)
	require.Equal(t, 1, debate.Rounds, "it moved nobody from what they had claimed")
	report := c.file("final-report.md")
	for _, part := range []string{"20 megabytes", "30 megabytes", "stable disagreement", "the limits differ by plan"} {
		require.Contains(t, report, part)
	}
	require.NotEmpty(t, c.file("debate.md"))

	v, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.Empty(t, v.Problems)
	require.Equal(t, 2, v.Quotations)
}

// What a debater records in the debate is located before positions are counted, and
// argues as any other claim does; what is not there argues nothing.
func TestADebaterBringsNewEvidence(t *testing.T) {
	t.Parallel()
	c := rivals(t, scope.Exploratory)
	for i, quote := range []string{"Since March the limit of the free plan is the lower of the two.", "Since June the limit of the free plan is the higher of the two."} {
		script, err := os.ReadFile(c.setup.Seats[i].Program)
		require.NoError(t, err)
		line := fmt.Sprintf(`{"id":"n1","text":"The free plan has the lower of the two limits.","quote":%q,"source":"late.md:1"}`, quote)
		require.NoError(t, os.WriteFile(c.setup.Seats[i].Program, []byte(strings.Replace(string(script), juror, "NEW='"+line+"'; MINE=n1\n"+juror, 1)), 0o700))
	}
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	reg, err := claim.ParseRegistry([]byte(c.file("registry.json")))
	require.NoError(t, err)
	var debate vote.Result
	require.NoError(t, json.Unmarshal([]byte(c.file("debate.json")), &debate))
	first := debate.History[1]
	at := map[string]vote.Position{}
	for _, p := range first.Positions {
		at[p.Seat] = p
	}
	require.NotContains(t, at, "bea", "its quotation stands nowhere")
	require.Contains(t, strings.Join(first.Dropped, "\n"), "bea on D1: side B, without an argument from a located claim")
	require.Len(t, at["ada"].Arguments, 1, c.file("debate.md"))
	require.True(t, at["ada"].Arguments[0].New)
	e, known := reg.Entry(at["ada"].Arguments[0].Claim)
	require.True(t, known, "a name of the seat's own becomes the id of the registry")
	require.Equal(t, claim.Located, e.Location.State)
	require.Equal(t, []string{"debate"}, e.Rounds)
	require.Equal(t, "The free plan has the lower of the two limits.", e.Text)
	require.Contains(t, c.file("disputes.md"), "> By debate, stable disagreement")

	require.Contains(t, strings.Join(visited(r), " "), "debate tally comparison grouping support assessment synthesis", "what it brought is judged too, once")
	require.NotNil(t, e.Support, c.file("progress.log"))
	require.Equal(t, vote.Supports, e.Support.Verdict)
	require.Len(t, e.Support.Votes, 2, "of the others")
	for _, id := range []string{"C1", "C2"} {
		was, _ := reg.Entry(id)
		require.Equal(t, vote.Supports, was.Support.Verdict, "votes given before stand")
		require.NotContains(t, c.file("ballot-bea-2.md"), "## "+id)
	}
	require.NotContains(t, c.file("ballot-bea.md"), "debate", "what was asked first is kept")
	require.Contains(t, c.file("ballot-bea-2.md"), "The debate has brought what is new here.")
	require.Equal(t, "still_divergent", reg.Conflicts[0].Status, "how the debate ended stands")
}

// A seat that sees in the debate that its claim does not hold may take it back.
func TestADebaterWithdrawsItsClaim(t *testing.T) {
	t.Parallel()
	c := rivals(t, scope.Exploratory)
	script, err := os.ReadFile(c.setup.Seats[0].Program)
	require.NoError(t, err)
	line := `{"withdraws":"C1","reason":"It is of the plan before March."}`
	require.NoError(t, os.WriteFile(c.setup.Seats[0].Program, []byte(strings.Replace(string(script), juror, "NEW='"+line+"'\n"+juror, 1)), 0o700))
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	reg, err := claim.ParseRegistry([]byte(c.file("registry.json")))
	require.NoError(t, err)
	e, _ := reg.Entry("C1")
	require.Equal(t, []string{"ada"}, e.Seats)
	require.True(t, e.IsWithdrawn(), "%+v\n%s", e, c.file("progress.log"))
	require.Contains(t, c.file("disputes.md"), "settled: B")
	require.Contains(t, c.file("final-report.md"), "withdrawn (It is of the plan before March)")
}

func TestWithoutASecondFamilyNothingIsDebated(t *testing.T) {
	t.Parallel()
	c := rivals(t, scope.Exploratory)
	for i := range c.setup.Seats {
		c.setup.Seats[i].Brand = "one"
	}
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.NotContains(t, strings.Join(visited(r), " "), "debate debate")
	reg, err := claim.ParseRegistry([]byte(c.file("registry.json")))
	require.NoError(t, err)
	require.True(t, reg.Entries[0].Support.Own, "its own family has judged it, in a turn of its own")
	require.Contains(t, reg.Entries[0].Support.Reason, "single family")
	require.Equal(t, []string{"one"}, voters(reg.Entries[0]), "one voice of three seats")
	require.Equal(t, "open", reg.Conflicts[0].Status, "both sides are shown, as they are")
	require.Contains(t, c.file("progress.log"), "nothing is disputed", "what one family says of two claims is only possible")
}

func TestADebateThatIsOffIsNotHeld(t *testing.T) {
	t.Parallel()
	c := rivals(t, scope.Exploratory)
	c.setup.Plan.Debate = scope.Off
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.NotContains(t, visited(r), "debate")
	require.Contains(t, c.file("final-report.md"), "20 megabytes")
}

// What a run left is checked link by link: one byte changed anywhere is found.
func TestOneByteChangedIsFound(t *testing.T) {
	t.Parallel()
	c := rivals(t, scope.Exploratory)
	c.setup.Plan.Debate = scope.Off
	c.run()
	sources, err := filepath.Glob(filepath.Join(c.folder(), "sources", "data", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, name := range append(sources, filepath.Join(c.folder(), "registry.json"), filepath.Join(c.folder(), "final-report.md"), filepath.Join(c.folder(), "journal.jsonl"), filepath.Join(c.folder(), "ada-report.md")) {
		info, err := os.Stat(name)
		require.NoError(t, err)
		if info.IsDir() {
			continue
		}
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, at := range []int{0, len(whole) / 2, len(whole) - 2} {
			broken := []byte(string(whole))
			broken[at] ^= 1
			require.NoError(t, os.WriteFile(name, broken, 0o600))
			v, err := verify.Run(c.folder())
			require.True(t, err != nil || !v.OK, "byte %d of %s", at, filepath.Base(name))
			require.NoError(t, os.WriteFile(name, whole, 0o600))
		}
	}
	v, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.True(t, v.OK, v.Problems)
}

func TestARunIsComparedAndItsReportCopied(t *testing.T) {
	t.Parallel()
	first := rivals(t, scope.Exploratory)
	first.setup.Plan.Debate = scope.Off
	first.run()
	second := rivals(t, scope.Exploratory)
	second.project, second.setup.Root = first.project, first.project
	second.setup.Plan.Debate, second.setup.Previous, second.setup.Output = scope.Off, first.setup.ID, "answer.md"
	second.setup.Scope = first.setup.Scope
	require.NoError(t, os.WriteFile(filepath.Join(first.setup.Scope, "b.md"), []byte("The upload limit of the service is 40 megabytes for every single file.\n"), 0o600))
	second.run()
	changes := second.file("changes.md")
	require.Contains(t, changes, "1 changed; 1 source has another text now")
	require.Contains(t, changes, "not-found, was located")
	copied, err := os.ReadFile(filepath.Join(first.project, "answer.md"))
	require.NoError(t, err)
	require.Equal(t, second.file("final-report.md"), string(copied))
	for _, name := range []string{"final-report.html", "final-report.json", "final-report.bib", "final-report.csl.json"} {
		require.NotEmpty(t, second.file(name))
	}
}

// What two seats say in words of their own is one group once families have read
// both, and what the program forbids is none, whatever they say.
func TestFamiliesSayWhichClaimsAreTheSame(t *testing.T) {
	t.Parallel()
	text := map[string]string{
		"a.md": "A request may be lost without notice, so the application repeats it.\n",
		"b.md": "The pool holds 3 connections.\n",
		"c.md": "The pool holds 5 connections.\n",
	}
	say := func(claim, file string) string {
		quote := strings.TrimSpace(text[file])
		return fmt.Sprintf(`{"text":%q,"quote":%q,"source":"%s:1","source_type":"official_doc","questions":["Q1"]}`, claim, quote, file)
	}
	as := func(claims ...string) string {
		return "RELATION=same; CLAIM='" + strings.Join(claims, "\n") + "'\n" + juror
	}
	c := newCouncil(t, map[string]string{
		"ada": as(say("Requests can be lost silently, so the application has to repeat them.", "a.md"), say("The pool holds 3 connections.", "b.md")),
		"bea": as(say("Repeating requests that were lost without notice is left to the application.", "a.md"), say("The pool holds 5 connections.", "c.md")),
	})
	for name, body := range text {
		require.NoError(t, os.WriteFile(filepath.Join(c.setup.Scope, name), []byte(body), 0o600))
	}
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	reg, err := claim.ParseRegistry([]byte(c.file("registry.json")))
	require.NoError(t, err)
	require.Len(t, reg.Entries, 4)
	require.Len(t, reg.Groups, 1, c.file("progress.log"))
	g := reg.Groups[0]
	require.True(t, g.Judged)
	require.True(t, g.Agreed)
	require.Equal(t, 1, g.Backed, "two readers of one source")
	require.Len(t, g.Families, 2)
	require.Len(t, reg.Conflicts, 1)
	require.True(t, reg.Conflicts[0].Possible)
	require.Contains(t, reg.Conflicts[0].Detail, "3")
	require.NotEmpty(t, reg.Relations)
	require.Contains(t, c.file("pairs-1.md"), "\n- C")
}
