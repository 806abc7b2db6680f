package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// DefaultWindow is what a model is taken to read at once, in tokens, where neither
// the configuration nor the server tells.
const DefaultWindow = 128_000

// perMessage is what a message costs beside its text, in tokens.
const perMessage = 8

// Tokens is about how many tokens a conversation has.
func Tokens(talk []Message) (sum int64) {
	for _, m := range talk {
		sum += m.tokens()
	}
	return sum
}

func (m Message) tokens() int64 {
	size := len(m.Text) + len(m.Thought)
	for _, c := range m.Calls {
		size += len(c.Name) + len(c.Arguments) + len(c.Extra)
	}
	return agent.EstimateTokens(size) + perMessage
}

// Talk is a conversation with tools. It is kept after every answer, so that no crash
// pays for one twice.
type Talk struct {
	Session   string    `json:"session"`
	Iteration int       `json:"iteration"` // iterations done before it
	Messages  []Message `json:"messages"`
	Gone      bool      `json:"gone,omitempty"`     // rounds were left out
	Recorded  []string  `json:"recorded,omitempty"` // what was recorded, a line each
	Report    string    `json:"report,omitempty"`   // as the model has last written it
	Rounds    int       `json:"rounds"`             // answers in this iteration
	Spoken    bool      `json:"spoken,omitempty"`   // its tools are called in words
	Used      Usage     `json:"used"`               // of the answers of this process; not kept from the one before
}

// Shown is the conversation as the model reads it.
func (t *Talk) Shown(limit int64) []Message {
	if !t.Gone {
		return t.Messages
	}
	shown := slices.Clone(t.Messages)
	if head := beginning(shown); head > 0 {
		shown[head-1].Text += "\n\n" + remembered(t.Recorded, limit/memoryShare)
	}
	return shown
}

// Fit makes the conversation fit into so many tokens, or as nearly as it can be. It
// keeps how it began and its last round; what else there is gives way from the oldest
// on: answers of tools first, of which a line stays each, then whole rounds. What was
// recorded is told in the place of what is gone. Once it has to give way it makes
// room for some rounds, so that the beginning stays the same from one request to the
// next.
//
// A round is what the model has said, and the answers to its calls or what we have
// said to it.
func (t *Talk) Fit(limit int64) {
	if Tokens(t.Shown(limit)) <= limit {
		return
	}
	room := limit * 2 / 3
	t.Messages = slices.Clone(t.Messages)
	head := beginning(t.Messages)
	last := lastRound(t.Messages, head)
	for i := head; i < last && Tokens(t.Shown(limit)) > room; i++ {
		t.Messages[i] = shortened(t.Messages[i])
	}
	if Tokens(t.Shown(limit)) > room && last > head {
		t.Gone = true
		t.Messages = slices.Delete(t.Messages, head, firstKept(t.Messages, head, room-Tokens(t.Shown(limit)[:head])))
	}
	cutAnswers(t.Messages[head:], Tokens(t.Shown(limit))-limit)
}

// firstKept is where the newest rounds begin for which there is room, the last one
// whether there is or not.
func firstKept(talk []Message, head int, room int64) int {
	from := lastRound(talk, head)
	for from > head {
		before := lastRound(talk[:from], head)
		if Tokens(talk[before:]) > room {
			break
		}
		from = before
	}
	return from
}

// memoryShare is the part of the window that what was recorded may take.
const memoryShare = 6

// beginning is how many messages a conversation begins with: what it is told, and
// the first question.
func beginning(talk []Message) int {
	for i, m := range talk {
		if m.Speaker == Assistant || m.Speaker == ToolRole {
			return i
		}
	}
	return len(talk)
}

// lastRound is where the last round of a conversation begins, or head where there is
// none.
func lastRound(talk []Message, head int) int {
	for i := len(talk) - 1; i >= head; i-- {
		if talk[i].Speaker == Assistant {
			return i
		}
	}
	return head
}

// shortened is a message of which a line is left, if it is a tool's answer.
func shortened(m Message) Message {
	m.Thought = ""
	answer := m.Speaker == ToolRole || m.Speaker == User && strings.HasPrefix(m.Text, spokenBeginning)
	if !answer || len(m.Text) <= shortAnswer {
		return m
	}
	m.Text = fmt.Sprintf("[%d bytes were left out to save room; it began: %s … Call again for what you still need.]", len(m.Text), plain.Line(m.Text, shownOfAnswer))
	return m
}

const (
	spokenBeginning = "What the tools have answered;"
	shortAnswer     = 320 // bytes that are not worth shortening
	shownOfAnswer   = 120 // runes
)

// remembered tells a model what it has done where that is no longer to be read, in
// about so many tokens.
func remembered(recorded []string, tokens int64) string {
	const begin = "Earlier rounds were left out to save room. What you recorded stands, and needs no second record"
	if len(recorded) == 0 {
		return begin + "; you had recorded nothing in them."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d so far; `list_claims` shows them whole):\n", begin, len(recorded))
	left := int(tokens) * 4
	short := max(shortestRecord, left/len(recorded)-len("\n- "))
	for i, r := range recorded {
		line := "\n- " + plain.Line(r, short)
		if left -= len(line); left < 0 {
			fmt.Fprintf(&b, "\n- and %d more", len(recorded)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// shortestRecord is how much of a record is shown at least, in runes.
const shortestRecord = 40

// cutAnswers cuts answers, the longest first, until so many tokens are gone.
func cutAnswers(talk []Message, over int64) {
	for range len(talk) {
		longest := -1
		for i, m := range talk {
			if m.Speaker != Assistant && (longest < 0 || len(m.Text) > len(talk[longest].Text)) {
				longest = i
			}
		}
		if over <= 0 || longest < 0 || len(talk[longest].Text) <= shortAnswer {
			return
		}
		m := &talk[longest]
		before := m.tokens()
		m.Text = prefixOf([]byte(m.Text), max(shortAnswer/2, len(m.Text)-int(over)*4-len(cutNote))) + cutNote
		over -= before - m.tokens()
	}
}

const cutNote = "\n[The rest was left out: it does not fit into your window. Ask for less at once.]"
