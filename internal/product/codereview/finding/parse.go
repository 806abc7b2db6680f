package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plain"
)

// findingLine is a finding as a line holds it; each field may be of any type.
type findingLine struct {
	ID, Kind, Severity, Confidence, File, Line json.RawMessage

	EndLine                                              json.RawMessage `json:"end_line"`
	Category, Title, Description, Impact, Fix, Code, CWE json.RawMessage
}

// parseFinding makes a finding of an object, or says all that is wrong with it.
func parseFinding(data []byte, by Author) (Finding, string) {
	var w findingLine
	if err := json.Unmarshal(data, &w); err != nil {
		return Finding{}, "no JSON object that can be read; write each finding on one line, with quotes and line breaks inside strings escaped"
	}
	f := Finding{Reviewer: by.Reviewer, Seat: by.Seat, Family: by.Family, Batch: by.Batch}
	var p problems
	f.ID = slug(p.textField("id", w.ID, TitleLimit, false), 40)
	f.Kind = p.enumField("kind", w.Kind, KindOf(by.Reviewer), Kinds())
	f.Severity = p.enumField("severity", w.Severity, "", Severities())
	f.Confidence = p.enumField("confidence", w.Confidence, "", Confidences())
	f.File = p.pathField(w.File)
	f.Line, f.EndLine = p.lineFields(w.Line, w.EndLine)
	f.Category = p.categoryField(w.Category)
	f.Title = strings.Join(strings.Fields(p.textField("title", w.Title, TitleLimit, true)), " ")
	f.Description = p.textField("description", w.Description, TextLimit, true)
	f.Impact = p.textField("impact", w.Impact, TextLimit, false)
	f.Fix = p.textField("fix", w.Fix, TextLimit, false)
	f.Code = p.codeField(w.Code)
	f.CWE = p.cweField(w.CWE)
	return f, strings.Join(p, "; ")
}

// problems are what is wrong with one line.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// textField is a field's text, cleaned.
func (p *problems) textField(name string, raw json.RawMessage, limit int, required bool) string {
	var s string
	if !absent(raw) && json.Unmarshal(raw, &s) != nil {
		p.add("%s must be a string", name)
		return ""
	}
	s = plain.Trimmed(s)
	switch {
	case s == "" && required:
		p.add("%s is missing", name)
	case len(s) > limit:
		p.add("%s is longer than %d bytes", name, limit)
		return ""
	}
	return s
}

// enumField is the one of a list that a field says, in any case.
func (p *problems) enumField(name string, raw json.RawMessage, otherwise string, list []string) string {
	var s string
	if !absent(raw) {
		_ = json.Unmarshal(raw, &s) // what is no string is none of the list
	} else if otherwise != "" {
		return otherwise
	}
	for _, word := range list {
		if strings.EqualFold(strings.TrimSpace(s), word) {
			return word
		}
	}
	p.add("%s must be one of %s", name, strings.Join(list, ", "))
	return ""
}

func (p *problems) pathField(raw json.RawMessage) string {
	var s string
	if absent(raw) || json.Unmarshal(raw, &s) != nil || s == "" {
		p.add("file is missing: give the path from the root of the repository")
		return ""
	}
	s = strings.TrimPrefix(s, "./")
	if problem := pathProblem(s); problem != "" {
		p.add("file %s", problem)
		return ""
	}
	return s
}

// pathProblem says what is wrong with a path from the root of a repository, "" for
// nothing.
func pathProblem(s string) string {
	switch {
	case len(s) > PathLimit:
		return fmt.Sprintf("is longer than %d bytes", PathLimit)
	case strings.HasPrefix(s, "/"), len(s) > 1 && s[1] == ':' && unicode.IsLetter(rune(s[0])):
		return "must be a path from the root of the repository, not an absolute one"
	case strings.ContainsRune(s, '\\'):
		return "must have forward slashes"
	case strings.ContainsFunc(s, isHidden) || strings.ContainsRune(s, utf8.RuneError):
		return "has characters that no path of a file has"
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." || part == ".." {
			return "must be the plain path of a file, without empty parts, . and .."
		}
	}
	return ""
}

// isHidden are characters that are not seen and change how others are.
func isHidden(r rune) bool {
	return plain.IsUnseen(r) || r == '\u2028' || r == '\u2029'
}

// maxLine bounds line numbers.
const maxLine = 1 << 30

func (p *problems) lineFields(line, end json.RawMessage) (from, to int) {
	from, to = parseLines(line)
	if from == 0 {
		p.add("line must be the number, from 1, of the line the code begins on")
		return 0, 0
	}
	if !absent(end) {
		to, _ = parseLines(end)
	}
	if to < from {
		p.add("end_line must be a number that is not before line")
		return 0, 0
	}
	return from, to
}

// parseLines reads 12, "12", "L12" and "12-15"; zero for what is none.
func parseLines(raw json.RawMessage) (from, to int) {
	s := string(bytes.Trim(raw, "\" "))
	first, last, ranged := strings.Cut(s, "-")
	from = parseLine(first)
	to = from
	if ranged {
		to = parseLine(last)
	}
	return from, to
}

func parseLine(s string) int {
	f, err := strconv.ParseFloat(strings.TrimLeft(strings.TrimSpace(s), "lL"), 64)
	if err != nil || f != math.Trunc(f) || f < 1 || f > maxLine {
		return 0
	}
	return int(f)
}

// codeField keeps a quotation as it is: it is compared, not read.
func (p *problems) codeField(raw json.RawMessage) string {
	var s string
	if !absent(raw) && json.Unmarshal(raw, &s) != nil {
		p.add("code must be a string: the lines as they stand in the file")
		return ""
	}
	if len(s) > CodeLimit {
		p.add("code is longer than %d KiB: quote the lines that matter", CodeLimit>>10)
		return ""
	}
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return strings.Trim(s, "\r\n")
}

// Uncategorised is the category of a finding that tells none.
const Uncategorised = "other"

// categoryLimit bounds a category, in bytes: it is a slug.
const categoryLimit = 60

func (p *problems) categoryField(raw json.RawMessage) string {
	if s := slug(strings.ToLower(p.textField("category", raw, TitleLimit, false)), categoryLimit); s != "" {
		return s
	}
	return Uncategorised
}

// slug makes letters, digits and single hyphens of a name.
func slug(s string, limit int) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case b.Len() == limit:
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-.")
}

func (p *problems) cweField(raw json.RawMessage) string {
	s := strings.ToUpper(string(bytes.Trim(raw, "\" ")))
	if s == "" || s == "NULL" || s == "NONE" || s == "N/A" {
		return ""
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s, "CWE-"))
	if err != nil || n < 1 || n > 99999 {
		p.add(`cwe must be like "CWE-79", or left out`)
		return ""
	}
	return "CWE-" + strconv.Itoa(n)
}
