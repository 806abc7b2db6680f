package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// markForm is what a synthesis may hold in its text beside words: a citation of
// claims, a numbered reference typed by hand, or an address typed by hand.
var markForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` +
		`(\[\s*C[0-9]{1,9}(?:\s*(?:[,;–—-]|and|&)?\s*C?[0-9]{1,9})*\s*\])` +
		`|(\[\^?[0-9]{1,3}(?:\s*[,;–-]\s*\^?[0-9]{1,3})*\]|\[\^[^\]\s]{1,40}\])` +
		`|(\b(?:https?://|ftp://|www\.[a-z0-9-]+\.)[^\s<>"“”，。；、）】]+)`)
})

// foundMark is a mark in a text. At most one of its strings is not empty.
type foundMark struct {
	start, end        int
	cited, typed, url string
}

func findMarks(s string) []foundMark {
	var out []foundMark
	for _, m := range markForm().FindAllStringSubmatchIndex(s, -1) {
		f := foundMark{start: m[0], end: m[1]}
		switch {
		case m[2] >= 0:
			f.cited = s[m[2]:m[3]]
		case m[4] >= 0:
			f.typed = s[m[4]:m[5]]
		default:
			f.url = trimURL(s[m[6]:m[7]])
			f.end = f.start + len(f.url)
		}
		out = append(out, f)
	}
	return out
}

// joinCitations makes one citation of those that stand next to one another, so that
// claims of one source have one reference.
func joinCitations(s string, marks []foundMark) []foundMark {
	var out []foundMark
	for _, m := range marks {
		if last := len(out) - 1; last >= 0 && m.cited != "" && out[last].cited != "" && strings.Trim(s[out[last].end:m.start], " ,;") == "" {
			out[last].end = m.end
			out[last].cited = s[out[last].start:m.end]
			continue
		}
		out = append(out, m)
	}
	return out
}

var citedID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([,;–—-]?)\s*[Cc]?([0-9]{1,9})`) })

// maxRange is the longest range of ids a citation may name by its ends.
const maxRange = 20

// ids gives the claims a citation names, each once: [C3, C7], [C3; 7], [C3-C5].
func ids(citation string) []string {
	var out []string
	seen := map[int]bool{}
	last := 0
	for _, m := range citedID().FindAllStringSubmatch(citation, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		from := n
		if strings.ContainsAny(m[1], "–—-") && last > 0 && n > last && n-last <= maxRange {
			from = last + 1
		}
		for id := from; id <= n; id++ {
			if !seen[id] {
				seen[id] = true
				out = append(out, "C"+strconv.Itoa(id))
			}
		}
		last = n
	}
	return out
}

// byID finds entries by their ids; of two with one id the first counts.
func byID(entries []claim.Entry) map[string]claim.Entry {
	known := make(map[string]claim.Entry, len(entries))
	for _, e := range entries {
		if _, ok := known[e.ID]; !ok {
			known[e.ID] = e
		}
	}
	return known
}

// wholeCitation reads the text of a link that was meant as a citation:
// [C12](where a model thought it leads).
var wholeCitation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[?\s*[Cc][0-9]{1,9}(?:\s*[,;]\s*[Cc][0-9]{1,9})*\s*\]?$`)
})

// citations makes citations out of links whose words are ids, and drops the
// links around everything else.
func citations(in []piece) []piece {
	var out pieces
	for i := 0; i < len(in); i++ {
		switch {
		case in[i].kind == linkStart && i+2 < len(in) && in[i+2].kind == linkEnd && wholeCitation().MatchString(strings.TrimSpace(in[i+1].text)):
			out.add(runOfText, "["+strings.Trim(strings.TrimSpace(in[i+1].text), "[]")+"]")
			i += 2
		case in[i].kind == linkStart || in[i].kind == linkEnd:
		default:
			out.add(in[i].kind, in[i].text)
		}
	}
	return out.finish()
}

// trimURL drops what the sentence around an address left at its end; a closing
// bracket stays when it has been opened.
func trimURL(url string) string {
	spare := strings.Count(url, ")") - strings.Count(url, "(")
	for url != "" {
		last := url[len(url)-1]
		switch {
		case strings.IndexByte(".,;:!?'*_~]`|", last) >= 0:
		case last == ')' && spare > 0:
			spare--
		default:
			return url
		}
		url = url[:len(url)-1]
	}
	return url
}
