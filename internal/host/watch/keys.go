package watch

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// settle is how long a question has stood before it can be answered with yes: a key
// that is held down, or a word that is pasted, answers nothing.
const settle = 300 * time.Millisecond

// key does what a key asks for, in what is uppermost.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	if k == "ctrl+c" {
		return tea.Quit
	}
	switch {
	case m.ask != nil:
		return m.answer(k)
	case m.note != nil:
		return m.note.key(m, msg)
	case m.typing:
		return m.typeSearch(msg)
	}
	m.said = ""
	if m.page != nil {
		return m.page.key(m, k)
	}
	if m.reading {
		if cmd, was := m.bookKey(k); was {
			return cmd
		}
	}
	return m.mainKey(k)
}

// answer answers a question: y alone says yes, and not at once.
func (m *model) answer(k string) tea.Cmd {
	q := m.ask
	if k == "y" && m.doors.Now().Sub(q.asked) < settle {
		return nil
	}
	m.ask = nil
	if k != "y" {
		m.said = "Nothing was done."
		return nil
	}
	m.said = q.doing
	return func() tea.Msg { return q.do() }
}

// mainKey does what a key asks for wherever no page is open.
func (m *model) mainKey(k string) tea.Cmd {
	switch k {
	case "q":
		return tea.Quit
	case "down", "j":
		m.choose(m.chosen + 1)
	case "up", "k":
		m.choose(m.chosen - 1)
	case "home", "g":
		m.choose(0)
	case "end", "G":
		m.choose(len(m.now.seats) - 1)
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		m.choose(int(k[0] - '1'))
	case "enter", "right", "l", "tab":
		m.reading = m.book != nil
		m.placeBook()
	case "/":
		m.reading = m.book != nil
		m.typing, m.typed = m.reading, ""
	case "o":
		m.openClaims(m.chosenSeat().name)
	case "d":
		m.openDisputes()
	case "v":
		m.openReport()
	case "r":
		m.openRuns()
	case "?", "h":
		m.page = newText("Keys and signs", strings.Split(helpText, "\n"))
	case "c":
		m.askCancel()
	case "f":
		return m.askFinish()
	case "n":
		m.openNote()
	case "m":
		m.mouse = !m.mouse
		m.said = "The mouse is the terminal's own again; m gives it back."
		if m.mouse {
			m.said = "The mouse chooses and scrolls; with Shift it selects text."
		}
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+z":
		return tea.Suspend
	}
	return nil
}

// choose chooses a seat.
func (m *model) choose(i int) {
	i = max(0, min(i, len(m.now.seats)-1))
	m.picked = true
	if i == m.chosen || len(m.now.seats) == 0 {
		return
	}
	m.chosen = i
	m.openBook()
}

// bookKey does what a key asks for in the transcript; false for one that means what it
// means elsewhere.
func (m *model) bookKey(k string) (tea.Cmd, bool) {
	b, height := m.book, m.bookHeight()
	if b == nil {
		m.reading = false
		return nil, false
	}
	searching := b.searched.needle != ""
	switch {
	case k == "esc" && searching:
		b.searched = search{}
	case k == "esc", k == "left", k == "tab":
		m.reading = false
		m.placeBook()
	case k == "n" && searching:
		b.next(false, height)
		return m.searchOn(), true
	case k == "N" && searching:
		b.next(true, height)
		return m.searchOn(), true
	case k == "up", k == "k":
		b.scroll(-1, height)
	case k == "down", k == "j":
		b.scroll(1, height)
	case k == "pgup", k == "b", k == "ctrl+b":
		b.scroll(1-height, height)
	case k == "pgdown", k == "space", k == "ctrl+f":
		b.scroll(height-1, height)
	case k == "home", k == "g":
		b.toStart(height)
	case k == "end", k == "G":
		b.list()
		b.toEnd(height)
	default:
		return nil, false
	}
	return nil, true
}

// searchOn goes on with a search that has not come to its end.
func (m *model) searchOn() tea.Cmd {
	if m.book == nil || !m.book.searched.running {
		return nil
	}
	visit := m.visit
	return func() tea.Msg { return onward{visit} }
}

// typeSearch takes what is to be looked for.
func (m *model) typeSearch(msg tea.KeyPressMsg) tea.Cmd {
	switch k := msg.String(); k {
	case "esc":
		m.typing = false
	case "enter":
		m.typing = false
		if m.typed != "" && m.book != nil {
			m.book.find(m.typed, false, m.bookHeight())
			return m.searchOn()
		}
	case "backspace":
		if r := []rune(m.typed); len(r) > 0 {
			m.typed = string(r[:len(r)-1])
		}
	case "ctrl+u":
		m.typed = ""
	default:
		typeInto(&m.typed, msg.Text)
	}
	return nil
}

// maxTyped bounds what is looked for, in bytes.
const maxTyped = 200

func typeInto(s *string, text string) {
	if len(*s)+len(text) <= maxTyped {
		*s += clean(text)
	}
}

// paste puts pasted text where text is typed; elsewhere it does nothing.
func (m *model) paste(text string) {
	switch {
	case m.ask != nil:
	case m.note != nil:
		m.note.insert(text)
	case m.typing:
		typeInto(&m.typed, text)
	}
}

// wheel scrolls what is below the pointer.
func (m *model) wheel(at tea.Mouse) {
	by := 3
	if at.Button == tea.MouseWheelUp {
		by = -3
	}
	left, _ := m.paneWidths()
	switch {
	case m.ask != nil || m.note != nil:
	case m.page != nil:
		key := map[bool]string{true: "down", false: "up"}[by > 0]
		for range 3 {
			m.page.key(m, key)
		}
	case m.book != nil && (m.reading || m.wide()) && (!m.wide() || at.X > left):
		m.book.scroll(by, m.bookHeight())
	default:
		m.choose(m.chosen + by/3)
	}
}

// click chooses the seat below the pointer, or the transcript; a question it neither
// answers nor closes.
func (m *model) click(at tea.Mouse) {
	if m.ask != nil || m.note != nil || m.page != nil || at.Button != tea.MouseLeft {
		return
	}
	left, _ := m.paneWidths()
	if m.wide() && at.X > left {
		m.reading = m.book != nil
		return
	}
	row := at.Y - len(m.head())
	if !m.wide() && m.reading || row < 0 || row >= len(m.seatRows) {
		return
	}
	m.reading = false
	m.choose(m.seatRows[row])
}
