package extract_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/test/web"
)

const long = "The surveyors measured the lake in 2019 and found it to be 187 metres deep at its deepest point, north of the island. "

func lineWriter(body string) string {
	return "<!doctype html><html><head><title>Lake</title></head><body>" + body + "</body></html>"
}

func article(body string) string {
	return lineWriter("<main><article><h1>The lake</h1><p>" + strings.Repeat(long, 3) + "</p>" + body + "</article></main>")
}

func TestTextOfAPage(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"words and their blanks", article("<p>One <b>two</b>three\n  four<br>five</p>"), "One twothree four\nfive"},
		{"no blank where there is none", article("<p>H<sub>2</sub>O and <i>Homo</i>, <a href=x>linked</a>.</p>"), "H2O and Homo, linked."},
		{"a raised number stays raised", article("<p>about 10<sup>6</sup> of them</p>"), "about 10⁶ of them"},
		{"a raised number keeps its sign", article("<p>about 10<sup>−9</sup> of them, with Ca<sup>2</sup> and 10<sup>-3</sup></p>"), "about 10⁻⁹ of them, with Ca² and 10⁻³"},
		{"a raised term is none of its line", article("<p>falls as e<sup>−2t</sup> does, the 4<sup>th</sup> time</p>"), "falls as e^−2t does, the 4th time"},
		{"struck words are shown struck", article("<p>The sauna is <s>not</s> open, at <del> 20 </del><ins>15</ins> crowns, and<strike>un</strike>heated.</p>"), "The sauna is ~~not~~ open, at ~~20~~ 15 crowns, and~~un~~heated."},
		{"struck within struck", article("<p>The <del>old <s>and cold</s> sauna</del> is open for all of the town.</p>"), "The ~~old and cold sauna~~ is open for all of the town."},
		{"a struck paragraph is a paragraph", article("<del><p>The old rule stands here for its readers.</p></del>"), "~~The old rule stands here for its readers.~~"},
		{"a footnote's number is not a part of its word", article(`<p>deep<sup><a href="#f3">3</a></sup> indeed</p>`), "deep[3] indeed"},
		{"a table's rows are lines", article("<table><tr><th>Year</th><th>Depth</th></tr><tr><td><p>2019</p></td><td><div>187 m</div></td></tr></table>"), "Year | Depth\n2019 | 187 m"},
		{"code keeps its lines", article("<pre>func f() {\n\treturn 1\n}</pre>"), "func f() {\n\treturn 1\n}"},
		{"a list", article("<ul><li>First <li>Second</ul>"), "- First\n- Second"},
		{"entities", article("<p>Tom &amp; Jerry &lt;3 &nbsp;it&rsquo;s</p>"), "Tom & Jerry <3 it’s"},
		{"what cannot be seen is not there", article(`<p>seen<span style="display: none">NOT1</span><span hidden>NOT2</span><script>NOT3</script><!--NOT4--> after</p>`), "seen after"},
		{"hidden letters are dropped", article("<p>in\u200bvis\u00adible \u202ereversed\u202c \U000E0041tag \x1b[31mred</p>"), "invisible reversed tag [31mred"},
		{"joiners of letters that need them stay", article("<p>می\u200cخواهم a\u200cb</p>"), "می\u200cخواهم ab"},
		{"a description of a picture", article(`<p>See <img alt="a map of the lake" src=x> here</p>`), "See a map of the lake here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := extract.Text([]byte(c.body), "text/html; charset=utf-8", "https://a.example/lake")
			require.NoError(t, err)
			require.Contains(t, d.Text, c.want)
			require.NotContains(t, d.Text, "NOT")
			require.Empty(t, d.Warnings)
		})
	}
}

