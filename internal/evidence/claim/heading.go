package claim

import (
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Bounds of the headings that are told of a passage.
const (
	maxHeading  = 160      // runes
	maxTitleAt  = 8 << 10  // bytes from the beginning of a page to the end of its title
	maxHeadings = 64 << 10 // bytes before a passage in which its heading is looked for
)

// headingsAbove are the title of a page of HTML and the heading that a passage of it
// stands under, of Markdown and plain text the heading alone: what a page calls a thing
// ("Recommended options") often stands there and nowhere else. nil for other sources, and
// where there is none.
func headingsAbove(ref, body string, start int) []string {
	above := body[max(0, start-maxHeadings):start]
	var list []string
	switch {
	case isHTML(ref):
		if at := pageTitle().FindStringSubmatchIndex(body[:min(len(body), maxTitleAt, start)]); at != nil {
			list = append(list, headingText(ref, body[at[2]:at[3]]))
		}
		list = append(list, headingText(ref, lastHeading(above)))
	case isMarkdown(ref):
		list = append(list, strings.Trim(plain.Line(lastLineOfHeading(above), maxHeading), "# "))
	case isPlainText(ref):
		list = append(list, strings.Trim(plain.Line(lastUnderlined(above), maxHeading), "= "))
	}
	var told []string
	for _, h := range list {
		if h != "" {
			told = addUnique(told, h)
		}
	}
	return told
}

func headingText(ref, text string) string { return plain.Line(Readable(ref, text), maxHeading) }

var pageTitle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<title[^<>]*>(.*?)</title`) })

// lastHeading is what the last heading of a piece of HTML holds, "" where it has none: from
// its end, for pages are long and have many.
func lastHeading(text string) string {
	for end := len(text); ; {
		end = max(strings.LastIndex(text[:end], "</h"), strings.LastIndex(text[:end], "</H"))
		if end < 0 {
			return ""
		}
		if name := text[end+2 : min(len(text), end+4)]; len(name) == 2 && name[1] >= '1' && name[1] <= '6' {
			if from := strings.LastIndex(text[:end], "<"+name); from >= 0 {
				return text[from:end]
			}
		}
	}
}

// lastLineOfHeading is the last line of Markdown that is a heading. A line of a listing may
// look like one: comments of shells begin so.
func lastLineOfHeading(text string) string {
	for end := len(text); end >= 0; {
		from := strings.LastIndexByte(text[:end], '\n') + 1
		line := text[from:end]
		if marks := len(line) - len(strings.TrimLeft(line, "#")); marks > 0 && marks <= 6 && strings.HasPrefix(line[marks:], " ") {
			return line
		}
		end = from - 1
	}
	return ""
}

// lastUnderlined is the last heading of plain text, reStructuredText or AsciiDoc: a line with
// one of marks alone below it that is about as long, or behind "==".
func lastUnderlined(text string) string {
	below := ""
	for end := len(text); end >= 0; {
		from := strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimRight(text[from:end], " \t\r")
		if strings.HasPrefix(line, "== ") || strings.HasPrefix(line, "=== ") || isUnderline(below, line) {
			return line
		}
		below, end = line, from-1
	}
	return ""
}

// isUnderline reports whether a line is of one mark alone, and about as long as the heading
// above it.
func isUnderline(line, heading string) bool {
	n := utf8.RuneCountInString(heading)
	return len(line) >= 4 && strings.Contains("=-~^+*#\"", line[:1]) && strings.Trim(line, line[:1]) == "" &&
		heading != "" && !strings.HasPrefix(heading, " ") && strings.ContainsFunc(heading, unicode.IsLetter) && n-2 <= len(line) && len(line) <= n+2
}

// isPlainText reports whether a source is a local file of plain text.
func isPlainText(ref string) bool {
	src := source.Identify(ref)
	switch strings.ToLower(path.Ext(src.Path)) {
	case ".txt", ".text", ".rst", ".adoc", ".asciidoc", "":
		return src.Kind == source.File
	}
	return false
}

// isMarkdown reports whether a source is a local file in Markdown.
func isMarkdown(ref string) bool {
	src := source.Identify(ref)
	switch strings.ToLower(path.Ext(src.Path)) {
	case ".md", ".markdown", ".mdx":
		return src.Kind == source.File
	}
	return false
}
