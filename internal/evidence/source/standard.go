package source

import (
	"regexp"
	"strings"
	"sync"
)

// sectionForm is what follows a standard's name to point into it.
var sectionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i),?\s*(?:§|\(?\b(?:section|sect?\.|clause|chapter|appendix|annex|table)\s)\s*[\w.]*[\w)]$`)
})

func withoutSection(ref string) string { return sectionForm().ReplaceAllString(ref, "") }

// standardsBody is how one publisher's standards are written: the groups of the form,
// joined by dashes behind its name, are the key. Years and revisions are kept:
// another edition is another text.
type standardsBody struct {
	name string
	form *regexp.Regexp
}

var standardsBodies = sync.OnceValue(func() []standardsBody {
	list := []standardsBody{
		{"owasp", regexp.MustCompile(`^owasp[\s-]*(?:top[\s-]*10[\s-]*)?(a\d{2})(?:[:-](\d{4}))?(?:\b.*)?$`)},
		{"owasp", regexp.MustCompile(`^owasp[\s-]*(asvs|masvs|samm|wstg|top[\s-]*10)[\s:-]*(?:v(?:ersion)?\.?\s*)?([\d.]+)?(?:[\s-]*(?:v?[\d.]+)?)?$`)},
		{"nist", regexp.MustCompile(`^nist[\s-]*(?:sp|special publication)[\s-]*(\d{3,4}-\d+[a-z]?)[\s,.]*(?:r(?:ev)?(?:ision)?\.?\s*(\d+))?$`)},
		{"nist", regexp.MustCompile(`^nist[\s-]*((?:ai|ir|csf|cswp)[\s-]*[\d.]+(?:-\d+)?)$`)},
		{"fips", regexp.MustCompile(`^(?:nist[\s-]*)?fips(?:\s*pub)?[\s-]*(\d{2,3}(?:-\d+)?)$`)},
		{"iso", regexp.MustCompile(`^(?:(?:din|bs|en)[\s-]+)*iso(?:/(?:iec|ieee|sae|ts|tr|iec/ieee|iec ts|iec tr))?[\s-]*(?:(?:ts|tr)\s+)?(\d{3,5}(?:-\d+)*)(?::(\d{4}))?$`)},
		{"iec", regexp.MustCompile(`^iec[\s-]*(\d{4,5}(?:-\d+)*)(?::(\d{4}))?$`)},
		{"ieee", regexp.MustCompile(`^ieee(?:\s*std\.?)?[\s-]*([pc]?\d{3,5}(?:\.\d+[a-z]*)*)(?:[-:](\d{4}))?$`)},
		{"ecma", regexp.MustCompile(`^ecma[\s-]*(\d{1,3})$`)},
		{"cwe", regexp.MustCompile(`^cwe[\s-]*(\d{1,5})$`)},
		{"cve", regexp.MustCompile(`^cve[\s-]*(\d{4}-\d{4,9})$`)},
		{"wcag", regexp.MustCompile(`^(?:w3c\s*)?wcag[\s-]*(\d\.\d)$`)},
		{"pci-dss", regexp.MustCompile(`^pci[\s-]*dss[\s-]*v?([\d.]+)?$`)},
		{"itu-t", regexp.MustCompile(`^itu-t[\s-]*(?:rec(?:ommendation|\.)?\s*)?([a-z]\.\d{1,4}(?:\.\d+)*)$`)},
		{"en", regexp.MustCompile(`^(?:etsi\s*)?en\s*(\d{3}\s\d{3}|\d{4,6}(?:-\d+)*)(?::(\d{4}))?$`)},
		{"bcp", regexp.MustCompile(`^bcp[\s-]*(\d{1,4})$`)},
		{"pep", regexp.MustCompile(`^pep[\s-]*0*(\d{1,4})$`)},
	}
	return list
})

// standard reads the name of a standard, with or without a place in it.
func standard(ref string) (Source, bool) {
	if len(ref) > 120 || !mayNameStandard(ref) {
		return Source{}, false
	}
	lower := strings.TrimRight(strings.ToLower(withoutSection(ref)), " .,;")
	for _, b := range standardsBodies() {
		m := b.form.FindStringSubmatch(lower)
		if m == nil {
			continue
		}
		key := b.name
		for _, part := range m[1:] {
			if part = strings.Trim(part, " .-"); part != "" {
				key += "-" + strings.Join(strings.FieldsFunc(part, func(r rune) bool { return r == ' ' || r == '-' }), "-")
			}
		}
		return newSource(Standard, key, standardLink(key)), true
	}
	return Source{}, false
}

// mayNameStandard reports whether a reference begins like the name of a publisher of
// standards: nearly none does, and the forms are slow to try.
func mayNameStandard(ref string) bool {
	for _, name := range []string{"owasp", "nist", "fips", "iso", "din", "bs", "en", "iec", "ieee", "ecma", "cwe", "cve", "w3c", "wcag", "pci", "itu", "etsi", "bcp", "pep"} {
		if len(ref) > len(name) && strings.EqualFold(ref[:len(name)], name) && strings.IndexByte(" -/:\u00a0", ref[len(name)]) >= 0 {
			return true
		}
	}
	return false
}

// standardLink is where a standard is published, for those with an address
// that their name gives.
func standardLink(key string) string {
	if id, ok := strings.CutPrefix(key, "cwe-"); ok {
		return "https://cwe.mitre.org/data/definitions/" + id + ".html"
	}
	if id, ok := strings.CutPrefix(key, "cve-"); ok {
		return "https://www.cve.org/CVERecord?id=CVE-" + id
	}
	return ""
}

// fromWeaknessPage reads the pages of single weaknesses and vulnerabilities.
func (a address) fromWeaknessPage(parts []string) (Source, bool) {
	last := strings.TrimSuffix(parts[len(parts)-1], ".html")
	if len(parts) == 3 && parts[1] == "definitions" && digits(last, 5) {
		return standard("cwe-" + last)
	}
	for _, p := range a.queryParams() {
		if name, value, _ := strings.Cut(p, "="); name == "id" || name == "name" {
			last = value
		}
	}
	if !strings.HasPrefix(strings.ToLower(last), "cve-") {
		return Source{}, false
	}
	return standard(last)
}

var (
	commitForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100})@([0-9a-fA-F]{7,40})$`)
	})
	hashForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{7,40}$`) })
)

// commit reads owner/repository@hash, GitHub's way to name a commit. A short
// hash is another key than the long one it begins: which that is only the
// repository knows.
func commit(ref string) (Source, bool) {
	if strings.IndexByte(ref, '@') < 0 {
		return Source{}, false
	}
	m := commitForm().FindStringSubmatch(ref)
	if m == nil {
		return Source{}, false
	}
	return fromCommit("github.com", strings.ToLower(m[1]), "/commit/", strings.ToLower(m[2]))
}

func fromCommit(host, repository, between, hash string) (Source, bool) {
	if strings.Trim(repository[strings.IndexByte(repository, '/')+1:], ".") == "" {
		return Source{}, false
	}
	return newSource(Commit, host+"/"+repository+"@"+hash, "https://"+host+"/"+repository+between+hash), true
}

// commitPage reads the page of a commit, in lower case: neither of these hosts
// tells names apart by case.
func commitPage(host string, parts []string) (Source, bool) {
	n := len(parts)
	if n < 4 || parts[n-2] != "commit" || !hashForm().MatchString(parts[n-1]) {
		return Source{}, false
	}
	switch {
	case host == "github.com" && n == 4:
		return fromCommit(host, strings.Join(parts[:2], "/"), "/commit/", parts[3])
	case host == "gitlab.com" && n > 4 && parts[n-3] == "-":
		return fromCommit(host, strings.Join(parts[:n-3], "/"), "/-/commit/", parts[n-1])
	}
	return Source{}, false
}
