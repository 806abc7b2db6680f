package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// address is an http or https URL taken apart without understanding it.
type address struct {
	scheme, host, port, path, query, fragment string
}

// parseAddress reads an http or https URL the way browsers do: a backslash is
// a slash, and the last @ of the authority ends the user's name. An address
// without a usable host is none.
func parseAddress(ref string) (address, bool) {
	var a address
	scheme, rest, ok := strings.Cut(ref, ":")
	a.scheme = strings.ToLower(scheme)
	if !ok || a.scheme != "http" && a.scheme != "https" {
		if !bareAddress(strings.ToLower(ref)) {
			return a, false
		}
		a.scheme, rest = "https", "//"+ref
	}
	rest, a.fragment, _ = strings.Cut(rest, "#")
	rest, a.query, _ = strings.Cut(rest, "?")
	rest = strings.TrimLeft(strings.ReplaceAll(rest, `\`, "/"), "/")
	authority, path, slash := strings.Cut(rest, "/")
	if slash {
		a.path = "/" + path
	}
	return a, a.parseAuthority(authority)
}

// bareAddress reports whether a reference without a scheme can only be an
// address.
func bareAddress(lower string) bool {
	for _, host := range []string{"www.", "doi.org/", "dx.doi.org/", "arxiv.org/", "pmc.ncbi.nlm.nih.gov/", "pubmed.ncbi.nlm.nih.gov/"} {
		if len(lower) > len(host) && strings.HasPrefix(lower, host) {
			return true
		}
	}
	return false
}

func (a *address) parseAuthority(s string) bool {
	s = s[strings.LastIndexByte(s, '@')+1:]
	s = strings.ToLower(norm.NFKC.String(s))
	s = strings.NewReplacer("。", ".", "%2e", ".").Replace(s)
	host, port := s, ""
	if at := strings.LastIndexByte(s, ':'); at > strings.LastIndexByte(s, ']') {
		host, port = s[:at], s[at+1:]
	}
	if port != "" && !digits(port, 5) {
		return false
	}
	if a.scheme == "http" && port == "80" || a.scheme == "https" && port == "443" {
		port = ""
	}
	a.port = port
	if host = strings.TrimRight(host, "."); !usableHost(host) {
		return false
	}
	a.host = toASCII(host)
	return len(a.host) <= 253
}

func usableHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && inner != "" && strings.Trim(inner, "0123456789abcdef:.") == ""
	}
	for _, r := range host {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '.' && r != '-' && r != '_' {
			return false
		}
	}
	return host != "" && len(host) <= 1024 && !strings.Contains(host, "..") && host[0] != '.'
}

// identify gives the address' identity: a paper's where it names one.
func (a address) identify() Source {
	link := a.followURL()
	a = a.withoutAMP()
	if s, ok := a.workSource(); ok {
		s.URL = link
		return s
	}
	return newSource(URL, a.key(), link)
}

// followURL is the address to follow: what leads to the page is kept as it was
// written.
func (a address) followURL() string { return a.scheme + "://" + a.origin(a.host) + a.pathAndQuery() }

// key leaves out what does not change which page it is: the scheme and the
// host's www., m. and amp.
func (a address) key() string { return a.origin(a.bareHost()) + a.pathAndQuery() }

func (a address) origin(host string) string {
	if a.port != "" {
		return host + ":" + a.port
	}
	return host
}

// pathAndQuery is path, query and the fragment of pages that keep their route there.
func (a address) pathAndQuery() string {
	s := escapePath(a.path)
	if s == "" {
		s = "/"
	}
	if q := strings.Join(a.queryParams(), "&"); q != "" {
		s += "?" + escapePath(q)
	}
	if strings.HasPrefix(a.fragment, "/") || strings.HasPrefix(a.fragment, "!") {
		s += "#" + escapePath(a.fragment)
	}
	return s
}

// bareHost is the host without the labels that name a form of the same pages.
func (a address) bareHost() string {
	host := a.host
	for _, label := range []string{"www.", "m.", "amp."} {
		if rest, ok := strings.CutPrefix(host, label); ok && strings.Contains(rest, ".") {
			host = rest
		}
	}
	for _, wiki := range []string{".wikipedia.org", ".wiktionary.org"} {
		if lang, ok := strings.CutSuffix(host, ".m"+wiki); ok {
			host = lang + wiki
		}
	}
	return host
}

// queryParams are the parameters of the query in their order, without trackers.
func (a address) queryParams() []string {
	var kept []string
	for p := range strings.SplitSeq(a.query, "&") {
		p = strings.TrimPrefix(p, "amp;") // an & that HTML has escaped
		name, _, _ := strings.Cut(p, "=")
		if p != "" && !tracker(strings.ToLower(name)) {
			kept = append(kept, p)
		}
	}
	return kept
}

// tracker reports whether a parameter only says where a reader came from. The
// names are those advertisers and mailers document; a name that is not known
// to be one is none.
func tracker(name string) bool {
	switch name {
	case "gclid", "dclid", "gbraid", "wbraid", "gclsrc", "fbclid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
		"li_fat_id", "mc_cid", "mc_eid", "srsltid", "ref_src", "ref_url", "_ga", "_gl", "_hsenc", "_hsmi",
		"hsctatracking", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id", "wt_mc":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}

const hexDigits = "0123456789ABCDEF"

// escapePath brings percent-encoding into one form (RFC 3986, 6.2.2): letters,
// digits and -._~ stand for themselves, other bytes outside visible ASCII and
// the quotes and brackets that end a link in other formats are encoded.
func escapePath(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = hexValue(s[i+1])<<4 | hexValue(s[i+2])
			i += 2
			if unreserved(c) {
				b.WriteByte(c)
			} else {
				encode(&b, c)
			}
			continue
		}
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}%", c) >= 0 {
			encode(&b, c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func encode(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(hexDigits[c>>4])
	b.WriteByte(hexDigits[c&15])
}

func unreserved(c byte) bool {
	return c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("-._~", c) >= 0)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// percentDecode undoes percent-encoding; what is no such encoding stays.
func percentDecode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			b.WriteByte(hexValue(s[i+1])<<4 | hexValue(s[i+2]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
