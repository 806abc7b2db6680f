package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/base/words"
)

// maxTopWords is how many words of a recommendation stand on top, and how many on what
// is opposed stand with it: of more, a reader would see no finding on the first screen.
const maxTopWords = 120

// onTop parts the blocks of a recommendation in what stands on top and what follows
// behind the findings. The first block that says something is always on top; one too long
// is for [cutSentences].
func (d document) onTop(blocks []ast.Node) (top, rest []ast.Node) {
	room, said := maxTopWords, false
	for i, block := range blocks {
		n := d.countBlock(block)
		_, heading := block.(*ast.Heading)
		_, isList := block.(*ast.List)
		if heading || n <= room || !said && !isList {
			room -= n
			said = said || !heading && n > 0
			continue
		}
		top, rest = slices.Clone(blocks[:i]), slices.Clone(blocks[i:])
		if list, ok := block.(*ast.List); ok {
			if tail := d.cutList(list, room); tail != nil {
				return append(top, list), append([]ast.Node{tail}, rest[1:]...)
			}
			if !said {
				return append(top, list), rest[1:]
			}
		}
		for len(top) > 0 && top[len(top)-1].Kind() == ast.KindHeading { // it belongs to what follows
			top, rest = top[:len(top)-1], append([]ast.Node{top[len(top)-1]}, rest...)
		}
		return top, rest
	}
	return blocks, nil
}

var (
	// targets are the places that links lead to, and references behind a sentence.
	targets          = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\([^)\s]*(?: "[^"]*")?\)`) })
	referencesBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?: ?(?:\[\\\[\d+\\\]\]\([^)\s]*(?: "[^"]*")?\)|†|‡))+`)
	})
)

// cutSentences cuts a paragraph that is too long behind the last of its first sentences
// for which there is room, at least behind the first; the references behind a sentence
// stay with it, and no mark of Markdown is left open. Of one that is short, or all of one
// piece, nothing is cut.
func cutSentences(paragraph string) (kept, rest string) {
	if countWords([]string{paragraph}) <= maxTopWords {
		return paragraph, ""
	}
	plain := targets().ReplaceAllStringFunc(strings.ReplaceAll(paragraph, "\n", " "), func(s string) string { return strings.Repeat("x", len(s)) })
	for _, s := range words.Sentences(plain) {
		end := s.End
		for end > 0 && plain[end-1] == ' ' {
			end--
		}
		end += len(referencesBehind().FindString(paragraph[end:]))
		before := paragraph[:end]
		if end == len(paragraph) || kept != "" && countWords([]string{before}) > maxTopWords {
			break
		}
		if strings.Count(before, "**")%2 == 0 && strings.Count(before, "`")%2 == 0 && strings.Count(before, "[") == strings.Count(before, "]") && strings.HasPrefix(plain[end:], " ") {
			kept, rest = before, strings.TrimSpace(paragraph[end:])
		}
	}
	if kept == "" {
		return paragraph, ""
	}
	return kept, rest
}

// parted writes a recommendation as it stands on top, and what follows behind the findings.
func parted(d document, refs *references, blocks []ast.Node) (top, rest []string) {
	first, behind := d.onTop(blocks)
	top = write(d, refs, advice, first)
	if len(top) == 0 {
		return write(d, refs, advice, behind), nil
	}
	end := slices.Index(append(slices.Clone(top), ""), "")
	if noParagraph().MatchString(top[0]) {
		return top, write(d, refs, advice, behind)
	}
	if kept, more := cutSentences(strings.Join(top[:end], "\n")); more != "" {
		below := top[end:]
		top, rest = strings.Split(kept, "\n"), strings.Split(more, "\n")
		if len(below) > 1 && strings.HasPrefix(below[1], remark) && !strings.Contains(kept, remark) {
			rest, below = append(rest, below...), nil // what is remarked on is there
		}
		top = append(top, below...)
	}
	return top, spaced(rest, write(d, refs, advice, behind))
}

// topLines are the lines on what is opposed that stand on top, one at least, and the rest.
func topLines(opposed []adviceLine) (top, rest []adviceLine) {
	room := maxTopWords
	for i, l := range opposed {
		if room -= countWords(texts([]adviceLine{l})); i > 0 && room < 0 {
			return opposed[:i], opposed[i:]
		}
	}
	return opposed, nil
}
