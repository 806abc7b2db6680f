package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/standing"
	"github.com/research-council/research-council/internal/host/view"
)

func scheduleCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "schedule", Short: "Have a question run again and again on this machine",
		Long: `Have a question run again and again on this machine, by the system's own timer: a
user's timer of systemd, launchd, or Windows' Task Scheduler. Each run is compared
with the last one that was completed, and you are told by the configured channels
(council notify) when something has changed, and not otherwise.`,
		Example: `council schedule add --every weekly --install "Which TLS libraries are vulnerable?"
council schedule list
council schedule pause which-tls-libraries-are-vulnerable`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(scheduleAddCommand(e), scheduleListCommand(e), scheduleRunCommand(e), schedulePauseCommand(e, true), schedulePauseCommand(e, false), scheduleRemoveCommand(e))
	return c
}

// standingWish is a question that is to run again and again.
type standingWish struct {
	runOptions
	name            string
	every, cron, at string
	install         bool
}

// notStanding are flags of a run that are of one run alone.
var notStanding = [...]string{"previous", "dry-run", "edit-plan"}

func scheduleAddCommand(e program.Env) *cobra.Command {
	var w standingWish
	c := &cobra.Command{
		Use: "add QUESTION…", Short: "Have a question run again and again: show the timer, or install it",
		Long: `Keep a question with its flags, which are those of council run, and show the timer
that runs it again and again, or with --install hand it to the system. The question
is kept in a file; nothing of it stands in the timer. The same again changes nothing.
A run sees the environment of your login with the PATH of this terminal: keys that
seats and channels read from variables have to be set there (systemd:
~/.config/environment.d, macOS: launchctl setenv, Windows: setx).`,
		Example: `council schedule add --every weekly "Which TLS libraries are vulnerable?"
council schedule add --at "Mon 06:00" --name heater --seats librarian --scope docs --install "When does the heater start?"
council schedule add --cron "0 6 1 * *" --max-usd 2 --topic-file question.md --install`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return w.add(c, e, args) },
	}
	w.flags(c, slices.DeleteFunc(request.Flags(), func(f request.Flag) bool { return slices.Contains(notStanding[:], f.Name) }))
	_ = c.Flags().MarkHidden("detach") // it has no meaning here, and is refused
	w.topicFlags(c)
	c.Flags().Var(once{&w.every}, "every", "how often, counted from now: hourly, daily, weekly, monthly, or a duration such as 6h")
	c.Flags().Var(once{&w.at}, "at", `at a time each day, as 06:00, or on days of the week, as "Mon,Thu 06:00"`)
	c.Flags().Var(once{&w.cron}, "cron", "when: minute, hour, day of the month, month, day of the week, as \"0 6 * * MON\", on this machine's clock")
	c.Flags().StringVar(&w.name, "name", "", "what it is called (default: the first words of the question)")
	c.Flags().BoolVar(&w.install, "install", false, "hand the timer to the system, instead of showing it")
	return c
}

// once is a flag that has one value: a second time of the day beside a first is no other.
type once struct{ to *string }

func (o once) String() string { return "" }
func (o once) Type() string   { return "string" }

func (o once) Set(v string) error {
	if *o.to != "" {
		return errors.New(`it is given twice; say several times by --cron "0 6,18 * * *"`)
	}
	*o.to = v
	return nil
}

// when is the cron line of what was said.
func (w standingWish) when(now time.Time) (line string, err error) {
	said := 0
	for _, v := range []string{w.every, w.cron, w.at} {
		if v != "" {
			said++
		}
	}
	if said != 1 {
		return "", usage.Errorf(`say when: one of --every weekly, --at "Mon 06:00" and --cron "0 6 * * MON"`)
	}
	flag := "--cron"
	switch line = w.cron; {
	case w.every != "":
		flag = "--every"
		line, err = standing.Every(w.every, now)
	case w.at != "":
		flag = "--at"
		line, err = standing.At(w.at)
	}
	if err == nil {
		_, err = standing.Cron(line)
	}
	if err != nil {
		return "", usage.Errorf("%s %q: %w", flag, cmp.Or(w.every, w.cron, w.at), err)
	}
	return line, nil
}

