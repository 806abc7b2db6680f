package source_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/source"
)

func TestReferencesToOneSourceHaveOneKey(t *testing.T) {
	for _, c := range []struct {
		key  string
		kind source.Kind
		refs []string
	}{
		{"doi:10.1371/journal.pone.0012345", source.DOI, []string{
			"10.1371/journal.pone.0012345", "doi:10.1371/JOURNAL.pone.0012345", "DOI 10.1371/journal.pone.0012345.",
			"https://doi.org/10.1371/journal.pone.0012345", "http://dx.doi.org/10.1371%2Fjournal.pone.0012345",
			"https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0012345",
			"https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0012345&type=printable",
			"https://example.com/doi/full/10.1371/journal.pone.0012345", "https://example.com/doi/epub/10.1371/journal.pone.0012345",
			"https://example.com/doi/pdf/10.1371/journal.pone.0012345.pdf", "https://example.com/articles/10.1371/journal.pone.0012345/full",
			"info:doi/10.1371/journal.pone.0012345", "doi.org/10.1371/journal.pone.0012345",
		}},
		{"doi:10.1016/s0140-6736(05)67875-0", source.DOI, []string{
			"doi:10.1016/S0140-6736(05)67875-0", "https://doi.org/10.1016/S0140-6736(05)67875-0).", "https://doi.org/10.1016/S0140-6736%2805%2967875-0",
		}},
		{"doi:10.1101/2020.01.01.123456", source.DOI, []string{
			"https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf", "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v1",
			"10.1101/2020.01.01.123456",
		}},
		{"arxiv:2106.01234", source.ArXiv, []string{
			"arXiv:2106.01234", "arxiv: 2106.01234v3", "https://arxiv.org/abs/2106.01234", "http://arxiv.org/pdf/2106.01234v2.pdf",
			"https://arxiv.org/html/2106.01234v1", "https://ar5iv.labs.arxiv.org/html/2106.01234", "https://export.arxiv.org/abs/2106.01234",
			"https://doi.org/10.48550/arXiv.2106.01234", "10.48550/ARXIV.2106.01234", "arxiv.org/abs/2106.01234",
		}},
		{"arxiv:math/0309136", source.ArXiv, []string{"arXiv:math.GT/0309136", "https://arxiv.org/abs/math/0309136v1"}},
		{"pmc:1234567", source.PMC, []string{
			"PMC1234567", "PMCID: PMC1234567", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1234567/", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567/#sec2", "https://www.ncbi.nlm.nih.gov/pmc/articles/1234567",
			"https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1234567/pdf/main.pdf", "https://europepmc.org/article/PMC/PMC1234567",
		}},
		{"pmid:7654321", source.PMID, []string{
			"PMID: 7654321", "pmid:7654321", "https://pubmed.ncbi.nlm.nih.gov/7654321/", "http://www.ncbi.nlm.nih.gov/pubmed/7654321", "https://europepmc.org/article/MED/7654321",
		}},
		{"isbn:9780306406157", source.ISBN, []string{"ISBN 0-306-40615-2", "ISBN-13: 978-0-306-40615-7", "urn:isbn:9780306406157"}},
		{"arxiv:1706.03762", source.ArXiv, []string{"https://www.arxiv.org/abs/1706.03762", "https://doi.org/10.48550/arXiv.1706.03762v5", "doi:10.48550/arxiv.1706.03762", "https://arxiv.org/pdf/1706.03762"}},
		{"rfc:9110", source.RFC, []string{
			"RFC 9110, Section 4.2", "RFC 9110 §4.2", "RFC-9110", "https://httpwg.org/specs/rfc9110.html", "https://www.ietf.org/rfc/rfc9110.txt",
			"RFC 9110", "rfc9110", "urn:ietf:rfc:9110", "https://www.rfc-editor.org/rfc/rfc9110.html", "https://datatracker.ietf.org/doc/html/rfc9110#section-5",
		}},
		{"url:example.com/Path?q=1&Page=2", source.URL, []string{
			"https://example.com/Path?q=1&Page=2", "http://EXAMPLE.com:80/Path?utm_source=x&q=1&Page=2#top", "https://www.example.com:443/Path?q=1&Page=2&gclid=abc",
			"https://m.example.com/Path?q=1&Page=2", "https://user:pass@example.com/Path?q=1&Page=2", `https:\\example.com\Path?q=1&Page=2`,
			"<https://example.com/Path?q=1&Page=2>", "www.example.com/Path?q=1&Page=2", "https://example.com/Path?q=1&Page=2#:~:text=words",
			"https://good.example@example.com/Path?q=1&Page=2", "https://example.com/%50ath?q=1&Page=2",
		}},
		{"url:example.com/", source.URL, []string{"https://example.com", "http://example.com/?utm_medium=mail", "https://www.example.com./#x"}},
		{"url:example.com/%C3%A9t%C3%A9", source.URL, []string{"https://example.com/été", "https://example.com/%c3%a9t%c3%a9"}},
		{"url:en.wikipedia.org/wiki/Go_(game)", source.URL, []string{"https://en.wikipedia.org/wiki/Go_(game)", "https://en.m.wikipedia.org/wiki/Go_(game)#History"}},
		{"standard:owasp-a01", source.Standard, []string{"OWASP-A01", "OWASP A01", "OWASP Top 10 A01"}},
		{"standard:owasp-a01-2021", source.Standard, []string{"OWASP A01:2021", "OWASP Top 10 A01:2021", "OWASP-A01:2021 Broken Access Control"}},
		{"standard:owasp-asvs-4.0.3", source.Standard, []string{"OWASP ASVS 4.0.3", "OWASP ASVS v4.0.3"}},
		{"standard:nist-800-53-5", source.Standard, []string{"NIST SP 800-53 Rev. 5", "NIST SP 800-53r5", "nist sp 800-53, revision 5"}},
		{"standard:nist-800-53", source.Standard, []string{"NIST SP 800-53", "NIST Special Publication 800-53"}},
		{"standard:iso-27001", source.Standard, []string{"ISO/IEC 27001", "ISO 27001", "ISO-27001", "ISO/IEC 27001, clause 6.1"}},
		{"standard:iso-27001-2022", source.Standard, []string{"ISO/IEC 27001:2022", "BS EN ISO/IEC 27001:2022"}},
		{"standard:ieee-754-2019", source.Standard, []string{"IEEE 754-2019", "IEEE Std 754-2019"}},
		{"standard:ieee-754", source.Standard, []string{"IEEE 754", "IEEE-754", "IEEE 754 section 4.3"}},
		{"standard:ecma-262", source.Standard, []string{"ECMA-262", "ecma 262", "ECMA-262 §13.2"}},
		{"standard:wcag-2.1", source.Standard, []string{"WCAG 2.1", "W3C WCAG 2.1"}},
		{"standard:fips-140-3", source.Standard, []string{"FIPS 140-3", "FIPS PUB 140-3"}},
		{"standard:pep-8", source.Standard, []string{"PEP 8", "PEP 0008"}},
		{"standard:cwe-79", source.Standard, []string{"CWE-79", "cwe 79", "https://cwe.mitre.org/data/definitions/79.html"}},
		{"standard:cve-2024-1234", source.Standard, []string{
			"CVE-2024-1234", "https://nvd.nist.gov/vuln/detail/CVE-2024-1234", "https://www.cve.org/CVERecord?id=CVE-2024-1234", "https://cve.mitre.org/cgi-bin/cvename.cgi?name=CVE-2024-1234",
		}},
		{"commit:github.com/golang/go@1234567", source.Commit, []string{"golang/go@1234567", "Golang/Go@1234567", "https://github.com/golang/go/commit/1234567"}},
		{"commit:gitlab.com/a/b/c@0123456789abcdef0123456789abcdef01234567", source.Commit, []string{"https://gitlab.com/a/b/c/-/commit/0123456789abcdef0123456789abcdef01234567"}},
		{"url:example.com/2024/05/a-story", source.URL, []string{
			"https://example.com/2024/05/a-story", "https://example.com/2024/05/a-story/amp", "https://amp.example.com/2024/05/a-story", "https://example.com/2024/05/a-story.amp",
			"https://example.com/2024/05/a-story?amp=1", "https://example.com/2024/05/a-story?amp", "https://example.com/2024/05/a-story?outputType=amp",
			"https://www.google.com/amp/s/example.com/2024/05/a-story", "https://example-com.cdn.ampproject.org/c/s/example.com/2024/05/a-story", "https://www.m.example.com/2024/05/a-story",
		}},
		{"url:example.com/a?b=1&c=2", source.URL, []string{"https://example.com/a?b=1&amp;c=2", "https://example.com/a?b=1&amp;utm_source=x&amp;c=2", "https://example.com/a?b=1&c=2&srsltid=x&fbclid=y"}},
		{"url:xn--bcher-kva.example/", source.URL, []string{"https://bücher.example", "https://BÜCHER.example/", "https://xn--bcher-kva.example/", "https://bu\u0308cher.example/"}},
		{"url:evil.test/x", source.URL, []string{"https://good.test@evil.test/x", "https://a@b@evil.test/x", `https://a@evil.test\x`}},
		{"file:src/a b.go", source.File, []string{"src/a b.go", "./src/a b.go:3", "src//a b.go:3-9"}},
	} {
		for _, ref := range c.refs {
			got := source.Identify(ref)
			require.Equal(t, c.key, got.Key, ref)
			require.Equal(t, c.kind, got.Kind, ref)
		}
	}
}

