package report

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// ownOpenings begin lines that only the program writes: of the line before the
// appendix, of the glance, of what reviewers and judges have done. In small letters.
var ownOpenings = [...]string{
	"appendix: what the report above rests on", "rejected after checking:", "how sure:", "coverage:",
	"no reviewer has read this report", "its reviewers have ", "every reviewer has approved", "all reviewers have approved",
	"nobody has judged this", "no other model has judged this",
}

// imitates gives how a block of a draft begins where a reader would take it for the
// program's word; "" for any other.
func imitates(d document, n ast.Node) string {
	if !running(n) || n.Kind() == ast.KindHeading {
		return ""
	}
	text := strings.ToLower(strings.TrimSpace(d.plainText(n)))
	for _, opening := range ownOpenings {
		if strings.HasPrefix(text, opening) {
			return opening
		}
	}
	return ""
}
