package survey

import (
	"github.com/research-council/research-council/internal/base/markdown"
	"github.com/research-council/research-council/internal/base/plain"
)

const maxPlain = 1000 // characters

// Plain writes words of foreign origin in a line of Markdown, also in a table,
// as text: nothing in them is a link, a heading, HTML or an escape of a
// terminal. What is beyond 1,000 characters is cut off.
func Plain(words string) string { return markdown.Escape(plain.Line(words, maxPlain), true) }
