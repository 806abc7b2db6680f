// Package setup makes the program ready for a person's first run: it looks at what is
// on their machine and who pays for it, lets them choose seats, a limit in money and
// notices, writes that into their configuration, tries a call of each seat, and says
// what a first run costs.
//
// Nothing is written or spent without a yes, and a configuration is changed where it
// has to be and nowhere else. What is wrong on the machine is the doctor's to say in
// full.
package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/base/userfile"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/settings"
)

// Options are what a person has said beforehand; "" is left to be asked or taken as
// it is.
type Options struct {
	Seats      string // names with commas
	USD        string // an amount, or none
	Notify     string // on or off
	StatusLine string // yes or no
	NoTry      bool
	Yes        bool
	DryRun     bool

	said func(name string) bool // whether a flag was given
}

// Flags gives a command what can be said beforehand.
func (o *Options) Flags(f *pflag.FlagSet) {
	f.StringVar(&o.Seats, "seats", "", "who takes part: claude,codex,…; without it those that are ready")
	f.StringVar(&o.USD, "max-usd", "", "limit of each run in dollars, or none")
	f.StringVar(&o.Notify, "notify", "", "notices on your desktop: on or off")
	f.StringVar(&o.StatusLine, "statusline", "", "show runs in Claude Code's status line: yes or no")
	f.BoolVar(&o.NoTry, "no-try", false, "do not try a call of each seat")
	f.BoolVarP(&o.Yes, "yes", "y", false, "ask nothing; write it, and try a call of each seat, which costs")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be written; write and spend nothing")
	o.said = func(name string) bool { return f.Changed(name) }
}

// Parse reads the same from a line, as a session gives it.
func Parse(line string) (Options, error) {
	var o Options
	f := pflag.NewFlagSet("setup", pflag.ContinueOnError)
	f.Usage = func() {}
	o.Flags(f)
	if err := f.Parse(strings.Fields(line)); err != nil {
		return o, usage.Of(err)
	}
	if f.NArg() > 0 {
		return o, usage.Errorf("it takes no %q, only flags", f.Arg(0))
	}
	return o, o.Check()
}

// usualUSD is the limit where a person has none and says none: less than a run at full
// tier may take, so that none ends in a surprise.
const usualUSD = 20

// Check refuses what cannot be meant.
func (o Options) Check() error {
	if o.said("seats") {
		if _, err := listed(o.Seats); err != nil {
			return usage.Errorf("--seats: %w", err)
		}
	}
	if o.said("max-usd") {
		if _, err := amount(o.USD); err != nil {
			return usage.Errorf("--max-usd %q: %w", o.USD, err)
		}
	}
	if o.said("notify") && !slices.Contains([]string{"on", "off"}, o.Notify) {
		return usage.Errorf("--notify %q: use on or off", o.Notify)
	}
	if o.said("statusline") && !slices.Contains([]string{"yes", "no"}, o.StatusLine) {
		return usage.Errorf("--statusline %q: use yes or no", o.StatusLine)
	}
	return nil
}

// Result is what came of it, as scripts read it.
type Result struct {
	Found      Found    `json:"found"`
	Path       string   `json:"config"`            // where the configuration is
	File       string   `json:"file,omitempty"`    // where the path leads to by a link
	Changed    bool     `json:"changed"`           // it was written
	Text       string   `json:"text,omitempty"`    // that would be written
	Unknown    string   `json:"unknown,omitempty"` // keys that no run will take
	Seats      []string `json:"seats"`
	USD        float64  `json:"max_usd"` // 0 is no limit
	Notify     bool     `json:"notify"`
	StatusLine string   `json:"status_line,omitempty"`
	FirstRun   []string `json:"first_run"`
	Beyond     bool     `json:"beyond_limit"` // it is likely to take more than the limit
	Trials     []Trial  `json:"trials"`
	Problems   []string `json:"problems"`

	Said []string `json:"-"` // all that is to be said at the end
}

// work is one setup under way.
type work struct {
	program.Env
	Result
	opt     Options
	project string
	own     []byte // the configuration as it is
	config  config.Config
	person  person
	choice  config.Choice
	wantBar bool // the status line
}

// person is whom it asks; nil asks nobody.
type person interface {
	Line(ctx context.Context, prompt string) (string, error)
	Say(lines ...string)
}

var errLeft = errors.New("nothing was written")

