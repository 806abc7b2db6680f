package citation

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"

	"golang.org/x/net/publicsuffix"
)

// readAddress reads a bare address at i; 0 when there is none.
func (s *inlineReader) readAddress(i int) int {
	rest := s.raw[i:min(len(s.raw), i+maxAddress)]
	if !isWebAddress(rest) {
		return 0
	}
	if before, _ := utf8.DecodeLastRuneInString(s.raw[:i]); before < utf8.RuneSelf && words.IsAlphanumeric(before) {
		return 0
	}
	url := TrimURL(rest)
	if n := len(s.open); n > 0 && i+len(url) > s.open[n-1].until {
		url = rest[:s.open[n-1].until-i]
	}
	if !strings.Contains(strings.TrimPrefix(url, "www."), ".") && !strings.Contains(url, "//localhost") && !strings.Contains(url, "//[") {
		end := max(i+1, i+len(url))
		s.writeRaw(i, end)
		return end
	}
	if url, end := s.joinBroken(url, i); end > 0 {
		s.addAutolink(i, end, url)
		return end
	}
	if len(s.open) > 0 { // the words of a link to it
		s.writeRaw(i, i+len(url))
		return i + len(url)
	}
	s.addAutolink(i, i+len(url), url)
	return i + len(url)
}

var addressPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9/._~%=&?#+@:-]+$`) })

// joinBroken joins an address that is broken at the end of a line, as in a text
// copied from a printed page: in an entry of a list the next line is one piece
// that can only be its rest. It gives the address and where it ends; 0 where it
// is not broken.
func (s *inlineReader) joinBroken(url string, i int) (string, int) {
	end := i + len(url)
	if !s.entry || end+1 >= len(s.raw) || s.raw[end] != '\n' || len(s.open) > 0 {
		return "", 0
	}
	next, _, _ := strings.Cut(s.raw[end+1:min(len(s.raw), end+1+maxAddress)], "\n")
	next = strings.TrimRight(next, " ")
	part := TrimURL(next)
	cut := strings.IndexByte("-/_?&=%.", url[len(url)-1]) >= 0
	if part == "" || part != next || !addressPart().MatchString(part) || isWebAddress(part) || !cut && !strings.ContainsAny(part, "/_=%.") {
		return "", 0
	}
	return url + part, end + 1 + len(part)
}

// TrimURL gives the address at the beginning of a text, without what the
// sentence around it left at its end. A closing bracket belongs to it when it
// has been opened in it.
func TrimURL(s string) string {
	round, square, end := 0, 0, len(s)
scan:
	for i, r := range s {
		switch r {
		case '(':
			round++
		case ')':
			round--
		case '[':
			square++
			if i+1 < len(s) && (s[i+1] == '^' || s[i+1] >= '0' && s[i+1] <= '9') {
				square = -1 // a marker
			}
		case ']':
			square--
			if strings.HasPrefix(s[i:], "](") {
				square = -1
			}
		}
		if round < 0 || square < 0 || unicode.IsSpace(r) || isHidden(r) || strings.ContainsRune("<>\"“”«»「」『』，。；：、（）【】《》！？|`\u2502", r) {
			end = i
			break scan
		}
	}
	return strings.TrimRight(s[:end], ".,;:!?'*_~\\([{")
}

var hostForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:(?:https?://)?(?:www\.)?)((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24})(?:[/:?#].*)?$`)
})

// hostOf is the host a text names that is nothing but its name or an address of
// it; "" where it is none. Its last part is one the internet has, or has put
// aside for examples (RFC 2606).
func hostOf(text string) string {
	m := hostForm().FindStringSubmatch(strings.Trim(text, " .,…"))
	if m == nil {
		return ""
	}
	last := m[1][strings.LastIndexByte(m[1], '.')+1:]
	if _, icann := publicsuffix.PublicSuffix(m[1]); !icann && !slices.Contains([]string{"example", "test", "invalid"}, last) {
		return ""
	}
	return m[1]
}

// namesOtherHost reports whether a link's words name another host than it leads
// to. A page may stand within another: an archive's, a translation.
func namesOtherHost(text, target string) bool {
	said := hostOf(text)
	if said == "" || strings.Contains(strings.ToLower(target), said) {
		return false
	}
	u, err := url.Parse(target)
	if err != nil || u.Hostname() == "" {
		return false
	}
	return site(said) != site(strings.ToLower(u.Hostname()))
}

// site is what one owner has of a host's name.
func site(host string) string {
	if s, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return s
	}
	return host
}

// fileOf is the name of the file an address ends with, in small letters; "" for
// none.
func fileOf(address string) string {
	name := path.Base(strings.SplitN(address, "?", 2)[0])
	if ext := path.Ext(name); len(ext) < 2 || len(ext) > 6 || len(ext) == len(name) || !strings.Contains(strings.TrimPrefix(address, "https://"), "/") {
		return ""
	}
	return strings.ToLower(name)
}
