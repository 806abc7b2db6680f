package export_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/export"
)

// elements gives the elements of a page in order.
func elements(t require.TestingT, page string) []*html.Node {
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var list []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			list = append(list, n)
		}
	}
	return list
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// allowed are the elements a page may have.
var allowed = strings.Fields(`html head meta title style body a header h1 h2 h3 h4 h5 h6 p code figure figcaption strong em br svg rect line dl dt dd span
	nav ol ul li main div table thead tbody tr th td article blockquote mark pre hr details summary footer section bdi button fieldset legend label input circle text sup script`)

// harmless holds a page to what it promises a browser.
func harmless(t require.TestingT, page string) {
	var policy, style, script string
	for _, n := range elements(t, page) {
		require.Contains(t, allowed, n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "srcset" || a.Key == "srcdoc" || a.Key == "action", "%s=%q", a.Key, a.Val)
			if a.Key == "href" {
				leads(t, n, a.Val)
			}
		}
		if n.Data == "meta" && attr(n, "http-equiv") == "Content-Security-Policy" {
			policy = attr(n, "content")
		}
		switch n.Data {
		case "style":
			style = textOf(n)
		case "script":
			require.Empty(t, script, "there is one")
			script = textOf(n)
		}
	}
	require.Equal(t, export.Style(), style)
	require.Equal(t, export.Script(), script)
	require.Equal(t, "default-src 'none'; style-src '"+hashed(style)+"'; script-src '"+hashed(script)+"'; base-uri 'none'; form-action 'none'", policy)
	require.NotContains(t, style, "url(")
	require.NotContains(t, style, "@import")
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// leads holds a link to the page itself, or to the web without a trace.
func leads(t require.TestingT, n *html.Node, target string) {
	if strings.HasPrefix(target, "#") {
		return
	}
	u, err := url.Parse(target)
	require.NoError(t, err)
	require.Contains(t, []string{"http", "https"}, u.Scheme)
	require.Equal(t, "a", n.Data)
	require.Equal(t, "noopener nofollow noreferrer", attr(n, "rel"))
}

func TestAPageLoadsNothingAndRunsItsOwnScript(t *testing.T) {
	harmless(t, write(t, publication(draft, registry()), export.HTML))
}

// Words that try to be markup stay words, in whatever field they come.
func TestForeignWordsStayWords(t *testing.T) {
	for _, evil := range []string{
		`<script>canary(1)</script>`, `"><img src=x onerror=canary(1)>`, `' onfocus='canary(1)`, `</style><script>canary(1)</script>`, `</title><svg onload=canary(1)>`,
		`javascript:canary(1)`, `[x](javascript:canary(1))`, `<a href="https://evil.test">canary</a>`, `{{.Style}} canary`, `<!-- canary`, `]]><canary/>`, "canary\u202e\x00\x1b[2J", `<meta http-equiv=refresh content="0;url=canary">`,
	} {
		reg := registry()
		for i := range reg.Entries {
			e := &reg.Entries[i]
			e.Text, e.Quote, e.Seats, e.Confidence = evil, evil, []string{evil}, claim.Confidence(evil)
			e.Location.Reason, e.Location.Tier, e.Location.Passage, e.Location.Context = evil, evil, evil, evil+evil
			e.Location.Nearest, e.Location.Snapshot, e.Location.Text = evil, evil, evil
			e.Support = &claim.Support{Verdict: evil, Reason: evil, Votes: []claim.Vote{{Seat: evil, Family: evil, Answer: evil, Reason: evil}}}
			if i%2 == 0 {
				e.Source = evil
			}
		}
		p := publication("## Key Findings\n\n"+evil+" [C1-C9]\n\n```\n"+evil+"\n```\n", reg)
		p.Topic, p.ID, p.Maker = evil, evil, evil
		for key := range p.Sources {
			p.Sources[key] = export.Source{Title: evil, Authors: []string{evil}, Published: evil, State: evil, Reason: evil, Final: evil, Notice: evil}
		}
		for i := range p.Score.Signals {
			p.Score.Signals[i].Name, p.Score.Signals[i].Detail = evil, evil
		}
		whole(t, p)
		harmless(t, write(t, p, export.HTML))
		p.Report = []byte("# " + evil + "\n\n" + evil + "\n\n[x](" + evil + ") ![x](" + evil + ")\n\n" + evil + "\n")
		harmless(t, write(t, p, export.HTML))
		for _, f := range export.Forms()[1:] {
			require.NotContains(t, write(t, p, f), "\x1b", f)
			require.NotContains(t, write(t, p, f), "\x00", f)
		}
	}
}

