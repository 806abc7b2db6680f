package source

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
)

var (
	// lineSuffix is :12, :12-20, :12:5 (a column follows), :L12-L20 or #L12-L20.
	lineSuffix = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:#[lL]|:[lL]?)([0-9]{1,9})(?:\s?[-–—]\s?[lL]?([0-9]{1,9})|:[0-9]{1,9})?$`)
	})
	extension = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]{0,9}$`) })
	otherURL  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+-]+:`) }) // two letters at least: C:\ is a path
)

// parseFile reads a path, with or without lines. A sentence is none: with blanks in
// it, it has to end like a file.
func parseFile(ref string) (Source, bool) {
	s := Source{Kind: File}
	named, address := ref, false
	if rest, ok := cutScheme(ref); ok {
		if named, ok = fileAddress(rest); !ok {
			return Source{}, false
		}
		address = true
	}
	s.First, s.Last, named = cutLines(named)
	if address {
		if plain, err := url.PathUnescape(named); err == nil && plain == cleanReference(plain) {
			named = plain
		}
	}
	if !isPath(named, s.First > 0) {
		return Source{}, false
	}
	s.Path = path.Clean(named)
	s.Key = string(File) + ":" + s.Path
	return s, true
}

// cutLines takes the lines off that a reference ends with; 0 where it names none.
func cutLines(ref string) (first, last int, named string) {
	m := lineSuffix().FindStringSubmatchIndex(ref)
	if m == nil || m[0] == 0 {
		return 0, 0, ref
	}
	first = line(ref[m[2]:m[3]])
	last = first
	if m[4] >= 0 {
		last = line(ref[m[4]:m[5]])
	}
	if first > last {
		first, last = last, first
	}
	if first == 0 {
		first = last
	}
	return first, last, strings.TrimSpace(ref[:m[0]])
}

// cutScheme takes the scheme of an address of a file off.
func cutScheme(ref string) (string, bool) {
	const scheme = "file:"
	if len(ref) < len(scheme) || !strings.EqualFold(ref[:len(scheme)], scheme) {
		return ref, false
	}
	return ref[len(scheme):], true
}

// fileAddress is the path in an address of a file on this machine (RFC 8089), on a
// drive of Windows too: file:///C:/a.md, or file://C:/a.md.
func fileAddress(rest string) (string, bool) {
	at, ok := strings.CutPrefix(rest, "//")
	if !ok {
		at = rest
	}
	if bare := strings.TrimPrefix(at, "/"); onDrive(bare) {
		return bare, true
	}
	if !ok || strings.HasPrefix(at, "/") {
		return at, true
	}
	host, _, _ := strings.Cut(at, "/")
	if strings.EqualFold(host, "localhost") {
		return at[len(host):], true
	}
	return at, host == "." || host == ".."
}

// onDrive reports whether a path begins with the letter of a drive.
func onDrive(p string) bool {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	return len(p) > 2 && letter(p[0]) && p[1] == ':' && (p[2] == '/' || p[2] == '\\')
}

func isPath(s string, lines bool) bool {
	if s == "" || len(s) > 4096 || otherURL().MatchString(s) {
		return false
	}
	if strings.Contains(s, " ") {
		return extension().MatchString(s)
	}
	return lines || strings.Trim(s, "./-_*?#") != ""
}
