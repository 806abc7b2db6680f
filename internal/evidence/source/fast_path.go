package source

import "strings"

// simple identifies at a tenth of the cost what most references are: http
// addresses of plain ASCII that hold nothing which has to be understood. What
// it does not take is left to the others; what it takes they see the same way.
func simple(ref string) (Source, bool) {
	rest, ok := strings.CutPrefix(ref, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(ref, "http://"); !ok {
			return Source{}, false
		}
	}
	end := simpleHost(rest)
	if end == 0 {
		return Source{}, false
	}
	host, tail := rest[:end], rest[end:]
	if !simpleTail(tail) || needsFullParse(host) {
		return Source{}, false
	}
	host = strings.TrimPrefix(host, "www.")
	return Source{Kind: URL, Key: string(URL) + ":" + host + tail, URL: ref}, true
}

// simpleHost is where a host of small letters, digits, dots and dashes ends
// and a path begins; 0 when this is another.
func simpleHost(s string) int {
	dots, last := 0, byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '/' && last != '.' && dots > 0 && i <= 253:
			return i
		case c == '.' && last != '.':
			dots++
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-':
		default:
			return 0
		}
		last = c
	}
	return 0
}

// simpleTail reports whether path and query are in their one form, name no
// paper, and hold no tracker.
func simpleTail(tail string) bool {
	for i := range len(tail) {
		switch c := tail[i]; c {
		case '"', '<', '>', '\\', '^', '`', '{', '|', '}', '%', '#':
			return false
		default:
			if c <= ' ' || c >= 0x7f {
				return false
			}
		}
	}
	path, query, asked := strings.Cut(tail, "?")
	if strings.Contains(path, "amp") || strings.Contains(path, "/10.") {
		return false
	}
	if !asked {
		return true
	}
	for p := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		name = strings.ToLower(name)
		if p == "" || tracker(name) || strings.HasPrefix(name, "amp") || name == "outputtype" || (name == "id" || name == "doi") && !digits(value, 20) {
			return false
		}
	}
	return true
}

// needsFullParse reports whether a host's addresses have to be understood.
func needsFullParse(host string) bool {
	bare := strings.TrimPrefix(host, "www.")
	if bare != host && strings.IndexByte(bare, '.') < 0 {
		return true
	}
	for _, label := range []string{"www.", "m.", "amp.", "xn--"} {
		if strings.HasPrefix(bare, label) {
			return true
		}
	}
	domain := bare
	if at := strings.LastIndexByte(bare, '.'); at > 0 {
		domain = bare[strings.LastIndexByte(bare[:at], '.')+1:]
	}
	switch domain {
	case "doi.org", "arxiv.org", "ar5iv.org", "nih.gov", "europepmc.org", "ietf.org", "rfc-editor.org", "httpwg.org", "mitre.org", "cve.org", "nist.gov",
		"github.com", "gitlab.com", "ampproject.org", "google.com", "wikipedia.org", "wiktionary.org":
		return true
	}
	return false
}
