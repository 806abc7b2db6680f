package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// model is what is on the screen.
type model struct {
	doors  Doors
	style  style
	reader *reader
	visit  int // of runs: what was looked up for another one is dropped
	now    look

	chosen    int   // seat
	picked    bool  // by the person; until then a seat that works is
	firstSeat int   // of those shown
	seatRows  []int // the seat of each line of the table
	reading   bool
	book      *transcript
	typing    bool // what is to be looked for
	typed     string

	page  page // what covers the panes; nil for nothing
	ask   *question
	note  *editor
	draft string // a note that was not sent
	said  string // what came of the last thing asked for

	mouse         bool
	width, height int
}

func newModel(d Doors, s style) *model { return &model{doors: d, style: s, mouse: true} }

// page is what covers the panes for a while.
type page interface {
	render(m *model, width, height int) []string
	key(m *model, k string) tea.Cmd
	keys() string // what works there
}

// question is asked before something is done that cannot be undone.
type question struct {
	text  string
	asked time.Time
	do    func() tea.Msg
	doing string
}

// What comes from outside: a look, a tick, the outcome of what was asked for.
type (
	looked struct {
		visit int
		look  look
		err   error
	}
	tick   struct{ visit int }
	done   struct{ said string }
	onward struct{ visit int } // a search goes on
	asking struct{ question *question }
)

// open begins to watch a run.
func (m *model) open(id string) error {
	r := &reader{project: m.doors.Project, id: id, now: m.doors.Now}
	first, err := r.take()
	if err != nil {
		return err
	}
	m.visit++
	m.reader, m.now, m.page, m.book, m.reading = r, first, nil, nil, false
	m.chosen, m.picked, m.firstSeat, m.said, m.ask, m.note = 0, false, 0, "", nil, nil
	m.chosen = m.now.working(0, m.doors.Now())
	m.openBook()
	return nil
}

func (m *model) Init() tea.Cmd { return nextTick(m.visit) }

func nextTick(visit int) tea.Cmd {
	return tea.Tick(interval, func(time.Time) tea.Msg { return tick{visit} })
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.placeBook()
	case tick:
		if msg.visit != m.visit || m.reader == nil {
			return m, nil
		}
		r, visit := m.reader, m.visit
		return m, func() tea.Msg {
			l, err := r.take()
			return looked{visit, l, err}
		}
	case looked:
		return m, m.seen(msg)
	case done:
		m.said = msg.said
	case noted:
		m.said, m.draft = msg.reaches, ""
	case passage:
		if p, ok := m.page.(*text); ok && msg.visit == m.visit && p.back == msg.back {
			p.lines = m.evidence().entryText(msg.entry)
		}
	case asking:
		if m.ask == nil {
			m.ask = msg.question
		}
	case onward:
		if m.book != nil && msg.visit == m.visit && m.book.step(m.bookHeight()) {
			return m, m.searchOn()
		}
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.MouseWheelMsg:
		m.wheel(tea.Mouse(msg))
	case tea.MouseClickMsg:
		m.click(tea.Mouse(msg))
	}
	return m, nil
}

// seen takes in a look, and looks again after a while.
func (m *model) seen(l looked) tea.Cmd {
	if l.visit != m.visit {
		return nil
	}
	if l.err == nil {
		kept := m.chosenSeat().Name
		m.now = l.look
		if !m.now.IsOpen() && strings.HasPrefix(m.said, finishing) {
			m.said = ""
		}
		if i := slices.IndexFunc(m.now.seats, func(s seat) bool { return s.Name == kept }); i >= 0 && m.chosenSeat().Name != kept {
			m.chosen = i
		}
		m.chosen = max(0, min(m.chosen, len(m.now.seats)-1))
		if !m.picked && !m.reading && m.page == nil {
			m.chosen = m.now.working(m.chosen, m.doors.Now())
		}
		if m.book == nil || m.book.seat != m.chosenSeat().name {
			m.openBook()
		}
		if p, ok := m.page.(*list); ok {
			p.renew()
		}
		if m.book != nil {
			m.book.live = m.now.Status.Status == "running"
			m.placeBook()
			m.book.grow(m.bookHeight())
		}
	}
	return nextTick(m.visit)
}

// chosenSeat is the seat that is chosen; one without a name where there is none.
func (m *model) chosenSeat() seat {
	if m.chosen >= len(m.now.seats) {
		return seat{}
	}
	return m.now.seats[m.chosen]
}

// openBook opens the transcript of the chosen seat.
func (m *model) openBook() {
	if m.chosen >= len(m.now.seats) {
		return
	}
	s := m.now.seats[m.chosen]
	m.book = newTranscript(m.now.Folder, s.name, s.kind, m.now.stages)
	m.book.live = m.now.Status.Status == "running"
	m.placeBook()
	m.book.list()
	m.book.toEnd(m.bookHeight())
}