func TestWhatStandsAroundAnArticleIsTold(t *testing.T) {
	body := lineWriter(`<nav><a href=/>Home of lakes</a></nav><main><article><h1>The lake</h1><p>` + strings.Repeat(long, 4) + `</p></article></main>
<div class="post comments"><p>` + strings.Repeat("A reader holds that the lake is bottomless, whatever the surveyors say. ", 5) + `</p></div><footer>All rights reserved</footer>`)
	d, err := extract.Text([]byte(body), "text/html", "https://a.example/lake")
	require.NoError(t, err)
	kind := func(words string) extract.Kind {
		at := strings.Index(d.Text, words)
		require.GreaterOrEqual(t, at, 0, words)
		for _, p := range d.Parts {
			if at >= p.Start && at < p.End {
				return p.Kind
			}
		}
		return ""
	}
	require.Equal(t, extract.Article, kind("187 metres"))
	for _, aside := range []string{"Home of lakes", "bottomless", "All rights"} {
		require.Equal(t, extract.Aside, kind(aside), aside)
	}
}

func TestWithoutAnArticleAllOfTheTextIsSearched(t *testing.T) {
	d, err := extract.Text([]byte(lineWriter("<nav>"+strings.Repeat("<a href=x>187 metres</a> ", 20)+"</nav><p>Short.</p>")), "text/html", "")
	require.NoError(t, err)
	require.True(t, extract.HasWarning(d.Warnings, extract.NoArticle))
	require.Equal(t, []extract.Part{{Kind: extract.Article, End: len(d.Text)}}, d.Parts)
	require.Contains(t, d.Text, "187 metres")
	require.Contains(t, d.Text, "Short.")
}

func TestCharsets(t *testing.T) {
	latin := func(s string) string {
		var b []byte
		for _, r := range s {
			b = append(b, byte(r))
		}
		return string(b)
	}
	const french = "Le château est très près de la forêt, où l'été dure déjà."
	for _, c := range []struct {
		name, mime, body, want, charset string
		warned                          bool
	}{
		{"declared in the header", "text/plain; charset=iso-8859-1", latin(french), french, "windows-1252", false},
		{"declared in the page", "text/html", latin(`<meta charset="iso-8859-1"><p>` + french), french, "windows-1252", false},
		{"not declared", "text/plain", french, french, "utf-8", false},
		{"said to be UTF-8 and is Latin", "text/plain; charset=utf-8", latin(strings.Repeat(french+" ", 3)), french, "windows-1252", true},
		{"said to be Latin and is UTF-8", "text/plain; charset=iso-8859-1", french, french, "utf-8", true},
		{"said to be Latin and is ASCII", "text/plain; charset=iso-8859-1", "plain", "plain", "utf-8", false},
		{"a byte order mark", "text/plain; charset=iso-8859-1", "\xef\xbb\xbf" + french, french, "utf-8", false},
		{"UTF-16", "text/plain", "\xff\xfeA\x00\xe9\x00", "Aé", "utf-16le", false},
		{"Japanese", "text/html; charset=shift_jis", "<p>\x8c\xce\x82\xcc\x90[\x82\xb3", "湖の深さ", "shift_jis", false},
		{"Russian", "text/plain; charset=windows-1251", "\xc3\xeb\xf3\xe1\xe8\xed\xe0", "Глубина", "windows-1251", false},
		{"one torn letter", "text/plain; charset=utf-8", strings.Repeat("é", 50) + "\xc3", "é", "utf-8", true},
		{"a charset that does not exist", "text/plain; charset=klingon", french, french, "utf-8", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := extract.Text([]byte(c.body), c.mime, "")
			require.NoError(t, err)
			require.Contains(t, d.Text, c.want)
			require.Equal(t, c.charset, d.Charset)
			require.Equal(t, c.warned, extract.HasWarning(d.Warnings, extract.WrongCharset), d.Warnings)
		})
	}
}

