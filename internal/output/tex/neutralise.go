package tex

import (
	"regexp"
	"sync"
)

// reachingCommands are the ways of a paper to reach what is not its own: other programs,
// files, and PDF objects made of files. Lua is not among them, for no engine
// that has it is used where papers are screened.
var reachingCommands = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\\(?:write\s*18|shellescape|openin|openout|read\b|readline\b|(?:@@|@)?input\s*\{?\s*["']?(?:[/|~.]|[a-z]:)|` +
		`include\w*\s*(?:\[[^\]]*\])?\{\s*["']?(?:[/|~.]|[a-z]:)|pdfobj|pdfximage|pdffiledump|pdfmdfivesum|pdffilesize|filedump|filesize|mdfivesum|` +
		`pdfprimitive|primitive|special|xetex(?:pic|pdf)file|tex_[a-z_]*:d|begin\s*\{filecontents)|\^\^`)
})

// hiddenSpellings are the ways to spell a command so that it is not seen. A preamble
// may need them; a text does not.
var hiddenSpellings = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\\(?:csname|@nameuse|use:c|catcode|scantokens|explsyntaxon|uppercase|lowercase|makeuppercase|makelowercase|(?:begin|end)\s*\{[^}]*[^a-z*}])`)
})

// neutralise sets every line that could reach out as the text it is made of.
func (c *texCopy) neutralise() []Problem {
	var list []Problem
	start := c.documentStart()
	for i, line := range c.lines {
		if reachingCommands().MatchString(line) || i > start && hiddenSpellings().MatchString(line) {
			list = append(list, Problem{Line: i + 1, Text: "a command that could reach beyond the paper, where the system cannot hold it back", Mended: c.asText(i)})
		}
	}
	return list
}
