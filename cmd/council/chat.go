package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/agent/chat/openai"
	"github.com/research-council/research-council/internal/agent/chat/toolbox"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/program"
)

// chatCommand is the process of a seat whose model is behind HTTP.
func chatCommand(e program.Env) *cobra.Command {
	return &cobra.Command{Use: "chat FILE", Short: "Do a turn of a chat seat", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		key := func(s agent.Server) (string, error) { return config.ServerKey(s, e.Getenv) }
		return openai.Main(c.Context(), args[0], openai.TurnIO{Read: os.ReadFile, Write: replace, Key: key, Now: time.Now, Out: e.Stdout, Toolbox: chatToolbox(e)})
	}}
}

// chatToolbox opens the tools of a turn. Its desk is this program once more, in this
// very process: nothing that the model says starts another.
func chatToolbox(e program.Env) func(context.Context, chat.Assignment) (openai.Toolbox, func(), error) {
	return func(ctx context.Context, a chat.Assignment) (openai.Toolbox, func(), error) {
		ctx, end := context.WithCancel(ctx)
		var served sync.WaitGroup
		var at *toolbox.Desk
		if len(a.Desk) > 1 {
			in, toDesk := io.Pipe()
			fromDesk, out := io.Pipe()
			at = &toolbox.Desk{In: toDesk, Out: fromDesk}
			own := e
			own.Stdin, own.Stdout = in, out
			served.Go(func() {
				out.CloseWithError(serveOwnDesk(ctx, own, a.Desk[1:]))
				in.Close()
			})
		}
		box, err := toolbox.Open(ctx, toolbox.Options{Desk: at, Own: filepath.Dir(a.Report), Folders: a.Folders, Records: a.Records})
		if err != nil {
			end()
			return nil, nil, err
		}
		return box, func() {
			_ = box.Close() // what was recorded is on disk
			end()
			served.Wait()
		}, nil
	}
}

// serveOwnDesk serves a desk as its command line says.
func serveOwnDesk(ctx context.Context, e program.Env, argv []string) error {
	c := deskCommand(e)
	c.SetArgs(argv[1:])
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.ExecuteContext(ctx); err != nil {
		return err
	}
	return io.EOF
}
