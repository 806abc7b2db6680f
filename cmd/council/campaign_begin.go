package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/session"
)

// A session comes to a campaign by a slash command, which our hook sees typed,
// or by `council campaign begin`, which the session calls where a loop has fed
// the command to it again. Both lead here: the campaign is begun, or the
// session's own is gone on with.

func campaignBeginCommand(e program.Env) *cobra.Command {
	var arguments string
	c := &cobra.Command{
		Use:   "begin [MODE]",
		Short: "Begin a campaign in this session, or wait for its next iteration",
		Long: `Begin a campaign that the Claude Code session around this command works on, or
wait for the next iteration of the one it has, and print what there is to do.
The arguments of the slash command, name, prompt and flags, come as they were
typed: on standard input with --arguments -.`,
		Example: `council campaign begin
council campaign begin research --arguments - <<'END'
'tls-1.3' 'What did TLS 1.3 change for middleboxes?' --max-iterations 30
END
council campaign begin continue-auto`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o, err := sessionRequest(c, e)
			if err != nil {
				return err
			}
			mode, ok := session.ModeOfCommand("research-council:" + strings.Join(append(args, "continue-auto")[:1], ""))
			if !ok {
				return usage.Errorf("there is no mode %q; use research, research-and-plan, full-auto, implement or continue-auto", args[0])
			}
			if arguments == "-" {
				data, err := io.ReadAll(io.LimitReader(e.Stdin, request.MaxTopicBytes+4096))
				if err != nil {
					return fmt.Errorf("read the arguments: %w", err)
				}
				arguments = string(data)
			}
			if err := o.RefuseModelRequest(mode, arguments); err != nil {
				return err
			}
			text, err := o.BeginOrContinue(c.Context(), mode, arguments)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.Stdout, map[string]string{"text": text})
			}
			_, err = fmt.Fprintln(e.Stdout, text)
			return err
		},
	}
	c.Flags().StringVar(&arguments, "arguments", "", "what stood behind the slash command; - is standard input")
	return c
}

// sessionRequest is the session around a command. Its project is where it is at
// home.
func sessionRequest(c *cobra.Command, e program.Env) (session.Iteration, error) {
	o := session.Iteration{Env: e, Session: e.Getenv("CLAUDE_CODE_SESSION_ID"), Host: e.HostProcess(), Timeout: session.CommandTimeout}
	if o.Session == "" {
		return o, usage.Errorf("this is no Claude Code session; `council campaign run` works without one")
	}
	if c.Flags().Changed("project") {
		return o, usage.Errorf("a session works in its own project; --project is for `council campaign run`")
	}
	if o.Project = e.SessionProject(); o.Project != "" {
		return o, nil
	}
	var err error
	o.Project, err = projectWithRuns(c, e)
	return o, err
}
