package watch

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/host/view"
)

// The least window that is drawn in, and the width from which a second pane stands
// beside the first.
const (
	leastWidth  = 38
	leastHeight = 8
	wideWidth   = 130
)

// render is the whole screen: exactly height lines of at most width cells.
func (m *model) render() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.width < leastWidth || m.height < leastHeight {
		return cut("window too small", m.width)
	}
	var rows []string
	switch {
	case m.page != nil:
		rows = append(m.head(), m.page.render(m, m.width, m.bodyHeight())...)
	case m.wide():
		rows = append(m.head(), m.sideBySide()...)
	case m.reading:
		rows = append(m.head(), m.transcriptPane(m.width, m.bodyHeight())...)
	default:
		rows = append(m.head(), m.mainPane(m.width, m.bodyHeight())...)
	}
	foot := m.footer()
	for len(rows) < m.height-len(foot) {
		rows = append(rows, "")
	}
	rows = append(rows[:m.height-len(foot)], foot...)
	for i, row := range rows {
		rows[i] = cut(m.style.said(row), m.width)
	}
	return strings.Join(rows, "\n")
}

func (m *model) wide() bool { return m.width >= wideWidth && m.now.ID != "" }

// bodyHeight is what head and keys leave; what is said above the keys covers the end
// of it for a while.
func (m *model) bodyHeight() int { return max(0, m.height-len(m.head())-1) }

// head says which run this is, how far it is, what it has cost and what is left.
func (m *model) head() []string {
	if m.now.ID == "" {
		return []string{m.style.in(bold, "Runs of "+clean(m.doors.Project)), ""}
	}
	return header{m.now, m.style}.rows(m.doors.Now(), m.width)
}

// header tells of a run as a whole.
type header struct {
	look
	style style
}

func (h header) rows(now time.Time, width int) []string {
	topic := h.style.in(bold, clean(strings.Join(strings.Fields(h.Topic), " ")))
	rows := []string{spread(topic, clean(h.ID), width), h.steps(width)}
	rows = append(rows, spread(words(" · ", h.state(), view.FormatDuration(elapsed(h.look, now)), spentText(h.look)), view.LeftText(h.Status, h.left), width))
	if why := h.trouble(); why != "" {
		rows = append(rows, h.style.in(yellow, cut("! "+why, width)))
	}
	if h.hasReport() {
		rows = append(rows, "report  "+h.style.in(blue, cut(clean(h.Report), width-8)))
	}
	return append(rows, "")
}

// spentText is what a run has cost, of what it may.
func spentText(s look) string {
	text := tokensText(s.Spent.Tokens)
	if s.Limits.Tokens > 0 {
		text += " of " + tokensText(s.Limits.Tokens)
	}
	return words(", ", view.MoneyText(s.Status), text+" tokens")
}

// elapsed is how long a run has taken; a clock that was set back is no time.
func elapsed(s look, now time.Time) time.Duration {
	if s.Status.Status != "running" {
		return s.Spent.Elapsed
	}
	return max(0, now.Sub(s.Began))
}

func (h header) state() string {
	s := h
	switch {
	case s.Status.Status != "running":
		word, colour := strings.ReplaceAll(s.Status.Status, "_", " "), yellow
		switch s.Status.Status {
		case "completed":
			colour = green
		case "failed", "cancelled":
			colour = red
		}
		return h.style.in(colour, word)
	case s.Paused != "" || s.IsUnattended():
		return h.style.in(yellow, "paused")
	case s.Starting:
		return h.style.in(yellow, "starting")
	}
	return h.style.in(green, "running")
}

// trouble is what keeps a run from going on, why it has ended as it did, or why
// what is shown is old; "" for nothing.
func (h header) trouble() string {
	s := h
	switch {
	case s.problem != "":
		return "as last seen: " + clean(s.problem)
	case s.Asking != nil:
		return "it waits for you: " + clean(s.Asking.Reason) + " (council resume " + s.ID + ")"
	case s.Paused != "":
		return clean(s.Paused)
	case s.IsUnattended():
		return "nobody works on it; council resume " + s.ID + " goes on"
	case s.Waiting != "":
		return "it waits: " + clean(s.Waiting)
	case s.Status.Status != "running" && s.Reason != "":
		return clean(s.Reason)
	}
	return ""
}

