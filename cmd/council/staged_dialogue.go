package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/program"
)

// workAndAsk works on a run in the foreground, and asks the person at the
// terminal whenever it waits for them.
func workAndAsk(c *cobra.Command, e program.Env, w work) (flow.Run, error) {
	var t *dialogue.Person
	if !w.quiet && !asJSON(c) {
		t = dialogue.AtTerminal(e)
	}
	r, err := supervisor.Read(w.project, w.folder.ID)
	if err == nil && (t == nil || !r.IsWaiting()) {
		r, err = superviseShowing(c, e, w)
	}
	for err == nil && t != nil && r.IsWaiting() {
		if err := t.AskOrExplain(c.Context(), e.SupervisorOptions(w.project, w.folder.ID), w.folder, r); err != nil {
			return r, leftExit(err)
		}
		w.from = w.progressEnd()
		r, err = superviseShowing(c, e, w)
	}
	return r, err
}

// leftExit is the exit code of one who has left a run as it is: they were told how
// to go on.
func leftExit(err error) error {
	switch {
	case errors.Is(err, dialogue.ErrLeft):
		return exitCode(codePaused)
	case errors.Is(err, context.Canceled):
		return exitCode(codeInterrupted)
	}
	return err
}