// Run sets up. asked is a person at a terminal; nil where nobody can be asked, who has
// to have said yes beforehand.
func Run(ctx context.Context, e program.Env, project string, o Options, asked person) (Result, error) {
	w := &work{Env: e, opt: o, project: project, person: asked}
	w.Result = Result{Seats: []string{}, FirstRun: []string{}, Trials: []Trial{}, Problems: []string{}}
	if asked == nil && !o.Yes && !o.DryRun {
		return w.Result, usage.Errorf("nobody can be asked here: say --yes (it writes the configuration, and a call of each seat costs), or --dry-run to see what it would do")
	}
	if err := w.prepare(ctx); err != nil {
		return w.Result, w.left(err)
	}
	if !o.DryRun {
		if err := w.write(); err != nil {
			return w.Result, err
		}
		if asked == nil {
			w.try(ctx)
		} else {
			w.tryAloud(ctx)
		}
	}
	w.Said = w.summary(asked == nil)
	return w.Result, ctx.Err()
}

// prepare does all that comes before anything is written.
func (w *work) prepare(ctx context.Context) error {
	if err := w.open(); err != nil {
		return err
	}
	w.look(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.person != nil {
		w.person.Say(w.foundText()...)
	}
	if err := w.choose(ctx); err != nil {
		return err
	}
	if err := w.plan(); err != nil {
		return err
	}
	return w.confirm(ctx)
}

// left says that all is as it was.
func (w *work) left(err error) error {
	if errors.Is(err, errLeft) {
		return err
	}
	return fmt.Errorf("%w; %w", err, errLeft)
}

// open reads the configuration, and sees whether it could be written, before anything
// is asked.
func (w *work) open() (err error) {
	if w.Path, err = config.Path(w.Getenv); err != nil {
		return err
	}
	if strings.HasPrefix(w.Path, "~") {
		return fmt.Errorf("COUNCIL_CONFIG is %s: no program makes a home of that sign there; write the whole path", w.Path)
	}
	if w.Path, err = filepath.Abs(w.Path); err != nil {
		return err
	}
	if w.Getenv("COUNCIL_CONFIG") != "" {
		if _, err := os.Stat(filepath.Dir(w.Path)); err != nil {
			return fmt.Errorf("COUNCIL_CONFIG: %w", err)
		}
	}
	if err := userfile.Check(w.Path); err != nil {
		return err
	}
	if w.File, err = filepath.EvalSymlinks(w.Path); err != nil || w.File == w.Path {
		w.File = ""
	}
	if w.own, err = os.ReadFile(w.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var unknown error
	if w.config, unknown, err = config.Suits(w.own); err != nil {
		return fmt.Errorf("%s: %w", w.Path, err)
	}
	if unknown != nil {
		w.Unknown = unknown.Error()
	}
	return nil
}

// plan is what the choice comes to: the text, and what a first run takes.
func (w *work) plan() error {
	text, unknown, err := config.Edit(w.own, w.choice)
	if err != nil {
		return fmt.Errorf("%s: %w", w.Path, err)
	}
	if unknown != nil {
		w.Unknown = unknown.Error()
	}
	if string(text) != string(w.own) || w.own == nil {
		w.Text = string(text)
	}
	if w.config, _, err = config.Suits(text); err != nil {
		return fmt.Errorf("%s: %w", w.Path, err)
	}
	w.Seats, w.USD, w.Notify = w.config.Seats, w.config.Limits.USD, w.config.Notify.Desktop != config.DesktopOff
	w.forecast()
	return nil
}

// write puts everything in place that was chosen. One part that fails does not keep
// the other from being done.
func (w *work) write() error {
	done, err := userfile.Change(w.Path, false, func(data []byte) ([]byte, error) {
		text, _, err := config.Edit(data, w.choice)
		return text, err
	})
	if err != nil {
		return err
	}
	w.Changed, w.Text = done.Any(), ""
	if w.Unknown != "" {
		w.problem("no run takes this configuration until it is mended: " + w.Unknown)
	}
	if w.wantBar {
		w.showRuns()
	}
	return nil
}

func (w *work) problem(text string) { w.Problems = append(w.Problems, text) }

// showRuns puts our line into Claude Code's status line.
func (w *work) showRuns() {
	path, err := settings.Path(w.Getenv("CLAUDE_CONFIG_DIR"), w.Getenv("HOME"))
	var done userfile.Changed
	if err == nil {
		done, err = userfile.Change(path, false, func(data []byte) ([]byte, error) { return settings.Install(data, w.Command()) })
	}
	if err != nil {
		w.problem("the status line was not set up: " + err.Error())
		return
	}
	w.StatusLine, _, _ = settings.Command(done.After) // it has just been written
}
