package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
)

// The hooks of Claude Code that have real work to do. council-hook has looked
// first and hands over only what concerns a run; nothing here may trap the
// user, so whatever goes wrong ends with code 0 and a line on stderr.

// wakeCode is the exit code by which a hook wakes its session with stderr.
const wakeCode = 2

// hookExitCode is the exit code of a hook: a host takes 2 for "block", so nothing
// but a wake-up on purpose may end with it.
func hookExitCode(err error) int {
	if errors.Is(err, session.ErrWake) {
		return wakeCode
	}
	return 0
}

func hookCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{Use: "hook", Short: "What the plugin's hooks hand over", Hidden: true, RunE: func(*cobra.Command, []string) error {
		return errors.New("which hook? council-hook knows them")
	}}
	c.AddCommand(hookBeginCommand(e), hookAnswerCommand(e), hookCampaignCommand(e),
		ownerCommand("wait", func(c *cobra.Command, o session.Owner) error { return session.Wait(c.Context(), e, o) }),
		ownerCommand("pane", func(_ *cobra.Command, o session.Owner) error { return session.WritePane(e, o) }),
		hookSessionStartCommand(e), hookTypedCommand(e), hookHandBackCommand(e),
		ownerCommand("cleared", func(_ *cobra.Command, o session.Owner) error { return session.Clear(e, o) }),
		ownerCommand("adopt", func(c *cobra.Command, o session.Owner) error { return session.Adopt(c.Context(), e, o) }),
	)
	return c
}

// ownerCommand is a hook that needs no more than to know whose it is.
func ownerCommand(name string, do func(*cobra.Command, session.Owner) error) *cobra.Command {
	var o session.Owner
	c := &cobra.Command{Use: name, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return do(c, o) }}
	ownerFlags(c, &o)
	return c
}

func ownerFlags(c *cobra.Command, o *session.Owner) {
	c.Flags().StringVar(&o.Project, "root", "", "the project")
	c.Flags().StringVar(&o.Run, "run", "", "the run")
	c.Flags().StringVar(&o.Session, "session", "", "the session that owns the run")
}

func hookBeginCommand(e program.Env) *cobra.Command {
	return &cobra.Command{Use: "begin", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return session.AnswerSlashCommand(c.Context(), e)
	}}
}

func hookAnswerCommand(e program.Env) *cobra.Command {
	return &cobra.Command{Use: "answer", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return session.WriteCommandWords(c.Context(), e)
	}}
}

func hookTypedCommand(e program.Env) *cobra.Command {
	var t session.Typed
	c := &cobra.Command{Use: "typed", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return session.AnswerTyped(c.Context(), e, t)
	}}
	for name, to := range map[string]*string{"host": &t.Host, "dir": &t.Dir, "session": &t.Session, "command": &t.Command, "args": &t.Args, "prompt": &t.Prompt} {
		c.Flags().StringVar(to, name, "", "as the host told it")
	}
	return c
}

func hookHandBackCommand(e program.Env) *cobra.Command {
	var h session.HandedBack
	c := &cobra.Command{Use: "hand-back", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return session.HandBack(e, h) }}
	ownerFlags(c, &h.Owner)
	for name, to := range map[string]*string{"host": &h.Host, "event": &h.Event, "reason": &h.Reason, "context": &h.Context, "words": &h.Words} {
		c.Flags().StringVar(to, name, "", "as the host told it, or its loop says")
	}
	return c
}

func hookSessionStartCommand(e program.Env) *cobra.Command {
	var also, words string
	c := ownerCommand("session-start", func(_ *cobra.Command, o session.Owner) error { return session.Start(e, o, also, words) })
	c.Flags().StringVar(&also, "also", "", "what else the session is told")
	c.Flags().StringVar(&words, "words", "", "what the person is told")
	c.Flags().String("source", "", "how the session started")
	return c
}

func hookCampaignCommand(e program.Env) *cobra.Command {
	var v session.Event
	c := &cobra.Command{Use: "campaign", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return session.HandleCampaign(c.Context(), e, v)
	}}
	ownerFlags(c, &v.Owner)
	for name, to := range map[string]*string{
		"event": &v.Name, "source": &v.Call.Source, "trigger": &v.Call.Trigger, "reason": &v.Call.Reason,
		"fault": &v.Call.Fault, "transcript": &v.Call.Transcript,
	} {
		c.Flags().StringVar(to, name, "", "as the host told it")
	}
	c.Flags().DurationVar(&v.BriefWait, "at-once", session.DefaultBriefWait, "for how long a stop waits for the next brief")
	c.Flags().BoolVar(&v.Call.Background, "background", false, "background tasks are running")
	return c
}