func TestDifferentSourcesStayApart(t *testing.T) {
	for _, pair := range [][2]string{
		{"https://openreview.net/forum?id=abc", "https://openreview.net/forum?id=abd"},
		{"https://example.com/watch?v=a", "https://example.com/watch?v=A"},
		{"https://example.com/Page", "https://example.com/page"},
		{"https://example.com/a", "https://example.com/a/"},
		{"https://example.com/#/guide", "https://example.com/#/reference"},
		{"https://example.com:8443/", "https://example.com/"},
		{"https://example.com@evil.test/", "https://example.com/"},
		{"https://example.com/?ref=a", "https://example.com/?ref=b"},
		{"https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0012345", "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0012346"},
		{"https://example.com/doi/suppl/10.1000/xyz", "https://example.com/doi/10.1000/xyz"},
		{"https://example.com/a%2Fb", "https://example.com/a/b"},
		{"https://example.com/guitar/amp", "https://example.com/guitar"},
		{"https://example.com/.amp", "https://example.com/"},
		{"https://example.com/?amp=loud", "https://example.com/"},
		{`https://example.com\@evil.test/`, "https://evil.test/"},
		{"https://аррӏе.test/", "https://apple.test/"},
		{"ISO/IEC 27001:2013", "ISO/IEC 27001:2022"},
		{"OWASP A01", "OWASP A02"},
		{"CVE-2024-1234", "CVE-2024-12345"},
		{"golang/go@1234567", "golang/go@12345678"},
		{"https://github.com/golang/go/blob/1234567/a.go", "golang/go@1234567"},
		{"a.go", "A.go"},
		{"ISBN 0-306-40615-2", "ISBN 0-306-40615-3"},
	} {
		require.NotEqual(t, source.Identify(pair[0]).Key, source.Identify(pair[1]).Key, pair)
	}
}

