package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/bucket"
	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/share"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/temporal"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/allowance"
)

// place is where a fleet is.
type place struct {
	temporal.Options
	store, key string
}

func command(ctx context.Context) *cobra.Command {
	p := &place{}
	root := &cobra.Command{
		Use: "council-fleet", Short: "Spread runs of council over machines", SilenceErrors: true, SilenceUsage: true,
		Long: "Spread runs of council over machines. A Temporal server says which worker has\nwhich run, a store keeps what comes of it, and council works on each as it does anywhere.",
	}
	root.SetContext(ctx)
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage.Errorf("%q is no command; `council-fleet --help` lists them", args[0])
		}
		return c.Help()
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage.Errorf("%w; `%s --help` lists the flags", err, c.CommandPath())
	})
	f := root.PersistentFlags()
	f.StringVar(&p.Address, "address", "127.0.0.1:7233", "the Temporal server")
	f.StringVar(&p.Namespace, "namespace", "default", "its namespace")
	f.StringVar(&p.store, "store", "", "where runs are kept: file:///path, s3://bucket?region=…, azblob://container or gs://bucket")
	f.StringVar(&p.key, "key", "", "the file that holds the fleet's key; `council-fleet key` makes one")
	root.AddCommand(keyCommand(), workerCommand(p), submitCommand(p), statusCommand(p), cancelCommand(p), collectCommand(p),
		pauseCommand(p), resumeCommand(p), drainCommand(p), limitCommand(p), scheduleCommand(p), benchCommand(p), mirrorCommand(p),
		showCommand(p, "watch", "Watch the runs of the fleet live, and steer them"), showCommand(p, "serve", "Show the runs of the fleet in a browser, and steer them"), holdCommand())
	for kind, short := range map[string]string{
		carry.Finish: "Have a run research no more, and write up what there is", carry.Confirm: "Confirm the brief a run shows",
		carry.Note: "Say something to those who work on a run", carry.Answer: "Answer what a run asks",
	} {
		root.AddCommand(sayCommand(p, kind, short))
	}
	return root
}

// exactly is cobra's check of arguments, as a mistake in what was typed.
func exactly(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usage.Errorf("use it as in: %s", c.UseLine())
		}
		return nil
	}
}

const keyBytes = 32

func keyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "key", Short: "Make a key for a fleet", Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			key := make([]byte, keyBytes)
			_, _ = rand.Read(key) // it never fails
			_, err := fmt.Fprintln(c.OutOrStdout(), hex.EncodeToString(key))
			return err
		},
	}
}

// readKey reads the fleet's key, which only its owner may read.
func (p *place) readKey() error {
	if p.key == "" || p.store == "" {
		return usage.Errorf("name the fleet's store and key: --store, --key")
	}
	info, err := os.Stat(p.key)
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others can read the key %s: chmod 600 it", p.key)
	}
	text, err := os.ReadFile(p.key)
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	if p.Key, err = hex.DecodeString(strings.TrimSpace(string(text))); err != nil || len(p.Key) != keyBytes {
		return fmt.Errorf("%s holds no key: `council-fleet key` makes one", p.key)
	}
	return nil
}

// openStore opens the store alone.
func (p *place) openStore(ctx context.Context) (*store.Store, error) {
	if err := p.readKey(); err != nil {
		return nil, err
	}
	b, err := bucket.Open(ctx, p.store)
	if err != nil {
		return nil, err
	}
	return store.New(b, p.Key), nil
}

// open opens the store, and a connection to the server.
func (p *place) open(ctx context.Context) (*temporal.Fleet, error) {
	return p.openBy(ctx, temporal.Connect)
}

// openBy is open with another way to connect.
func (p *place) openBy(ctx context.Context, connect func(context.Context, temporal.Options) (temporal.Client, error)) (*temporal.Fleet, error) {
	s, err := p.openStore(ctx)
	if err != nil {
		return nil, err
	}
	conv, err := temporal.Converter(p.Key)
	if err != nil {
		return nil, err
	}
	client, err := connect(ctx, p.Options)
	if err != nil {
		return nil, err
	}
	return &temporal.Fleet{Client: client, Namespace: p.Namespace, Store: s, Converter: conv}, nil
}

