package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/program"
)

func noteCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "note [RUN] TEXT",
		Short: "Say something to those who work on a run",
		Long: `Say something to those who work on a run while it goes on: which source to look at,
what to leave out, what has changed. In a council and in staged research every turn
that begins from then on finds it in its prompt, word for word, but for those that
judge; in a campaign the next iteration does. Without RUN the run that goes on is
meant. The text is the last argument, or standard input where that is -. Only a person
can.`,
		Example: `council note "Our records are 2 KB each, not 200 bytes"
council note 20260222-143000-a1b2c3 "Leave out what is older than 2024"
council note - < note.md`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			return noteRun(c, e, args[:len(args)-1], args[len(args)-1])
		},
	}
}

func noteRun(c *cobra.Command, e program.Env, named []string, arg string) error {
	project, id, err := pick(c, e, named)
	if err != nil {
		return err
	}
	if err := refuseAmbiguous(project, named); err != nil {
		return err
	}
	r, err := supervisor.Read(project, id)
	if err != nil {
		return err
	}
	text, err := noteText(e, arg)
	if err != nil {
		return err
	}
	if text, err = control.Note(e, project, r, text); err != nil {
		return err
	}
	return writeReply(c, e, map[string]string{"run": id, "note": text}, fmt.Sprintf("Noted for run %s: %s.", id, control.NoteReaches(r)))
}

// noteText is a note as it was given: the argument, or standard input where that is -.
func noteText(e program.Env, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(e.Stdin, 1<<20))
	if err != nil {
		return "", fmt.Errorf("read the note: %w", err)
	}
	return string(data), nil
}
