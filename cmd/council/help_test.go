package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/research-council/research-council/internal/host/program"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// every calls visit for a command and all below it.
func every(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		every(sub, visit)
	}
}

func TestHelpSaysTheSameInColours(t *testing.T) {
	every(rootCommand(program.Env{Getenv: func(string) string { return "" }}), func(c *cobra.Command) {
		var plain, bright bytes.Buffer
		require.NoError(t, help(&plain, c, false))
		require.NoError(t, help(&bright, c, true))
		require.NotContains(t, plain.String(), "\x1b", c.CommandPath())
		require.Contains(t, bright.String(), "\x1b[1mUSAGE\x1b[0m", c.CommandPath())
		require.Equal(t, plain.String(), ansi.Strip(bright.String()), c.CommandPath())
	})
}

func TestHelpNamesWhatCanBeTyped(t *testing.T) {
	c := &cobra.Command{Use: "sow SEED [--deep]", Short: "Sow", Long: "Sow seeds.\n\nIn rows.", Example: "garden sow pea"}
	c.Flags().IntP("rows", "r", 3, "how many rows")
	c.Flags().Bool("hidden", false, "not told")
	require.NoError(t, c.Flags().MarkHidden("hidden"))
	c.Flags().String("where", "", "")
	c.AddCommand(&cobra.Command{Use: "again", Short: "Sow again", Run: func(*cobra.Command, []string) {}}, &cobra.Command{Use: "never", Hidden: true, Run: func(*cobra.Command, []string) {}})
	(&cobra.Command{Use: "garden"}).AddCommand(c)
	var out strings.Builder
	require.NoError(t, help(&out, c, false))
	require.Equal(t, `
  Sow seeds.

  In rows.

  USAGE

    garden sow SEED [--deep] [command] [--flags]

  EXAMPLES

    garden sow pea

  COMMANDS

    again      Sow again

  FLAGS

    -r --rows  How many rows (3)
    --where

`, out.String())
}