func workerCommand(p *place) *cobra.Command {
	var dir, council, name string
	var seats []string
	var atOnce int
	c := &cobra.Command{
		Use: "worker", Example: "  council-fleet worker --store file:///srv/fleet --key fleet.key --dir work --seats claude,librarian --at-once 2", Short: "Carry runs on this machine until it is told to stop", Args: exactly(0),
		Long: "Carry runs on this machine. A signal has it hand over the runs under way to other\nworkers. Seats are those of this machine's configuration of council; runs that ask\nfor others go elsewhere.",
		RunE: func(c *cobra.Command, _ []string) error {
			w, err := p.worker(c.Context(), dir, council)
			if err != nil {
				return err
			}
			if len(seats) == 0 || atOnce < 1 {
				return usage.Errorf("say which seats are here (--seats) and how many runs at once (--at-once)")
			}
			w.Seats, w.AtOnce = seats, atOnce
			if w.Carrier.Name = name; name == "" {
				host, _ := os.Hostname() // without one its folder names it
				w.Carrier.Name = host + ":" + w.Carrier.Dir
			}
			socket, closes, err := share.New(w.Store, w.Carrier.Name).Listen()
			if err != nil {
				return err
			}
			w.Carrier.Environ = append(w.Carrier.Environ, allowance.Variable+"="+socket)
			return errors.Join(w.Work(c.Context()), closes())
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "the folder runs are worked on in, of this worker alone")
	c.Flags().StringVar(&council, "council", "council", "the program, with council-hook beside it")
	c.Flags().StringVar(&name, "name", "", "what this worker is called (default: its machine and folder)")
	c.Flags().StringSliceVar(&seats, "seats", nil, "the seats this machine has, separated by commas")
	c.Flags().IntVar(&atOnce, "at-once", 4, "runs at once")
	return c
}

const (
	patience = 2 * time.Minute
	grace    = 2 * time.Second
	margin   = 2*grace + time.Second
)

func (p *place) worker(ctx context.Context, dir, council string) (*temporal.Worker, error) {
	if dir == "" {
		return nil, usage.Errorf("name a folder of this worker's own: --dir")
	}
	program, err := exec.LookPath(council)
	if err != nil {
		return nil, fmt.Errorf("find council: %w", err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	fleet, err := p.openBy(ctx, func(ctx context.Context, o temporal.Options) (temporal.Client, error) {
		return temporal.Await(ctx, o, func(err error) { fmt.Fprintf(os.Stderr, "council-fleet: %v; waiting for it\n", err) })
	})
	if err != nil {
		return nil, err
	}
	if err := fleet.Store.Probe(ctx); err != nil {
		return nil, err
	}
	return &temporal.Worker{
		Client: fleet.Client, Namespace: p.Namespace, Store: fleet.Store, Converter: fleet.Converter, Margin: margin,
		Carrier: &carry.Worker{Store: fleet.Store, Dir: dir, Council: program, Hook: filepath.Join(filepath.Dir(program), "council-hook"), Environ: os.Environ(), Tell: func(line string) { fmt.Fprintln(os.Stderr, "council-fleet:", line) }, Patience: patience, Grace: grace},
	}, nil
}

func submitCommand(p *place) *cobra.Command {
	var beat time.Duration
	c := &cobra.Command{
		Use: "submit BATCH.jsonl", Short: "Begin the runs of a batch, a line each", Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := readBatch(args[0])
			if err != nil {
				return err
			}
			if err := checkBeat(beat); err != nil {
				return err
			}
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			out, err := fleet.Submit(c.Context(), list, beat)
			return errors.Join(json.NewEncoder(c.OutOrStdout()).Encode(out), err)
		},
	}
	beatFlag(c, &beat)
	return c
}

func beatFlag(c *cobra.Command, beat *time.Duration) {
	c.Flags().DurationVar(beat, "beat", 30*time.Second, "a worker that is not heard of for so long has lost its run")
}

func checkBeat(beat time.Duration) error {
	if beat < 4*grace {
		return usage.Errorf("--beat: at least %s, or no worker could stop in time", 4*grace)
	}
	return nil
}

// readBatch reads a batch of a file, or of standard input by -.
func readBatch(path string) ([]batch.Request, error) {
	in := io.ReadCloser(os.Stdin)
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, usage.Of(err)
		}
		in = f
	}
	defer in.Close()
	list, err := batch.Read(in)
	if err != nil {
		return nil, usage.Errorf("%s: nothing was begun: %w", path, err)
	}
	return list, nil
}