func TestFiles(t *testing.T) {
	for _, c := range []struct {
		ref, path   string
		first, last int
	}{
		{"internal/a.go:12-20", "internal/a.go", 12, 20},
		{"internal/a.go:12–20", "internal/a.go", 12, 20},
		{"internal/a.go:20-12", "internal/a.go", 12, 20},
		{"a.go:7", "a.go", 7, 7},
		{"a.go:7:3", "a.go", 7, 7},
		{"a.go#L7-L9", "a.go", 7, 9},
		{"Makefile:1", "Makefile", 1, 1},
		{"Makefile", "Makefile", 0, 0},
		{"file:docs/x.md:4", "docs/x.md", 4, 4},
		{"file:///C:/notes/x%20y.md:4", "C:/notes/x y.md", 4, 4},
		{`file://C:\notes\x.md`, `C:\notes\x.md`, 0, 0},
		{"file:/c:/notes/x.md", "c:/notes/x.md", 0, 0},
		{"../../etc/passwd:1", "../../etc/passwd", 1, 1},
		{"a.go:99999999999999999999", "a.go:99999999999999999999", 0, 0},
		{"a.go:0", "a.go", 0, 0},
		{`C:\src\a.go:3`, `C:\src\a.go`, 3, 3},
		{"notes of may.txt:3", "notes of may.txt", 3, 3},
		{"文档/说明.md:3-4", "文档/说明.md", 3, 4},
	} {
		got := source.Identify(c.ref)
		require.Equal(t, source.File, got.Kind, c.ref)
		require.Equal(t, c.path, got.Path, c.ref)
		require.Equal(t, []int{c.first, c.last}, []int{got.First, got.Last}, c.ref)
		require.Empty(t, got.URL, c.ref)
	}
}

