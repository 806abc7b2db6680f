package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/cli"
)

const command = "/research-council:deep-research "

func (w *world) stateFiles() []string {
	list, err := filepath.Glob(filepath.Join(w.project, ".claude", "deep-research*"))
	require.NoError(w, err)
	return list
}

func TestASessionGetsItsReport(t *testing.T) {
	w := newWorld(t, diligent()...)
	r := w.done(w.session(command + `"How does the 'Go' collector pace $(itself)?" --seats claude,codex,gemini --test --scope . --debate off`))
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "completed", w.status(run).Status)
	require.Equal(t, "How does the 'Go' collector pace $(itself)?", w.status(run).Topic)
	w.complete(run)
	require.Contains(t, content(t, run, "progress.log"), "Session synthesis complete")
	require.Len(t, sessions(w.asked("", synthesis)), 0, "no seat is asked for the synthesis")
	require.Empty(t, w.stateFiles())
	require.NotContains(t, content(t, run, "final-report.md"), "itself)?\" --seats")
	w.nothingRuns()
}

func TestWhatIsNoRequestCostsNothing(t *testing.T) {
	cli.InMatrix(t)
	for name, c := range map[string]struct{ typed, said string }{
		"no question":       {command, "question"},
		"an empty question": {command + `"" --test --scope . --debate off`, "question"},
		"an unknown flag":   {command + `"Why?" --fast`, "--fast"},
		"an unknown seat":   {command + `"Why?" --seats claude,parrot`, "parrot"},
		"an unknown tier":   {command + `"Why?" --tier gold`, "gold"},
		"nothing to cancel": {"/research-council:cancel-research", "no run is under way here"},
		"no such run":       {"/research-council:cancel-research 20200101-000000-abcdef", "20200101-000000-abcdef"},
		"nothing to show":   {"/research-council:status", "no run is under way here"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.done(w.session(c.typed))
			require.Zero(t, r.code, r.errs)
			require.Contains(t, r.out, c.said)
			require.Zero(t, w.everything(), "no model is asked")
			left, err := os.ReadDir(w.project)
			require.NoError(t, err)
			require.Len(t, left, 1, "nothing is made beside the notes that were there")
		})
	}
}

// hanging is a council whose seats never end their first research.
func hanging() []rule {
	return []rule{{said: research, steps: []step{{hang: true}, {hang: true}, {hang: true}}}}
}

func TestARunIsShownAndCancelledAtNoCost(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t, hanging()...)
	owner := w.session(command + `"Why?" --seats claude,codex,gemini --test --scope . --debate off`)
	require.NoError(t, owner.Start())
	until(t, "all seats are at work", patience, func() bool { return len(sessions(w.asked("", research))) == 3 })
	before := w.everything()
	shown := w.done(w.session("/research-council:status"))
	require.Contains(t, shown.out, filepath.Base(w.run()))
	require.Contains(t, shown.out, "Why?")
	cancelled := w.done(w.session("/research-council:cancel-research"))
	require.Contains(t, cancelled.out, "is cancelled")
	require.Equal(t, before, w.everything(), "no model is asked")
	r := w.ended(owner, owner.Wait())
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "cancelled", w.status(run).Status)
	require.Empty(t, lacks(run, "final-report.md"))
	require.Empty(t, w.stateFiles())
	w.nothingRuns()
}

func TestTwoSessionsInOneProjectKeepToTheirOwnRuns(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t, diligent()...)
	first := w.session(command + `"Why is the first?" --seats claude --test --scope . --debate off`)
	second := w.session(command + `"Why is the second?" --seats gemini --test --scope . --debate off`)
	require.NoError(t, first.Start())
	require.NoError(t, second.Start())
	for _, r := range []result{w.ended(first, first.Wait()), w.ended(second, second.Wait())} {
		require.Zero(t, r.code, r.errs)
		require.Contains(t, r.out, "The answer is shown.")
	}
	runs := w.runs()
	require.Len(t, runs, 2)
	for _, run := range runs {
		st := w.status(run)
		require.Equal(t, "completed", st.Status)
		own, other := "claude", "gemini"
		if strings.Contains(st.Topic, "second") {
			own, other = other, own
		}
		require.Empty(t, lacks(run, own+"-report.md", own+"-refined.md", "synthesis.md", "final-report.md"))
		require.Len(t, lacks(run, other+"-report.md"), 1)
	}
	require.Empty(t, w.stateFiles())
	w.nothingRuns()
}

func TestAPlainSessionBesideARunIsLeftAlone(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t, hanging()...)
	owner := w.session(command + `"Why?" --seats codex --test --scope . --debate off`)
	require.NoError(t, owner.Start())
	until(t, "the seat is at work", patience, func() bool { return len(w.asked("openai", research)) == 1 })
	before, state := w.everything(), content(t, w.stateFiles()[0])
	began := time.Now()
	plain := w.done(w.session("Say hello."))
	require.Zero(t, plain.code, plain.errs)
	require.Equal(t, "done\n", plain.out)
	require.Less(t, time.Since(began), 20*time.Second, "it waits for nobody's run")
	require.Equal(t, before+1, w.everything(), "one turn, and nothing makes it go on")
	require.Equal(t, state, content(t, w.stateFiles()[0]))
	w.done(w.council("cancel"))
	require.Zero(t, w.ended(owner, owner.Wait()).code)
	w.nothingRuns()
}

