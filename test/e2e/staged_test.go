package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
	"github.com/research-council/research-council/test/pty"
)

// How the prompts of staged research begin, by role.
var asking = map[string]string{
	agent.Questions: "# Ten questions before the research\n", agent.Brief: "# The brief\n", agent.Planning: "# The plan\n",
	agent.Collection: "# Gathering facts\n", agent.Findings: "# Findings and recommendations\n", agent.Advocate: "# The devil's advocate\n",
	agent.Prose: "# The report\n", agent.Review: "# Review\n", agent.Reconsider: "# The review, reconsidered\n",
}

// thorough is a panel of agents that answer every role as its gate wants it.
func thorough() []rule {
	var script []rule
	for role, text := range stagedAnswers() {
		script = append(script, rule{said: asking[role], steps: []step{{write: "{report}", content: text + "\n" + agent.Marker + "\n"}, {say: "written"}}})
	}
	ballot := `{"id":"C1","answer":"supports","reason":"the passage says so"}`
	return append(script, rule{said: voting, steps: []step{{write: "{report}", content: ballot + "\n" + agent.Marker + "\n"}, {say: "voted"}}})
}

// voting is how the prompt for votes on the evidence begins.
const voting = "# Votes on Evidence\n"

func stagedAnswers() map[string]string {
	var ten staged.Questions
	for i := 1; i <= staged.QuestionCount; i++ {
		ten.Questions = append(ten.Questions, staged.Question{ID: fmt.Sprintf("Q%d", i), Question: fmt.Sprintf("What matters most, number %d?", i), Why: "It decides what counts.", Options: []string{"speed", "memory"}})
	}
	plan := staged.Plan{Subtopics: []staged.Subtopic{{ID: "T1", Title: "Pacing"}}, Quality: []string{"A quotation stands in its source."}}
	for i := 1; i <= 2; i++ {
		plan.Agents = append(plan.Agents, staged.Assignment{ID: fmt.Sprintf("A%d", i), Focus: fmt.Sprintf("Look into part %d.", i), Subtopics: []string{"T1"}})
	}
	return map[string]string{
		agent.Questions:  string(encoded(ten)),
		agent.Brief:      `{"topic":"How the collector paces itself","goal":"To decide on its settings","success_criteria":["It is known what paces it"],"confirmed_by_user":true}`,
		agent.Planning:   string(encoded(plan)),
		agent.Collection: `{"facts":[{"statement":"The collector paces itself by the heap goal.","quote":"The collector paces itself by the heap goal and by what the mutators allocate.","source":"notes.md:1"}],"insights":["It adapts."]}`,
		agent.Findings: `{"executive_summary":"It paces itself.","key_findings":[{"finding":"It paces itself.","claims":["C1"]}],"recommendations":[` +
			`{"recommendation":"Keep it.","rationale":"It works.","claims":["C1"]},{"recommendation":"Measure it.","rationale":"It varies."},{"recommendation":"Document it.","rationale":"It is unknown."}]}`,
		agent.Advocate:   `{"risks":[{"risk":"The heap goal may be set too low.","claims":["C1"]}],"counterarguments":[],"blind_spots":["Other collectors."]}`,
		agent.Prose:      stagedProse(),
		agent.Review:     approval,
		agent.Reconsider: approval,
	}
}

const approval = `{"verdict":"approved","scores":{"accuracy":8,"evidence":8,"completeness":7,"reasoning":8,"clarity":8},"issues":[],"summary":"The report was read and held against its facts."}`

func stagedProse() string {
	var b strings.Builder
	for _, title := range []string{"Executive Summary", "Key Findings", "Recommendations", "Risks and Counterarguments", "Blind Spots", "Method and Limits"} {
		fmt.Fprintf(&b, "## %s\n\nThe collector paces itself by the heap goal [C1], and by what is allocated meanwhile.\n\n- It holds as worded [C1].\n- It is not yet all there is to know.\n\n", title)
	}
	return b.String()
}

// newStudy is a world with notes that staged research can cite.
func newStudy(t *testing.T, script ...rule) *world {
	w := newWorld(t, append(script, thorough()...)...)
	require.NoError(t, os.WriteFile(filepath.Join(w.project, "notes.md"), []byte("The collector paces itself by the heap goal and by what the mutators allocate.\n"), 0o600))
	answers := map[string]string{}
	for i := 1; i <= staged.QuestionCount; i++ {
		answers[fmt.Sprintf("Q%d", i)] = "speed"
	}
	require.NoError(t, os.WriteFile(filepath.Join(w.project, "answers.json"), encoded(answers), 0o600))
	return w
}

