package supervisor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
	"github.com/research-council/research-council/internal/product/staged/stagedwork"
)

// panelist is a fake agent of staged research: a program that answers each
// role with a text it was given, and counts the answers it has finished. Of the
// texts it takes the one that is most its own: of its seat, of the very task,
// of its n-th answer. A text that begins with #! is done instead of said.
const panelist = `what=${RESEARCH_REPORT_PATH##*/}
case $what in
synthesis.md) what=prose ;; synthesis.json) what=findings ;; devils_advocate.json) what=advocate ;; *-votes.md) what=votes ;;
*) what=${what%.*} ;;
esac
n=$(($(cat "$CALLS/$SEAT-$what" 2>/dev/null | wc -l) + 1))
for key in "$SEAT.$what.$n" "$SEAT.$what" "$SEAT.${what%%-*}.$n" "$SEAT.${what%%-*}" "$what.$n" "$what" "${what%%-*}.$n" "${what%%-*}" none; do
	[ ! -e "$CALLS/say/$key" ] || break
done
[ $key != none ] || exit 70
read -r first < "$CALLS/say/$key"
case $first in
'#!'*) . "$CALLS/say/$key" ;;
*) { cat "$CALLS/say/$key"; printf '\n<!-- RESEARCH_COMPLETE -->\n'; } > "$RESEARCH_REPORT_PATH" ;;
esac
echo "$n" >> "$CALLS/$SEAT-$what"
`

// ballots supports each claim on a ballot but those that say never.
const ballots = `#! the ballot
awk '/^## C/ { id = $2; told = 0 } /^> / && !told { told = 1; answer = /never/ ? "contradicts" : "supports"
	printf "{\"id\":\"%s\",\"answer\":\"%s\",\"reason\":\"the passage says so\"}\n", id, answer }' inputs/ballot-*.md > "$RESEARCH_REPORT_PATH"
printf '\n<!-- RESEARCH_COMPLETE -->\n' >> "$RESEARCH_REPORT_PATH"
`

// sources are the local sources of these runs.
var sources = map[string]string{
	"pace.md":  "The collector paces itself by the heap goal and by what the mutators allocate.\n",
	"limit.md": "The upload limit of the service is 20 megabytes for every single file.\n",
	"logs.md":  "Since March the service keeps its logs for thirty days and then deletes them.\n",
}

func fact(statement, quote, source string) string {
	return said(staged.Fact{Statement: statement, Quote: quote, Source: source})
}