func TestThePluginIsValid(t *testing.T) {
	w := newWorld(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	r := w.done(w.program(patience, filepath.Join(w.root, "bin", "claude"), "plugin", "validate", root, "--strict"))
	require.Zero(t, r.code, r.out+r.errs)
}

func TestThePluginLoadsWhole(t *testing.T) {
	w := newWorld(t)
	r := w.done(w.session("Say hello.", "--output-format", "stream-json", "--verbose"))
	require.Zero(t, r.code, r.errs)
	line := regexp.MustCompile(`(?m)^\{.*"subtype":"init".*$`).FindString(r.out)
	var init struct {
		Commands []string          `json:"slash_commands"`
		Agents   []string          `json:"agents"`
		Errors   []json.RawMessage `json:"plugin_errors"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &init))
	require.Empty(t, init.Errors)
	require.Subset(t, init.Commands, ours(t, "commands"))
	require.Subset(t, init.Agents, ours(t, "agents"))
}

// ours are the names under which the host knows what a folder of the plugin
// holds. A file it cannot read is missing without a word.
func ours(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var names []string
	for _, f := range files {
		names = append(names, "research-council:"+strings.TrimSuffix(filepath.Base(f), ".md"))
	}
	return names
}

// TestASessionIsRemindedOfItsSynthesis has the session answer the first
// request with words alone.
func TestASessionIsRemindedOfItsSynthesis(t *testing.T) {
	cli.InMatrix(t)
	script := append([]rule{{last: "Phase 3/3", steps: []step{{say: "I am thinking about it."}}}}, diligent()...)
	w := newWorld(t, script...)
	r := w.done(w.session(command + `"Why?" --seats codex --test --scope . --debate off`))
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "completed", w.status(run).Status)
	require.Contains(t, content(t, run, "progress.log"), "Session synthesis complete")
	require.Len(t, sessions(w.asked("", synthesis)), 0, "no seat takes its place")
	w.nothingRuns()
}

// TestASessionThatNeverWritesIsReplaced asks a session that only talks.
func TestASessionThatNeverWritesIsReplaced(t *testing.T) {
	cli.InMatrix(t)
	script := append([]rule{{last: "synthesis", vendor: "anthropic", steps: []step{{say: "No."}, {say: "No."}, {say: "No."}}}}, diligent()...)
	w := newWorld(t, script...)
	r := w.done(w.session(command + `"Why?" --seats codex --test --scope . --debate off`))
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "completed", w.status(run).Status, "it stays until the report is there")
	require.Len(t, sessions(w.asked("openai", synthesis)), 1, "a seat writes it")
	require.Empty(t, lacks(run, "final-report.md"))
	require.Empty(t, w.stateFiles())
	w.nothingRuns()
}

// TestThePluginCostsLittleInEverySession holds what the host reckons the plugin adds
// to every session, in tokens.
func TestThePluginCostsLittleInEverySession(t *testing.T) {
	w := newWorld(t)
	claude := filepath.Join(w.root, "bin", "claude")
	for _, args := range [][]string{{"marketplace", "add", plugin}, {"install", installed(t)}} {
		r := w.done(w.program(patience, append([]string{claude, "plugin"}, args...)...))
		require.Zero(t, r.code, r.out+r.errs)
	}
	r := w.done(w.program(patience, claude, "plugin", "details", "research-council"))
	require.Zero(t, r.code, r.errs)
	figure := regexp.MustCompile(`Always-on:\s+~([\d,]+) tok`).FindStringSubmatch(r.out)
	require.Len(t, figure, 2, r.out)
	tokens, err := strconv.Atoi(strings.ReplaceAll(figure[1], ",", ""))
	require.NoError(t, err)
	require.Positive(t, tokens)
	require.LessOrEqual(t, tokens, 900)
}

// TestWhatIsAnsweredInWordsLooksLikeAnAnswer types commands that need no turn of a
// model, at a terminal.
func TestWhatIsAnsweredInWordsLooksLikeAnAnswer(t *testing.T) {
	w := newWorld(t, hanging()...)
	x := w.terminal()
	x.shows("❯")
	for _, c := range []struct{ typed, said string }{
		{"/research-council:status", "research-council: no run is under way here"},
		{"/research-council:deep-research \"Why?\" --fast", "--fast"},
		{"/research-council:research", "research-council: there is no name"},
		{"/research-council:research 'tea'", "research-council: there is no prompt"},
		{"/research-council:implement 'tea'", "research-council: there is no plan to implement"},
		{"/research-council:continue-auto tea", "research-council: no campaign is called"},
		{"/research-council:full-review nowhere", "research-council: \"nowhere\" is not there"},
		{"/research-council:full-review --seats parrot", "parrot"},
	} {
		x.enter(c.typed, c.typed)
		x.shows(c.said)
	}
	require.NotContains(t, x.screen(), "hook")
	require.Zero(t, w.everything(), "no model is asked")
	require.Empty(t, w.stateFiles(), "and nothing has begun")
	x.keys("send-keys", "-l", "/research-council:")
	x.shows("/research-council:status")
	for _, extra := range []string{"research-council:research", "research-council:implement", "research-council:accept-change"} {
		require.NotContains(t, x.screen(), extra+" ", "it is behind help")
	}
}
