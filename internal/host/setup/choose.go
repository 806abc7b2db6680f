package setup

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/userfile"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/settings"
	"github.com/research-council/research-council/internal/host/view"
)

// listed are the names of a list with commas, each once.
func listed(text string) ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("name at least one seat")
	}
	return names, nil
}

// amount is a limit in money: dollars with a point, or none.
func amount(text string) (float64, error) {
	if strings.EqualFold(text, "none") {
		return 0, nil
	}
	if !regexp.MustCompile(`^\$?[0-9]{1,9}(\.[0-9]{1,6})?$`).MatchString(text) {
		return 0, errors.New("use an amount in dollars, as 5 or 7.50, or none")
	}
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err == nil && usd == 0 {
		err = errors.New("a limit of nothing lets nothing run; none is no limit")
	}
	return usd, err
}

// choose settles seats, limit, notices and status line: by what was said, by asking,
// or as they are.
func (w *work) choose(ctx context.Context) error {
	if err := w.chooseSeats(ctx); err != nil {
		return err
	}
	usd, err := w.chooseLimit(ctx)
	if err != nil {
		return err
	}
	if usd != w.config.Limits.USD {
		w.choice.USD = &usd
	}
	on := w.config.Notify.Desktop != config.DesktopOff
	want, err := w.yesNo(ctx, "notify", w.opt.Notify == "on", on, "Notices on your desktop when a run wants you or ends?")
	if err != nil {
		return err
	}
	if want != on {
		w.choice.Desktop = map[bool]string{true: config.DesktopAuto, false: config.DesktopOff}[want]
	}
	return w.chooseStatusLine(ctx)
}