// again is the cron line where a question is there already: what is counted from now is
// counted from when it was said first.
func (w standingWish) again(was standing.Standing, line string, clock *time.Location) string {
	if before, err := w.when(was.Added.In(clock)); err == nil && w.every != "" && before == was.Cron {
		return before
	}
	return line
}

func (w *standingWish) add(c *cobra.Command, e program.Env, args []string) error {
	if w.detach {
		return usage.Errorf("--detach is for council run: the timer works in the background anyway")
	}
	if who := caller.Agent(e.Getenv); who != "" && w.install {
		return usage.Errorf("only a person can have the system run something again and again, and this program runs on behalf of %s: leave --install out, and say it in a terminal of your own", who)
	}
	now := time.Now()
	line, err := w.when(now)
	if err != nil {
		return err
	}
	if w.Output != "" && !w.Force {
		return usage.Errorf("--output: each run writes over the report of the last one; say --force with it, or leave it out")
	}
	project, err := w.plan(c, e, args)
	if err != nil {
		return err
	}
	s := standing.Standing{Name: cmp.Or(w.name, standing.NameOf(w.Topic)), Project: project, From: e.Dir, Flags: askedFlags(c), Cron: line, Environ: keptEnvironment(e), Added: now.UTC()}
	if err := standing.CheckName(s.Name); err != nil {
		return usage.Of(err)
	}
	keeper, err := keeperOf(e)
	if err != nil {
		return err
	}
	if was, err := keeper.Read(s.Name); err == nil {
		s.Cron = w.again(was, line, now.Location())
	}
	times, err := standing.Cron(s.Cron)
	if err != nil {
		return err
	}
	timer, noTimer := timerOf(e, keeper, s)
	if noTimer != nil && !errors.Is(noTimer, standing.ErrSystem) { // else a timer of the person's own starts what is kept
		return noTimer
	}
	isNew, err := keeper.Ask(s, w.Topic)
	if errors.Is(err, standing.ErrOther) {
		return usage.Of(err)
	}
	if err = errors.Join(err, noTimer); err != nil {
		return err
	}
	return w.arrange(c, e, keeper, added{Name: s.Name, New: isNew, Cron: s.Cron, Next: times.Next(now), Timer: timer})
}

// plan reads the question and shows what a run of it comes to: what would be refused then is
// refused now. It gives the project.
func (w *standingWish) plan(c *cobra.Command, e program.Env, args []string) (project string, err error) {
	if w.Topic, err = (prepare.Question{Command: "schedule add", File: w.file}).Read(e, args); err != nil {
		return "", err
	}
	if project, err = projectForNewRun(c, e); err != nil {
		return "", err
	}
	w.ScopeFrom = e.Dir
	setup, err := prepare.Council(e, project, w.Request)
	if err == nil && !w.quiet {
		fmt.Fprint(e.Stderr, view.Plan(setup, runs.Forecast(setup)))
	}
	return project, err
}

// added is what `schedule add` answers.
type added struct {
	Name      string         `json:"name"`
	New       bool           `json:"new"`
	Cron      string         `json:"cron"`
	Next      time.Time      `json:"next"`
	Installed bool           `json:"installed"`
	Timer     standing.Timer `json:"timer"`
}

// arrange shows the timer, or installs it.
func (w *standingWish) arrange(c *cobra.Command, e program.Env, keeper standing.Keeper, a added) error {
	if w.install {
		if err := a.Timer.Put(c.Context()); err != nil {
			return fmt.Errorf("%w; the question is kept, and the same command tries it again", err)
		}
		if _, err := keeper.Change(a.Name, func(s *standing.Standing) { s.Program = timerProgram(e) }); err != nil {
			return err
		}
	}
	a.Installed = a.Timer.IsInstalled()
	switch {
	case asJSON(c):
		return encode(e.Stdout, a)
	case w.install:
		_, err := fmt.Fprintf(e.Stdout, "%s runs next %s\n", a.Name, a.Next.Format(whenFormat))
		if runtime.GOOS == "linux" {
			fmt.Fprintln(e.Stderr, "While nobody is logged in, systemd runs it only after: loginctl enable-linger")
		}
		return err
	}
	for _, f := range a.Timer.Files {
		fmt.Fprintf(e.Stdout, "# %s\n%s\n", f.Path, strings.ReplaceAll(f.Text, "\r\n", "\n"))
	}
	for _, argv := range a.Timer.Install {
		fmt.Fprintln(e.Stdout, "# "+strings.Join(argv, " "))
	}
	_, err := fmt.Fprintf(e.Stderr, "%s is kept, and nothing is installed: the same command with --install does it.\n", a.Name)
	return err
}

