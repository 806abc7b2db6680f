package vote

import (
	"io"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// lines reads JSON Lines that a seat wrote.
func lines[T any](r io.Reader, read func(line []byte) (T, string)) ([]T, []claim.Refusal) {
	form := jsonl.Format{File: claim.FileLimit, Line: claim.LineLimit, Rest: jsonl.RemainderRefusal("are refused")}
	return jsonl.Decode(r, form, read)
}

// word is a word of a closed set, as it is written there but for case.
func word(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// isID reports whether s is an id of one of the letters: "C7".
func isID(s, letters string) bool {
	if s == "" || !strings.Contains(letters, s[:1]) || len(s) > 10 {
		return false
	}
	n, err := strconv.Atoi(s[1:])
	return err == nil && n > 0 && s[1] != '+'
}

// maxSentence bounds a reason or an insight, in runes: it is a sentence.
const maxSentence = 600

// shortLine is a sentence of foreign origin on one line.
func shortLine(s string) string { return plain.Line(s, maxSentence) }