func (w *work) chooseSeats(ctx context.Context) error {
	usual := w.usualSeats()
	if w.opt.said("seats") {
		names, err := listed(w.opt.Seats)
		if err == nil {
			err = w.checkSeats(names)
		}
		if err != nil {
			return err
		}
		usual = names
	} else if w.person != nil && !w.opt.Yes && len(usual) > 0 {
		err := w.ask(ctx, fmt.Sprintf("Who takes part? [%s]", strings.Join(usual, ", ")), func(text string) error {
			names, err := listed(text)
			if err == nil {
				err = w.checkSeats(names)
			}
			if err == nil {
				usual = names
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(usual) == 0 {
		return errors.New("no seat is ready: " + strings.Join(w.remedies(), "; "))
	}
	usual = config.Ordered(w.own, usual)
	if !config.Has(w.own, "seats") || !slices.Equal(usual, w.config.Seats) {
		w.choice.Seats = usual
	}
	for _, name := range usual {
		if s, is := w.Found.server(name); is {
			w.choice.Servers = map[string]config.Chat{}
			w.choice.Servers[name] = s.asChat()
		}
	}
	return nil
}

// usualSeats are those a person has named in their file, else those that are ready.
func (w *work) usualSeats() []string {
	if config.Has(w.own, "seats") {
		return w.config.Seats
	}
	return slices.DeleteFunc(slices.Clone(w.config.Seats), func(name string) bool {
		s, known := w.Found.seat(name)
		return !known || !s.Ready
	})
}

// checkSeats refuses names that are none, and seats that are not ready. One that the
// person's file names already may be another machine's.
func (w *work) checkSeats(names []string) error {
	for _, name := range names {
		if _, is := w.Found.server(name); is {
			continue
		}
		if _, err := w.config.Expand([]string{name}); err != nil {
			return err
		}
		s, known := w.Found.seat(name)
		if !known || s.Ready || config.Has(w.own, "seats") && slices.Contains(w.config.Seats, name) {
			continue
		}
		return errors.New(strings.Join(s.problem(), "; "))
	}
	return nil
}

// problem is what keeps a seat from taking part.
func (s Seat) problem() []string {
	var lines []string
	for _, c := range s.Findings {
		if c.Level == "warning" {
			text := s.Name + ": " + c.Finding
			if c.Remedy != "" {
				text += "; " + c.Remedy
			}
			lines = append(lines, text)
		}
	}
	return lines
}

func (w *work) remedies() []string {
	var lines []string
	for _, s := range w.Found.Seats {
		if w.config.Kinds[s.Name].Program != "" {
			lines = append(lines, s.problem()...)
		}
	}
	return append(lines, "Without any of them the librarian searches a folder of yours, for nothing: council run --seats librarian --scope DIR QUESTION")
}

func (w *work) chooseLimit(ctx context.Context) (float64, error) {
	usual := w.config.Limits.USD
	if usual == 0 && !config.Has(w.own, "limits", "usd") {
		usual = usualUSD
	}
	if w.opt.said("max-usd") {
		return amount(w.opt.USD)
	}
	if w.person == nil || w.opt.Yes {
		return usual, nil
	}
	err := w.ask(ctx, fmt.Sprintf("Limit of a run in money? [%s]", limitText(usual)), func(text string) error {
		usd, err := amount(text)
		if err != nil {
			return err
		}
		const large = 1000
		if usd >= large && usd != usual {
			if err := w.ask(ctx, view.Dollars(usd)+" for each run? Type it again", func(again string) error {
				if same, err := amount(again); err != nil || same != usd {
					return errors.New("that is another amount")
				}
				return nil
			}); err != nil {
				return err
			}
		}
		usual = usd
		return nil
	})
	return usual, err
}

func limitText(usd float64) string {
	if usd == 0 {
		return "none"
	}
	return view.Dollars(usd)
}

func (w *work) chooseStatusLine(ctx context.Context) error {
	path, err := settings.Path(w.Getenv("CLAUDE_CONFIG_DIR"), w.Getenv("HOME"))
	if err != nil {
		return nil // who has no home has no Claude Code
	}
	old, ours := "", false
	done, err := userfile.Change(path, true, func(data []byte) ([]byte, error) {
		old, ours, err = settings.Command(data)
		return data, err
	})
	switch {
	case ours:
		w.Result.StatusLine, _, _ = settings.Command(done.After)
		return nil
	case err == nil && done.Before == nil && !w.opt.said("statusline"):
		return nil // there is no Claude Code to show it
	}
	question := "Show runs in Claude Code's status line?"
	if old != "" {
		question = fmt.Sprintf("Show runs in Claude Code's status line, below the lines of %s?", old)
	}
	w.wantBar, err = w.yesNo(ctx, "statusline", w.opt.StatusLine == "yes", false, question)
	return err
}

// yesNo is a yes or a no: as said by a flag, as asked, or as usual.
func (w *work) yesNo(ctx context.Context, flag string, given, usual bool, question string) (bool, error) {
	if w.opt.said(flag) {
		return given, nil
	}
	if w.person == nil || w.opt.Yes {
		return usual, nil
	}
	hint := map[bool]string{true: " [Y/n]", false: " [y/N]"}[usual]
	answer := usual
	return answer, w.ask(ctx, question+hint, func(text string) (err error) {
		answer, err = yesOrNo(text)
		return err
	})
}

func yesOrNo(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "y", "yes":
		return true, nil
	case "n", "no":
		return false, nil
	}
	return false, errors.New("say y or n")
}

// mostTries bounds how often a question is asked.
const mostTries = 5

// ask asks until an answer is taken; an empty one leaves what is usual. What is not
// understood is not taken for anything.
func (w *work) ask(ctx context.Context, question string, take func(string) error) error {
	for range mostTries {
		text, err := w.person.Line(ctx, question)
		if err != nil {
			return err
		}
		if text == "" {
			return nil
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			err = errors.New("keys were pressed that are no letters")
		} else {
			err = take(text)
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.person.Say("  " + err.Error())
	}
	return errors.New("no answer that is understood")
}

// confirm asks whether all this is to be done: nothing is, by silence.
func (w *work) confirm(ctx context.Context) error {
	if w.opt.DryRun || w.opt.Yes || w.person == nil {
		return nil
	}
	w.person.Say(w.planText()...)
	question := "Write it? [y/N]"
	if list := w.trialNames(); len(list) > 0 {
		question = "Write it, and try a call of each? y: both, w: write alone, n: neither [N]"
		if w.Result.Text == "" && !w.wantBar {
			question = "Nothing is to be written. Try a call of each? [y/N]"
		}
	}
	yes := false
	err := w.ask(ctx, question, func(text string) (err error) {
		if strings.EqualFold(text, "w") {
			yes, w.opt.NoTry = true, true
			return nil
		}
		yes, err = yesOrNo(text)
		return err
	})
	if err == nil && !yes {
		return errLeft
	}
	return err
}
