// Package session is a session of Claude Code around a run or a campaign: what its
// slash commands begin, what its hooks say and decide when it starts, stops, is
// compacted, cleared or ended, how it is given the iterations of a campaign, and
// where its desk sits. council-hook has looked first and hands over what concerns
// a run. Nothing here may trap the user: an error lets the session go.
package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// ErrWake says that the session is to be woken by what was written to stderr.
var ErrWake = errors.New("the session is woken")

// wake has the host wake the session with some words; nothing where there are none.
func wake(e program.Env, words string) error {
	if words == "" {
		return nil
	}
	fmt.Fprintln(e.Stderr, words)
	return ErrWake
}

// Owner is a session that owns a run, as a hook of the session says.
type Owner struct {
	Project string
	Run     string
	Session string
}

// Start tells a session that has begun, or has lost its context, where its run
// stands, and what else there is to say to it.
// Words are for the person alone, and are shown whatever comes of the rest.
func Start(e program.Env, o Owner, also, words string) error {
	text, err := standing(e, o, also)
	if text == "" && words == "" {
		return err
	}
	return errors.Join(err, answerStart(e, text, words))
}

// standing takes the session up, and is what it is told.
func standing(e program.Env, o Owner, also string) (string, error) {
	if !workspace.ValidID(o.Run) {
		return "", nil
	}
	f, err := workspace.Open(o.Project, o.Run)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := sessionWaiter{Env: e, Owner: o, folder: f}
	st, err := runs.Read(o.Project, o.Run)
	if err != nil {
		return "", err
	}
	if err := w.recordSessionProcess(e.HostProcess()); err != nil {
		return "", err
	}
	if st.Asking == nil {
		if err := w.restartSupervisor(); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(restored(f, st) + "\n" + also), nil
}

// giveContext is the answer of a hook that tells a session where it stands.
func giveContext(e program.Env, text string) error { return answerStart(e, text, "") }

// answerStart is the same with words for the person.
func answerStart(e program.Env, text, words string) error {
	answer := map[string]any{}
	if text != "" {
		answer["hookSpecificOutput"] = map[string]any{"hookEventName": "SessionStart", "additionalContext": text}
	}
	if words != "" {
		answer["systemMessage"] = words
	}
	return json.NewEncoder(e.Stdout).Encode(answer)
}

// restored tells a session that has lost its context where its run stands.
func restored(f *workspace.Folder, st status.Status) string {
	text := fmt.Sprintf("This session owns research council run %s on: %q. It stands in phase %s (%s).", st.ID, plain.Line(st.Topic, 300), st.Phase, st.Status)
	if st.Asking != nil {
		return text + " It " + waitingSummary(f, st)
	}
	if codereview.StatusOf(st) != nil {
		return text + reviewStatusText(st)
	}
	if st.Phase == council.Synthesis && f.Filled(councilwork.SynthesisPrompt) && !f.Filled(council.SynthesisFile) {
		return text + fmt.Sprintf(" The next step is this session's: read %s and write the synthesis to %s.", f.Join(councilwork.SynthesisPrompt), f.Join(council.SynthesisFile))
	}
	return text + fmt.Sprintf(" The seats work by themselves; progress is in %s. The session is asked when it is its turn.", f.Join(workspace.Progress))
}
