package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/program"
)

func configCommand(e program.Env) *cobra.Command {
	show := func(c *cobra.Command, _ []string) error { return showConfig(c, e) }
	c := &cobra.Command{
		Use: "config", Short: "Show or begin the configuration: seats, models, limits",
		Example: "council config show\ncouncil config path\ncouncil config init", RunE: show,
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
	return c
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
