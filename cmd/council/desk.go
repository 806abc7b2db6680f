package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/project/lab"
	"github.com/research-council/research-council/internal/project/shell"
)

// deskCommand is the MCP server a seat's command line starts.
func deskCommand(e program.Env) *cobra.Command {
	o := desk.Options{Version: e.Version}
	var how, commands, code, experiments string
	var session bool
	c := &cobra.Command{
		Use:   "desk --run DIR --seat NAME --dir DIR | desk --session",
		Short: "Serve a seat's desk: fetch and search sources, record claims (MCP on stdin and stdout)",
		Long: `Serve a seat's desk over MCP, on stdin and stdout: pages are fetched and
archived by the program, quotations are looked for when a claim is recorded.
Seats are given their desks by themselves; by hand it serves any MCP client.
With --session it is the desk of the Claude Code session that started it: it
lists its tools while the session has a campaign, and serves its seat while an
iteration of that is under way.`,
		Example: `council desk --run /project/research/20260101-120000-abcdef --seat claude --dir /project/research/20260101-120000-abcdef/seats/claude`,
		Hidden:  true,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if session {
				return serveSession(c, e)
			}
			if o.Run == "" || o.Seat == "" || o.Dir == "" {
				return usage.Errorf("a desk needs --run, --seat and --dir")
			}
			if code != "" && commands == "" {
				return usage.Errorf("--code needs --shell")
			}
			n, err := deskNetwork(e, how)
			if err != nil {
				return err
			}
			if commands != "" {
				own, err := shell.LoadOptions(commands, e.Environ)
				if err != nil {
					return err
				}
				o.Shell = &own
			}
			if experiments != "" {
				lent, err := lab.Load(experiments)
				if err != nil {
					return err
				}
				o.Experiments = &desk.Experiments{Lent: lent}
			}
			if code != "" {
				return serveTrials(c, e, o, code)
			}
			return serveDesk(c, e, o, n)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Run, "run", "", "the run's folder")
	f.StringVar(&o.Seat, "seat", "", "the seat's name")
	f.StringVar(&o.Dir, "dir", "", "the seat's folder")
	f.StringVar(&o.Scope, "scope", "", "a folder of local sources")
	f.StringVar(&o.Open, "open", "", "the file that lists what is to be mended")
	f.StringVar(&o.Plan, "plan", "", "the run's plan, JSON")
	f.StringVar(&o.Registry, "registry", "", "the registry that the seat is handed a digest of (default: the one among its inputs)")
	f.StringVar(&commands, "shell", "", "the file that says how commands in the project are run; without it there are none")
	f.StringVar(&experiments, "experiments", "", "the file that says how experiments are made; without it there are none")
	f.StringVar(&code, "code", "", "serve a second look at findings in this folder, and nothing but tests on copies of it, as --shell says")
	f.BoolVar(&o.Judges, "judges", false, "the seat judges what others claim: it records nothing")
	f.BoolVar(&session, "session", false, "serve the session that has started it")
	f.StringVar(&how, "network", "", "how sources are fetched, JSON (default: the configuration)")
	return c
}

// deskNetwork is how a desk fetches: as its run was told, or as configured.
func deskNetwork(e program.Env, told string) (flow.Network, error) {
	if told == "" {
		c, err := e.Config()
		return e.AllowedNetwork(c.Network), err
	}
	var n flow.Network
	if err := json.Unmarshal([]byte(told), &n); err != nil {
		return n, usage.Errorf("--network %q: %w", told, err)
	}
	return e.AllowedNetwork(n), nil
}

func serveDesk(c *cobra.Command, e program.Env, o desk.Options, n flow.Network) error {
	for _, path := range []*string{&o.Run, &o.Dir, &o.Scope, &o.Open, &o.Plan, &o.Registry} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(e.Dir, *path)
		}
	}
	if o.Experiments != nil {
		o.Experiments.Scope = o.Scope
	}
	kept, err := archive.Open(filepath.Join(o.Run, council.SourcesDir), e.ArchiveOptions(n))
	if err != nil {
		return fmt.Errorf("open the archive: %w", err)
	}
	o.Archive, o.Private, o.Library = kept, len(n.Private) > 0, n.Library
	if o.Web, err = e.DeskSearch(kept, o.Run, n); err != nil {
		return err
	}
	d, err := desk.Open(o)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Serve(c.Context(), e.Stdin, e.Stdout); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // its host has ended it
}

// serveTrials serves a second look at findings in code.
func serveTrials(c *cobra.Command, e program.Env, o desk.Options, code string) error {
	d, err := desk.OpenTrials(desk.TrialOptions{Run: o.Run, Seat: o.Seat, Code: code, Shell: *o.Shell, Version: o.Version})
	if err != nil {
		return err
	}
	if err := d.Serve(c.Context(), e.Stdin, e.Stdout); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // its host has ended it
}

func serveSession(c *cobra.Command, e program.Env) error {
	s := session.NewDesk(e)
	d := &desk.Session{Find: s.Find, Equip: s.OpenArchive, Version: e.Version, Needed: s.HasCampaign, Kinds: s.SearchKinds}
	if err := d.Serve(c.Context(), e.Stdin, e.Stdout); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // its host has ended it
}
