package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"research-council/internal/agent"
	"research-council/internal/engine/status"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/runs"
	"research-council/internal/product/recipe"
)

// The hooks of Claude Code that have real work to do. council-hook has looked
// first and hands over only what concerns a run; nothing here may trap the
// user, so whatever goes wrong ends with code 0 and a line on stderr.

// wakeCode is the exit code by which a hook wakes its session with stderr.
const wakeCode = 2

// hookExitCode is the exit code of a hook: a host takes 2 for "block", so nothing
// but a wake-up on purpose may end with it.
func hookExitCode(err error) int {
	var code exitCode
	if errors.As(err, &code) && code == wakeCode {
		return wakeCode
	}
	return 0
}

func hookCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "hook", Short: "What the plugin's hooks hand over", Hidden: true, RunE: func(*cobra.Command, []string) error {
		return errors.New("which hook? council-hook knows them")
	}}
	c.AddCommand(hookBeginCommand(e), hookWaitCommand(e), hookSessionStartCommand(e), hookCampaignCommand(e), hookClearedCommand(e), hookAdoptCommand(e))
	return c
}

func runFlags(c *cobra.Command, project, id, session *string) {
	c.Flags().StringVar(project, "root", "", "the project")
	c.Flags().StringVar(id, "run", "", "the run")
	c.Flags().StringVar(session, "session", "", "the session that owns the run")
}

func hookSessionStartCommand(e env) *cobra.Command {
	var project, id, session, source string
	c := &cobra.Command{Use: "session-start", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		if !workspace.ValidID(id) {
			return nil
		}
		f, err := workspace.Open(project, id)
		if err != nil {
			return err
		}
		defer f.Close()
		w := sessionWaiter{env: e, folder: f, project: project, id: id, session: session}
		st, err := runs.Read(project, id)
		if err != nil {
			return err
		}
		if err := w.recordSessionProcess(e.HostProcess()); err != nil {
			return err
		}
		if st.Asking == nil {
			if err := w.restartSupervisor(); err != nil {
				return err
			}
		}
		return json.NewEncoder(e.stdout).Encode(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": "SessionStart", "additionalContext": restored(f, st),
		}})
	}}
	runFlags(c, &project, &id, &session)
	c.Flags().StringVar(&source, "source", "", "how the session started")
	return c
}

// restored tells a session that has lost its context where its run stands.
func restored(f *workspace.Folder, st status.Status) string {
	text := fmt.Sprintf("This session owns research council run %s on: %q. It stands in phase %s (%s).", st.ID, agent.PlainLine(st.Topic, 300), st.Phase, st.Status)
	if st.Asking != nil {
		return text + " It " + waitingSummary(f, st)
	}
	if st.Review != nil {
		return text + reviewStatusText(st)
	}
	if st.Phase == recipe.Synthesis && f.Filled(supervisor.SynthesisPrompt) && !f.Filled(recipe.SynthesisFile) {
		return text + fmt.Sprintf(" The next step is this session's: read %s and write the synthesis to %s.", f.Join(supervisor.SynthesisPrompt), f.Join(recipe.SynthesisFile))
	}
	return text + fmt.Sprintf(" The seats work by themselves; progress is in %s. The session is asked when it is its turn.", f.Join(workspace.Progress))
}