// votes is what a run's reviewers have said.
func (w *world) votes(run string) panel.Result {
	var r panel.Result
	require.NoError(w, json.Unmarshal([]byte(content(w.T, run, panel.VerdictFile)), &r))
	return r
}

// approved requires a run that has come to an approved report.
func (w *world) approved(run string) status.Status {
	w.Helper()
	st := w.status(run)
	require.Equal(w, "completed", st.Status, st.Reason)
	require.Equal(w, panel.Approved, w.votes(run).FinalVerdict)
	require.Empty(w, lacks(run, "brief.json", "planning.json", "collection.json", "factcheck.json", "synthesis.json", "devils_advocate.json", "report.json", "review.json", "final-report.md"))
	require.Contains(w, content(w.T, run, "final-report.md"), "## Risks and Counterarguments")
	require.Contains(w, content(w.T, run, "brief.json"), `"confirmed_by_user": true`)
	return st
}

func TestStagedResearchWithTheRealCommandLines(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	w := newStudy(t)
	r := w.done(w.council("staged", "--seats", "claude", "--reviewers", "claude,codex,gemini", "--scope", ".", "--test", question))
	require.Equal(t, 5, r.code, r.errs)
	require.Contains(t, r.out, "Q10      What matters most, number 10?")
	run := w.run()
	require.Contains(t, content(t, run, "questions.json"), "number 10")
	r = w.done(w.council("resume", "--input", "answers.json"))
	require.Equal(t, 5, r.code, r.errs)
	require.Contains(t, r.out, "To decide on its settings")
	require.Contains(t, content(t, run, "brief.json"), `"confirmed_by_user": false`, "whatever the model says")
	r = w.done(pty.Stdin(w, w.council("resume", "--confirm")))
	require.Zero(t, r.code, r.errs)
	st := w.approved(run)
	require.Equal(t, 8, staged.StatusOf(st).Stages)
	votes := w.votes(run)
	require.Equal(t, 3, votes.Valid)
	require.ElementsMatch(t, []string{"anthropic", "openai", "google"}, votes.Families)
	for _, vendor := range vendors {
		require.NotEmpty(t, w.asked(vendor, asking[agent.Review]), vendor)
		require.NotEmpty(t, w.asked(vendor, asking[agent.Reconsider]), vendor)
	}
	require.Len(t, sessions(w.asked("", asking[agent.Collection])), 2, "an agent each")
	w.nothingRuns()
}

func TestServersReviewAReport(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	server := loopback.Chat(t, loopback.Scenario{Rules: []loopback.Rule{
		{When: loopback.When{FirstUser: voting}, Steps: []loopback.Step{{Text: `{"id":"C1","answer":"supports","reason":"the passage says so"}` + "\n" + agent.Marker}}},
		{Steps: []loopback.Step{{Text: approval + "\n" + agent.Marker}}},
	}})
	w := newStudy(t)
	w.environ = append(w.environ, "OPENAI_BASE_URL="+server.URL+"/v1", "GROQ_BASE_URL="+server.URL+"/openai/v1", "GROQ_API_KEY="+key)
	r := w.done(w.council("staged", "--seats", "claude", "--reviewers", "openai,groq", "--collectors", "1", "--scope", ".", "--test", question))
	require.Equal(t, 5, r.code, r.errs)
	require.Equal(t, 5, w.done(w.council("resume", "--input", "answers.json")).code)
	r = w.done(pty.Stdin(w, w.council("resume", "--confirm")))
	require.Zero(t, r.code, r.errs)
	w.approved(w.run())
	votes := w.votes(w.run())
	require.Equal(t, 3, votes.Valid, "one sits twice")
	require.ElementsMatch(t, []string{"openai", "meta"}, votes.Families)
	require.Contains(t, content(t, w.run(), "factcheck.json"), `"supported": 1`)
	require.Len(t, server.Turns(), 2+3+3, "two families vote on the evidence, three review, and review again")
	w.nothingRuns()
}

const stagedCommand = "/research-council:staged-research "

