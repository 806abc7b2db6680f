package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat/openai"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/program"
)

// chatCommand is the process of a seat whose model is behind HTTP.
func chatCommand(e program.Env) *cobra.Command {
	return &cobra.Command{Use: "chat FILE", Short: "Do a turn of a chat seat", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		key := func(s agent.Server) (string, error) { return config.ServerKey(s, e.Getenv) }
		return openai.Main(c.Context(), args[0], openai.TurnIO{Read: os.ReadFile, Write: replace, Key: key, Now: time.Now, Out: e.Stdout})
	}}
}
