package watch

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// askCancel asks whether the run is to be cancelled.
func (m *model) askCancel() {
	id := m.now.ID
	switch {
	case id == "":
	case !m.now.IsOpen():
		m.said = "The run has ended; there is nothing to cancel."
	default:
		m.ask = &question{text: "Cancel run " + id + "? What was found is kept.", asked: m.doors.Now(), doing: "Cancelling…", do: func() tea.Msg {
			if err := m.doors.Cancel(id); err != nil {
				return done{"Not cancelled: " + err.Error()}
			}
			return done{"Cancelled; what was found is kept."}
		}}
	}
}

// finishing is said of a run that was asked to finish, until it has.
const finishing = "It finishes."

// askFinish asks whether the run is to finish now, once it is known what that means.
func (m *model) askFinish() tea.Cmd {
	id, now := m.now.ID, m.doors.Now
	if id == "" {
		return nil
	}
	return func() tea.Msg {
		says, err := m.doors.Means(id)
		if err != nil {
			return done{err.Error()}
		}
		return asking{&question{text: strings.TrimSpace("Finish now? " + says), asked: now(), doing: "Asking it to finish…", do: func() tea.Msg {
			next, err := m.doors.Finish(id)
			if err != nil {
				return done{"Not finished: " + err.Error()}
			}
			return done{strings.TrimSpace(finishing + " " + next)}
		}}}
	}
}

// editor is where a note is written.
type editor struct {
	runes []rune
	at    int // of the runes, where the next one goes
}

// maxNote bounds a note, in runes.
const maxNote = 8000

// openNote opens a note, with what was written of one and not sent.
func (m *model) openNote() {
	switch {
	case m.now.ID == "":
	case !m.now.IsOpen():
		m.said = "The run has ended; nobody would hear a note."
	default:
		m.note = &editor{runes: []rune(m.draft)}
		m.note.at = len(m.note.runes)
		m.page = &notePage{back: m.page}
	}
}

// insert puts text where the cursor stands; what is never seen is left out.
func (e *editor) insert(text string) {
	var fresh []rune
	for _, r := range strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "  ").Replace(text) {
		if (r == '\n' || unicode.IsPrint(r) || unicode.Is(unicode.M, r)) && len(e.runes)+len(fresh) < maxNote {
			fresh = append(fresh, r)
		}
	}
	e.runes = append(e.runes[:e.at:e.at], append(fresh, e.runes[e.at:]...)...)
	e.at += len(fresh)
}

func (e *editor) key(m *model, msg tea.KeyPressMsg) tea.Cmd {
	switch k := msg.String(); k {
	case "esc":
		m.closeNote(string(e.runes))
		if strings.TrimSpace(m.draft) != "" {
			m.said = "The note is kept; n opens it again."
		}
	case "enter":
		return m.sendNote(strings.TrimSpace(string(e.runes)))
	case "backspace":
		if e.at > 0 {
			e.runes = append(e.runes[:e.at-1], e.runes[e.at:]...)
			e.at--
		}
	case "delete":
		if e.at < len(e.runes) {
			e.runes = append(e.runes[:e.at], e.runes[e.at+1:]...)
		}
	case "left":
		e.at = max(0, e.at-1)
	case "right":
		e.at = min(len(e.runes), e.at+1)
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.runes)
	case "ctrl+u":
		e.runes, e.at = nil, 0
	default:
		e.insert(msg.Text)
	}
	return nil
}

func (m *model) closeNote(draft string) {
	if p, ok := m.page.(*notePage); ok {
		m.page = p.back
	}
	m.note, m.draft = nil, draft
}

// sendNote sends a note that says something.
func (m *model) sendNote(text string) tea.Cmd {
	m.closeNote(text)
	if text == "" {
		m.said = "An empty note is not sent."
		return nil
	}
	id := m.now.ID
	m.said = "Sending the note…"
	return func() tea.Msg {
		reaches, err := m.doors.Note(id, text)
		if err != nil {
			return done{"Not sent, and kept: " + err.Error()}
		}
		return noted{reaches}
	}
}

// noted says that a note was sent, and whom it reaches.
type noted struct{ reaches string }

// notePage shows the note that is being written.
type notePage struct{ back page }

func (p *notePage) keys() string { return "" }

func (p *notePage) key(*model, string) tea.Cmd { return nil }

func (p *notePage) render(m *model, width, height int) []string {
	rows := []string{m.style.rule("a note to the seats of "+m.now.ID, width)}
	if m.note == nil {
		return rows
	}
	shown := string(m.note.runes[:m.note.at]) + m.style.sign("▏", "_") + string(m.note.runes[m.note.at:])
	body := wrap(shown, min(width, 110))
	return append(rows, body[max(0, len(body)-height+1):]...)
}
