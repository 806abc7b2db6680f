// Package doctor says what on this machine would keep a run from going well.
//
// It looks at the configuration, the project's folder, the hook, the keeper
// and each seat's program, and tries things out rather than supposing them.
// Only what would stop every run is a failure; a seat that cannot take part is
// a warning, for the others can. Of keys and logins it looks at whether they
// are there and never at what they hold; a Notion that reports are to be put
// into is asked whether it knows us.
package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// Level is how much a finding matters.
type Level = agent.Level

// Levels, from good to bad.
const (
	OK      = agent.LevelOK
	Note    = agent.LevelNote
	Warning = agent.LevelWarning
	Failure = agent.LevelFailure
)

// Check is one finding.
type Check struct {
	Area    string `json:"area"` // council, project, network, or a seat's name
	Level   Level  `json:"level"`
	Finding string `json:"finding"`          // one line
	Remedy  string `json:"remedy,omitempty"` // one line

	ID      string `json:"id,omitempty"`      // what it is about, where a program asks
	Path    string `json:"path,omitempty"`    // of what is broken
	Fixable bool   `json:"fixable,omitempty"` // --fix mends it
	Fixed   bool   `json:"fixed,omitempty"`   // and has
	Asks    bool   `json:"asks,omitempty"`    // where a person says yes

	mend func(context.Context) (string, error) // says what was done
}

// What checks of a seat are about.
const (
	SeatMissing = "seat.missing"
	SeatVersion = "seat.version"
	SeatLogin   = "seat.login"
)

// Report is everything found.
type Report struct {
	Fit    bool     `json:"fit"`   // a run can go well
	Seats  []string `json:"seats"` // that can take part
	Checks []Check  `json:"checks"`
}

// Subject is what is examined.
type Subject struct {
	Project     string   // the folder runs are laid down in, absolute
	Self        string   // the council executable
	Command     string   // the path by which settings name it
	Hook        string   // the council-hook executable; "" when there is none
	HookProblem string   // why there is none
	Environ     []string // in the form of os.Environ
	Home        string
	Root        bool // we are the superuser
	OS          string
	Config      config.Config
	ConfigPath  string
	ConfigFault error // why there is no configuration
}

// Machine is what a doctor may do; a test gives it another.
type Machine struct {
	Find    func(program string) (string, error)     // absolute path of an executable
	Run     func(context.Context, Command) Result    // with a time limit of its own
	Keep    func(context.Context) error              // starts a process under a keeper and sees it end
	Free    func(dir string) (bytes uint64, e error) // of the disk
	Exists  func(path string) bool                   // whether a file is there
	Read    func(path string) ([]byte, error)        // a file of settings
	Write   func(dir string) error                   // tries to write into a folder
	Share   func(dir string) error                   // tries whether programs can share what is in a folder
	Temp    func() (dir string, remove func(), e error)
	Models  func(ctx context.Context, base, key string) error  // asks a server which models it has; nil is not asked
	Search  func(context.Context, engine.Service) (int, error) // asks a search engine a question: the leads; nil is not asked
	Confine func(context.Context) error                        // whether commands can be confined; nil is not asked
}

// Command is a process to run to its end.
type Command struct {
	Argv  []string
	Env   []string
	Dir   string
	Stdin []byte
}

// Result is how it went.
type Result struct {
	Stdout, Stderr []byte
	Code           int
	Err            error // it could not be started, or took too long
	Took           time.Duration
}

// exam is one examination.
type exam struct {
	Subject
	Machine
	env map[string]string
}

func newExam(s Subject, w Machine) exam {
	x := exam{s, w, map[string]string{}}
	for _, entry := range s.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			x.env[name] = value
		}
	}
	return x
}

// Examine looks at everything.
func Examine(ctx context.Context, s Subject, w Machine) Report {
	x := newExam(s, w)
	groups := []func(context.Context) []Check{x.configuration, x.checkProject, x.homeDisk, x.keeper, x.checkConfinement, x.hook, x.programs, x.copies, x.enabled, x.statusLine, x.channels, x.pages, x.papers, x.network, x.search, x.checkEnvironment}
	return x.report(ctx, groups)
}

// Seats looks at those who can take part alone.
func Seats(ctx context.Context, s Subject, w Machine) Report {
	return newExam(s, w).report(ctx, nil)
}

// report runs checks, and those of every seat behind them.
func (x exam) report(ctx context.Context, groups []func(context.Context) []Check) Report {
	names := x.seats()
	for _, name := range names {
		groups = append(groups, func(ctx context.Context) []Check { return x.seat(ctx, name) })
	}
	for _, name := range x.Config.Chats() {
		checks, ready := x.checkChatServer(name)
		groups = append(groups, func(ctx context.Context) []Check { return append(checks, x.askChatServer(ctx, name, ready)...) })
		if ready {
			names = append(names, name)
		}
	}
	return newReport(names, runChecks(ctx, groups))
}

// runChecks runs groups of checks side by side and keeps their order.
func runChecks(ctx context.Context, groups []func(context.Context) []Check) []Check {
	lists := make([][]Check, len(groups))
	var all sync.WaitGroup
	for i, group := range groups {
		all.Go(func() { lists[i] = group(ctx) })
	}
	all.Wait()
	return slices.Concat(lists...)
}

// newReport says who can take part and whether a run can go well: the librarian
// is always there.
func newReport(names []string, found []Check) Report {
	r := Report{Fit: true, Checks: found}
	for _, c := range found {
		if c.Level == Failure {
			r.Fit = false
		}
	}
	for _, name := range names {
		out := func(c Check) bool { return c.Area == name && c.Level == Warning }
		if !slices.ContainsFunc(found, out) {
			r.Seats = append(r.Seats, name)
		}
	}
	r.Seats = append(r.Seats, "librarian")
	return r
}

// seats are the programs a run may be asked to start.
func (x exam) seats() []string {
	return append(slices.Sorted(maps.Keys(x.Config.Kinds)), slices.Sorted(maps.Keys(x.Config.Commands))...)
}

func newCheck(area string, level Level, finding, remedy string) Check {
	return Check{Area: area, Level: level, Finding: finding, Remedy: remedy}
}

// about says what a check is about.
func (c Check) about(id string) Check {
	c.ID = id
	return c
}

func okCheck(area, format string, args ...any) Check {
	return Check{Area: area, Level: OK, Finding: fmt.Sprintf(format, args...)}
}

// Text is the report in lines for people.
func (r Report) Text() string {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-8s %-9s %s\n", c.Level, c.Area, c.Finding)
		if c.Remedy != "" {
			fmt.Fprintf(&b, "%19s-> %s\n", "", c.Remedy)
		}
	}
	fmt.Fprintf(&b, "\nSeats that can take part: %s\n", strings.Join(r.Seats, ", "))
	if !r.Fit {
		b.WriteString("No run can go well before the failures are mended.\n")
	}
	return b.String()
}
