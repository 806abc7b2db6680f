// Package protected names the files of a project that later sessions, tools and
// git obey: instructions for agents, their settings and servers, workflows,
// what a shell runs when it enters a folder, and git's own. Who writes code
// unattended may not write them unless the person has named them: what is
// written there today is an order tomorrow.
//
// A path is judged by its name alone, at any depth, as the most lenient file
// system would read it: in any case, with invisible signs, wide letters,
// backslashes, short names of old systems and trailing dots taken away. What a
// symbolic link leads to is known to who looks at the disk, and judged there.
package protected

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Names are the protected files and folders, as they are written. A folder
// stands for all that is in it.
//
// Claude Code, Codex, Gemini, Cursor, Copilot and Windsurf document theirs;
// direnv, git and husky run or obey the others.
func Names() []string {
	return []string{
		"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md",
		".claude", ".claude-plugin", ".codex", ".gemini", ".agents", ".cursor", ".cursorrules", ".windsurfrules", ".mcp.json",
		".github", ".envrc",
		".git", ".gitmodules", ".gitattributes", ".husky", ".githooks",
	}
}

// IsProtected reports whether a path, relative to the project, is protected: itself or
// a folder it lies in.
func IsProtected(name string) bool {
	for part := range strings.SplitSeq(cleanPath(name), "/") {
		if IsProtectedName(part) {
			return true
		}
	}
	return false
}

// IsProtectedName reports whether a file or folder of that name is protected.
func IsProtectedName(name string) bool {
	if isPlainName(name) {
		return slices.ContainsFunc(Names(), func(n string) bool { return strings.EqualFold(n, name) })
	}
	name = normaliseName(name)
	return slices.ContainsFunc(Names(), func(n string) bool { return strings.ToLower(n) == name || isShortName(n, name) })
}

// isPlainName reports whether a name is read alike everywhere but for its case: most
// are, and are judged in no time.
func isPlainName(name string) bool {
	for _, c := range []byte(name) {
		if c >= 0x80 || c == '~' {
			return false
		}
	}
	return name != "" && name[len(name)-1] != '.' && name[len(name)-1] != ' '
}

// cleanPath is a path with slashes alone and without what leads nowhere.
func cleanPath(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

// normaliseName is a name as the most lenient file system compares it.
func normaliseName(name string) string {
	name = norm.NFKC.String(name)
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, name)
	return strings.TrimRight(cases.Fold().String(name), ". ")
}

// isShortName reports whether a name is the short one that old file systems keep
// beside a long one: GIT~1 for .git. Only the first letters are told by it.
func isShortName(long, name string) bool {
	stem, number, found := strings.Cut(name, "~")
	if !found || number == "" || strings.Trim(number, "0123456789") != "" {
		return false
	}
	letters := strings.ToLower(strings.Trim(strings.ReplaceAll(strings.TrimSuffix(long, path.Ext(strings.TrimPrefix(long, "."))), ".", ""), "."))
	return stem != "" && letters[:min(len(letters), 6)] == stem
}

// IsNamedBy reports whether a person has named a path, relative to the project:
// itself or a folder it lies in. A path of theirs may hold [path.Match]'s
// wildcards.
func IsNamedBy(list []string, name string) bool {
	name = cleanPath(name)
	return slices.ContainsFunc(list, func(named string) bool {
		named = cleanPath(named)
		for at := name; at != "." && at != ""; at = path.Dir(at) {
			if matched, err := path.Match(named, at); at == named || err == nil && matched {
				return true
			}
		}
		return false
	})
}