func said(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func brings(facts ...string) string {
	return `{"facts":[` + strings.Join(facts, ",") + `],"insights":["The limits differ by plan."]}`
}

func opinion(verdict, issue string) string {
	r := panel.Review{Verdict: verdict, Scores: map[string]float64{"accuracy": 7, "evidence": 7, "completeness": 7, "reasoning": 7, "clarity": 7}, Issues: []panel.Issue{}, Summary: "The report was read and held against its facts."}
	if issue != "" {
		r.Issues = append(r.Issues, panel.Issue{Section: "Key Findings", Issue: issue, Fix: "Say it.", Severity: "major", Claims: []string{"C1"}})
	}
	return said(r)
}

// prose is a report's text that bears a word of its own.
func prose(word string) string {
	var b strings.Builder
	for _, title := range []string{"Executive Summary", "Key Findings", "Recommendations", "Risks and Counterarguments", "Blind Spots", "Method and Limits"} {
		fmt.Fprintf(&b, "## %s\n\nThe %s text: the collector paces itself by the heap goal [C1], and the upload limit of the service stands [C2].\n\n- It holds as worded [C1].\n- It is not yet all there is to know.\n\n", title, word)
	}
	return b.String()
}

// wellSaid are answers that every gate lets through: of eight facts five are
// verified, since one quotation is invented, one source does not exist and one
// claim is held to be contradicted.
func wellSaid() map[string]string {
	var ten []staged.Question
	for i := 1; i <= 10; i++ {
		ten = append(ten, staged.Question{ID: fmt.Sprintf("Q%d", i), Question: fmt.Sprintf("What matters most, number %d?", i)})
	}
	finding := staged.SynthesisResult{Summary: "It paces itself.", Findings: []staged.Finding{{Finding: "It paces itself.", Claims: []string{"C1"}}}}
	for _, what := range []string{"Keep", "Measure", "Document"} {
		finding.Recommendations = append(finding.Recommendations, staged.Recommendation{Recommendation: what + " it.", Rationale: "It works.", Claims: []string{"C1"}})
	}
	plan := staged.Plan{Subtopics: []staged.Subtopic{{ID: "T1", Title: "Pacing"}, {ID: "T2", Title: "Limits"}}, Quality: []string{"A quotation stands in its source."}}
	for i := 1; i <= 5; i++ {
		plan.Agents = append(plan.Agents, staged.Assignment{ID: fmt.Sprintf("A%d", i), Focus: fmt.Sprintf("Look into part %d.", i), Subtopics: []string{"T1"}})
	}
	return map[string]string{
		"questions": said(staged.Questions{Questions: ten}),
		"brief":     `{"topic":"How it paces itself","goal":"To decide on its settings","success_criteria":["It is known what paces it"],"confirmed_by_user":true}`,
		"planning":  said(plan),
		"votes":     ballots,
		"collection-A1": brings(
			fact("The collector paces itself by the heap goal.", "The collector paces itself by the heap goal and by what the mutators allocate.", "pace.md:1")),
		"collection-A2": brings(
			fact("The upload limit of the service is 20 megabytes for a file.", "The upload limit of the service is 20 megabytes for every single file.", "limit.md:1"),
			fact("The service encrypts all uploads with keys of its own.", "All uploads are encrypted with keys that the service alone holds.", "limit.md:1")),
		"collection-A3": brings(
			fact("The service never deletes its logs.", "the service keeps its logs for thirty days and then deletes them", "logs.md:1"),
			fact("The service keeps its logs for thirty days.", "the service keeps its logs for thirty days and then deletes them", "logs.md:1")),
		"collection-A4": brings(
			fact("What the mutators allocate paces the collector too.", "by the heap goal and by what the mutators allocate", "pace.md:1"),
			fact("The service has moved to another region.", "The service has moved to another region since the spring.", "moved.md:1")),
		"collection-A5": brings(
			fact("Since March the service deletes old logs.", "Since March the service keeps its logs for thirty days", "logs.md:1")),
		"findings":   said(finding),
		"advocate":   `{"risks":[{"risk":"The heap goal may be set too low.","likelihood":"low","claims":["C1"]}],"counterarguments":[],"blind_spots":["Other collectors."]}`,
		"prose":      prose("first"),
		"review":     opinion("approved", ""),
		"reconsider": opinion("approved", ""),
	}
}

const answersFile = `{"answers":{"Q1":"All of it."}}`

// newStaged is staged research by three families, whose answers are wellSaid
// but for those given here.
func newStaged(t *testing.T, but map[string]string) *councilRun {
	c := newCouncil(t, map[string]string{"ada": panelist, "bea": panelist, "cid": panelist})
	c.setup.Workflow, c.setup.Topic = staged.Name, "How does it pace itself?"
	c.setup.Limits = budget.Limits{Turns: 200, Time: time.Hour}
	c.setup.Own = staged.Own(&staged.Setup{Agents: staged.Agents, Revisions: panel.DefaultRevisions})
	c.setup.Panel = c.setup.Seats
	c.setup.Scope = t.TempDir()
	for name, text := range sources {
		require.NoError(t, os.WriteFile(filepath.Join(c.setup.Scope, name), []byte(text), 0o600))
	}
	c.says(wellSaid())
	c.says(but)
	return c
}

// says changes what the fake agents answer from now on; "" takes an answer
// away.
func (c *councilRun) says(answers map[string]string) {
	dir := filepath.Join(c.calls, "say")
	require.NoError(c, os.MkdirAll(dir, 0o700))
	for key, text := range answers {
		if text == "" {
			require.NoError(c, os.Remove(filepath.Join(dir, key)))
			continue
		}
		require.NoError(c, os.WriteFile(filepath.Join(dir, key), []byte(text), 0o600))
	}
}

// supervise works on the run until it has ended or waits.
func (c *councilRun) supervise(o supervisor.Options) flow.Run {
	ctx, cancel := context.WithTimeout(c.Context(), 5*time.Minute)
	defer cancel()
	r, err := supervisor.Supervise(ctx, o)
	require.NoError(c, err)
	return r
}

func (c *councilRun) give(confirmed bool) {
	require.NoError(c, stagedwork.GiveInput(c.options(), c.seen(), []byte(answersFile), confirmed))
}

// staged goes from the beginning to the end, with a person who answers and
// confirms.
func (c *councilRun) staged(o supervisor.Options) flow.Run {
	c.begin()
	require.True(c, c.supervise(o).IsWaiting(), "for answers")
	c.give(false)
	require.True(c, c.supervise(o).IsWaiting(), "for a word on the brief")
	c.give(true)
	return c.supervise(o)
}

func (c *councilRun) state() staged.State {
	var st staged.State
	require.NoError(c, json.Unmarshal([]byte(c.file(staged.StateFile)), &st))
	return st
}

// read reads a published JSON file.
func read[T any](c *councilRun, name string) T {
	var v T
	require.NoError(c, json.Unmarshal([]byte(c.file(name)), &v), name)
	return v
}

// in is the text of all files below the run's folder whose names match.
func (c *councilRun) in(pattern string) string {
	names, err := filepath.Glob(filepath.Join(c.folder(), pattern))
	require.NoError(c, err)
	require.NotEmpty(c, names, pattern)
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(c, err)
		b.Write(data)
	}
	return b.String()
}

