package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/output/notify"
)

// notice is what `council notify` sends.
type notice struct {
	notify.Message
	test bool
}

func notifyCommand(e program.Env) *cobra.Command {
	var n notice
	c := &cobra.Command{
		Use: "notify TITLE [BODY]", Short: "Send a message on the channels that are configured",
		Long: `Send a message on the desktop, the terminal, a webhook, ntfy, Slack and Telegram:
on those that the section notify of the configuration sets (` + "`council config path`" + `).
Secrets are read from the environment variables named there. One line tells how
each channel fared; exit code 1 when one failed.`,
		Example: `council notify --test
council notify "Build done" "all tests pass"
council notify "Nightly run failed" --level error --json
SLACK_WEBHOOK_URL=… council notify "With notify: {slack: {url_env: SLACK_WEBHOOK_URL}}"`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := n.message(args)
			if err != nil {
				return err
			}
			return sendNotice(c, e, m, n.test)
		},
	}
	c.Flags().BoolVar(&n.test, "test", false, "send a test message; no channel at all is a failure")
	c.Flags().StringVar(&n.Level, "level", notify.Info, "info, warning or error")
	c.Flags().StringVar(&n.Run, "run", "", "the id of the run it is about")
	return c
}

// message is what was typed, as a message.
func (n notice) message(args []string) (notify.Message, error) {
	m := n.Message
	switch {
	case m.Level != notify.Info && m.Level != notify.Warning && m.Level != notify.Error:
		return m, usage.Errorf("--level %q: use info, warning or error", m.Level)
	case n.test && len(args) > 0:
		return m, usage.Errorf("--test has a message of its own; leave out %q", args[0])
	case n.test:
		m.Title, m.Body = "Research council: a test", "Messages arrive here."
		return m, nil
	case len(args) == 0:
		return m, usage.Errorf("what is to be said? Give a title, or --test")
	}
	m.Title = args[0]
	if len(args) > 1 {
		m.Body = args[1]
	}
	return m, nil
}

// channelResult is how one channel fared.
type channelResult struct {
	Channel string `json:"channel"`
	Sent    bool   `json:"sent"`
	Error   string `json:"error,omitempty"`
}

func sendNotice(c *cobra.Command, e program.Env, m notify.Message, test bool) error {
	conf, err := e.Config()
	if err != nil {
		return err
	}
	n := notify.New(conf.Notify, e.Getenv).WithTerminal(e.Stderr)
	list, failed := tryChannels(c.Context(), n, m)
	if asJSON(c) {
		err = encode(e.Stdout, map[string][]channelResult{"channels": list})
	} else {
		err = printChannels(e, list)
	}
	if err == nil && (failed || test && len(list) == 0) {
		err = exitCode(codeFailed)
	}
	return err
}

func tryChannels(ctx context.Context, n *notify.Notifier, m notify.Message) (list []channelResult, failed bool) {
	list = []channelResult{}
	for _, o := range n.SendAll(ctx, m) {
		f := channelResult{Channel: o.Channel, Sent: o.Err == nil}
		if o.Err != nil {
			f.Error, failed = o.Err.Error(), true
		}
		list = append(list, f)
	}
	return list, failed
}

func printChannels(e program.Env, list []channelResult) error {
	if len(list) == 0 {
		fmt.Fprintln(e.Stderr, "council: no channel is configured; the section notify of the configuration sets them (`council config path`)")
	}
	for _, f := range list {
		line := f.Channel + ": sent"
		if !f.Sent {
			line = f.Error
		}
		if _, err := fmt.Fprintln(e.Stdout, line); err != nil {
			return fmt.Errorf("tell how channels fared: %w", err)
		}
	}
	return nil
}