// steps is the way of the run with the present step marked, in words and signs. Where it
// is too long, the present step and its neighbours are shown.
func (h header) steps(width int) string {
	var parts []string
	at := 0
	for i, p := range h.Course {
		name := clean(p.Said())
		switch p.State {
		case "done":
			at = i
			name = h.style.in(green, h.style.sign("✓", "+")) + " " + name
		case "now":
			at = i
			name = h.style.in(bold, fmt.Sprintf("[%s %s]", h.style.sign("▶", ">"), name))
		case "next":
			name = h.style.in(faint, name)
		case "skipped":
			name = h.style.in(faint, "("+name+")")
		default:
			at = i
			name = h.style.in(red, h.style.sign("✗", "x")+" "+name+" "+clean(p.State))
		}
		parts = append(parts, name)
	}
	if len(parts) == 0 {
		return clean(view.Place(h.Status))
	}
	return around(parts, at, width)
}

// way is the parts of the run's way, one below the other, with how long each took.
func (h header) way(now time.Time, width int) []string {
	if len(h.Course) == 0 {
		return nil
	}
	rows := []string{h.style.rule("phases", width)}
	for _, p := range h.Course {
		sign, colour := h.style.sign("○", "o"), faint
		switch p.State {
		case "done":
			sign, colour = h.style.sign("✓", "+"), green
		case "now":
			sign, colour = h.style.sign("▶", ">"), bold
		case "next":
		case "skipped":
			sign = "-"
		default:
			sign, colour = h.style.sign("✗", "x"), red
		}
		rows = append(rows, spread(h.style.in(colour, sign)+" "+clean(p.Said())+" "+h.style.in(faint, clean(p.State)), view.PartText(h.Status, p, now), width))
	}
	return rows
}

// around joins the steps around one, as many as there is room for and each whole.
func around(parts []string, at, width int) string {
	from, to := at, at+1
	line := func(from, to int) string {
		text := strings.Join(parts[from:to], " › ")
		if from > 0 {
			text = "… › " + text
		}
		if to < len(parts) {
			text += " › …"
		}
		return text
	}
	for grown := true; grown; {
		grown = false
		if to < len(parts) && ansi.StringWidth(line(from, to+1)) <= width {
			to, grown = to+1, true
		}
		if from > 0 && ansi.StringWidth(line(from-1, to)) <= width {
			from, grown = from-1, true
		}
	}
	return cut(line(from, to), width)
}

// mainPane is the seats, the legend and, where there is room, the log.
func (m *model) mainPane(width, height int) []string {
	rows := seatTable{m}.rows(width, height-2)
	rows = append(rows, "", cut(m.style.legend(), width))
	if way := (header{m.now, m.style}).way(m.doors.Now(), width); len(way) > 0 && height-len(rows)-len(way) > 2*leastLog {
		rows = append(append(append(rows, ""), way...), "")
	}
	if room := height - len(rows) - 1; room >= 2 && len(m.now.log) > 0 {
		rows = append(append(rows, m.style.rule("log", width)), m.style.logRows(m.now.log, width, room)...)
	}
	if room := height - len(rows) - 2; room >= leastLog && len(m.now.latest) > 0 {
		rows = append(rows, "", m.style.rule("claims as they come", width))
		for _, e := range m.now.latest[:min(len(m.now.latest), room)] {
			rows = append(rows, cut(m.evidence().claimRow(e, clean(strings.Join(e.Seats, ", "))+": "), width))
		}
	}
	return rows
}

// logRows are the last lines of the progress log, whole where all of them have room.
func (s style) logRows(log []string, width, room int) []string {
	var whole, short []string
	for _, line := range log[max(0, len(log)-room):] {
		rows := s.logLine(line, width)
		whole = append(whole, rows...)
		short = append(short, cut(rows[0]+map[bool]string{true: " …"}[len(rows) > 1], width))
	}
	if len(whole) <= room {
		return whole
	}
	return short
}

