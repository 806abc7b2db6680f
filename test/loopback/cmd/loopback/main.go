// Command loopback serves a scripted model for shells and terminals:
//
//	loopback -api anthropic|openai|gemini|chat -scenario FILE [-addr 127.0.0.1:0] [-log FILE]
//
// The first line on stdout is the URL. Each request is appended to the log as
// a line of JSON. It serves until it is interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/research-council/research-council/test/loopback"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "loopback:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("loopback", flag.ContinueOnError)
	api := flags.String("api", "", "wire format: anthropic, openai, gemini or chat")
	file := flags.String("scenario", "", "file with the scenario, YAML or JSON")
	addr := flags.String("addr", "127.0.0.1:0", "address to listen at")
	to := flags.String("log", os.DevNull, "file to append the requests to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("read the scenario: %w", err)
	}
	scenario, err := loopback.Parse(data)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(*to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer log.Close()
	server, err := loopback.Listen(*api, *addr, scenario, log)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintln(stdout, server.URL)
	<-ctx.Done()
	return nil
}
