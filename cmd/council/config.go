package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/setup"
)

func configCommand(e program.Env) *cobra.Command {
	show := func(c *cobra.Command, _ []string) error { return showConfig(c, e) }
	c := &cobra.Command{
		Use: "config", Short: "Show or begin the configuration: seats, models, limits",
		Example: "council config show\ncouncil config init\ncouncil config add ollama", RunE: show,
	}
	c.AddCommand(
		&cobra.Command{Use: "show", Short: "Print what holds, defaults included", Example: "council config show --json", RunE: show},
		&cobra.Command{Use: "path", Short: "Print where the configuration is read from", Example: "council config path", RunE: func(c *cobra.Command, _ []string) error {
			path, err := config.Path(e.Getenv)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.Stdout, map[string]any{"path": path, "exists": exists(path)})
			}
			_, err = fmt.Fprintln(e.Stdout, path)
			return err
		}},
		&cobra.Command{Use: "init", Short: "Write the defaults there, to be changed", Example: "council config init", RunE: func(c *cobra.Command, _ []string) error {
			return initConfig(c, e)
		}},
	)
	c.AddCommand(configAddCommand(e))
	return c
}

func configAddCommand(e program.Env) *cobra.Command {
	var o setup.AddOptions
	c := &cobra.Command{
		Use: "add SERVER", Short: "Add a server of models as a seat: ask which it has, and try a call",
		Long: `Add a server that speaks OpenAI's chat completions as a seat of its name. It is
asked which models it has, and where there are several --model says which; then
it is written into your configuration, with all else as it was, and a call of it
is tried, which costs a few tokens. A key never stands in the configuration: the
variable named with --key-env holds it.

Known are ` + presetNames() + `;
any other server is added by a name of yours and --url.`,
		Example: `council config add ollama --model qwen3:8b
council config add openrouter --name kimi --model moonshotai/kimi-k2 --brand moonshot
council config add office --url http://10.0.0.7:8000/v1`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Preset = args[0]
			return addServer(c, e, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			for _, p := range config.Presets() {
				names = append(names, p.Name+"\t"+p.BaseURL)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	f.StringVar(&o.Name, "name", "", "the seat's name (default: the server's)")
	f.StringVar(&o.URL, "url", "", "base address of the server")
	f.StringVar(&o.Model, "model", "", "the model, as the server calls it")
	f.StringVar(&o.KeyEnv, "key-env", "", "the variable of the environment that holds its key")
	f.StringVar(&o.Brand, "brand", "", "family of the model: seats of one family are no rivals (default: the server's)")
	f.BoolVar(&o.NoTry, "no-try", false, "make no call")
	f.BoolVar(&o.DryRun, "dry-run", false, "show the configuration that would be written; write nothing and make no call")
	return c
}

// presetNames are the servers that are known, for help.
func presetNames() string {
	var names []string
	for _, p := range config.Presets() {
		names = append(names, p.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func addServer(c *cobra.Command, e program.Env, o setup.AddOptions) error {
	if who := caller.Agent(e.Getenv); who != "" && !o.DryRun {
		return usage.Errorf("whom a council asks is a person's to say, and this was started by %s: type it in a terminal of your own; --dry-run shows what would be written", who)
	}
	a, err := setup.Add(c.Context(), e, o)
	if err != nil {
		return err
	}
	failed := a.Trial != nil && !a.Trial.OK
	if asJSON(c) {
		return errors.Join(encode(e.Stdout, a), failedIf(failed))
	}
	if o.DryRun {
		_, err = fmt.Fprint(e.Stdout, a.Text)
		return err
	}
	fmt.Fprintf(e.Stdout, "%s is a seat now: %s at %s; who pays: %s.\nWritten to %s.\n", a.Seat, plain.Line(a.Model, 200), a.URL, a.Payer, a.Path)
	if a.Trial != nil {
		fmt.Fprintln(e.Stdout, plain.Terminal(a.Trial.Line()))
	}
	fmt.Fprintf(e.Stdout, "council run --seats %s \"…\" asks it.\n", a.Seat)
	return failedIf(failed)
}

func showConfig(c *cobra.Command, e program.Env) error {
	conf, err := e.Config()
	if err != nil {
		return err
	}
	data, err := yaml.Marshal(conf)
	if err != nil {
		return fmt.Errorf("show configuration: %w", err)
	}
	if !asJSON(c) {
		_, err = e.Stdout.Write(data)
		return err
	}
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("show configuration: %w", err)
	}
	return encode(e.Stdout, v)
}

// initConfig writes the defaults where nothing is yet.
func initConfig(c *cobra.Command, e program.Env) error {
	path, err := config.Path(e.Getenv)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; change it, or move it away first", path)
	}
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	_, err = f.Write(config.Defaults())
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	if asJSON(c) {
		return encode(e.Stdout, map[string]string{"path": path})
	}
	_, err = fmt.Fprintln(e.Stdout, path)
	return err
}
