package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Sections of a final report that a synthesis is sorted into, and the list of
// sources.
const (
	advice       = "Recommendation" // only where a recommendation was made
	summary      = "Executive Summary"
	findings     = "Key Findings"
	consensus    = "Areas of Strong Consensus"
	disagreement = "Areas of Disagreement or Nuance"
	insights     = "Novel Insights"
	questions    = "Remaining Open Questions"
	sourceList   = "Comprehensive Source List"
	methodology  = "Methodology Note"
)

// Sections of a report of staged research beyond these.
const (
	recommendations = "Recommendations"
	risks           = "Risks and Counterarguments"
	blindSpots      = "Blind Spots"
	limits          = "Method and Limits"
)

// Sections that are made of the registry and the score alone.
const (
	metadata      = "Research Metadata"
	bySource      = "Findings by Source"
	registryTable = "Claim Registry"
	matrix        = "Coverage Matrix"
	divergence    = "Divergence"                 // only where there are conflicts
	rejected      = "Rejected after Checking"    // only where claims did not hold
	debateEnd     = "Debate Conclusion"          // only where there was a debate
	experiments   = "Experiments Made"           // only where there were any
	gapsSteps     = "Residual Gaps & Next Steps" //
	reviewEnd     = "Review"                     // only where reviewers have read the report
	moreAdvice    = "Recommendation, Continued"  // only where it is longer than what stands on top

	allAdvice    = "What the Researchers Recommend" // these four only where the body has not all of it
	moreDisputes = "Further Disputes"
	moreRejected = "Further Rejected Claims"
	moreSaid     = "The Synthesis, Continued" // only where it has more words than a reader has time for
)

// Form is which sections a report has.
type Form string

// The forms.
const (
	Council Form = ""       // of a council of rivals
	Staged  Form = "staged" // of staged research
)

// Headings are the sections of a final report that a synthesis is sorted into,
// in order, and the list of sources that is made for them.
func (f Form) Headings() []string {
	if f == Staged {
		return []string{summary, findings, recommendations, risks, blindSpots, sourceList, limits}
	}
	return []string{advice, summary, findings, consensus, disagreement, insights, questions, sourceList, methodology}
}

// Body lists the sections there are to read, in order. Those about which there is
// nothing to say are left out of a report.
func (f Form) Body() []string {
	if f == Staged {
		return []string{summary, findings, recommendations, risks, divergence, blindSpots, rejected, reviewEnd}
	}
	return []string{advice, summary, findings, moreAdvice, consensus, disagreement, divergence, insights, questions, rejected, reviewEnd}
}

// Appendix lists the sections on what the body rests on, in order.
func (f Form) Appendix() []string {
	return []string{metadata, moreSaid, allAdvice, moreDisputes, moreRejected, bySource, registryTable, matrix, debateEnd, gapsSteps, experiments, sourceList, f.method()}
}

// isOptional reports whether a draft may do without a section, where it has nothing
// to say under it.
func (f Form) isOptional(name string) bool {
	return f == Council && slices.Contains([]string{advice, consensus, disagreement, insights, questions}, name)
}

// method is the section that says how the report came to be.
func (f Form) method() string {
	if f == Staged {
		return limits
	}
	return methodology
}

// sectionForAlias is the section an alias stands for in this form.
func (f Form) sectionForAlias(title string) (string, bool) {
	if f == Staged {
		if name, ok := stagedAliases[title]; ok {
			return name, true
		}
	}
	name, ok := aliases[title]
	return name, ok && (name == noSection || slices.Contains(f.Headings(), name))
}

// noSection stands for the titles of what only the program may write: tables
// of facts. What a draft has under one of them is left out.
const noSection = "a title of the program's"

// aliases are other titles writers give the sections, in lower case.
var aliases = map[string]string{
	"recommendations": advice, "the recommendation": advice, "decision": advice, "what to do": advice, "recommendation, continued": advice,
	"areas of consensus": consensus, "consensus": consensus, "strong consensus": consensus,
	"areas of disagreement": disagreement, "disagreements": disagreement, "areas of disagreement and nuance": disagreement,
	"open questions": questions, "recommendations for further research": questions, "further research": questions,
	"divergence": disagreement, "divergences": disagreement, "debate conclusion": disagreement,
	"residual gaps and next steps": questions, "residual gaps": questions,
	"research metadata": noSection, "findings by source": noSection, "claim registry": noSection, "coverage matrix": noSection,
	"what the researchers recommend": noSection, "further disputes": noSection, "further rejected claims": noSection, "experiments made": noSection,
	"methodology": methodology, "methods": methodology,
	"sources": sourceList, "source list": sourceList, "sources cited": sourceList, "sources consulted": sourceList, "list of sources": sourceList,
	"references": sourceList, "reference list": sourceList, "bibliography": sourceList, "works cited": sourceList, "citations": sourceList,
	"key sources": sourceList, "primary sources": sourceList, "sources and references": sourceList, "references and sources": sourceList,
	"footnotes": sourceList, "endnotes": sourceList,
	"参考文献": sourceList, "参考资料": sourceList, "引用来源": sourceList, "资料来源": sourceList, "来源": sourceList,
	"quellen": sourceList, "literatur": sourceList, "bibliographie": sourceList, "fuentes": sourceList, "referencias": sourceList,
}