func TestWhatThingsAre(t *testing.T) {
	for _, c := range []struct{ name, mime, body, is string }{
		{"HTML said to be a PDF", "application/pdf", lineWriter("<p>Sign in"), "text/html"},
		{"HTML of no type", "", "\n <!DOCTYPE HTML><p>x", "text/html"},
		{"text of no type", "", "plain words", "text/plain"},
		{"a page as text stays text", "text/plain", "<html> is a tag", "text/plain"},
		{"Markdown", "text/markdown; charset=utf-8", "# Title\n\n> quoted", "text/markdown"},
		{"JSON", "application/json", `{"depth": 187}`, "application/json"},
		{"a feed", "application/atom+xml", `<?xml version="1.0"?><feed/>`, "application/atom+xml"},
		{"a PDF said to be HTML", "text/html", web.PDF("t", "a", "words"), "application/pdf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := extract.Text([]byte(c.body), c.mime, "")
			require.NoError(t, err)
			require.Equal(t, c.is, d.MIME)
			require.NotEmpty(t, d.Text)
		})
	}
	for _, c := range []struct{ name, mime, body string }{
		{"an image", "image/png", "\x89PNG\r\n\x1a\n"},
		{"bytes said to be a page", "text/html", "GIF89a\x00\x01\x00"},
		{"bytes of no type", "", "\x00\x01\x02"},
		{"a video", "video/mp4", "ftyp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := extract.Text([]byte(c.body), c.mime, "")
			require.ErrorIs(t, err, extract.ErrBinary)
			require.Empty(t, d.Text)
			require.True(t, extract.HasWarning(d.Warnings, extract.NoText))
		})
	}
}

func TestWhatAPageSaysOfItself(t *testing.T) {
	for _, c := range []struct {
		name, head       string
		title, published string
		authors          []string
		doi              string
	}{
		{
			"for libraries", `<title>T | Site</title><meta name="citation_title" content="The lake"><meta name="citation_author" content="Ada B."><meta name="citation_author" content="Cy D.">
			<meta name="citation_publication_date" content="2020/03/04"><meta name="citation_doi" content="doi:10.5555/ABC"><meta property="og:title" content="OG">`,
			"The lake", "2020-03-04",
			[]string{"Ada B.", "Cy D."},
			"10.5555/abc",
		},
		{"open graph", `<meta property="og:title" content="A &amp; B"><meta property="article:published_time" content="2024-02-03T04:05Z"><meta property="article:author" content="https://x.example/me">`, "A & B", "2024-02-03T04:05Z", nil, ""},
		{
			"JSON-LD", `<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","headline":"H","datePublished":"2021-01-01","author":[{"name":"Eve"},"Bob"]}]}</script>`,
			"H", "2021-01-01",
			[]string{"Eve", "Bob"},
			"",
		},
		{"the title alone", "<title>\n A  title\x1b\u202e </title><svg><title>icon</title></svg>", "A title", "", nil, ""},
		{"nothing but a heading", "</head><h1>Heading</h1>", "Heading", "", nil, ""},
		{"broken JSON-LD", `<title>T</title><script type="application/ld+json">{"@type":</script>`, "T", "", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := extract.Text([]byte("<!doctype html><html><head>"+c.head+"<body><p>"+long), "text/html; charset=utf-8", "")
			require.NoError(t, err)
			require.Equal(t, c.title, d.Title)
			require.Equal(t, c.published, d.Published)
			require.Equal(t, c.authors, d.Authors)
			require.Equal(t, c.doi, d.DOI)
		})
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct{ name, body, url, kind string }{
		{"a challenge", `<title>Just a moment...</title><p>Enable JavaScript and cookies to continue`, "", extract.BlockPage},
		{"reCAPTCHA", `<p>Our systems have detected unusual traffic from your computer network.</p><div class="g-recaptcha"></div>`, "", extract.BlockPage},
		{"access denied", `<title>Access Denied</title><h1>Access Denied</h1><p>You don't have permission to access this.`, "", extract.BlockPage},
		{"a soft 404", `<title>Page not found – Shop</title><p>Try our search.`, "", extract.SoftNotFound},
		{"a soft 404 in German", `<title>Fehler</title><h1>Seite nicht gefunden</h1>`, "", extract.SoftNotFound},
		{"a soft 404 in Chinese", `<title>提示</title><p>抱歉，您访问的页面不存在</p>`, "", extract.SoftNotFound},
		{"a paywall in words", article("<p>Subscribe to continue reading.</p>"), "", extract.Paywall},
		{"a paywall in JSON-LD", `<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script><p>` + long, "", extract.Paywall},
		{"a cookie wall", `<title>Before you continue</title><p>We use cookies and data.</p><button>Reject all</button><p>Accept all`, "", extract.CookieWall},
		{"search results", article(""), "https://www.google.com/search?q=lake", extract.SearchResults},
		{"an empty shell", `<div id="root"></div><script src="/a.js"></script>`, "", extract.ScriptOnly},
		{"a shell with a few words of its own script", `<title>The lake</title><div id="root">Loading…</div><script>load("/lake")</script>`, "", extract.ScriptOnly},
		{"a shell with data alone", `<title>The lake</title><div id="root"></div><script type="application/ld+json">{"@type":"WebPage"}</script>`, "", extract.NoText},
		{"a shell that says so", `<body><noscript>You need to enable JavaScript to run this app.</noscript>`, "", extract.ScriptOnly},
		{"nothing", ` `, "", extract.NoText},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := extract.Text([]byte("<!doctype html>"+c.body), "text/html; charset=utf-8", c.url)
			require.NoError(t, err)
			require.True(t, extract.HasWarning(d.Warnings, c.kind), d.Warnings)
		})
	}
}

