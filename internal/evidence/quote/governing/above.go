package governing

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

// lineAbove is a line of what stands above a passage, as its text parts it or the tags of its blocks do.
type lineAbove struct {
	text     string // with "## " or "- " for the tag of a heading or of an item
	from, to int    // the bytes of its words
}

// linesAbove gives the lines of a text before a passage, the last of them what stands on its own. Pages
// of HTML and XML may be one long line: each of their blocks is a line, and a blank one parts it from the
// next.
func linesAbove(text string, start int) []lineAbove {
	base := words.RuneStart(text, start-maxAbove)
	part := text[base:start]
	var list []lineAbove
	mark, from := "", 0
	end := func(at int) {
		line := part[from:at]
		words := strings.TrimSpace(line)
		left := base + from + len(line) - len(strings.TrimLeft(line, " \t\r\f"))
		if mark != "" || strings.Contains(words, "<") {
			line = mark + strings.TrimSpace(anyTag().ReplaceAllString(words, ""))
		}
		list = append(list, lineAbove{text: line, from: left, to: left + len(words)})
		mark = ""
	}
	lines := func(to int) {
		for {
			i := strings.IndexByte(part[from:to], '\n')
			if i < 0 {
				return
			}
			end(from + i)
			from += i + 1
		}
	}
	var tags [][]int
	if strings.Contains(part, "</") {
		tags = blockTag().FindAllStringSubmatchIndex(part, -1)
	}
	for _, m := range tags {
		lines(m[0])
		if strings.TrimSpace(part[from:m[0]]) != "" || mark != "" {
			end(m[0])
		}
		name, closing := strings.ToLower(part[m[4]:m[5]]), m[2] < m[3]
		from = m[1]
		item := name == "li" || name == "item" || name == "list-item"
		if !item && (len(list) == 0 || list[len(list)-1].text != "") {
			list = append(list, lineAbove{from: base + from, to: base + from})
		}
		switch {
		case closing:
		case item:
			mark = "- "
		case name == "title" && strings.Contains(part[max(0, m[0]-titleNear):m[0]], "<head"), name == "h1":
			mark = "# "
		case name[0] == 'h' && len(name) == 2, name == "title", name == "heading", name == "summary", name == "head":
			mark = "## "
		}
	}
	lines(len(part))
	end(len(part))
	return list
}

// titleNear is how many bytes before the title of a page its head begins, at most.
const titleNear = 300

// blockTag is a tag that begins or ends a block.
var blockTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(/?)(p|div|section|sec|article|h[1-6]|title|heading|head|summary|details|li|item|list-item|ol|ul|dl|dt|dd|list|blockquote|body|content|main|header|footer|table|caption)(?:\s[^<>]*)?>[ \t]*`)
})