func TestNeitherAddressNorPath(t *testing.T) {
	for _, ref := range []string{
		"ISO standards in general", "CVE of last year", "IEEE Transactions on Computers, 2020", "en route to 2020 goals", "isotope 14",
		"", "   ", "...", "general knowledge", "Smith et al. 2020, Nature", "javascript:alert(1)", "data:text/html,x", "mailto:a@example.com",
		"https://", "http://a b.com/", "https://exa<mple.com/", "http://[::1", "https://example.com:port/", "ftp://example.com/x", "\x00\x1b",
	} {
		got := source.Identify(ref)
		require.Equal(t, source.Other, got.Kind, ref)
		require.Empty(t, got.URL, ref)
	}
}

func TestLinks(t *testing.T) {
	for _, c := range []struct{ ref, url string }{
		{"https://www.Example.com/a?utm_source=x&b=(1)#part", "https://www.example.com/a?b=(1)"},
		{"http://example.com", "http://example.com/"},
		{"https://u:p@example.com/\"><script>", "https://example.com/%22%3E%3Cscript%3E"},
		{"https://example.com/a b", "https://example.com/a%20b"},
		{"https://example.com/100%", "https://example.com/100%25"},
		{"doi:10.1000/a b", "https://doi.org/10.1000/a"},
		{"https://arxiv.org/pdf/2106.01234v2", "https://arxiv.org/pdf/2106.01234v2"},
		{"arXiv:2106.01234", "https://arxiv.org/abs/2106.01234"},
		{"http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080/x"},
	} {
		require.Equal(t, c.url, source.Identify(c.ref).URL, c.ref)
	}
}

// The link of a source is a reference to it, and a source without a link is
// referred to by its key's words.
func check(t interface{ Fatalf(string, ...any) }, ref string) {
	s := source.Identify(ref)
	if !strings.HasPrefix(s.Key, string(s.Kind)+":") || strings.ContainsFunc(s.Key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Fatalf("key of %q: %q", ref, s.Key)
	}
	if s.URL != "" && (!strings.HasPrefix(s.URL, "http://") && !strings.HasPrefix(s.URL, "https://") || strings.ContainsAny(s.URL, " <>\"`\\")) {
		t.Fatalf("link of %q: %q", ref, s.URL)
	}
	if s.URL != "" && source.Identify(s.URL).Key != s.Key {
		t.Fatalf("link of %q: %q is %q, not %q", ref, s.URL, source.Identify(s.URL).Key, s.Key)
	}
	if s.First > s.Last || s.First < 0 || s.Kind != source.File && s.Last != 0 {
		t.Fatalf("lines of %q: %d-%d", ref, s.First, s.Last)
	}
}

func TestAnyReference(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"https://", "http:", `\\`, "www.", "m.", "example.com", "é.test", ":80", "/", "?", "#", "&", "=", "utm_source", "%2F", "%zz", "@", "[", "::1", "]",
		"doi:", "10.1000/x", "arxiv:", "2106.01234", "v2", ".pdf", "/full", "PMC", "123", "isbn", "rfc", " ", ".", ":12-3", "file:", "..", "a.go",
	}))
	rapid.Check(t, func(t *rapid.T) {
		check(t, strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), ""))
	})
}

func FuzzIdentify(f *testing.F) {
	for _, ref := range []string{"https://a.b/c?d#e", "doi:10.1000/a(b)c", "a.go:1-2", "http://[::1]:80/", "arXiv:math.GT/0309136v1", "\xff\x00", "ISBN 0306406152"} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) { check(t, ref) })
}

func TestTalkOfAPaperIsNotThePaper(t *testing.T) {
	for _, address := range []string{
		"https://journals.plos.org/plosone/article/comments?id=10.1371/journal.pone.0000308", "https://api.crossref.org/works/10.1371/journal.pone.0000308",
		"https://scite.ai/reports/10.1371/journal.pone.0000308", "https://evil.example/x?id=10.1371/journal.pone.0000308",
		"https://example.com/doi/metrics/10.1371/journal.pone.0000308",
	} {
		require.NotEqual(t, source.DOI, source.Identify(address).Kind, address)
	}
}
