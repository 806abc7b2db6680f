package report

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Sections of a final report, in order.
const (
	summary      = "Executive Summary"
	findings     = "Key Findings"
	consensus    = "Areas of Strong Consensus"
	disagreement = "Areas of Disagreement or Nuance"
	insights     = "Novel Insights"
	questions    = "Remaining Open Questions"
	sourceList   = "Comprehensive Source List"
	methodology  = "Methodology Note"
)

// Headings are the sections of a final report, in order.
func Headings() []string {
	return []string{summary, findings, consensus, disagreement, insights, questions, sourceList, methodology}
}

// aliases are other titles writers give the sections, in lower case.
var aliases = map[string]string{
	"areas of consensus": consensus, "consensus": consensus, "strong consensus": consensus,
	"areas of disagreement": disagreement, "disagreements": disagreement, "areas of disagreement and nuance": disagreement,
	"open questions": questions, "recommendations for further research": questions, "further research": questions,
	"methodology": methodology, "methods": methodology,
	"sources": sourceList, "source list": sourceList, "sources cited": sourceList, "sources consulted": sourceList, "list of sources": sourceList,
	"references": sourceList, "reference list": sourceList, "bibliography": sourceList, "works cited": sourceList, "citations": sourceList,
	"key sources": sourceList, "primary sources": sourceList, "sources and references": sourceList, "references and sources": sourceList,
	"footnotes": sourceList, "endnotes": sourceList,
	"参考文献": sourceList, "参考资料": sourceList, "引用来源": sourceList, "资料来源": sourceList, "来源": sourceList,
	"quellen": sourceList, "literatur": sourceList, "bibliographie": sourceList, "fuentes": sourceList, "referencias": sourceList,
}

var (
	numbering   = regexp.MustCompile(`^(?:(?:section|part)\s+)?(?:[0-9]+(?:\.[0-9]+)*[.):]?|[ivx]+[.):]|[a-z][.)]|[一二三四五六七八九十]+[、.])\s*[-–—:]?\s*`)
	parenthesis = regexp.MustCompile(`\s*[(（][^()（）]*[)）]\s*$`)
)

// sectionOf tells which section a title names, whatever its case, number,
// addition in parentheses or decoration.
func sectionOf(title string) (string, bool) {
	t := strings.ToLower(strings.Join(strings.Fields(title), " "))
	t = strings.TrimFunc(t, func(r rune) bool {
		return strings.ContainsRune(" *_#:：.", r) || r > 0x2190 && r < 0x2e80 || r >= 0x1f000
	})
	t = strings.TrimRight(parenthesis.ReplaceAllString(t, ""), " :：")
	for _, t := range []string{t, numbering.ReplaceAllString(t, "")} {
		for _, name := range Headings() {
			if t == strings.ToLower(name) {
				return name, true
			}
		}
		if name, ok := aliases[strings.ReplaceAll(t, "&", "and")]; ok {
			return name, true
		}
	}
	return "", false
}

// section is what a draft says under one of the titles, or before the first:
// then its name is "".
type section struct {
	name   string
	blocks []ast.Node
}

// divide sorts a draft's blocks by section, in the order in which they appear.
// What follows a list of sources at the same level belongs to the section
// before it.
func (d document) divide() []section {
	var out []section
	current, listed := "", 0 // listed: the heading level of the source list we are in
	add := func(name string, n ast.Node) {
		for i := range out {
			if out[i].name == name {
				out[i].blocks = append(out[i].blocks, n)
				return
			}
		}
		out = append(out, section{name: name, blocks: []ast.Node{n}})
	}
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		level, title := d.title(n)
		name, ok := sectionOf(title)
		switch {
		case level > 0 && listed > 0 && level > listed:
			ok = false // a part of the list
		case level > 0 && ok && name == sourceList:
			listed = level
		case level > 0 && level < pseudo:
			listed = 0
			if ok {
				current = name
			}
		}
		if listed > 0 {
			add(sourceList, n)
			continue
		}
		add(current, n)
	}
	return out
}

// pseudo is the level of a paragraph that serves as the title of a list of
// sources: below every heading.
const pseudo = 7

// title gives the level and words of a heading; 0 for other blocks.
func (d document) title(n ast.Node) (int, string) {
	switch n := n.(type) {
	case *ast.Heading:
		return n.Level, d.plain(n)
	case *ast.Paragraph:
		words := strings.TrimSpace(d.plain(n))
		if name, ok := sectionOf(words); ok && name == sourceList && len(words) < 60 && n.NextSibling() != nil {
			return pseudo, words
		}
	}
	return 0, ""
}