// published are the files that hold what the stages hand on, and the schemas
// they are held to.
var published = map[string]string{
	staged.QuestionsFile: "questions", staged.BriefFile: "brief", staged.PlanningFile: "planning", staged.CollectionFile: "collection-result",
	staged.CollectionAnswerFile("A1"): "collection", staged.FactcheckFile: "factcheck", staged.FindingsFile: "findings", staged.AdvocateFile: "advocate",
	staged.DeliveryFile: "report-result", panel.VerdictFile: "verdict", panel.ReviewFile("review", "R1", 1): "review", panel.ReviewFile("reconsider", "R3", 1): "review",
	staged.StateFile: "state",
}

func TestStagedResearchFromTheQuestionsToAnApprovedReport(t *testing.T) {
	t.Parallel()
	c := newStaged(t, nil)
	r := c.staged(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)

	for name, format := range published {
		_, problems := schema.Check(format, []byte(c.file(name)))
		require.Empty(t, problems, name)
	}
	st := c.state()
	require.Equal(t, "done", st.CurrentStage)
	require.Equal(t, "completed", st.Status)
	require.ElementsMatch(t, staged.Stages(), keys(st.Outputs))
	var passed []string
	for _, g := range st.Gates {
		require.True(t, g.Passed, g)
		passed = append(passed, g.Stage)
	}
	require.Equal(t, staged.Stages(), passed)
	require.True(t, read[staged.Brief](c, staged.BriefFile).Confirmed)
	require.JSONEq(t, answersFile, c.file(staged.AnswersFile(1)))

	reg, err := claim.ParseRegistry([]byte(c.file(claim.RegistryFile)))
	require.NoError(t, err)
	require.Len(t, reg.Entries, 8)
	checked := read[staged.FactCheckResult](c, staged.FactcheckFile)
	require.Equal(t, staged.Stats{Total: 8, Located: 6, Supported: 5, Verified: 5, Unverified: 3, Sources: 3, Judges: true}, checked.Stats)
	why := map[string]string{}
	for _, f := range checked.Unverified {
		why[f.Statement] = f.Reason
	}
	require.Contains(t, why["The service encrypts all uploads with keys of its own."], "not found in its source")
	require.Contains(t, why["The service never deletes its logs."], "contradicts")
	require.Contains(t, why["The service has moved to another region."], "no such file")
	for _, f := range checked.Verified {
		e, ok := reg.Entry(f.ID)
		require.True(t, ok)
		require.Equal(t, claim.Located, e.Location.State)
		require.NotContains(t, voters(e), e.Families[0], "no family judges its own facts")
	}

	result := read[panel.Result](c, panel.VerdictFile)
	require.Equal(t, panel.Approved, result.FinalVerdict)
	require.Equal(t, []string{"ada", "bea", "cid"}, result.Families)
	require.False(t, result.SingleFamily)
	report := c.file(flow.FinalReport)
	for _, part := range []string{"## Executive Summary", "## Recommendations", "## Risks and Counterarguments", "## Blind Spots", "## Review", "## Claim Registry", "## Method and Limits", "The first text", "8 facts", "verified (supported by the votes on their passages) 5", "not verified 3"} {
		require.Contains(t, report, part)
	}
	require.NotContains(t, report, "[C1]", "ids have become references")
	require.NotContains(t, report, "No reviewer has read this report")
	c.sealed(flow.FinalReport, claim.RegistryFile, council.SynthesisFile, staged.BriefFile, staged.PlanningFile, staged.FactcheckFile, panel.VerdictFile, panel.ReviewFile("review", "R2", 1))
}

// sealed sees that the run proves to be what its journal says, and that one
// byte changed in any of these files is found.
func (c *councilRun) sealed(names ...string) {
	v, err := verify.Run(c.folder())
	require.NoError(c, err)
	require.Empty(c, v.Problems)
	for _, name := range names {
		whole := c.file(name)
		broken := []byte(whole)
		broken[len(broken)/2] ^= 1
		require.NoError(c, os.WriteFile(filepath.Join(c.folder(), name), broken, 0o600))
		v, err := verify.Run(c.folder())
		require.NoError(c, err)
		require.False(c, v.OK, name)
		require.NoError(c, os.WriteFile(filepath.Join(c.folder(), name), []byte(whole), 0o600))
	}
}

func keys(m map[string]json.RawMessage) []string {
	var list []string
	for k := range maps.Keys(m) {
		list = append(list, k)
	}
	return list
}

func voters(e claim.Entry) []string {
	var list []string
	if e.Support != nil {
		for _, v := range e.Support.Votes {
			list = append(list, v.Family)
		}
	}
	return list
}

// journal is the run's journal, byte by byte.
func (c *councilRun) journal() []byte {
	data, err := os.ReadFile(filepath.Join(c.folder(), "journal.jsonl"))
	require.NoError(c, err)
	return bytes.Clone(data)
}