func FuzzPage(f *testing.F) {
	p := publication(draft, registry())
	f.Add(p.Report, "x")
	f.Add([]byte("[x](http://a.test/\"onclick=x) <b onclick=x> ![x](x) <http://b.test> https://c.test"), "</style>")
	f.Fuzz(func(t *testing.T, report []byte, words string) {
		p.Report, p.Topic = report, words
		p.Registry.Entries[0].Text, p.Registry.Entries[1].Location.Context = words, words
		harmless(t, write(t, p, export.HTML))
	})
}

// A claim in the text leads to its passage, marked within its context, and
// back.
func TestAClaimOpensItsPassage(t *testing.T) {
	var article *html.Node
	for _, n := range elements(t, write(t, publication(draft, registry()), export.HTML)) {
		if n.Data == "article" && attr(n, "id") == "c1" {
			article = n
		}
	}
	require.NotNil(t, article)
	said := strings.Join(strings.Fields(textOf(article)), " ")
	for _, want := range []string{"Before it. Quotation C1 Behind it.", "located", "exact", "votes on the passage: supports", "codex (openai): supports: it says so", hash, "2026-03-04 05:06 UTC", "Cited at 1, 2"} {
		require.Contains(t, said, want)
	}
	var marked []string
	for n := range article.Descendants() {
		if n.Type == html.ElementNode && n.Data == "mark" {
			marked = append(marked, textOf(n))
		}
	}
	require.Equal(t, []string{"Quotation C1"}, marked)
}

func TestWhatWasNotFoundIsMarked(t *testing.T) {
	page := write(t, publication(draft, registry()), export.HTML)
	require.Contains(t, page, `class="claim is-rejected not-found" href="#c3" title="C3: “Quotation C3” — not found — docs/cache_file.md" aria-label="source 3 docs/cache_file.md, claim C3, not found">3</a><span class="sign not-found" aria-hidden="true">✕</span>`)
	require.Contains(t, page, "The nearest passage found: “Quotation D2”")
	require.Contains(t, page, "number “2” against “3”")
	require.Contains(t, page, ">✕ retracted</strong>")
}

// People who hear the page or use no mouse find their way.
func TestAPageIsAccessible(t *testing.T) {
	count := map[string]int{}
	level := 0
	for _, n := range elements(t, write(t, publication(draft, registry()), export.HTML)) {
		count[n.Data]++
		switch n.Data {
		case "html":
			require.Equal(t, "en", attr(n, "lang"))
		case "h1", "h2", "h3", "h4", "h5", "h6":
			now := int(n.Data[1] - '0')
			require.LessOrEqual(t, now, level+1, "a level is skipped before %q", textOf(n))
			require.NotEmpty(t, strings.TrimSpace(textOf(n)))
			level = now
		case "th":
			require.Equal(t, "col", attr(n, "scope"))
		case "svg":
			require.Equal(t, "img", attr(n, "role"))
			require.NotEmpty(t, attr(n, "aria-label"))
		case "a":
			require.NotEmpty(t, strings.TrimSpace(textOf(n)))
		}
		require.Contains(t, []string{"", "0", "-1"}, attr(n, "tabindex"), "nothing is put before its turn")
	}
	for _, one := range []string{"h1", "title", "header", "nav", "main", "footer"} {
		require.Equal(t, 1, count[one], one)
	}
	require.Equal(t, 2, count["svg"], "the sorts of sources and the score are drawn")
}

// Text stands out from its ground by 4.5 to 1, as WCAG 2 asks, in both themes.
func TestColoursCanBeReadByLightAndByDark(t *testing.T) {
	css, err := os.ReadFile("page.css")
	require.NoError(t, err)
	themes := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(string(css), -1)
	require.Len(t, themes, 3, "by light, by dark and on paper")
	light := map[string]string{}
	for _, theme := range themes {
		colour := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+):#([0-9a-f]+)`).FindAllStringSubmatch(theme[1], -1) {
			colour[m[1]] = m[2]
		}
		if len(light) == 0 {
			light = colour
		}
		for _, ground := range []string{"bg", "box"} {
			for _, ink := range []string{"fg", "soft", "link", "good", "bad", "open"} {
				if colour[ink] == "" {
					colour[ink] = light[ink]
				}
				require.GreaterOrEqual(t, contrast(t, colour[ink], colour[ground]), 4.5, "%s on %s", ink, ground)
			}
		}
		require.GreaterOrEqual(t, contrast(t, colour["on-mark"], colour["mark"]), 4.5)
		require.GreaterOrEqual(t, contrast(t, colour["fill"], colour["box"]), 3.0)
	}
}