func TestAPageAboutAFaultHasNone(t *testing.T) {
	about := func(words string) string { return article("<p>" + strings.Repeat(words+" ", 40) + "</p>") }
	for name, body := range map[string]string{
		"captchas":      about("A captcha asks you to verify you are human, and access denied is what you read otherwise."),
		"the 404":       strings.Replace(about("Servers answer “page not found” with the status 404."), "<title>Lake", "<title>HTTP 404 - an encyclopedia", 1),
		"paywalls":      about("Many papers ask you to subscribe to continue reading."),
		"cookie banner": article(`<div class="cookie">We use cookies. <button>Accept all</button></div>` + strings.Repeat("<p>"+long+"</p>", 20)),
		"scripts":       article(`<script src="a.js"></script><noscript>Enable JavaScript</noscript>`),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := extract.Text([]byte(body), "text/html; charset=utf-8", "https://a.example/about")
			require.NoError(t, err)
			require.Empty(t, d.Warnings)
		})
	}
}

func TestPDF(t *testing.T) {
	body := web.PDF("The depth (of) the lake", "Ada Example; Bo Élan", long+"\nSecond paragraph, été.", "The second page.")
	d, err := extract.Text([]byte(body), "application/pdf", "")
	require.NoError(t, err)
	require.Equal(t, long+"Second paragraph, été. The second page.", strings.Join(strings.Fields(d.Text), " "), "the words stand apart though no blank is in the file")
	require.Equal(t, "The depth (of) the lake", d.Title)
	require.Equal(t, []string{"Ada Example", "Bo Élan"}, d.Authors)
	require.Equal(t, "2024-02-03", d.Published)
	require.Empty(t, d.Warnings)
}

func TestABrokenPDFIsSaidToBe(t *testing.T) {
	whole := web.PDF("t", "a", strings.Repeat(long, 5), "second", "third")
	for name, body := range map[string]string{
		"cut":              whole[:len(whole)/2],
		"nothing but name": "%PDF-1.7\n",
		"no fonts":         strings.ReplaceAll(whole, "/F1 3 0 R", "/F2 3 0 R"),
		"itself its child": strings.Replace(whole, "/Kids[5 0 R", "/Kids[2 0 R", 1),
		"a wrong table":    strings.Replace(whole, "startxref\n", "startxref\n9", 1),
		"bad operands":     strings.ReplaceAll(whole, " Tf", " (x) Tf Tf Tm TJ Q Q"),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := extract.Text([]byte(body), "application/pdf", "")
			require.Equal(t, "application/pdf", d.MIME)
			if err != nil || d.Text == "" {
				require.NotEmpty(t, d.Warnings)
			}
		})
	}
}

func TestAPDFThatUnfoldsWithoutAnEndIsLeft(t *testing.T) {
	d, err := extract.Text([]byte(web.PDFBomb(300<<20)), "application/pdf", "")
	require.NoError(t, err)
	require.Empty(t, d.Text)
	require.True(t, extract.HasWarning(d.Warnings, extract.Damaged), d.Warnings)
}