const whenFormat = "Mon 2006-01-02 15:04"

// askedFlags are the flags of a run that were given, each in one word.
func askedFlags(c *cobra.Command) (list []string) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if v, ours := f.Value.(flagValue); ours {
			for _, given := range *v.given {
				list = append(list, "--"+f.Name+"="+given)
			}
		}
		if f.Name == "scope-outside" {
			list = append(list, "--"+f.Name)
		}
	})
	return list
}

// keptVariables say where programs and settings are; none holds a secret.
var keptVariables = [...]string{"PATH", "COUNCIL_CONFIG", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"}

// pathVariables are those of them that are read from wherever the program is started.
var pathVariables = [...]string{"COUNCIL_CONFIG", "CLAUDE_CONFIG_DIR", "CODEX_HOME"}

func keptEnvironment(e program.Env) map[string]string {
	kept := map[string]string{}
	for _, name := range keptVariables {
		v := e.Getenv(name)
		if slices.Contains(pathVariables[:], name) && v != "" && !filepath.IsAbs(v) {
			v = filepath.Join(e.Dir, v)
		}
		if v != "" {
			kept[name] = v
		}
	}
	return kept
}

func keeperOf(e program.Env) (standing.Keeper, error) {
	dir, err := e.StandingFolder()
	return standing.Keeper{Dir: dir}, err
}

// timerOf is the timer of a standing question on this system.
func timerOf(e program.Env, keeper standing.Keeper, s standing.Standing) (standing.Timer, error) {
	return keeper.Timer(standing.Here(e.Getenv), s, timerProgram(e))
}

func timerProgram(e program.Env) string {
	if runtime.GOOS == "windows" {
		return e.Self // which the system can start
	}
	return e.Command()
}

// standingLine is a standing question as it is listed.
type standingLine struct {
	standing.Standing
	Question  string     `json:"question"`
	Next      *time.Time `json:"next,omitempty"`
	Installed bool       `json:"installed"`
	Gone      bool       `json:"program_gone,omitempty"` // what the timer starts is not there any more: nothing runs
	Command   []string   `json:"command"`                // what a timer starts
}

func scheduleListCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the standing questions", Args: cobra.NoArgs,
		Example: "council schedule list\ncouncil schedule list --json",
		RunE: func(c *cobra.Command, _ []string) error {
			keeper, err := keeperOf(e)
			if err != nil {
				return err
			}
			all, problems := keeper.List()
			list := []standingLine{}
			for _, s := range all {
				l, err := look(e, keeper, s)
				problems = errors.Join(problems, err)
				list = append(list, l)
			}
			if asJSON(c) {
				return errors.Join(encode(e.Stdout, list), problems)
			}
			for _, l := range list {
				fmt.Fprintln(e.Stdout, l.line())
			}
			if len(list) == 0 && problems == nil {
				fmt.Fprintln(e.Stderr, "council: no question runs again and again here; council schedule add has one do so")
			}
			return problems
		},
	}
}

// look is a standing question with what the system has of it.
func look(e program.Env, keeper standing.Keeper, s standing.Standing) (standingLine, error) {
	l := standingLine{Standing: s, Command: []string{e.Command(), "schedule", "run", keeper.Folder(s.Name)}}
	text, err := keeper.Question(s.Name)
	l.Question = text
	timer, timerErr := timerOf(e, keeper, s)
	if timerErr != nil && !errors.Is(timerErr, standing.ErrSystem) {
		err = errors.Join(err, timerErr)
	}
	l.Installed = timerErr == nil && timer.IsInstalled()
	if l.Installed && s.Program != "" {
		_, statErr := os.Stat(s.Program)
		l.Gone = errors.Is(statErr, fs.ErrNotExist)
	}
	if times, cronErr := standing.Cron(s.Cron); cronErr == nil && !s.Paused && l.Installed && !l.Gone {
		next := times.Next(time.Now())
		l.Next = &next
	}
	return l, err
}