// logLine is a line of the progress log with its local time, and what goes on below it.
func (s style) logLine(line string, width int) []string {
	stamp, text, ok := strings.Cut(line, "] ")
	at, err := time.Parse(time.RFC3339, strings.TrimPrefix(stamp, "["))
	if !ok || err != nil {
		return []string{cut(clean(line), width)}
	}
	rows := wrap(clean(text), width-10)
	for i, row := range rows {
		rows[i] = map[bool]string{true: s.in(faint, at.Local().Format("15:04:05")), false: strings.Repeat(" ", 8)}[i == 0] + "  " + row
	}
	return rows
}

// rule is a line across a pane with what stands below it.
func (s style) rule(title string, width int) string {
	title = s.sign("── ", "-- ") + title + " "
	return s.in(faint, fill(title+strings.Repeat(s.sign("─", "-"), max(0, width-ansi.StringWidth(title))), width))
}

// seatTable tells of each seat.
type seatTable struct{ *model }

// rows is a row for each seat, or two where there is room for that, and more for one
// that has failed; those around the chosen one where there is not even room for one.
func (m seatTable) rows(width, height int) []string {
	list := m.now.seats
	m.seatRows = nil
	if len(list) == 0 {
		return []string{m.style.in(faint, "no seat has begun yet")}
	}
	each := 1
	if 2*len(list)+3 <= height {
		each = 2
	}
	roomy := 3*len(list)+len(m.now.Course)+3*leastLog <= height // a blank line parts them
	shown := min(len(list), max(1, height/each-1))
	if len(list)*each <= height {
		shown = len(list)
	}
	m.firstSeat = min(max(0, m.firstSeat), max(0, len(list)-shown))
	m.firstSeat = max(min(m.firstSeat, m.chosen), m.chosen-shown+1)
	nameWidth := 0
	for _, s := range list {
		nameWidth = min(max(nameWidth, ansi.StringWidth(clean(s.Name))), max(16, width/4))
	}
	var rows []string
	spare := height - each*shown - leastLog
	for i := m.firstSeat; i < m.firstSeat+shown; i++ {
		more := m.failureRows(i, width)
		if each == 1 || len(more) > spare {
			more = nil
		}
		spare -= len(more)
		told := append(m.row(i, rowRoom{nameWidth, width, each, len(more) > 0}), more...)
		if roomy && i+1 < m.firstSeat+shown {
			told = append(told, "")
		}
		for range told {
			m.seatRows = append(m.seatRows, i)
		}
		rows = append(rows, told...)
	}
	if shown < len(list) {
		rows = append(rows, m.style.in(faint, m.hiddenText(shown)))
	}
	return rows
}

// leastLog is how many lines the log keeps, whatever there is to say of seats.
const leastLog = 5

// failureRows say in whole why a seat has failed, and what a person can do about it.
func (m seatTable) failureRows(i, width int) []string {
	f, failed := view.FailureOf(m.now.seats[i].Seat)
	if !failed {
		return nil
	}
	const margin = "    "
	var rows []string
	told := []struct{ colour, text string }{{red, clean(f.Why)}}
	if f.Do != "" {
		told = append(told, struct{ colour, text string }{"", m.style.sign("→ ", "-> ") + strings.Replace(f.Do, "`council watch` shows", "this screen shows", 1)})
	}
	for _, part := range told {
		for _, row := range atMost(mostFailureRows, wrap(part.text, width-len(margin))) {
			rows = append(rows, margin+m.style.in(part.colour, row))
		}
	}
	return rows
}

// mostFailureRows bounds how long a failure is told, and what to do about it.
const mostFailureRows = 3

// hiddenText says how many seats there are beyond those shown, and whether one of
// them has failed.
func (m seatTable) hiddenText(shown int) string {
	failed := 0
	for i, s := range m.now.seats {
		if (i < m.firstSeat || i >= m.firstSeat+shown) && s.at(m.doors.Now()) == failing {
			failed++
		}
	}
	text := fmt.Sprintf("  seats %d–%d of %d", m.firstSeat+1, m.firstSeat+shown, len(m.now.seats))
	if failed > 0 {
		text += fmt.Sprintf(", %d of the others failed", failed)
	}
	return text
}

// rowRoom is the room there is for a seat.
type rowRoom struct {
	name, width int  // cells
	lines       int  // 1 or 2
	failureTold bool // below it
}

