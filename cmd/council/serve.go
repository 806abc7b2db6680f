package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/serve"
	"github.com/research-council/research-council/internal/host/view"
)

func serveCommand(e program.Env) *cobra.Command {
	o := serve.Options{Env: e}
	var below string
	var all bool
	c := &cobra.Command{
		Use:   "serve [FOLDER]",
		Args:  cobra.MaximumNArgs(1),
		Short: "Show runs in a browser",
		Long: `Show the runs of a project in a browser, and steer them there: how far each is,
what it costs, its claims with the passages they quote, sources, disputes, the
report; cancel, finish, note, answer and confirm. A run can be planned there and,
after a yes to its plan and estimate, started; only where a person has started
this in a terminal.

The address that is printed has a token and is good until the program ends: who
has it may do what you may. It is served to this machine alone. With --listen it
is served elsewhere, over TLS; without a certificate leave it here and open a
tunnel to it. Ctrl-C ends the pages, and no run.

With a FOLDER that has final-report.md and registry.json but no journal, as one that
was handed on, that report is shown, and nothing can be done to it.`,
		Example: `council serve
council serve docs/examples/council
council serve --all
council serve --listen 127.0.0.1:8080
council serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem`,
		RunE: func(c *cobra.Command, args []string) error {
			if o.Address.Listen == "" && c.Flags().Changed("listen") {
				return usage.Errorf("--listen needs an address, as 127.0.0.1:8080")
			}
			folder := ""
			if len(args) == 1 {
				folder = args[0]
				if all || below != "" {
					return usage.Errorf("%q is one report: leave out --all and --below", folder)
				}
			}
			closes, err := chooseServed(c, e, &o, folder, below, all)
			if err != nil {
				return err
			}
			defer closes()
			s, err := serve.Open(o)
			if err != nil {
				return err
			}
			if asJSON(c) {
				err = encodeLine(e.Stdout, map[string]any{"address": s.URL(), "projects": o.Projects})
			} else {
				_, err = fmt.Fprintln(e.Stdout, s.URL())
				fmt.Fprintln(e.Stderr, "Open this address in a browser; it is good until you press Ctrl-C.")
			}
			if err != nil {
				return err
			}
			err = s.Serve(c.Context())
			if err == nil && c.Context().Err() != nil && !asJSON(c) {
				fmt.Fprintln(e.Stderr, "Stopped; no run was. `council serve` shows them again, at another address.")
			}
			return err
		},
	}
	c.Flags().StringVar(&o.Address.Listen, "listen", "", "the address to serve at, as 127.0.0.1:8080 (default: a free port of this machine); one that others can reach needs TLS")
	c.Flags().StringVar(&o.Address.Cert, "tls-cert", "", "a certificate, PEM, with which it is served over TLS")
	c.Flags().StringVar(&o.Address.Key, "tls-key", "", "the key of the certificate, PEM")
	c.Flags().BoolVar(&all, "all", false, "show all projects with runs below your home folder")
	c.Flags().StringVar(&below, "below", "", "show all projects with runs below this folder")
	return c
}

// chooseServed says what is shown: a folder that has a report and no journal, which is laid
// down until closes is called, or else the runs of projects.
func chooseServed(c *cobra.Command, e program.Env, o *serve.Options, folder, below string, all bool) (closes func(), err error) {
	if folder != "" {
		return serveReport(o, e, folder)
	}
	project, err := projectWithRuns(c, e)
	if err != nil {
		return nil, err
	}
	o.Person = caller.Agent(e.Getenv) == "" && view.IsTerminal(e.Stdin)
	o.Projects, err = servedProjects(e, project, below, all)
	return func() {}, err
}

// serveReport has a folder shown that has a report and no journal.
func serveReport(o *serve.Options, e program.Env, dir string) (closes func(), err error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(e.Dir, dir)
	}
	temp, err := os.MkdirTemp("", "council-serve-")
	if err != nil {
		return nil, fmt.Errorf("show a report: %w", err)
	}
	closes = func() { _ = os.RemoveAll(temp) } // the system clears what is left
	project, kept, err := serve.Keep(filepath.Clean(dir), temp)
	if err != nil {
		closes()
		return nil, err
	}
	o.Projects, o.Kept = []string{project}, &kept
	return closes, nil
}

// servedProjects are the folders whose runs are shown: one, and those that are searched
// for where that is asked.
func servedProjects(e program.Env, project, below string, all bool) ([]string, error) {
	var err error
	if all && below == "" {
		if below = e.Getenv("HOME"); below == "" {
			return nil, usage.Errorf("--all finds no home folder: set HOME, or name a folder with --below")
		}
	}
	list := []string{project}
	if below != "" {
		dir := below
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(e.Dir, dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, usage.Errorf("--below %q is no folder; name one that exists", below)
		}
		list = append(list, serve.Below(filepath.Clean(dir))...)
	}
	for i := range list {
		if list[i], err = filepath.Abs(list[i]); err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}