func (l standingLine) line() string {
	state := "not installed"
	switch {
	case l.Gone:
		state = "program gone: add again"
	case l.Paused:
		state = "paused"
	case l.Next != nil:
		state = "next " + l.Next.Format(whenFormat)
	}
	last := "no run yet"
	if n := len(l.Runs); n > 0 {
		last = "last " + l.Runs[n-1]
	}
	return plain.Terminal(fmt.Sprintf("%-24s %-26s %-28s %s", l.Name, state, last, plain.Line(l.Question, 80)))
}

// standingNames completes the names of standing questions.
func standingNames(e program.Env) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		keeper, err := keeperOf(e)
		if err == nil && len(args) == 0 {
			names, _ = keeper.Names() // none is offered where they cannot be listed
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func schedulePauseCommand(e program.Env, pause bool) *cobra.Command {
	name, short := "resume", "Begin runs of a standing question again"
	if pause {
		name, short = "pause", "Begin no run of a standing question until it is resumed"
	}
	return &cobra.Command{
		Use: name + " NAME", Short: short, Args: cobra.ExactArgs(1), ValidArgsFunction: standingNames(e),
		Example: "council schedule " + name + " heater",
		RunE: func(_ *cobra.Command, args []string) error {
			keeper, err := keeperOf(e)
			if err != nil {
				return err
			}
			s, err := readStanding(keeper, args[0])
			if err != nil {
				return err
			}
			_, err = keeper.Change(s.Name, func(s *standing.Standing) { s.Paused = pause })
			return err
		},
	}
}

// readStanding reads the standing question that was named.
func readStanding(keeper standing.Keeper, name string) (standing.Standing, error) {
	if err := standing.CheckName(name); err != nil {
		return standing.Standing{}, usage.Of(err)
	}
	s, err := keeper.Read(name)
	if errors.Is(err, standing.ErrNone) {
		err = usage.Of(err)
	}
	return s, err
}

func scheduleRemoveCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Take a standing question and its timer away; its runs stay",
		Long: "Take a standing question and its timer away; its runs stay. While one is under way it is refused.", Args: cobra.ExactArgs(1), ValidArgsFunction: standingNames(e),
		Example: "council schedule remove heater",
		RunE: func(c *cobra.Command, args []string) error {
			keeper, err := keeperOf(e)
			if err != nil {
				return err
			}
			var mistake usage.Mistake
			s, err := readStanding(keeper, args[0])
			if errors.As(err, &mistake) {
				return err // what cannot be read is removed too
			}
			if err == nil && isUnderWay(s) {
				return refuseToRemove(s, fmt.Errorf("%s: %w", s.Name, standing.ErrBusy))
			}
			err = keeper.Remove(c.Context(), standing.Here(e.Getenv), args[0])
			if errors.Is(err, standing.ErrBusy) {
				return refuseToRemove(s, err)
			}
			return err
		},
	}
}

// isUnderWay reports whether somebody works on the last run, whoever has begun that: asked
// anew, the question would be run beside it.
func isUnderWay(s standing.Standing) bool {
	if len(s.Runs) == 0 {
		return false
	}
	st, err := runs.Checked(s.Project, s.Runs[len(s.Runs)-1])
	return err == nil && st.Supervisor != 0
}

// refuseToRemove says what to do about a run that is under way.
func refuseToRemove(s standing.Standing, busy error) error {
	if len(s.Runs) == 0 {
		return fmt.Errorf("%w; remove it once that is over", busy)
	}
	last := s.Runs[len(s.Runs)-1]
	return fmt.Errorf("%w; remove it once that is over, or after `council cancel %s --project %s`", busy, last, dialogue.QuotedPath(s.Project))
}