// A font may name the widths of one range again and again; a megabyte of that
// read to its end takes an hour.
func TestAFontThatNamesItsWidthsWithoutAnEndIsLeft(t *testing.T) {
	for name, list := range map[string]string{
		"ranges":                    strings.Repeat("0 65534 5 ", 100_000),
		"lists":                     strings.Repeat("0 ["+strings.Repeat("5 ", 1000)+"] ", 1000),
		"at the end of all numbers": strings.Repeat("9223372036854775807 9223372036854775807 5 ", 1000),
		"backwards":                 strings.Repeat("9 -9223372036854775807 5 ", 1000),
	} {
		d, err := extract.Text([]byte(web.PDFOfWidths(list, long)), "application/pdf", "")
		require.NoError(t, err, name)
		require.NotEmpty(t, d.Text, name)
	}
}

func TestCleanTextHasNothingUnseen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := extract.NormaliseText(rapid.String().Draw(t, "text"))
		require.True(t, utf8.ValidString(s))
		require.Equal(t, s, extract.NormaliseText(s), "cleaning twice is cleaning once")
		for _, r := range s {
			unseen := unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202A && r <= 0x202E || r >= 0xE0000 && r <= 0xE01EF
			require.False(t, unseen, "%U", r)
		}
	})
}

// limitRead fails unless a document keeps what it promises.
func limitRead(t require.TestingT, d extract.Document) {
	require.True(t, utf8.ValidString(d.Text))
	at := 0
	for i, p := range d.Parts {
		if i > 0 {
			require.Equal(t, extract.Separator, d.Text[at:p.Start])
			at = p.Start
		}
		require.Equal(t, at, p.Start)
		require.Greater(t, p.End, p.Start)
		at = p.End
	}
	require.Equal(t, len(d.Text), at)
	require.NotContains(t, d.Text, "\x1b")
	for _, s := range append([]string{d.Title, d.Published, d.DOI, d.MIME}, d.Authors...) {
		require.NotContains(t, s, "\n")
		require.LessOrEqual(t, len(s), 2000)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(article("<table><tr><td>a<td>b</table>")), "text/html")
	f.Add([]byte(web.PDF("t", "a", "words")), "application/pdf")
	f.Add([]byte("\xff\xfea\x00"), "text/plain")
	f.Add([]byte(`{"a":1}`), "application/json")
	f.Add(bytes.Repeat([]byte("<div>"), 3000), "text/html")
	f.Add([]byte("<title>\x1b[0m</title><script type=application/ld+json>[[[{\"@type\":\"Article\",\"author\":[[1]]}]]]</script>"), "text/html;charset=x")
	f.Fuzz(func(t *testing.T, body []byte, mime string) {
		d, _ := extract.Text(body, mime, "https://a.example/x?q=1")
		limitRead(t, d)
	})
}

func TestPagesDeeperThanAnyReaderAreRead(t *testing.T) {
	d, err := extract.Text([]byte(strings.Repeat("<div><b>", 20000)+long+"<script>NOT</script>"), "text/html", "")
	require.NoError(t, err)
	require.Contains(t, d.Text, "187 metres deep")
	require.NotContains(t, d.Text, "NOT")
}

func BenchmarkText(b *testing.B) {
	body := []byte(lineWriter("<main><article><h1>The lake</h1><p>" + strings.Repeat(long+"</p><p>", 300) + "</article></main><nav>" + strings.Repeat("<a href=/x>menu</a> ", 300) + "</nav>"))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := extract.Text(body, "text/html; charset=utf-8", "https://a.example/"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

func BenchmarkPDF(b *testing.B) {
	var pages []string
	for range 20 {
		pages = append(pages, strings.Repeat(long, 20))
	}
	body := []byte(web.PDF("t", "a", pages...))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := extract.Text(body, "application/pdf", ""); err != nil {
			b.Fatal(err)
		}
	}
}
