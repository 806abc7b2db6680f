package reading

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Sources of TeX and reStructuredText strike out and hide by commands, and plain text by a stroke through each
// letter.

// strokeThrough is set through the letter before it.
const strokeThrough = '\u0336'

var (
	// struckCommand is a command of TeX that strikes out its argument, or the beginning of what it does not print.
	struckCommand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\(?:(sout|xout|st|cancel|bcancel|xcancel|hcancel)\{|iffalse\b|begin\{comment\})`)
	})
	// lineOfComment is a line of TeX that is not printed.
	lineOfComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*%.*(?:\n[ \t]*%.*)*`) })
	// commentOfRST is how a comment of reStructuredText begins: with no target, note, substitution or directive.
	commentOfRST = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\.\.(?: comment::[ \t]*$| [\pL\d"“«¿¡(][^\n]*$|[ \t]*$)`)
	})
	directiveOfRST = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.\. [\w:.+-]+::`) })
	underlineOfRST = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\S.*\n(?:={3,}|-{3,}|~{3,}|\^{3,}|\*{3,})$`)
	})
)

// struckInSource gives what a source strikes out or hides by other marks than tags and tildes. Time is linear.
func struckInSource(text string) []Struck {
	var list []Struck
	if strings.ContainsRune(text, strokeThrough) {
		list = strokes(text)
	}
	if strings.Contains(text, `\`) {
		list = append(list, struckInTeX(text)...)
	}
	if strings.Contains(text, "\n..") && underlineOfRST().MatchString(text) {
		list = append(list, commentsOfRST(text)...)
	}
	return apart(list, Struck.span)
}

// strokes gives the words with a stroke through each of their letters.
func strokes(text string) []Struck {
	var list []Struck
	for i := range char.Occurrences(text, string(strokeThrough)) {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		to := i + utf8.RuneLen(strokeThrough)
		if n := len(list); n > 0 && list[n-1].To == i-size {
			list[n-1].To = to
			continue
		}
		list = append(list, Struck{From: i - size, To: to})
	}
	return list
}

// struckInTeX gives what a source of TeX strikes out, and what it does not print of its body.
func struckInTeX(text string) []Struck {
	if !texSource().MatchString(text) {
		return nil
	}
	var list []Struck
	t := texReader{text: text, left: 8*len(text) + 1<<16}
	ends := closings{text: text}
	for _, m := range struckCommand().FindAllStringSubmatchIndex(text, -1) {
		switch {
		case m[2] >= 0:
			if stop := t.groupEnd(m[1] - 1); stop > 0 {
				list = append(list, Struck{From: m[0], To: stop})
			}
		default:
			mark := `\fi`
			if strings.HasPrefix(text[m[0]:], `\begin`) {
				mark = `\end{comment}`
			}
			if stop := ends.next(m[1], mark); stop >= 0 && stop < m[1]+maxStruck {
				list = append(list, Struck{From: m[0], To: stop + len(mark), Hidden: true})
			}
		}
	}
	if body := strings.Index(text, `\begin{document}`); body >= 0 {
		for _, m := range lineOfComment().FindAllStringIndex(text[body:], -1) {
			list = append(list, Struck{From: body + m[0], To: body + m[1], Hidden: true})
		}
	}
	return list
}

// commentsOfRST gives the comments of a source of reStructuredText, with the lines that are set in below them.
func commentsOfRST(text string) []Struck {
	var list []Struck
	for _, m := range commentOfRST().FindAllStringIndex(text, -1) {
		line := text[m[0]:m[1]]
		if m[0] > 0 && !strings.HasSuffix(strings.TrimRight(text[:m[0]], " \t"), "\n\n") || directiveOfRST().MatchString(line) && !strings.HasPrefix(line, ".. comment::") {
			continue
		}
		end := m[1]
		for end < len(text) {
			line, _, _ := strings.Cut(text[end+1:], "\n")
			if strings.TrimSpace(line) != "" && line[0] != ' ' && line[0] != '\t' {
				break
			}
			end += 1 + len(line)
		}
		end = m[0] + len(strings.TrimRight(text[m[0]:end], " \t\n"))
		list = append(list, Struck{From: m[0], To: end, Hidden: true})
	}
	return list
}

// sourceStruckEdits takes out what is struck out or hidden so.
func sourceStruckEdits(text string, without int) []Edit {
	if without == withStruck {
		return nil
	}
	var list []Edit
	for _, p := range struckInSource(text) {
		list = append(list, Edit{From: p.From, To: p.To})
	}
	return list
}

// SaidOfStruck is what a struck or hidden part says without its marks.
func SaidOfStruck(part string) string {
	switch {
	case strings.HasPrefix(part, "<!--"):
		return strings.TrimSuffix(strings.TrimPrefix(part, "<!--"), "-->")
	case strings.HasPrefix(part, `\iffalse`):
		return strings.TrimSuffix(strings.TrimPrefix(part, `\iffalse`), `\fi`)
	case strings.HasPrefix(part, `\begin{comment}`):
		return strings.TrimSuffix(strings.TrimPrefix(part, `\begin{comment}`), `\end{comment}`)
	case strings.HasPrefix(part, `\`):
		_, inner, _ := strings.Cut(part, "{")
		return strings.TrimSuffix(inner, "}")
	case strings.HasPrefix(part, "..") || strings.HasPrefix(strings.TrimLeft(part, " \t"), "%"):
		return strings.TrimPrefix(strings.TrimLeft(strings.ReplaceAll(part, "\n%", "\n"), ".% \t\n"), "comment::")
	case strings.ContainsRune(part, strokeThrough):
		return strings.ReplaceAll(part, string(strokeThrough), "")
	}
	return strings.Trim(WithStruck(part).String(), "~")
}
