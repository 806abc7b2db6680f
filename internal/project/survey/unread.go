package survey

import (
	"path"
	"slices"
	"strings"
)

// MayBeCode reports whether a file that is left out may be code. change says that
// the file belongs to a change under review: then whoever made the change has
// chosen its name, its place and its header, and none of them is a reason to
// pass it; only prose, data by their kind and what is empty are. In a whole tree
// what was generated, taken over from elsewhere or laid out for tests is not
// the project's code, and what remains is code that could not be read.
func (f File) MayBeCode(change bool) bool {
	switch {
	case f.Reviewed(), f.Skip == SkipEmpty:
		return false
	case change:
		return f.Kind != Prose && f.Kind != Data || f.Executable
	case f.Kind != Source:
		return false
	}
	return slices.Contains([]string{SkipBinary, SkipLarge, SkipLines, SkipEncoding, SkipUnread, SkipData}, f.Skip)
}

// MatchesAny reports whether one of some patterns names a path. A pattern without a
// slash, but at its end, names files and folders of any depth, one with a slash
// those of the top; a folder stands for all below it. Each part is a pattern as
// of [path.Match].
func MatchesAny(p string, patterns []string) bool {
	parts := strings.Split(p, "/")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/"); pattern == "" {
			return false
		}
		if !strings.Contains(pattern, "/") {
			return slices.ContainsFunc(parts, func(part string) bool { return matchesPattern(pattern, part) })
		}
		deep := strings.Count(pattern, "/") + 1
		return deep <= len(parts) && matchesPattern(pattern, strings.Join(parts[:deep], "/"))
	})
}

func matchesPattern(pattern, name string) bool {
	is, err := path.Match(pattern, name)
	return pattern == name || err == nil && is
}
