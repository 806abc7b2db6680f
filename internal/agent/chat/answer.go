package chat

import (
	"bytes"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/mark"
)

// Why a model stopped, in the words of the API. Any other word is kept as it
// came.
const (
	Stop     = "stop"
	Length   = "length"
	Filtered = "content_filter"
)

// MostAnswer bounds an answer, in bytes: what a report may weigh.
const MostAnswer = 8 << 20

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
}

// To reports whether it is the answer to a turn: that turn was asked before, and
// its end was not told.
func (n Answer) To(a Assignment) bool {
	return n.Session != "" && n.Session == a.Session && n.Iteration == a.Iteration && n.Text != ""
}

// Finished is the report that an answer makes: what a model thought aloud is
// taken off, and the marker is its last line exactly where the model came to its
// end. A model that answers with the marker alone has nothing to add to its
// last answer. "" is no answer.
func Finished(text, finish, last string) string {
	text = strings.TrimSpace(unthought(strings.ToValidUTF8(text, "\uFFFD")))
	body := text
	if mark.Last([]byte(text)) {
		body = strings.TrimSpace(strings.TrimSuffix(text, agent.Marker))
		if body == "" {
			body = unmarked(last)
		}
	}
	switch {
	case body == "":
		return ""
	case finish == Length:
		return body + "\n"
	}
	return body + "\n\n" + agent.Marker + "\n"
}

// unmarked is a report without its marker.
func unmarked(report string) string {
	text := bytes.TrimSpace([]byte(report))
	if mark.Last(text) {
		text = bytes.TrimSuffix(text, []byte(agent.Marker))
	}
	return string(bytes.TrimSpace(text))
}

// unthought is a text without the thoughts some models put before it.
func unthought(text string) string {
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