func statusCommand(p *place) *cobra.Command {
	var most int32
	c := &cobra.Command{
		Use: "status", Short: "Say how far the fleet is", Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			s, err := fleet.Status(c.Context(), most)
			if err != nil {
				return err
			}
			return json.NewEncoder(c.OutOrStdout()).Encode(s)
		},
	}
	c.Flags().Int32Var(&most, "most", 20, "runs under way that are told of")
	return c
}

func cancelCommand(p *place) *cobra.Command {
	return &cobra.Command{
		Use: "cancel RUN", Short: "End a run for good; what was found is kept", Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			return fleet.Cancel(c.Context(), args[0])
		},
	}
}

// sayCommand says something to a run; what has words reads them from a file or from
// standard input.
func sayCommand(p *place, kind, short string) *cobra.Command {
	use, n := kind+" RUN", 1
	if kind == carry.Note || kind == carry.Answer {
		use, n = kind+" RUN FILE", 2
	}
	return &cobra.Command{
		Use: use, Short: short, Args: exactly(n),
		RunE: func(c *cobra.Command, args []string) error {
			var words []byte
			if n == 2 {
				var err error
				if args[1] == "-" {
					words, err = io.ReadAll(os.Stdin)
				} else {
					words, err = os.ReadFile(args[1])
				}
				if err != nil {
					return usage.Of(err)
				}
			}
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			return fleet.Say(c.Context(), args[0], kind, words)
		},
	}
}

func collectCommand(p *place) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "collect --to DIR", Short: "Fetch the runs that are over, and one table of them", Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if to == "" {
				return usage.Errorf("say where to: --to DIR")
			}
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			runs, err := fleet.Over(c.Context())
			if err != nil {
				return err
			}
			return collect(c.Context(), fleet.Store, runs, to)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the folder to fetch into; what lies there already is not fetched again")
	return c
}

// collect fetches each run once: to/<run> is whole or not there.
func collect(ctx context.Context, s *store.Store, runs map[string]string, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	var table strings.Builder
	table.WriteString("run\tid\tstatus\tscore\tusd\tseconds\tfacts\treport\n")
	for _, run := range slices.Sorted(maps.Keys(runs)) {
		l, err := s.Ledger(ctx, run)
		if err != nil {
			return err
		}
		if l.End == nil || l.N == 0 {
			continue // it was cancelled before anybody had it
		}
		dir := filepath.Join(to, run)
		if _, err := os.Stat(dir); err != nil && l.ID != "" {
			if _, err := s.Lay(ctx, run, dir, dir+".part"); err != nil {
				return err
			}
		}
		report := ""
		if l.End.Report != "" {
			report = filepath.Join(run, l.End.Report)
		}
		fmt.Fprintf(&table, "%s\t%s\t%s\t%.0f\t%.4f\t%.0f\t%d\t%s\n", run, runs[run], l.End.Status, l.End.Score, l.End.USD, l.End.Seconds, l.End.Facts, report)
	}
	return os.WriteFile(filepath.Join(to, "runs.tsv"), []byte(table.String()), 0o600)
}