// placeBook fits the transcript to where it is shown.
func (m *model) placeBook() {
	if m.book == nil || m.width == 0 {
		return
	}
	width := m.width
	if m.wide() {
		_, width = m.paneWidths()
	}
	m.book.resize(width)
	if m.book.follow {
		m.book.top = max(0, m.book.rowCount()-m.bookHeight())
	}
}

// bookHeight is how many rows of the transcript are in view.
func (m *model) bookHeight() int {
	return max(1, m.bodyHeight()-1-len(m.chosenSeat().pastRows(m.style, m.bookWidth())))
}

func (m *model) bookWidth() int {
	if m.wide() {
		_, width := m.paneWidths()
		return width
	}
	return m.width
}

func (m *model) View() tea.View {
	v := tea.NewView(m.render())
	v.AltScreen = true
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// transcriptPane is what the chosen seat went through and its transcript.
func (m *model) transcriptPane(width, height int) []string {
	if m.book == nil {
		return []string{m.style.rule("transcript", width), "nothing yet"}
	}
	title := clean(m.chosenSeat().Name) + ": transcript"
	if m.reading && m.wide() {
		title = m.style.sign("▶ ", "> ") + title
	}
	rows := append([]string{m.style.rule(title, width)}, m.chosenSeat().pastRows(m.style, width)...)
	room := max(0, height-len(rows))
	shown := m.book.shown(room)
	for _, row := range shown {
		rows = append(rows, m.style.mark(row, m.book.searched.needle))
	}
	if len(shown) == 0 {
		rows = append(rows, m.style.in(faint, "nothing has been said yet"))
	}
	return rows
}

// mostPastRows bounds how long one of them is told.
const mostPastRows = 2

// pastRows tell what went wrong with a seat before, the latest last.
func (s seat) pastRows(look style, width int) []string {
	past := s.past
	var rows []string
	shown := past[max(0, len(past)-3):]
	for i, line := range shown {
		title := "before: "
		if more := len(past) - len(shown); i == 0 && more > 0 {
			title = fmt.Sprintf("before (and %d times earlier): ", more)
		}
		for _, row := range atMost(mostPastRows, wrap(title+clean(line), width)) {
			rows = append(rows, look.in(yellow, row))
		}
	}
	return rows
}

// mark turns the letters that are looked for.
func (s style) mark(row, needle string) string {
	small := strings.ToLower(row)
	if needle == "" || len(small) != len(row) || !strings.Contains(small, needle) {
		return row
	}
	var b strings.Builder
	for {
		at := strings.Index(small, needle)
		if at < 0 {
			return b.String() + row
		}
		b.WriteString(row[:at] + s.in(turned, row[at:at+len(needle)]))
		row, small = row[at+len(needle):], small[at+len(needle):]
	}
}

// footer says what is asked, what came of what was asked for, and which keys work:
// at most a third of the screen.
func (m *model) footer() []string {
	said, keys := "", "↑↓ seat · Enter look · o claims · d disputes · c f n steer · ? help · q leave"
	narrow := "? help · q leave · Enter look"
	if m.now.hasReport() {
		keys = "↑↓ seat · Enter look · v report · o claims · d disputes · ? help · q leave"
		narrow = "? help · q leave · v report"
	}
	if m.width < 78 {
		keys = narrow
	}
	switch {
	case m.ask != nil:
		said, keys = m.ask.text, "y yes · any other key: no"
	case m.note != nil:
		keys = "Enter sends · Esc keeps it for later · Ctrl-U clears"
	case m.typing:
		keys = "Search: " + m.typed + m.style.sign("▏", "_") + "   Enter looks for it · Esc leaves"
	case m.page != nil:
		said, keys = m.said, m.page.keys()
	default:
		said = m.said
		if m.reading {
			keys = m.book.keys(m.bookHeight())
		}
	}
	var rows []string
	if said != "" {
		for _, row := range wrap(clean(said), m.width) {
			rows = append(rows, m.style.in(bold, row))
		}
		rows = rows[:min(len(rows), max(1, m.height/3-1))]
	}
	return append(rows, keys)
}

func (b *transcript) keys(height int) string {
	switch {
	case b == nil:
		return "Esc back"
	case b.searched.needle != "" && b.searched.running:
		return b.searched.said + " · Esc ends the search"
	case b.searched.needle != "":
		return "“" + b.searched.needle + "” " + b.searched.said + " · n further up · N further down · Esc ends the search"
	case b.follow:
		return "following · ↑↓ PgUp PgDn Home scroll · / search · o claims · Esc back · ? help"
	}
	return fmt.Sprintf("not following, %d below · End follows · / search · o claims · Esc back", b.below(height))
}
