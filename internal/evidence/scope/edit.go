package scope

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A person edits the planned questions as plain text: a question is a line of its own,
// and what belongs to it stands below it, indented. A line that begins with # is a
// comment.

// Labels of the indented lines.
const (
	labelAnswer     = "answered by:"
	labelDimensions = "dimensions:"
	labelMust       = "must not miss:"
	labelCritical   = "critical"
)

// EditHelp says how the text is read.
const EditHelp = `One line is one question; delete, change or add some (12 at most).
Below a question, indented, may stand:
  answered by: what would answer it
  dimensions: what an answer tells apart; a semicolon between two
  must not miss: what an answer is wrong without; likewise
  critical
Save as it is to go on with it. Leave no question in the file to cancel the run.
A line that begins with # is not read.`

// EditText is a run's questions for a person to edit. The first, the topic itself,
// stays as it is, and stands there only where it is alone.
func EditText(questions []Question) string {
	if len(questions) > 1 {
		questions = questions[1:]
	}
	var b strings.Builder
	for _, q := range questions {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimLeft(q.Text, "# ") + "\n")
		for _, l := range []struct{ label, text string }{
			{labelAnswer, q.AnsweredBy}, {labelDimensions, strings.Join(q.Dimensions, "; ")}, {labelMust, strings.Join(q.MustNotMiss, "; ")},
		} {
			if l.text != "" {
				b.WriteString("  " + l.label + " " + l.text + "\n")
			}
		}
		if q.Critical {
			b.WriteString("  " + labelCritical + "\n")
		}
	}
	return b.String()
}

// Comments are lines as comments of a text that is edited.
func Comments(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	return b.String()
}

// maxEdited bounds a text that a person has edited, in bytes.
const maxEdited = 256 << 10

// ErrNoQuestions says that a text has no question in it.
var ErrNoQuestions = errors.New("there is no question in it")

// ParseEdited reads the questions of a text as [EditText] writes it; none is
// [ErrNoQuestions]. Another error is one line that says what is wrong, and in which
// line.
func ParseEdited(data []byte) ([]Question, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	switch {
	case len(data) > maxEdited:
		return nil, fmt.Errorf("it is longer than %d KiB", maxEdited>>10)
	case !utf8.ValidString(text):
		return nil, errors.New("it is no UTF-8 text")
	}
	var list []Question
	n := 0
	for line := range strings.Lines(text) {
		n++
		said := strings.TrimSpace(line)
		switch {
		case said == "" || strings.HasPrefix(line, "#"):
		case strings.TrimLeftFunc(line, unicode.IsSpace) == line:
			list = append(list, Question{Text: said})
		case len(list) == 0:
			return nil, fmt.Errorf("line %d is indented and there is no question above it", n)
		default:
			if err := list[len(list)-1].readDetail(said); err != nil {
				return nil, fmt.Errorf("line %d %w", n, err)
			}
		}
	}
	return list, checkEdited(list)
}

// checkEdited holds a person's questions to what a run can bear. How many there are at
// least, and what they leave out, is theirs to say.
func checkEdited(list []Question) error {
	if len(list) == 0 {
		return ErrNoQuestions
	}
	if len(list) > MaxQuestions {
		return fmt.Errorf("there are %d questions; there may be %d", len(list), MaxQuestions)
	}
	for i, q := range list {
		for _, text := range slices.Concat([]string{q.Text, q.AnsweredBy}, q.Dimensions, q.MustNotMiss) {
			if utf8.RuneCountInString(text) > QuestionLimit {
				return fmt.Errorf("question %d has a line of more than %d characters", i+1, QuestionLimit)
			}
		}
		if !strings.ContainsFunc(q.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return fmt.Errorf("question %d has no word in it", i+1)
		}
	}
	return nil
}

// readDetail reads an indented line.
func (q *Question) readDetail(said string) error {
	for label, to := range map[string]*[]string{labelDimensions: &q.Dimensions, labelMust: &q.MustNotMiss} {
		if rest, is := strings.CutPrefix(said, label); is {
			for p := range strings.SplitSeq(rest, ";") {
				if p = strings.TrimSpace(p); p != "" {
					*to = append(*to, p)
				}
			}
			return nil
		}
	}
	if rest, is := strings.CutPrefix(said, labelAnswer); is {
		q.AnsweredBy = strings.TrimSpace(rest)
		return nil
	}
	if said == labelCritical {
		q.Critical = true
		return nil
	}
	return fmt.Errorf("is none of %q, %q, %q and %q", labelAnswer, labelDimensions, labelMust, labelCritical)
}
