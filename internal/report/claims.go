package report

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"research-council/internal/claim"
)

// MostClaims bounds what [Claims] takes from one report.
const MostClaims = 2000

var (
	bareURL = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:https?://|ftp://|www\.[a-z0-9-]+\.)[^\s<>"“”，。；、）】]+`)
	})
	lineRef = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:[\p{L}\p{N}_.~@+-]+/)*[\p{L}\p{N}_.~@+-]*\.[A-Za-z]\w{0,9}:[0-9]{1,7}(?:[-–][0-9]{1,7})?\b`)
	})
	linkStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:https?:|doi:|arxiv:)`) })
)

// Claims reads claims out of a report whose seat left none apart: each
// sentence that carries a link, an address or a path with a line, once for
// every source it refers to, without a quotation. A reference that follows a
// sentence by itself belongs to that sentence. Lists of sources are left out,
// and so are headings and code. Only the first [Limit] bytes are read.
func Claims(markdown []byte, seat, round string) []claim.Draft {
	d := parse(markdown, true)
	var drafts []claim.Draft
	for _, s := range d.divide() {
		if s.name == sourceList {
			continue
		}
		for _, block := range s.blocks {
			for _, n := range texts(block) {
				drafts = append(drafts, d.claims(n)...)
				if len(drafts) > MostClaims {
					drafts = drafts[:MostClaims]
				}
			}
		}
	}
	for i := range drafts {
		drafts[i].Seat, drafts[i].Round = seat, round
	}
	return drafts
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[\^?[0-9]{1,3}\]`) })

// mention is a reference to a source at a place of a text.
type mention struct {
	at     int
	source string
}

func (d document) claims(block ast.Node) []claim.Draft {
	text, mentions := d.mentions(block)
	if numbered().MatchString(text) {
		return nil // an entry of a list of sources, not a sentence
	}
	places := map[int]bool{}
	for _, m := range mentions {
		places[m.at] = true
	}
	sentences := sentences(text, places)
	var drafts []claim.Draft
	for _, m := range mentions {
		i := 0
		for i+1 < len(sentences) && sentences[i+1].start <= m.at {
			i++
		}
		if i >= len(sentences) || len(m.source) > claim.FieldLimit {
			continue
		}
		for i > 0 && count(sentences[i].text) < 3 {
			i-- // nothing but the reference: it belongs to what stands before
		}
		words := sentences[i].text
		if count(words) >= 3 && len(words) <= claim.FieldLimit {
			drafts = append(drafts, claim.Draft{Text: words, Source: m.source})
		}
	}
	return drafts
}

// mentions gives a block's text without its addresses, and where they stood.
func (d document) mentions(block ast.Node) (string, []mention) {
	var b strings.Builder
	var out []mention
	for _, p := range d.pieces(block) {
		switch p.kind {
		case address:
			out = append(out, mention{b.Len(), p.text})
		case linked:
			if target := reference(p.text); target != "" {
				out = append(out, mention{b.Len(), target})
			}
		case code:
			out = append(out, lineMentions(p.text, b.Len())...)
			b.WriteString(p.text)
		case hard:
			b.WriteByte('\n')
		case words:
			out = append(out, wordMentions(p.text, &b)...)
		}
	}
	return b.String(), out
}

// reference is where a link leads, "" for places in the report itself and
// other ends than documents.
func reference(target string) string {
	scheme, _, ok := strings.Cut(target, ":")
	switch {
	case target == "" || strings.HasPrefix(target, "#"):
		return ""
	case linkStart().MatchString(target):
		return target
	case ok && !strings.ContainsAny(scheme, "/.") && len(scheme) > 1:
		return "" // mailto:, javascript:, data:
	}
	return target
}

// wordMentions writes words without their addresses.
func wordMentions(s string, b *strings.Builder) []mention {
	var out []mention
	done := 0
	for _, at := range bareURL().FindAllStringIndex(s, -1) {
		url := trimURL(s[at[0]:at[1]])
		out = append(out, lineMentions(s[done:at[0]], b.Len())...)
		b.WriteString(s[done:at[0]])
		out = append(out, mention{b.Len(), url})
		done = at[0] + len(url)
	}
	out = append(out, lineMentions(s[done:], b.Len())...)
	b.WriteString(s[done:])
	return out
}

func lineMentions(s string, base int) []mention {
	var out []mention
	for _, at := range lineRef().FindAllStringIndex(s, -1) {
		out = append(out, mention{base + at[0], s[at[0]:at[1]]})
	}
	return out
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

// sentence is a sentence of a text, white space single, and where it begins.
type sentence struct {
	text  string
	start int
}

// sentences cuts a text after a full stop, question or exclamation mark, where
// a blank and no small letter, or a reference, follow. An abbreviation may cut
// too early: the claim is then a part of the sentence.
func sentences(text string, references map[int]bool) []sentence {
	var out []sentence
	start := 0
	cut := func(end int) {
		if s := strings.Join(strings.Fields(text[start:end]), " "); s != "" {
			out = append(out, sentence{text: emptied().ReplaceAllString(s, ""), start: start})
			start = end
		}
	}
	for i, r := range text {
		switch {
		case strings.ContainsRune("。！？", r):
			cut(i + utf8.RuneLen(r))
		case r == '.' || r == '!' || r == '?':
			if end := ends(text, start, i+1, references); end > 0 {
				cut(end)
			}
		}
	}
	cut(len(text))
	return out
}

// emptied are the brackets an address left behind.
var emptied = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*(?:\(\s*\)|\[\s*\]|（\s*）)`) })

// ends gives where the sentence ends whose mark stands before at, or 0 when it
// goes on.
func ends(text string, start, at int, references map[int]bool) int {
	end := at
	for end < len(text) && strings.IndexByte("\"')]", text[end]) >= 0 {
		end++
	}
	ahead := text[end:min(len(text), end+16)]
	rest := strings.TrimLeft(ahead, " \n\t")
	if ahead != "" && len(rest) == len(ahead) {
		return 0
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if unicode.IsLower(next) && !references[end+len(ahead)-len(rest)] {
		return 0
	}
	before := text[start : at-1]
	last := strings.ToLower(before[strings.LastIndexAny(before, " \n\t(")+1:])
	switch last {
	case "e.g", "i.e", "al", "cf", "vs", "dr", "mr", "mrs", "ms", "prof", "fig", "no", "approx", "ca", "vol", "pp", "p", "sec", "eq", "st", "etc":
		return 0
	}
	return end
}
