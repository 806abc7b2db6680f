package chat

import (
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/marker"
)

// Why a model stopped, in the words of the API. Any other word is kept as it
// came.
const (
	Stop     = "stop"
	Length   = "length"
	Filtered = "content_filter"
)

// MaxAnswer bounds an answer, in bytes: what a report may weigh.
const MaxAnswer = 8 << 20

// Answer is what a server has answered. It is kept whole until the next one.
type Answer struct {
	Session   string `json:"session"`
	Iteration int    `json:"iteration"` // iterations done before it
	Model     string `json:"model"`
	Finish    string `json:"finish"`
	Usage     Usage  `json:"usage"`
	Text      string `json:"text"` // as it goes into the report
}

// Usage counts tokens.
type Usage struct {
	Input  int64 `json:"input"`
	Cached int64 `json:"cached,omitempty"` // of the input
	Output int64 `json:"output"`

	Reckoned bool `json:"reckoned,omitempty"` // nobody told them: they follow from the text
}

// IsFor reports whether it is the answer to a turn: that turn was asked before, and
// its end was not told.
func (n Answer) IsFor(a Assignment) bool {
	return n.Session != "" && n.Session == a.Session && n.Iteration == a.Iteration && n.Text != ""
}

// FinishReport is the report that an answer makes: what a model thought aloud and a
// fence around the whole of it are taken off, and the marker is its last line
// exactly where the model came to its end. A model that answers with the marker
// alone has nothing to add to its last answer. "" is no answer.
func FinishReport(text, finish, last string) string {
	text = withoutThoughts(strings.ToValidUTF8(text, "\uFFFD"))
	body := withoutMarkers(withoutFence(withoutMarkers(text)))
	if body == "" && marker.EndsMarked([]byte(text)) {
		body = withoutMarkers(last)
	}
	switch {
	case body == "":
		return ""
	case finish != Stop:
		return body + "\n"
	}
	return body + "\n\n" + agent.Marker + "\n"
}

// withoutMarkers is a text without markers at its end and the space around it.
func withoutMarkers(text string) string {
	for marker.EndsMarked([]byte(text)) {
		text = strings.TrimSuffix(strings.TrimSpace(text), agent.Marker)
	}
	return strings.TrimSpace(text)
}

// withoutFence is what stands between the first and the last line where these are
// the two ends of one code fence.
func withoutFence(text string) string {
	const fence = "```"
	first, rest, _ := strings.Cut(text, "\n")
	inside, closed := strings.CutSuffix(rest, "\n"+fence)
	word, opened := strings.CutPrefix(strings.TrimSpace(first), fence)
	if !opened || !closed || strings.ContainsAny(word, "` \t") || strings.Contains("\n"+inside, "\n"+fence) {
		return text
	}
	return inside
}

// withoutThoughts is a text without the thoughts some models put before it.
func withoutThoughts(text string) string {
	const opens, closes = "<think>", "</think>"
	rest, thinks := strings.CutPrefix(strings.TrimSpace(text), opens)
	if !thinks {
		return text
	}
	_, after, ended := strings.Cut(rest, closes)
	if !ended {
		return "" // it never came to an answer
	}
	return after
}