// TestASessionIsToldOnceWhatItsResearchAsks begins in a session that nobody
// attends: it is woken with the questions and ends, since nobody is there to
// answer. The answers come by a terminal, and the word on the brief by a
// command that is typed.
func TestASessionIsToldOnceWhatItsResearchAsks(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	const told = "asks the user these questions"
	w := newStudy(t, rule{last: told, steps: []step{{say: "The questions are in questions.json."}}})
	r := w.done(w.session(stagedCommand + `"How does the 'Go' collector pace $(itself)?" --seats claude --reviewers claude --collectors 1 --scope . --test`))
	require.Zero(t, r.code, r.errs)
	require.Contains(t, r.out, "The questions are in questions.json.")
	run := w.run()
	id := filepath.Base(run)
	st := w.status(run)
	require.Equal(t, status.Paused, st.Status)
	require.Equal(t, "How does the 'Go' collector pace $(itself)?", st.Topic)
	require.Len(t, w.asked("", told), 1, "once")
	require.Contains(t, w.asked("", told)[0].last, "Q10      What matters most, number 10?")
	require.Contains(t, content(t, w.stateFiles()[0]), "phase: discovery")
	w.nothingRuns()

	before := w.everything()
	shown := w.done(w.session("/research-council:status"))
	require.Contains(t, shown.out, "10 questions wait for answers")
	early := w.done(w.session("/research-council:confirm-brief " + id))
	require.Contains(t, early.out, "shows no brief that waits for your word")
	require.Equal(t, before, w.everything(), "no model is asked")

	r = w.done(w.council("resume", id, "--input", "answers.json"))
	require.Equal(t, 5, r.code, r.errs)
	r = w.done(w.session("/research-council:confirm-brief " + id))
	require.Zero(t, r.code, r.errs)
	require.Contains(t, r.out, "the brief of run "+id+" is confirmed")
	until(t, "the research ends", patience, func() bool { return w.status(run).Status == "completed" })
	w.approved(run)
	until(t, "the state file is gone", 10*time.Second, func() bool { return len(w.stateFiles()) == 0 })
	w.nothingRuns()
}

