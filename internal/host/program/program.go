// Package program is this program where it runs: what surrounds it, its two
// executables, its configuration, and what the supervisors it starts and the
// sources it fetches are given of these.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/proxy"
	"github.com/research-council/research-council/internal/engine/allowance"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/output/notify"
	"github.com/research-council/research-council/internal/output/notion"
	"github.com/research-council/research-council/internal/output/telemetry"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council/councilwork"
	"github.com/research-council/research-council/internal/project/top"
)

// Env is what surrounds the program.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	Getenv  func(string) string
	Environ []string
	Dir     string // the working directory, absolute
	Self    string // the council executable, absolute
	Release string // as in the plugin's manifest
	Version string // the release, and the commit it was built from

	Own   *config.Config // a configuration in the place of the user's file; nil for the file
	LetGo func()         // lets the copy go that this process runs from; nil for none
}

// Config is the configuration of the user; where it cannot be read the error
// says what to do about it.
func (e Env) Config() (config.Config, error) {
	if e.Own != nil {
		return *e.Own, nil
	}
	path, err := config.Path(e.Getenv)
	if err != nil {
		return config.Config{}, err
	}
	c, err := LoadConfig(path)
	if err != nil {
		return config.Config{}, fmt.Errorf("%w; mend it, or move it away (`council config show` prints what holds)", err)
	}
	return c, nil
}

// AllowPrivate is the variable by which a user, or a test, lets sources of
// this machine's own networks be fetched.
const AllowPrivate = "RESEARCH_COUNCIL_ALLOW_PRIVATE"

// AllowedNetwork is how sources are fetched: as is configured, and as the
// variable allows.
func (e Env) AllowedNetwork(n flow.Network) flow.Network {
	if e.Getenv(AllowPrivate) == "1" {
		n.Private = append(slices.Clone(n.Private), "0.0.0.0/0", "::/0")
	}
	return n
}

// seatEnvironment is what seats inherit from: a proxy of the configuration is
// theirs too.
func (e Env) seatEnvironment(n flow.Network) []string {
	if n.Proxy == "" {
		return e.Environ
	}
	list := slices.DeleteFunc(slices.Clone(e.Environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}, strings.ToUpper(name))
	})
	if n.Proxy == proxy.None {
		return list
	}
	return append(list, "HTTPS_PROXY="+n.Proxy, "HTTP_PROXY="+n.Proxy)
}

// SupervisorOptions are what the supervisor of a run works with. A configuration that
// cannot be read leaves them bare: whoever began the run was told.
func (e Env) SupervisorOptions(project, id string) supervisor.Options {
	return e.AttendedOptions(project, id, io.Discard)
}

// AttendedOptions are the same where a person watches a terminal, which notices go to
// where they have asked for that.
func (e Env) AttendedOptions(project, id string, terminal io.Writer) supervisor.Options {
	kept := e.keptPrograms()
	o := supervisor.Options{Project: project, ID: id, Council: kept.Council, Hook: kept.Hook, Environ: e.Environ, Release: e.Version, Traceparent: telemetry.Traceparent, Allowance: allowance.At(e.Getenv(allowance.Variable))}
	settings := product.Settings{Reader: reader(kept.Council)}
	o.Products = product.All(settings)
	c, err := e.Config()
	if err != nil {
		return o
	}
	o.Environ = e.seatEnvironment(c.Network)
	notifier := notify.New(c.Notify, e.Getenv).WithTerminal(terminal)
	o.Notify = func(ctx context.Context, n supervisor.Notice) []error {
		return notifier.Send(ctx, notify.Message{Title: n.Title, Body: n.Text, Run: n.Run, Level: n.Level, At: n.At, Folder: n.Folder})
	}
	o.Secrets = c.Secrets()
	o.Record = func(folder string) (supervisor.Tracer, error) {
		return telemetry.New(c.Telemetry, folder, e.Getenv)
	}
	if settings.Notion, err = notion.New(notion.Config(c.Notion), e.Getenv); err != nil {
		settings.NotionProblem = err.Error()
	}
	if path, err := config.Path(e.Getenv); err == nil {
		settings.Templates = filepath.Join(filepath.Dir(path), "templates")
	}
	o.Products = product.All(settings)
	return o
}

