package source

import "strings"

// withoutAMP is the address of the page that an AMP form of it, an abridged
// copy for phones, stands for: of a cache's address that of the page, and of
// the page's own AMP address that without the mark of one.
func (a address) withoutAMP() address {
	if page, ok := a.fromAMPCache(); ok {
		a = page
	}
	a.path = trimAMPSuffix(a.path)
	var kept []string
	for _, p := range a.queryParams() {
		if name, value, _ := strings.Cut(strings.ToLower(p), "="); !ampParam(name, value) {
			kept = append(kept, p)
		}
	}
	a.query = strings.Join(kept, "&")
	return a
}

func ampParam(name, value string) bool {
	return name == "amp" && (value == "" || value == "1" || value == "true") || name == "outputtype" && value == "amp"
}

// fromAMPCache reads the addresses of the caches of AMP pages: …/c/s/host/path, and
// Google's /amp/s/host/path.
func (a address) fromAMPCache() (address, bool) {
	page, ok := "", false
	switch {
	case strings.HasSuffix(a.host, ".cdn.ampproject.org"):
		for _, kind := range []string{"/c/", "/v/"} {
			if page, ok = strings.CutPrefix(a.path, kind); ok {
				break
			}
		}
	case a.bareHost() == "google.com":
		page, ok = strings.CutPrefix(a.path, "/amp/")
	}
	if !ok {
		return a, false
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(page, "s/"), "/")
	inner := address{scheme: "https", path: "/" + path, query: a.query}
	return inner, strings.Contains(host, ".") && inner.parseAuthority(host)
}

// trimAMPSuffix drops the end of a path that marks an AMP form: /amp behind what
// looks like an article's name, .amp or .amp.html. A path that ends in /amp
// may also be a page about amplifiers.
func trimAMPSuffix(path string) string {
	for _, form := range []string{".amp", ".amp.html"} {
		if rest, ok := strings.CutSuffix(path, form); ok && !strings.HasSuffix(rest, "/") {
			return rest + strings.TrimPrefix(form, ".amp")
		}
	}
	for _, end := range []string{"/amp", "/amp/"} {
		rest, ok := strings.CutSuffix(path, end)
		if name := rest[strings.LastIndexByte(rest, '/')+1:]; ok && strings.ContainsAny(name, "-0123456789") {
			return rest + strings.TrimPrefix(end, "/amp")
		}
	}
	return path
}
