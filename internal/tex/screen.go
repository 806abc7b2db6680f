package tex

import (
	"regexp"
	"sync"
)

// outward are the ways of a source to reach what is not its own: other
// programs, Lua, files, PDF objects made of files, and the ways to spell a
// command so that it is not seen. A report uses none of them.
var outward = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\\(?:write\s*18|shellescape|[a-z@_]*lua[a-z@_:]*|openin|openout|read\b|readline|(?:@@|@)?input\s*\{?\s*["']?(?:[/|~.]|[a-z]:)|include\w*\s*(?:\[[^\]]*\])?\{\s*["']?(?:[/|~.]|[a-z]:)|` +
		`pdfobj|pdfximage|pdffiledump|pdfmdfivesum|pdffilesize|filedump|filesize|mdfivesum|pdfprimitive|primitive|special|xetex(?:pic|pdf)file|tex_[a-z_]*:d|` +
		`csname|@nameuse|use:c|catcode|scantokens|scantextokens|explsyntaxon|uppercase|lowercase)` +
		`|\^\^|\\(?:begin|end)\s*\{[^}]*[^a-zA-Z*}][^}]*(?:\}|$)|\\begin\s*\{(?:lua|filecontents)|\\usepackage[^%]*(?:lua|shell|write|catchfile|minted|verbatiminput)`)
})

// screen sets every line that could reach out as the text it is made of.
func (c *copied) screen() []Problem {
	var list []Problem
	for i, line := range c.lines {
		if outward().MatchString(line) {
			list = append(list, Problem{Line: i + 1, Text: "a command that could reach beyond the paper, where the system cannot hold it back", Mended: c.asText(i)})
		}
	}
	return list
}
