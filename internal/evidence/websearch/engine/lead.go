package engine

import (
	"html"
	"net/url"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// Bounds of what is taken of a lead, in runes, and of its address, in bytes.
const (
	maxTitle   = 200
	maxSnippet = 500
	maxAddress = 2000
)

// clean makes a lead of an engine's words; not ok where it leads nowhere a page can be
// fetched from.
func (l Lead) clean() (Lead, bool) {
	u, err := url.Parse(strings.TrimSpace(l.URL))
	if err != nil || len(l.URL) > maxAddress || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		return Lead{}, false
	}
	l.URL = u.String()
	l.Title, l.Snippet = words(l.Title, maxTitle), words(l.Snippet, maxSnippet)
	l.Published, l.DOI = day(l.Published), bareDOI(l.DOI)
	if l.Title == "" {
		l.Title = u.Host
	}
	return l, true
}

// words makes one line of a text that may hold tags and entities.
func words(s string, limit int) string {
	return plain.Line(html.UnescapeString(withoutTags(s[:min(len(s), 40*limit)])), limit)
}

// withoutTags drops what stands between angle brackets, where it looks like a tag.
func withoutTags(s string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(s, "<")
		b.WriteString(before)
		if !open {
			return b.String()
		}
		tag, after, closed := strings.Cut(rest, ">")
		if !closed || !isTag(tag) {
			b.WriteByte('<')
			s = rest
			continue
		}
		if !isInline(tag) {
			b.WriteByte(' ')
		}
		s = after
	}
}

func isTag(s string) bool {
	s = strings.TrimPrefix(s, "/")
	return s != "" && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' || s[0] == '!') && !strings.Contains(s, "<")
}

// isInline reports whether a tag stands within a word as well as between words.
func isInline(tag string) bool {
	name, _, _ := strings.Cut(strings.Trim(tag, "/"), " ")
	switch strings.ToLower(name) {
	case "b", "i", "em", "strong", "span", "mark", "sub", "sup", "code", "a", "jats:italic", "jats:bold", "jats:sub", "jats:sup":
		return true
	}
	return false
}

// day is the date at the beginning of a text: year-month-day, year-month or year; ""
// where there is none.
func day(s string) string {
	s = strings.TrimSpace(s)
	for _, form := range []string{"0000-00-00", "0000-00", "0000"} {
		if len(s) >= len(form) && hasForm(s[:len(form)], form) && (len(s) == len(form) || !digit(s[len(form)])) {
			return s[:len(form)]
		}
	}
	return ""
}

func hasForm(s, form string) bool {
	for i := range len(form) {
		if (form[i] == '0') != digit(s[i]) || form[i] == '-' && s[i] != '-' {
			return false
		}
	}
	return true
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// bareDOI is a DOI without the address of its resolver; "" where it is none.
func bareDOI(s string) string {
	s = strings.TrimSpace(s)
	if at := strings.Index(s, "10."); at >= 0 && at <= len("https://dx.doi.org/") {
		s = s[at:]
	}
	if !strings.HasPrefix(s, "10.") || !strings.Contains(s, "/") || len(s) > 300 || strings.ContainsAny(s, " \t\n<>\"") {
		return ""
	}
	return strings.ToLower(s)
}