// TestASessionGoesThroughItsResearch answers in the session itself, and
// confirms there: it is the same session that is woken at the end.
func TestASessionGoesThroughItsResearch(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	w := newStudy(t, rule{last: "has ended: completed", steps: []step{{say: "The report is there."}}})
	first := w.session(stagedCommand+`"Why?" --seats claude --reviewers claude --collectors 1 --scope . --test`, "--output-format", "json")
	r := w.done(first)
	require.Zero(t, r.code, r.errs)
	var session struct {
		ID string `json:"session_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &session))
	run := w.run()
	id := filepath.Base(run)
	require.Equal(t, 0, w.done(w.council("resume", id, "--input", "answers.json", "--detach")).code)
	until(t, "there is a brief", patience, func() bool { return w.status(run).Asking != nil && w.status(run).Asking.Confirm })
	again := w.done(w.session("What now?", "--resume", session.ID))
	require.Zero(t, again.code, again.errs)
	require.Len(t, w.asked("", "Show it to the user word for word"), 1, "woken with the brief, once")
	r = w.done(w.session("/research-council:confirm-brief", "--resume", session.ID))
	require.Zero(t, r.code, r.errs)
	require.Contains(t, r.out, "The report is there.", "it waits for the end of its research")
	w.approved(run)
	until(t, "the state file is gone", 10*time.Second, func() bool { return len(w.stateFiles()) == 0 })
	w.nothingRuns()
}

// TestNoModelConfirmsABrief lets a session try every way it has.
func TestNoModelConfirmsABrief(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	w := newStudy(t)
	require.Equal(t, 5, w.done(w.council("staged", "--seats", "claude", "--reviewers", "claude", "--collectors", "1", "--scope", ".", "--test", question)).code)
	require.Equal(t, 5, w.done(w.council("resume", "--input", "answers.json")).code)
	run := w.run()
	model := loopback.Anthropic(t, loopback.Scenario{Rules: []loopback.Rule{{When: loopback.When{FirstUser: "Go on"}, Steps: []loopback.Step{
		{Tools: []loopback.Call{{Name: "Skill", Input: map[string]any{"skill": "research-council:confirm-brief", "args": filepath.Base(run)}}}},
		{Shell: "council resume " + filepath.Base(run) + " --confirm"},
		{Text: "I have tried."},
	}}}})
	w.environ = append(w.environ, model.Env()...)
	r := w.done(w.session("Go on with it.", "--allowedTools", "Skill,Bash(council:*)"))
	require.Zero(t, r.code, r.errs)
	require.Contains(t, r.out, "I have tried.")
	said := model.Turns()[len(model.Turns())-1].Said()
	require.Contains(t, said, "only a person can confirm a brief")
	require.Equal(t, status.Paused, w.status(run).Status)
	require.Contains(t, content(t, run, "brief.json"), `"confirmed_by_user": false`)
	require.Less(t, time.Since(w.status(run).At), patience)
	w.nothingRuns()
}

// TestAPersonAtATerminalAnswersRightThere types into a terminal of their own.
func TestAPersonAtATerminalAnswersRightThere(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	w := newStudy(t)
	x := w.shell()
	x.enter("council staged --seats claude --reviewers claude --collectors 1 --scope . --test 'Why?'; echo left $?", "left $?")
	for i := 1; i <= staged.QuestionCount; i++ {
		x.shows(fmt.Sprintf("Q%d>", i))
		if i == 4 { // they go, and come back
			x.keys("send-keys", "C-c")
			x.shows("waits for you. Go on: council resume")
			x.leaves()
			require.Equal(t, status.Paused, w.status(w.run()).Status)
			x.enter("clear", "clear")
			until(t, "the screen is empty", patience, func() bool { return !strings.Contains(x.screen(), "Q4>") })
			x.enter("council resume; echo left $?", "left $?")
			for i := 1; i <= 3; i++ {
				x.shows(fmt.Sprintf("Q%d>", i))
				x.keys("send-keys", "Enter")
			}
			require.Equal(t, 3, strings.Count(x.screen(), "so far: memory"), "nothing is lost")
			require.NotContains(t, x.screen(), "Taken up again", "nothing was to be done for it")
			x.shows("Q4>")
		}
		x.keys("send-keys", "-l", "2")
		x.keys("send-keys", "Enter")
	}
	x.shows("Confirm? [y/N/edit]")
	require.Contains(t, x.screen(), "To decide on its settings")
	require.Contains(t, content(t, w.run(), staged.AnswersFile(1)), `"Q1": "memory"`)
	x.keys("send-keys", "-l", "y")
	x.keys("send-keys", "Enter")
	until(t, "the research ends", patience, func() bool { return w.status(w.run()).Status == "completed" })
	w.approved(w.run())
	x.shows("final-report.md")
	x.leaves()
	x.keys("send-keys", "-l", "exit")
	x.keys("send-keys", "Enter")
	w.nothingRuns()
}

// TestReviewersSendASessionsReportBack has the session that wrote a council's
// synthesis write it again.
func TestReviewersSendASessionsReportBack(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	const mend = `{"verdict":"needs_revision","scores":{"accuracy":5,"evidence":5,"completeness":5,"reasoning":5,"clarity":5},"issues":[{"section":"Key Findings","claims":[],"issue":"It does not say when.","fix":"Say when.","severity":"major"}],"summary":"The report was read and held against its facts."}`
	opinion := func(said, text string) rule {
		return rule{said: said, steps: []step{{write: "{report}", content: text + "\n" + agent.Marker + "\n"}, {say: "reviewed"}}}
	}
	script := []rule{
		opinion("/review-1", mend), opinion("/reconsider-1", mend), opinion(asking[agent.Review], approval), opinion(asking[agent.Reconsider], approval),
		{last: "the reviewers have sent the report back", steps: []step{{write: "{report}", content: draft()}, {say: "It is mended."}}},
	}
	w := newWorld(t, append(script, diligent()...)...)
	r := w.done(w.session(command + `"Why?" --seats claude --reviewers claude --test --scope . --debate off`))
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "completed", w.status(run).Status)
	require.Equal(t, panel.Approved, w.votes(run).FinalVerdict)
	back := slices.DeleteFunc(w.asked("", "the reviewers have sent the report back"), func(r request) bool {
		return strings.Contains(r.last, "has ended: completed")
	})
	require.Len(t, back, 2, "asked once: to write and to say so")
	require.Len(t, sessions(w.asked("", synthesis)), 0, "no seat takes its place")
	until(t, "the state file is gone", 10*time.Second, func() bool { return len(w.stateFiles()) == 0 })
	w.nothingRuns()
}