const hookName = "council-hook"

// hookBeside is the hook executable of the same build: council-PLATFORM stands
// beside council-hook-PLATFORM.
func hookBeside(self string) string {
	platform, ours := strings.CutPrefix(filepath.Base(self), "council")
	if !ours {
		platform = disk.ProgramEnding
	}
	return filepath.Join(filepath.Dir(self), hookName+platform)
}

// Resolver says which programs and variables of this machine a seat of the
// configuration finds.
func (e Env) Resolver() config.Resolver { return config.Resolver{Find: Find, Getenv: e.Getenv} }

// HookProgram finds the hook executable: beside this one, also where this one is a
// link, or in the PATH.
func (e Env) HookProgram() (string, error) {
	places := []string{hookBeside(e.Self)}
	if real, err := filepath.EvalSymlinks(e.Self); err == nil {
		places = append(places, hookBeside(real))
	}
	for _, p := range places {
		if info, err := os.Stat(p); err == nil && disk.IsProgram(info) {
			return p, nil
		}
	}
	if p, err := exec.LookPath(hookName); err == nil && filepath.IsAbs(p) {
		return p, nil
	}
	return "", errors.New(hookName + " is not to be found beside " + e.Self + "; install both programs in one folder")
}

// ArchiveOptions say how to fetch, as a run does, and by which release.
func (e Env) ArchiveOptions(n flow.Network) archive.Options {
	o := councilwork.FetchOptions(n, reader(e.Self))
	o.UserAgent = "research-council/" + e.Release
	return o
}

// reader is the command that reads a source in a process of its own.
func reader(council string) []string { return []string{council, "read-source"} }

// LibrariesFolder is where the person's libraries lie: apart from the program, with which
// they are not taken away.
func (e Env) LibrariesFolder() (string, error) {
	const name = "research-council-libraries"
	if data := e.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, name), nil
	}
	if data := e.Getenv("LOCALAPPDATA"); runtime.GOOS == "windows" && filepath.IsAbs(data) {
		return filepath.Join(data, name), nil
	}
	home := e.Getenv("HOME")
	switch {
	case !filepath.IsAbs(home):
		return "", errors.New("there is no place for libraries: neither HOME nor XDG_DATA_HOME names a folder")
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", name), nil
	}
	return filepath.Join(home, ".local", "share", name), nil
}

var libraryName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// LibraryFolder is where a library lies.
func (e Env) LibraryFolder(name string) (string, error) {
	if !libraryName.MatchString(name) {
		return "", errors.New("a library's name is of small letters, digits, dots, dashes and underscores, 64 at most")
	}
	folder, err := e.LibrariesFolder()
	return filepath.Join(folder, name), err
}

// StandingFolder is where the person's standing questions lie, whichever plugin this
// program came with.
func (e Env) StandingFolder() (string, error) {
	state, err := e.StateFolder()
	return filepath.Join(state, "standing"), err
}

// HostProcess is the process of the session around this one, by which it can be told that the
// session is gone.
func (e Env) HostProcess() flow.Process {
	pid, err := strconv.Atoi(e.Getenv("CLAUDE_PID"))
	if err != nil {
		return flow.Process{}
	}
	id, err := proc.Identify(pid)
	if err != nil {
		return flow.Process{}
	}
	return flow.Process{PID: id.PID, Start: id.Start}
}

// SessionProject is the project of the session around this process; "" outside of
// any.
func (e Env) SessionProject() string {
	if dir := e.Getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		return top.Of(dir)
	}
	return ""
}
