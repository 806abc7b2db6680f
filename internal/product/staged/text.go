package staged

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/plain"
)

// Bounds of what is read and of what is kept of it.
const (
	maxInputBytes  = 1 << 20 // bytes of a file a person gives
	maxAnswerBytes = 4 << 20 // bytes of a model's answer
	maxLineRunes   = 4000    // runes of a line
)

// plainLine is foreign text on one line, without what could deceive a terminal.
func plainLine(s string) string { return plain.Line(s, maxLineRunes) }

// uniqueLines are those that say something, each once, whatever its case and white
// space.
func uniqueLines(list []string) []string {
	kept, seen := []string{}, map[string]bool{}
	for _, s := range list {
		if s = plainLine(s); s != "" && !seen[key(s)] {
			seen[key(s)] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// key is the same for texts that say the same but for case, white space and a
// full stop.
func key(s string) string {
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(s), " "), ".?!:"))
}

// isSafeID reports whether s is safe as an id, as a part of a path and in Markdown.
func isSafeID(s string) bool {
	for i, r := range []byte(s) {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		if !letter && (i == 0 || (r < '0' || r > '9') && r != '_' && r != '-') {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

// blockQuote is foreign text in Markdown as a block quotation: no line of it can
// pass for one of ours.
func blockQuote(s string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(collapseBlankLines(plain.Trimmed(s)), "\n") {
		b.WriteString(strings.TrimRight("> "+plain.Line(l, maxAnswerBytes), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// collapseBlankLines leaves at most one blank line between two others.
func collapseBlankLines(s string) string {
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return s
}

// shown is foreign text on a line of Markdown that a person reads in a
// terminal or rendered: it can be no heading, link, picture or HTML, and has
// no more escapes than that takes.
func shown(s string) string {
	var b strings.Builder
	for i, r := range plainLine(s) {
		if strings.ContainsRune("\\<[`", r) || i == 0 && strings.ContainsRune("#>-+=~|*_", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return escapeNumbering(b.String())
}

// escapeNumbering escapes what would begin a numbered list.
func escapeNumbering(s string) string {
	rest := strings.TrimLeftFunc(s, unicode.IsDigit)
	if at := len(s) - len(rest); at > 0 && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")")) {
		return s[:at] + `\` + rest
	}
	return s
}

// encoded is a value as indented JSON with a new line behind it. Nothing in
// this package that is encoded can fail to be.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return []byte("{}\n")
	}
	return b.Bytes()
}

// decode reads one JSON value of at most so many bytes.
func decode(data []byte, most int, into any) error {
	if len(data) > most {
		return fmt.Errorf("it is longer than %d MiB", most>>20)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		return errors.New(jsonFault(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the JSON value")
	}
	return nil
}

// jsonFault says on one line what is wrong with JSON.
func jsonFault(err error) string {
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON ends too early"
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is no JSON: %s (byte %d)", shortLine(syntax.Error()), syntax.Offset)
	case errors.As(err, &shape) && shape.Field != "":
		return fmt.Sprintf("%s cannot be a JSON %s", shortLine(shape.Field), shortLine(shape.Value))
	case errors.As(err, &shape):
		return fmt.Sprintf("it cannot be a JSON %s", shortLine(shape.Value))
	}
	return shortLine(err.Error())
}
