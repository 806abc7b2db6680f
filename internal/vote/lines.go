package vote

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"research-council/internal/claim"
)

// lines reads JSON Lines that a seat wrote. What is no object is refused and
// the next one read: any bytes may come. Blank lines, headings, comments and
// what makes a fenced block or a JSON array of the lines are passed over.
func lines[T any](r io.Reader, read func(line []byte) (T, string)) ([]T, []claim.Refusal) {
	var list []T
	var refusals refused
	data, err := io.ReadAll(io.LimitReader(r, claim.FileLimit+1))
	if err != nil {
		refusals.add(0, "reading stopped: "+err.Error())
	}
	if len(data) > claim.FileLimit {
		data = data[:claim.FileLimit]
		refusals.add(0, fmt.Sprintf("the file is longer than %d MiB; the rest was not read", claim.FileLimit>>20))
	}
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		n++
		line = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(",")))
		switch {
		case beside(line):
		case len(line) > claim.LineLimit:
			refusals.add(n, fmt.Sprintf("longer than %d KiB", claim.LineLimit>>10))
		case line[0] != '{':
			refusals.add(n, "no JSON object")
		default:
			v, problem := read(line)
			if problem != "" {
				refusals.add(n, problem)
				continue
			}
			list = append(list, v)
		}
	}
	return list, refusals.list
}

// beside reports whether a line only stands around the objects.
func beside(line []byte) bool {
	s := string(line[:min(len(line), 8)])
	return s == "" || s == "[" || s == "]" || s[0] == '#' || strings.HasPrefix(s, "```") || strings.HasPrefix(s, "<!--")
}

// refused are the refusals told one by one; those beyond the limit are one.
type refused struct {
	list []claim.Refusal
	more int
}

func (r *refused) add(line int, reason string) {
	if len(r.list) < claim.RefusalLimit {
		r.list = append(r.list, claim.Refusal{Line: line, Reason: reason})
		return
	}
	r.more++
	if r.more == 1 {
		r.list = append(r.list, claim.Refusal{Line: line})
	}
	r.list[claim.RefusalLimit].Reason = fmt.Sprintf("this and %d more lines are refused", r.more-1)
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

// mostShort bounds a reason or an insight, in runes: it is a sentence.
const mostShort = 600

// short is a sentence of foreign origin on one line.
func short(s string) string {
	s = strings.Join(strings.Fields(claim.Clean(s)), " ")
	if runes := []rune(s); len(runes) > mostShort {
		return string(runes[:mostShort-1]) + "…"
	}
	return s
}
