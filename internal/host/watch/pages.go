package watch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// text is a page of text that scrolls.
type text struct {
	title string
	lines []string
	top   int
	back  page // behind it; nil for the panes
	room  int
}

// openReport opens the report of a run that has ended.
func (m *model) openReport() {
	switch {
	case m.now.ID == "":
		return
	case !m.now.hasReport():
		m.said = "There is no report yet; the claims (o) are there as they come."
		return
	}
	f, err := workspace.Open(m.doors.Project, m.now.ID)
	if err != nil {
		m.said = "The report cannot be read: " + err.Error()
		return
	}
	defer f.Close()
	data, err := f.Read(flow.FinalReport)
	if err != nil {
		m.said = "The report cannot be read: " + err.Error()
		return
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, line := range lines {
		lines[i] = clean(readable(line))
	}
	m.page = newText("report", lines)
}

var (
	reportLink   = regexp.MustCompile(`\[\\?\[?([^\[\]\\]*)\\?\]?\]\(#[^)\s]*(?: "[^"]*")?\)`)
	reportAnchor = regexp.MustCompile(`<a id="[^"]*"></a>`)
)

// readable is a line of a report without what only a page can do with: where links within
// it lead, and marks of bold words.
func readable(line string) string {
	return strings.ReplaceAll(reportAnchor.ReplaceAllString(reportLink.ReplaceAllString(line, "[$1]"), ""), "**", "")
}

func newText(title string, lines []string) *text { return &text{title: title, lines: lines} }

func (p *text) render(m *model, width, height int) []string {
	var rows []string
	for _, line := range p.lines {
		rows = append(rows, wrap(line, min(width, 110))...)
	}
	p.room = max(1, height-1)
	p.top = max(0, min(p.top, len(rows)-p.room))
	title := p.title
	if len(rows) > p.room {
		title += fmt.Sprintf(" (%d–%d of %d lines)", p.top+1, min(len(rows), p.top+p.room), len(rows))
	}
	return append([]string{m.style.rule(title, width)}, rows[p.top:min(len(rows), p.top+p.room)]...)
}

func (p *text) keys() string { return "↑↓ PgUp PgDn scroll · Esc back" }

func (p *text) key(m *model, k string) tea.Cmd {
	switch k {
	case "esc", "q", "left", "?":
		m.page = p.back
	case "up", "k":
		p.top--
	case "down", "j":
		p.top++
	case "pgup", "b":
		p.top -= p.room
	case "pgdown", "space":
		p.top += p.room
	case "home", "g":
		p.top = 0
	case "end", "G":
		p.top = len(p.lines) * 100
	}
	return nil
}

// list is a page of lines of which one is chosen.
type list struct {
	title  string
	rows   []string
	chosen int
	first  int
	room   int
	says   string // where it is empty
	hints  string
	enter  func(i int) tea.Cmd
	more   func(k string) bool // further keys; false for none of its
	leaves bool                // going back from it ends the program

	ids     []string     // what each row is of, where rows come while it is shown
	renewed func() *list // the same as it is now; nil for one that stays as it is
}

// renew shows what has come since; what was chosen stays chosen, and where it stands.
func (p *list) renew() {
	if p.renewed == nil {
		return
	}
	now := p.renewed()
	now.chosen, now.first, now.room, now.renewed = p.chosen, p.first, p.room, p.renewed
	if p.chosen < len(p.ids) {
		if at := slices.Index(now.ids, p.ids[p.chosen]); at >= 0 {
			now.chosen, now.first = at, p.first+at-p.chosen
		}
	}
	*p = *now
}

func (p *list) render(m *model, width, height int) []string {
	p.room = max(1, height-1)
	if len(p.rows) == 0 {
		return []string{m.style.rule(p.title, width), p.says}
	}
	p.chosen = max(0, min(p.chosen, len(p.rows)-1))
	p.first = max(0, min(p.first, len(p.rows)-p.room))
	p.first = max(min(p.first, p.chosen), p.chosen-p.room+1)
	rows := []string{m.style.rule(fmt.Sprintf("%s (%d of %d)", p.title, p.chosen+1, len(p.rows)), width)}
	for i := p.first; i < min(len(p.rows), p.first+p.room); i++ {
		if i == p.chosen {
			rows = append(rows, m.style.in(turned, fill(m.style.sign("› ", "> ")+p.rows[i], width)))
		} else {
			rows = append(rows, cut("  "+p.rows[i], width))
		}
	}
	return rows
}

func (p *list) keys() string {
	if p.leaves {
		return p.hints + " · q leave"
	}
	return p.hints + " · Esc back"
}

func (p *list) key(m *model, k string) tea.Cmd {
	switch k {
	case "esc", "q", "left":
		m.page = nil
		if p.leaves {
			return tea.Quit
		}
	case "up", "k":
		p.chosen--
	case "down", "j":
		p.chosen++
	case "pgup", "b":
		p.chosen -= p.room
	case "pgdown", "space":
		p.chosen += p.room
	case "home", "g":
		p.chosen = 0
	case "end", "G":
		p.chosen = len(p.rows) - 1
	case "enter", "o", "right":
		if len(p.rows) > 0 {
			return p.enter(p.chosen)
		}
	default:
		if p.more != nil {
			p.more(k)
		}
	}
	p.chosen = max(0, min(p.chosen, len(p.rows)-1))
	return nil
}

const helpText = `Looking
  ↑ ↓ j k 1–9  choose a seat        Enter Tab  its transcript
  o            its claims: Enter shows one with its passage, a all seats'
  d            what is in dispute   v  the report, at its end   r  other runs
  In a transcript: ↑ ↓ PgUp PgDn Home scroll, End goes to the end and follows;
  / searches, then n goes further up, N further down, Esc ends the search
Steering, each after a question or words of yours (y says yes, Enter never does)
  c  cancel the run    f  finish with what there is    n  a note to the seats
Otherwise
  m  mouse on or off (Shift selects text)   Ctrl-L  draw anew   Ctrl-Z  suspend
  ?  this page          q  leave; the run goes on          Esc  back
Signs
  works: life within 10 minutes; silent: none. waits: for its provider.
  rests: no part in this step. done, failed: how its part in it ended;
  missed: a part that others have as well, as a vote.
  (debate): a step left out. failed once: before, and told above its transcript.
  3/2/1 claims: recorded, located, refused or not found. Cost: of turns that
  have ended, of an equal share of the limit. Time left: by the run's own pace.`
