package governing

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

// lineAbove is a line of what stands above a passage, as its text parts it or the tags of its blocks do.
type lineAbove struct {
	text     string // with "#" as often as its level and a blank, or "- ", for a heading or an item that another mark makes
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
		mark = cmp.Or(mark, markOfBold(words))
		if mark != "" || strings.Contains(words, "<") {
			line = mark + strings.TrimSpace(anyTag().ReplaceAllString(words, ""))
		}
		if strings.HasPrefix(words, `\`) {
			list = append(list, linesOfTeX(words, left)...)
		} else {
			list = append(list, lineAbove{text: line, from: left, to: left + len(words)})
		}
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
	depth, caption := 0, -1
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
		case name == "table":
			if caption >= 0 && closing { // what stands below the table has another heading
				list[caption].text = ""
			}
			caption = -1
		case name == "div" || name == "section" || name == "sec":
			depth++
			if closing {
				depth -= 2
			}
		case closing:
		case item:
			mark = "- "
		case name == "title" && strings.Contains(part[max(0, m[0]-titleNear):m[0]], "<head"), name == "h1":
			mark = "# "
		case name[0] == 'h' && len(name) == 2 && '2' <= name[1] && name[1] <= '6':
			mark = strings.Repeat("#", int(name[1]-'0')) + " "
		case name == "caption":
			mark, caption = strings.Repeat("#", lowestHeading)+" ", len(list)
		case name == "title", name == "heading", name == "summary", name == "head":
			mark = strings.Repeat("#", min(max(2, 2+depth), lowestHeading)) + " "
		}
	}
	lines(len(part))
	end(len(part))
	return list
}

// lowestHeading is the level of a heading that has none below it.
const lowestHeading = 9

// markOfBold is the mark of a heading for a paragraph that is all set in bold.
func markOfBold(line string) string {
	if (strings.HasPrefix(line, "<b>") || strings.HasPrefix(line, "<strong>")) && wholeBold().MatchString(line) {
		return strings.Repeat("#", lowestHeading) + " "
	}
	return ""
}

var wholeBold = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<(?:b|strong)>[^<>]{2,80}</(?:b|strong)>$`)
})

// linesOfTeX gives a line of a source of TeX that begins with a command, with the mark that this stands for.
func linesOfTeX(line string, from int) []lineAbove {
	all := lineAbove{text: line, from: from, to: from + len(line)}
	lead := len(line) - len(strings.TrimLeft(environments().ReplaceAllStringFunc(line, func(s string) string { return strings.Repeat(" ", len(s)) }), " "))
	if lead == len(line) {
		all.text = ""
		return []lineAbove{all}
	}
	line, from = line[lead:], from+lead
	if rest, ok := strings.CutPrefix(line, `\item`); ok && !strings.HasPrefix(rest, "s") {
		all.text = "- " + strings.TrimSpace(rest)
		return []lineAbove{all}
	}
	m := headingOfTeX().FindStringSubmatchIndex(line)
	if m == nil {
		return []lineAbove{all}
	}
	level, at := lowestHeading, m[6]
	if m[2] >= 0 {
		level, at = levelsOfTeX[line[m[2]:m[3]]], m[4]
	}
	stop := strings.IndexByte(line[at:], '}')
	heading := lineAbove{text: strings.Repeat("#", level) + " " + line[at:at+stop], from: from + at, to: from + at + stop}
	rest := from + at + stop + 1
	return []lineAbove{{from: from, to: from}, heading, {from: rest, to: rest}, {text: strings.TrimLeft(line[at+stop+1:], " "), from: rest, to: from + len(line)}}
}

// levelsOfTeX are those of its headings.
var levelsOfTeX = map[string]int{"chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6, "subparagraph": 7}

var (
	environments = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\\(?:begin|end)\{[a-z*]{1,20}\}(?:\[[^\[\]]{0,40}\])?\s*)+`)
	})
	// headingOfTeX is a heading, or a label set in bold that ends with a mark.
	headingOfTeX = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\\(?:(chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?\{()[^{}]{1,120}\}|textbf\{()[^{}]{1,40}[.:]\})`)
	})
)

// titleNear is how many bytes before the title of a page its head begins, at most.
const titleNear = 300

// blockTag is a tag that begins or ends a block.
var blockTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(/?)(p|div|section|sec|article|h[1-6]|title|heading|head|summary|details|li|item|list-item|ol|ul|dl|dt|dd|list|blockquote|body|content|main|header|footer|table|caption)(?:\s[^<>]*)?>[ \t]*`)
})
