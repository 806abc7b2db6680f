package char

import (
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// Entity decodes the entity of HTML that begins at i; end is 0 for none.
func Entity(s string, i int) (decoded string, end int) {
	const most = 34 // the longest name has 31 letters
	window := s[i:min(len(s), i+most)]
	semicolon := strings.IndexByte(window, ';')
	if semicolon < 2 {
		return "", 0
	}
	for _, c := range []byte(window[1:semicolon]) {
		if LowerASCII(c) == 0 && c != '#' {
			return "", 0
		}
	}
	decoded = html.UnescapeString(window[:semicolon+1])
	if strings.HasPrefix(decoded, "&") && decoded != "&" || !utf8.ValidString(decoded) {
		return "", 0
	}
	return decoded, i + semicolon + 1
}

// LinkTarget gives the end of a link's target in Markdown whose "(" is at i, 0 for
// none.
func LinkTarget(s string, i int) int {
	const most = 400
	window := s[i+1 : min(len(s), i+most)]
	end, stop := endOfTarget(window)
	if stop == 0 {
		return 0
	}
	if !strings.HasPrefix(window, "http") && !strings.HasPrefix(window, "#") && !strings.HasPrefix(window, "/") && !strings.HasPrefix(window, "mailto:") && !isFile(window[:end]) {
		return 0
	}
	return i + 1 + stop
}

// endOfTarget is where the address of a link ends that a text begins with, and where its bracket,
// 0 for none: brackets may stand within it, and a title behind it.
func endOfTarget(s string) (address, bracket int) {
	open := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '(':
			open++
		case c == ')' && open > 0:
			open--
		case c == ')':
			return i, i + 1
		case c == '\n':
			return 0, 0
		case c == ' ':
			title := strings.TrimLeft(s[i:], " ")
			if title == "" || title[0] != '"' && title[0] != '\'' {
				return 0, 0
			}
			inner, _, closed := strings.Cut(title[1:], title[:1]+")")
			if !closed || strings.Contains(inner, "\n") {
				return 0, 0
			}
			return i, len(s) - len(title) + 1 + len(inner) + 2
		}
	}
	return 0, 0
}

// isFile reports whether the target of a link is a file or a folder beside the text, and
// no argument of a call.
func isFile(target string) bool {
	if strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../") {
		return true
	}
	path, _, _ := strings.Cut(target, "#")
	dot := strings.LastIndexByte(path, '.')
	if dot < 1 {
		return slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "README", "CHANGELOG", "CHANGES", "AUTHORS", "CONTRIBUTING", "SECURITY"}, path)
	}
	switch path[dot+1:] {
	case "md", "markdown", "html", "htm", "rst", "adoc", "txt", "pdf", "png", "svg", "jpg", "gif":
		return true
	}
	const ending = 4 // letters
	return strings.Contains(path[:dot], "/") && len(path)-dot-1 <= ending && !strings.ContainsAny(path, "([{=")
}
