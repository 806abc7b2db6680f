package agent

import (
	"fmt"
	"strings"
)

// Shell quotes an argument vector for a POSIX shell. No "$" is followed by a
// letter or a brace, so that a program which expands variables in the line
// before the shell sees it finds none.
func Shell(argv []string) string {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		a = strings.ReplaceAll(a, "'", `'\''`)
		quoted[i] = "'" + strings.ReplaceAll(a, "$", "$''") + "'"
	}
	return strings.Join(quoted, " ")
}

// TOML is s as a basic string of TOML 1.0: the quote, the backslash and
// control characters are escaped, all else stands as it is.
func TOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