// contrast is the ratio of WCAG 2 of two colours.
func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	if len(colour) == 3 {
		colour = strings.Join([]string{colour[:1], colour[:1], colour[1:2], colour[1:2], colour[2:], colour[2:]}, "")
	}
	sum := 0.0
	for i, share := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += share * c / 12.92
			continue
		}
		sum += share * math.Pow((c+0.055)/1.055, 2.4)
	}
	return sum
}

// Who draws the evidence otherwise has it as values: every passage of a claim, with what
// stands around it in the archived text.
func TestTheEvidenceIsToBeHadAsValues(t *testing.T) {
	data, err := json.Marshal(export.NewPage(council()).Evidence())
	require.NoError(t, err)
	var list []struct {
		ID, State string
		Standing  []string
		Disputes  []struct{ ID, Against, Status string }
		Passages  []struct {
			Site, Before, Passage, Behind, Published string
			Number                                   int
			Within                                   []string
		}
	}
	require.NoError(t, json.Unmarshal(data, &list))
	require.Len(t, list, 8)
	at := map[string]int{}
	for i, e := range list {
		at[e.ID] = i
	}
	disputed, both, rejected := list[at["C4"]], list[at["C6"]], list[at["C7"]]
	require.Equal(t, []string{"located", "disputed"}, disputed.Standing)
	require.Equal(t, "C5", disputed.Disputes[0].Against)
	require.Equal(t, "We did not lose data.", disputed.Passages[1].Passage)
	require.Equal(t, "We saw 37 elections in one night. We did not lose data. 🙂🙂 Later: ", disputed.Passages[1].Before, "the one that is meant, of two")
	require.Equal(t, []int{2, 1}, []int{both.Passages[0].Number, both.Passages[1].Number})
	require.Equal(t, []string{"located", "rejected"}, rejected.Standing)
	require.Equal(t, "not found", list[at["C5"]].State)
	require.Equal(t, []string{"func (n *node) regions() int {"}, list[at["C8"]].Passages[0].Within)
	require.Equal(t, "2023-11-20", list[at["C2"]].Passages[0].Published)
}

// A citation is a number, which says site and date to who hears it; a claim of several
// sources is cited by all of them, once, though the report has a link for each.
func TestACitationNamesItsSources(t *testing.T) {
	page := write(t, council(), export.HTML)
	said := strings.Join(strings.Fields(stripped(page)), " ")
	require.Contains(t, said, "It brings TCP1; etcd-io/raft does not2.")
	require.Contains(t, said, "storage is left by both2, 1†.")
	require.Contains(t, page, `aria-label="source 1 github.invalid, 2023-11-20, claim C`)
	require.Contains(t, said, "2 of 2 passages located;")
	require.Regexp(t, `\\cite\[C6\]\{url-[a-z-]*etcd-[^}]*\}\\cite\[C6\]\{url-[a-z-]*hashicorp-`, write(t, council(), export.TeX))
}

// What is drawn can be read in a table beside it, number for number, and what would say
// nothing is not drawn.
func TestFiguresHaveTheirTables(t *testing.T) {
	numbers := regexp.MustCompile(`[0-9][0-9,.]*`)
	figures := 0
	for _, n := range elements(t, write(t, council(), export.HTML)) {
		if n.Data != "figure" {
			continue
		}
		figures++
		table, drawn := "", ""
		for d := range n.Descendants() {
			switch d.Data {
			case "table":
				table = textOf(d)
			case "text":
				drawn += " " + textOf(d)
			}
		}
		for _, number := range numbers.FindAllString(drawn, -1) {
			require.Contains(t, table, strings.Trim(number, ",."), attr(n, "class"))
		}
	}
	require.Equal(t, 5, figures)
	require.NotContains(t, write(t, export.Publication{}, export.HTML), "<figure")
}
