package source

import (
	"regexp"
	"strings"
	"sync"
)

var (
	doiForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s"<>]+`) })
	doiFormOld = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+`) }) // some have < and >, in their own places
	arXivNew   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{4}\.[0-9]{4,5})(?:v[0-9]+)?$`) })
	arXivOld   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z-]+)(?:\.[a-z]{2})?/([0-9]{7})(?:v[0-9]+)?$`) })
	preprint   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(10\.1101/[0-9.]+)v[0-9]+(?:\..*|/.*)?$`) }) // bioRxiv and medRxiv: version, then form
)

// formSuffixes are what publishers put behind a DOI to name a form of the
// same text.
var formSuffixes = []string{
	"/abstract", "/full", "/fulltext", "/full-text", "/full/html", "/pdf", "/epdf", "/epub", "/html", "/meta", "/summary", "/references", ".pdf",
}

// doiEscape keeps what ends a path from ending a DOI in it.
var doiEscape = strings.NewReplacer("#", "%23", "?", "%3F")

// parseDOI reads a DOI at the beginning of s, in lower case: DOIs are compared
// without case (DOI Handbook 2.4). Bare ones, not from an address, may hold
// angle brackets.
func parseDOI(s string, bare bool) (string, bool) {
	form := doiForm
	if bare {
		form = doiFormOld
	}
	id := strings.ToLower(form().FindString(s))
	if id == "" {
		return "", false
	}
	id = trimPunctuation(strings.ToValidUTF8(id, ""))
	if m := preprint().FindStringSubmatch(id); m != nil {
		return m[1], true
	}
	for trimmed := true; trimmed; {
		trimmed = false
		for _, suffix := range formSuffixes {
			if rest, ok := strings.CutSuffix(id, suffix); ok && strings.Count(rest, "/") > 0 {
				id, trimmed = rest, true
			}
		}
	}
	prefix, rest, _ := strings.Cut(id, "/")
	return id, prefix != "" && rest != ""
}

// trimPunctuation drops what the sentence around a reference left at its end.
// A closing bracket stays when it has been opened.
func trimPunctuation(s string) string {
	opened := strings.Count(s, "(") - strings.Count(s, ")")
	for s != "" {
		last := s[len(s)-1]
		switch {
		case strings.IndexByte(".,;:'\"/", last) >= 0:
		case last == ')' && opened < 0:
			opened++
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// arXivID reads an arXiv identifier, old or new, in lower case. The version
// and the subject class of old ones are left out: they name the same paper.
func arXivID(s string) (string, bool) {
	s = strings.TrimSuffix(strings.Trim(s, "/ "), ".pdf")
	if m := arXivNew().FindStringSubmatch(s); m != nil {
		return m[1], true
	}
	if m := arXivOld().FindStringSubmatch(s); m != nil {
		return m[1] + "/" + m[2], true
	}
	return "", false
}

// workSource looks for the identity of a paper, book or standard in an address.
func (a address) workSource() (Source, bool) {
	lower := strings.ToLower(cleanReference(percentDecode(a.path)))
	host := a.bareHost()
	if host == "doi.org" || host == "dx.doi.org" {
		return fromDOI(strings.TrimPrefix(lower, "/"))
	}
	if id, ok := a.findDOI(lower); ok {
		return fromDOI(id)
	}
	parts := strings.Split(strings.Trim(lower, "/"), "/")
	switch host {
	case "arxiv.org", "export.arxiv.org", "browse.arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org":
		return arXivPage(parts)
	case "ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov", "europepmc.org":
		return medicalPage(host, parts)
	case "rfc-editor.org", "datatracker.ietf.org", "tools.ietf.org", "ietf.org", "httpwg.org":
		return standardPage(parts)
	case "cwe.mitre.org", "cve.org", "cve.mitre.org", "nvd.nist.gov":
		return a.fromWeaknessPage(parts)
	case "github.com", "gitlab.com":
		return commitPage(host, parts)
	}
	return Source{}, false
}

// findDOI finds a DOI that stands in a path as whole segments, or in the query
// under the names publishers give it, where what stands before it says that
// this is the paper. Comments on it, records, metrics and supplements are other
// texts.
func (a address) findDOI(lower string) (string, bool) {
	for _, p := range a.queryParams() {
		name, value, _ := strings.Cut(p, "=")
		if name = strings.ToLower(name); (name == "id" || name == "doi") && leadsToPaper(strings.TrimSuffix(strings.TrimSuffix(lower, "/"), "/file")) {
			if id, ok := parseDOI(cleanReference(percentDecode(value)), false); ok {
				return id, true
			}
		}
	}
	at := strings.Index(lower, "/10.")
	if at < 0 || !leadsToPaper(lower[:at]) {
		return "", false
	}
	return parseDOI(lower[at+1:], false)
}

// leadsToPaper reports whether a path ends with one of the words by which publishers
// lead to a paper itself.
func leadsToPaper(path string) bool {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "doi", "abs", "full", "pdf", "epdf", "pdfdirect", "epub", "fulltext", "article", "articles", "article-abstract",
		"chapter", "book", "content", "document", "abstract", "science", "early":
		return !strings.Contains(path, "suppl")
	}
	return false
}

func arXivPage(parts []string) (Source, bool) {
	if len(parts) < 2 {
		return Source{}, false
	}
	switch parts[0] {
	case "abs", "pdf", "html", "format", "ps":
		return fromArXiv(strings.Join(parts[1:], "/"))
	}
	return Source{}, false
}

func medicalPage(host string, parts []string) (Source, bool) {
	if host == "pubmed.ncbi.nlm.nih.gov" && len(parts) == 1 && parts[0] != "" {
		return fromPMID(parts[0])
	}
	for i, part := range parts[:len(parts)-1] {
		switch part {
		case "articles", "pmc":
			id := parts[i+1]
			if strings.HasSuffix(host, "ncbi.nlm.nih.gov") && part == "articles" && digits(id, 9) { // as OpenAlex has them
				id = "pmc" + id
			}
			if s, ok := fromPMC(id); ok {
				return s, true
			}
		case "pubmed", "med":
			if s, ok := fromPMID(parts[i+1]); ok {
				return s, true
			}
		}
	}
	return Source{}, false
}

func standardPage(parts []string) (Source, bool) {
	last := parts[len(parts)-1]
	for _, form := range []string{".html", ".txt", ".pdf", ".xml"} {
		last = strings.TrimSuffix(last, form)
	}
	id, ok := strings.CutPrefix(last, "rfc")
	if !ok {
		return Source{}, false
	}
	return fromRFC(id)
}
