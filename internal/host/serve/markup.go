package serve

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/host/view"
)

// markup writes a page. What comes from anywhere goes through the arguments of put;
// where links lead outside, through webAddress. It is Go and no template: the
// packages for templates call methods by their names, so that the linker can leave
// no method of any package out.
type markup struct{ bytes.Buffer }

// raw is markup of ours that has been written before.
type raw string

// put writes markup of ours, with verbs as of [fmt.Sprintf]: of the arguments all but
// numbers and what is [raw] are text.
func (m *markup) put(format string, args ...any) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int, int64, float64:
			safe[i] = a
		case raw:
			safe[i] = string(a)
		default:
			safe[i] = escape(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(m, format, safe...)
}

// escape makes any text fit for an element and for an attribute in quotes: without
// control characters and marks that hide or turn text.
func escape(s string) string { return html.EscapeString(plain.Text(s)) }

// prose is foreign text in which what stands between single backticks is code.
func prose(s string) raw {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		return raw(escape(s)) // one has no other
	}
	var b strings.Builder
	for i, part := range parts {
		switch {
		case i%2 == 0:
			b.WriteString(escape(part))
		case strings.TrimSpace(part) == "":
			return raw(escape(s))
		default:
			b.WriteString("<code>" + escape(part) + "</code>")
		}
	}
	return raw(b.String())
}

// webAddress is where a link may lead outside: to the web alone; "" elsewhere.
func webAddress(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// outside writes the name of a source, as a link where it has an address.
func (m *markup) outside(to, name string) {
	if to = webAddress(to); to != "" {
		m.put(`<a class="out" href="%s" rel="noopener noreferrer nofollow">%s</a>`, to, name)
		return
	}
	m.put("%s", name)
}

// state writes a state by shape, word and colour.
func (m *markup) state(word string) {
	look := lookOf(word)
	m.put(`<span class="state %s"><span aria-hidden="true">%s</span> %s</span>`, look.tone, look.shape, view.PlainWord(word))
}

// look is how a state is told besides its word.
type look struct{ shape, tone string }

// lookOf knows the states of runs, claims, parts of the way, seats, votes and findings.
func lookOf(word string) look {
	switch word {
	case "completed", "complete", "done", "located", "supports", "live", "passes", "confirmed", "approve", "approved":
		return look{"✓", "good"}
	case "running", "now":
		return look{"▶", "busy"}
	case "failed", "not-found", "contradicts", "critical", "gone", "likely-invented", "reject", "rejected", "refuted", refused, "blocker":
		return look{"✕", "bad"}
	case "paused", "paused_for_input", "qualifies", "serious", "stale", "undecided", "major", "needs_revision", "waits for you":
		return look{"❚❚", "open"}
	case "cancelled", "skipped", "unfounded", "withdrawn", "false_positive", "dismissed", "blocked":
		return look{"■", "dim"}
	case "out_of_budget", "moderate", "moved", "medium":
		return look{"◐", "open"}
	case "reasoned":
		return look{"◆", "good"}
	}
	return look{"○", "dim"}
}

// chosen writes the options of a choice, "" for all of them first.
func (m *markup) chosen(name, label, now string, words []string) {
	m.put(`<label>%s <select name="%s"><option value="">all</option>`, label, name)
	for _, w := range words {
		mark := raw("")
		if w == now {
			mark = " selected"
		}
		m.put(`<option value="%s"%s>%s</option>`, w, mark, view.PlainWord(w))
	}
	m.put("</select></label>")
}

// fact writes a term and what is to be said of it; nothing where there is nothing.
func (m *markup) fact(term, text string) {
	if strings.TrimSpace(text) != "" {
		m.put("<dt>%s</dt><dd>%s</dd>\n", term, text)
	}
}

// line makes one line of foreign text.
func line(s string, limit int) string { return plain.Line(s, limit) }