// row is what is known of a seat in one line or two.
func (m seatTable) row(i int, room rowRoom) []string {
	s, now := m.now.seats[i], m.doors.Now()
	at := s.at(now)
	mark := "  "
	if i == m.chosen {
		mark = m.style.in(bold, m.style.sign("›", ">")) + " "
	}
	name := fill(cmp.Or(clean(s.Name), "(no name)"), room.name)
	if i == m.chosen {
		name = m.style.in(turned, name)
	}
	part, whole := s.Progress()
	pace := fill(fmt.Sprintf("%d/%d", s.Iteration, s.Iterations), 5) + " " + m.style.bar(part, whole)
	left := mark + m.style.in(at.colour, m.style.sign(at.sign, at.ascii)) + " " + name + " " + m.style.in(at.colour, fill(at.word, 6)) + " " + pace
	life := ""
	if s.State == "running" && !s.Active.IsZero() {
		if life = age(now.Sub(s.Active)); life != "now" {
			life += " ago"
		}
	}
	if room.lines == 1 {
		return []string{spread(left+"  "+s.claims.brief()+"  "+s.doing(now), life, room.width)}
	}
	doing := s.doing(now)
	if f, failed := view.FailureOf(s.Seat); failed && room.failureTold {
		doing = f.What
	}
	second := words(" · ", s.claims.String(), m.costText(s), pastText(s))
	return []string{
		spread(left+"  "+doing, life, room.width),
		m.style.in(faint, cut("    "+second, room.width)),
	}
}

// brief is a seat's claims in a few cells: found, located, refused.
func (c counts) brief() string {
	if c.judged {
		return fmt.Sprintf("%d/%d/%d", c.found, c.located, c.refused+c.missing)
	}
	return fmt.Sprintf("%d/-/%d", c.found, c.refused)
}

// String is a seat's claims in words.
func (c counts) String() string {
	var parts []string
	if c.judged {
		parts = append(parts, fmt.Sprintf("%d located", c.located))
	}
	if c.missing > 0 {
		parts = append(parts, fmt.Sprintf("%d not found", c.missing))
	}
	if c.refused > 0 {
		parts = append(parts, fmt.Sprintf("%d refused", c.refused))
	}
	text := plural.Of(c.found, "claim")
	if c.found == 1 {
		text = "1 claim"
	}
	return words(": ", text, strings.Join(parts, ", "))
}

// costText is what a seat has used, and of money or tokens how it stands to an equal
// share of the run's limit.
func (m seatTable) costText(s seat) string {
	c := s.cost
	if c.Tokens == 0 && c.USD == 0 {
		return ""
	}
	text := tokensText(c.Tokens) + " tokens"
	n := float64(max(1, m.paying()))
	switch limits := m.now.Limits; {
	case limits.USD > 0 && c.USD > 0:
		share := limits.USD / n
		text += fmt.Sprintf(", $%.2f of $%.2f", c.USD, share)
		if c.USD > share {
			text += ", over"
		}
	case c.USD > 0:
		text += fmt.Sprintf(", $%.2f", c.USD)
	case limits.Tokens > 0:
		text += fmt.Sprintf(" of %s", tokensText(int64(float64(limits.Tokens)/n)))
	}
	return text
}

// paying counts the seats that have used anything, or may.
func (m seatTable) paying() int {
	names := map[string]bool{}
	for _, s := range m.now.seats {
		if s.kind != "librarian" {
			names[s.name] = true
		}
	}
	return len(names)
}

func tokensText(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// pastText says that something went wrong before; which, the seat's own page tells.
func pastText(s seat) string {
	switch n := len(s.past); {
	case n == 0:
		return ""
	case n == 1:
		return "failed once"
	default:
		return fmt.Sprintf("failed %d times", n)
	}
}

// sideBySide is the seats and the log left, the transcript of the chosen seat right.
func (m *model) sideBySide() []string {
	height := m.bodyHeight()
	left, right := m.paneWidths()
	a, b := m.mainPane(left, height), m.transcriptPane(right, height)
	rows := make([]string, height)
	between := m.style.in(faint, m.style.sign(" │ ", " | "))
	for i := range rows {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		rows[i] = fill(x, left) + between + y
	}
	return rows
}

// paneWidths are those of the seats and of the transcript beside them.
func (m *model) paneWidths() (left, right int) {
	left = min(max(78, m.width*45/100), 104)
	left = min(left, m.width-43)
	return left, m.width - left - 3
}
