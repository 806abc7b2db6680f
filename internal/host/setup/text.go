package setup

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/output/notify"
)

// foundText says what is there, and who pays.
func (w *work) foundText() []string {
	lines := []string{"What is here:"}
	for _, s := range w.Found.Seats {
		if w.config.Kinds[s.Name].Program == "" && w.config.Commands[s.Name].Program == "" && !s.Ready {
			continue // a server nobody has set up
		}
		state := "ready"
		switch {
		case s.Missing:
			state = "not found"
		case !s.Ready && strings.HasPrefix(s.Login, "none"):
			state = "not logged in"
		case !s.Ready:
			state = "not ready"
		case s.Login == "":
			state = "ready; whose login, and so who pays, is unknown"
		default:
			state = "ready, logged in"
		}
		lines = append(lines, fmt.Sprintf("  %-9s %s", s.Name, state))
		for _, c := range s.Findings {
			text := c.Finding
			if c.Remedy != "" {
				text += " -> " + c.Remedy
			}
			lines = append(lines, fmt.Sprintf("  %-9s   %s", "", text))
		}
	}
	for _, s := range w.Found.Servers {
		lines = append(lines, fmt.Sprintf("  %-9s a server on this machine (%s) with %s: can be a seat, without tools, for nothing", s.Name, s.URL, strings.Join(s.Models, ", ")))
	}
	lines = append(lines, fmt.Sprintf("  %-9s seats without a model: local files, for nothing", "librarian"))
	return append(lines, "  "+have(w.Found.Browser, "browser: yes (pages are printed as PDF)", "browser: none for printing pages as PDF"),
		"  "+have(len(w.Found.TeX) > 0, "TeX: "+strings.Join(w.Found.TeX, ", "), "TeX: none; reports stay without a typeset PDF"),
		"  "+have(w.Found.Box, "box: what models have run is confined", "box: none; nothing that models ask for is run confined (bubblewrap)"),
		"")
}

func have(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// question stands for any: what a run takes does not hang on its words.
const question = "How do write-ahead logs survive torn pages?"

// forecast says what a first run with these seats and this limit takes.
func (w *work) forecast() {
	e := w.Env
	e.Own = &w.config
	for _, kind := range []struct {
		name string
		req  request.Request
	}{{"a first look (--test)", request.Request{Topic: question, Test: true}}, {"a whole run", request.Request{Topic: question}}} {
		setup, err := prepare.Council(e, w.project, kind.req)
		if err != nil {
			w.FirstRun = append(w.FirstRun, kind.name+": "+err.Error())
			continue
		}
		f := runs.Forecast(setup)
		unpriced := setup.Limits.Unpriced > 0 && len(f.Unpriced) > 0 && f.Tokens.Likely > float64(setup.Limits.Unpriced)
		if !kind.req.Test && (f.Short != nil || unpriced) {
			w.Beyond = true
		}
		w.FirstRun = append(w.FirstRun, kind.name+": "+strings.Join(view.Forecast(f), "; "))
	}
}

// planText is what would be done, before it is.
func (w *work) planText() []string {
	where := w.Path
	if w.File != "" {
		where += ", which leads to " + w.File
	}
	lines := []string{"", "Seats: " + strings.Join(w.Seats, ", ") + "   Limit of a run: " + limitText(w.USD) + "   Notices: " + have(w.Notify, "on", "off")}
	lines = append(lines, w.noticesText()...)
	for _, name := range w.Seats {
		if s, is := w.Found.seat(name); is && !s.Ready {
			lines = append(lines, s.problem()...)
		}
	}
	const large = 1000
	if w.USD >= large {
		lines = append(lines, "NOTE: a limit of "+view.Dollars(w.USD)+" for each run is a large one.")
	}
	lines = append(lines, "What a first run takes:")
	for _, text := range w.FirstRun {
		lines = append(lines, "  "+text)
	}
	if w.Beyond {
		lines = append(lines, "  A whole run is likely to take more than the limit: it ends there, with a report of what it has.")
	}
	if w.Unknown != "" {
		lines = append(lines, "In the configuration stands what no run takes; it is kept: "+w.Unknown)
	}
	switch {
	case w.Text != "" && !w.Changed:
		lines = append(lines, "Would write "+where)
	case !w.Changed:
		lines = append(lines, where+" is so already: nothing to change.")
	}
	if list := w.trialNames(); len(list) > 0 && !w.Changed {
		lines = append(lines, "Then a call of each of "+strings.Join(list, ", ")+" is tried, which costs "+w.trialCost()+".")
	}
	return lines
}

// noticesText says where notices cannot be shown.
func (w *work) noticesText() []string {
	if !w.Notify {
		return nil
	}
	if n := notify.New(w.config.Notify, w.Getenv); len(n.Channels()) == 0 {
		return []string{"Notices: no desktop here can show one; a bell (notify: terminal), ntfy, Slack or a webhook can (docs/guide/notifications.md)."}
	}
	return nil
}

// summary is everything in words: for who has seen nothing of it yet, what is there
// too.
func (w *work) summary(whole bool) []string {
	var lines []string
	if whole {
		lines = append(w.foundText(), w.planText()...)
	}
	if w.opt.DryRun && w.Text != "" {
		lines = append(lines, strings.Split(strings.TrimRight(w.Text, "\n"), "\n")...)
	}
	if w.Changed {
		where := w.Path
		if w.File != "" {
			where += " (" + w.File + ")"
		}
		lines = append(lines, "Written: "+where)
	}
	if w.StatusLine != "" && w.wantBar {
		lines = append(lines, "Claude Code's status line shows runs: "+w.StatusLine)
	}
	failed := false
	for _, t := range w.Trials {
		lines, failed = append(lines, t.Line()), failed || !t.OK
	}
	switch {
	case failed:
		lines = append(lines, "What was written stays. Where a seat did not answer, mend it or try again later: council setup")
	case w.opt.NoTry:
		lines = append(lines, "The seats were not tried; council setup does it.")
	}
	return lines
}