var stagedAliases = map[string]string{
	"risks": risks, "risks and counter-arguments": risks, "counterarguments": risks, "devil's advocate": risks,
	"blind spots and open questions": blindSpots, "open questions": blindSpots,
	"method": limits, "methodology": limits, "methods": limits, "limits": limits, "limitations": limits, "methodology note": limits,
	"review": noSection,
}

var (
	numbering = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:section|part)\s+)?(?:[0-9]+(?:\.[0-9]+)*[.):]?|[ivx]+[.):]|[a-z][.)]|[一二三四五六七八九十]+[、.])\s*[-–—:]?\s*`)
	})
	parenthesis = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*[(（][^()（）]*[)）]\s*$`) })
)

// sectionOf tells which section a title names, whatever its case, number,
// addition in parentheses or decoration.
func (f Form) sectionOf(title string) (string, bool) {
	t := strings.ToLower(strings.Join(strings.Fields(title), " "))
	t = strings.TrimFunc(t, func(r rune) bool {
		return strings.ContainsRune(" *_#:：.", r) || r > 0x2190 && r < 0x2e80 || r >= 0x1f000
	})
	t = strings.TrimRight(parenthesis().ReplaceAllString(t, ""), " :：")
	for _, t := range []string{t, numbering().ReplaceAllString(t, "")} {
		for _, name := range f.Headings() {
			if t == strings.ToLower(name) {
				return name, true
			}
		}
		if name, ok := f.sectionForAlias(strings.ReplaceAll(t, "&", "and")); ok {
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

// splitSections sorts a draft's blocks by section, in the order in which they appear.
// What follows a list of sources, or another section that is left out, at the
// same level belongs to the section before it.
func (d document) splitSections() []section {
	var out []section
	current, level, aside := "", 0, "" // level: that of the heading of what is left out
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if d.inlineList(n) {
			out = addToSection(out, sourceList, n)
			continue
		}
		if d.isListTitle(n) {
			out = addToSection(out, sourceList, n, n.NextSibling())
			n = n.NextSibling()
			continue
		}
		if h, ok := n.(*ast.Heading); ok {
			name, known := d.form.sectionOf(d.plainText(h))
			switch {
			case known && (name == sourceList || name == noSection):
				level, aside = h.Level, name
			case known:
				current, level = name, 0
			case h.Level <= level:
				level = 0
			}
		}
		if level > 0 {
			out = addToSection(out, aside, n)
			continue
		}
		out = addToSection(out, current, n)
	}
	return out
}

func addToSection(sections []section, name string, blocks ...ast.Node) []section {
	for i := range sections {
		if sections[i].name == name {
			sections[i].blocks = append(sections[i].blocks, blocks...)
			return sections
		}
	}
	return append(sections, section{name: name, blocks: blocks})
}

// inlineList reports whether a paragraph is a list of sources with its title
// in the first line.
func (d document) inlineList(n ast.Node) bool {
	if n.Kind() != ast.KindParagraph || n.Lines().Len() < 2 {
		return false
	}
	title, rest, _ := strings.Cut(d.plainText(n), "\n")
	name, ok := d.form.sectionOf(title)
	return ok && name == sourceList && listEntryForm().MatchString(rest)
}

// listEntryForm is how an entry of a list of sources begins.
var listEntryForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[\^?[0-9]{1,3}\]|\(?[0-9]{1,3}[.)]|[-*•])`)
})

// isListTitle reports whether a paragraph serves as the title of a list of
// sources right behind it.
func (d document) isListTitle(n ast.Node) bool {
	if n.Kind() != ast.KindParagraph || n.NextSibling() == nil || n.Lines().Len() != 1 {
		return false
	}
	if next := n.NextSibling().Kind(); next != ast.KindList && next != extast.KindTable {
		return false
	}
	name, ok := d.form.sectionOf(d.plainText(n))
	return ok && name == sourceList
}
