// Package stage runs the real council with seats that do as they are told: a
// home, a project and a configuration of their own in one folder, and the
// programs built from this module.
package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/web"
)

// Stage is a folder in which councils run.
type Stage struct {
	Dir, Home, Project string
	Bin                string // folder of the programs
	Env                []string
	Private            []string // private addresses that may be fetched; nil is all of loopback
}

// Build builds council, council-hook and the scripted seat into a folder. Root
// is the root of the module.
func Build(ctx context.Context, root, bin string) error {
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return fmt.Errorf("build the programs: %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", bin+"/", "./cmd/council", "./cmd/council-hook", "./test/eval/seat")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return nil
}

// New lays a stage out in a folder, for programs built before.
func New(bin, dir string) (*Stage, error) {
	s := &Stage{Dir: dir, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), Bin: bin}
	for _, d := range []string{s.Home, s.Project} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("lay the stage out: %w", err)
		}
	}
	s.Env = []string{
		"PATH=" + s.Bin + ":/usr/bin:/bin", "HOME=" + s.Home, "LANG=C.UTF-8", "TERM=dumb",
		"COUNCIL_CONFIG=" + s.config(),
	}
	return s, nil
}

func (s *Stage) config() string { return filepath.Join(s.Dir, "config.yaml") }

// Seat is a seat of the council.
type Seat struct {
	Name, Brand string
	Program     string // "" is the scripted seat
	Args        []string
}

// Configure writes the configuration: the seats, and a network that ends at
// the fake web.
func (s *Stage) Configure(w *web.Web, seats ...Seat) error {
	var b strings.Builder
	b.WriteString("commands:\n")
	for _, seat := range seats {
		program := seat.Program
		if program == "" {
			program = filepath.Join(s.Bin, "seat")
		}
		fmt.Fprintf(&b, "  %s:\n    program: %s\n    brand: %s\n    args: %s\n", seat.Name, quoted(program), seat.Brand, quoted(append([]string{}, seat.Args...)))
	}
	o, private := w.Options(), s.Private
	if private == nil {
		private = []string{"127.0.0.0/8"}
	}
	fmt.Fprintf(&b, "network:\n  private: %s\n  wayback: %s\n  crossref: %s\n  arxiv: %s\n  openalex: %s\n  unpaywall: %s\n  europepmc: %s\n  github: %s\n  doi: %s\n  timeout: 10s\n  per_host: 2\n  pace: 1ms\n",
		quoted(private), w.Direct(o.Wayback), w.Direct(o.Crossref), w.Direct(o.ArXiv), w.Direct(o.OpenAlex), w.Direct(o.Unpaywall), w.Direct(o.EuropePMC), w.Direct(o.GitHub), w.Direct(o.DOI))
	return os.WriteFile(s.config(), []byte(b.String()), 0o600)
}

// quoted writes a string or a list as JSON, which YAML reads.
func quoted(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// Result is how a program ended.
type Result struct {
	Out, Errs string
	Code      int
	Took      time.Duration // by the clock
	CPU       time.Duration // of all its cores, user and system
	RSS       int64         // the most memory it had, in bytes; 0 where the system does not say
}

// Council runs the council with arguments and waits for it.
func (s *Stage) Council(ctx context.Context, args ...string) (Result, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(s.Bin, "council"), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.Project, s.Env, 5*time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	return ended(cmd, &out, &errs)
}

// Pipe runs the council on one core between two files.
func (s *Stage) Pipe(ctx context.Context, in, out string, args ...string) (Result, error) {
	from, err := os.Open(in)
	if err != nil {
		return Result{}, err
	}
	defer from.Close()
	to, err := os.Create(out)
	if err != nil {
		return Result{}, err
	}
	defer to.Close()
	cmd := exec.CommandContext(ctx, filepath.Join(s.Bin, "council"), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.Project, append(s.Env, "GOMAXPROCS=1"), 5*time.Second
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = from, to, &errs
	return ended(cmd, nil, &errs)
}

// ended runs a program and says how it ended.
func ended(cmd *exec.Cmd, out, errs *bytes.Buffer) (Result, error) {
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	most := watch(cmd.Process.Pid)
	err := cmd.Wait()
	r := Result{Errs: errs.String(), Took: time.Since(began), RSS: most()}
	if cmd.ProcessState != nil {
		r.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if out != nil {
		r.Out = out.String()
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		r.Code = exit.ExitCode()
		return r, nil
	}
	return r, err
}

// Run runs a council to its end and gives the folder of the run.
func (s *Stage) Run(ctx context.Context, args ...string) (string, Result, error) {
	before, err := s.runs()
	if err != nil {
		return "", Result{}, err
	}
	r, err := s.Council(ctx, append([]string{"run", "--no-plan"}, args...)...)
	if err != nil {
		return "", r, err
	}
	after, err := s.runs()
	if err != nil {
		return "", r, err
	}
	if len(after) != len(before)+1 {
		return "", r, fmt.Errorf("the council began no run; it ended with %d: %s", r.Code, r.Errs)
	}
	return after[len(after)-1], r, nil
}

// runs lists the folders of the runs, the oldest first.
func (s *Stage) runs() ([]string, error) {
	return filepath.Glob(filepath.Join(s.Project, "research", "[0-9]*-*-*"))
}

// Registry reads what a run has registered.
func Registry(run string) (claim.Registry, error) {
	data, err := os.ReadFile(filepath.Join(run, "registry.json"))
	if err != nil {
		return claim.Registry{}, fmt.Errorf("read the registry: %w", err)
	}
	return claim.ParseRegistry(data)
}

// ID is the id of the run in a folder.
func ID(run string) string { return filepath.Base(run) }
