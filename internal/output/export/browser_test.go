package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/test/chromium"
)

// browser is a Chromium that shows pages.
type browser struct {
	*chromium.Browser
	t *testing.T
}

func startBrowser(t *testing.T) browser { return browser{chromium.Start(t), t} }

// show shows a page in a window of a size.
func (b browser) show(page string, width, height int) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "report.html")
	require.NoError(b.t, os.WriteFile(file, []byte(page), 0o600))
	b.Size(width, height)
	b.Open("file://" + file)
}

// quiet holds that the page has asked for nothing but itself and that nothing failed.
func (b browser) quiet() {
	b.t.Helper()
	require.NotContains(b.t, b.Eval("document.title"), "PWNED")
	require.Len(b.t, b.Requests(), 1)
	require.Empty(b.t, b.Faults())
}

// print gives how many pages are printed, and the text on them.
func (b browser) print() (pages int, text string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "report.pdf")
	require.NoError(b.t, os.WriteFile(file, b.PDF(), 0o600))
	out, err := exec.Command(installed(b.t, "pdftotext"), "-layout", file, "-").Output()
	require.NoError(b.t, err)
	return bytes.Count(out, []byte{'\f'}), strings.Join(strings.Fields(string(out)), " ")
}

const inText = "a.claim.is-located[href='#c1']"

// A citation says what it rests on when it is pointed at or has the focus, and opens the
// passage beside the text, by keyboard alone.
func TestACitationOpensItsPassageBesideTheText(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	b.show(write(t, council(), export.HTML), 1440, 900)
	require.Equal(t, "true", b.Eval("document.querySelector('#card').hidden && document.querySelector('#panel').hidden"))
	b.Press("Tab")
	require.Equal(t, "To the report", b.Eval("document.activeElement.textContent"))
	b.TabTo(inText)
	card := b.Eval("document.querySelector('#card').hidden ? '' : document.querySelector('#card').textContent")
	for _, want := range []string{"both network and disk IO are left to the user.", "etcd-io/raft README", "2024-03-02", "located"} {
		require.Contains(t, card, want)
	}
	b.Shoot("card")
	b.Press("Escape")
	require.Equal(t, "true true", b.Eval("document.querySelector('#card').hidden + ' ' + document.activeElement.matches(\""+inText+"\")"))
	b.Press("Enter")
	require.Equal(t, "panel", b.Eval("document.activeElement.id"))
	require.Equal(t, "the library only implements the Raft algorithm; both network and disk IO are left to the user.", b.Eval("document.querySelector('#panel mark').textContent"))
	require.Contains(t, b.Eval("document.querySelector('#panel blockquote').textContent"), "To keep the codebase small")
	b.Shoot("panel")
	b.Press("Escape")
	require.Equal(t, "true true", b.Eval("document.querySelector('#panel').hidden + ' ' + document.activeElement.matches(\""+inText+"\")"), "the focus is back")
	b.Eval("document.querySelector(\"a[href='#c4']\").click()")
	require.Equal(t, "2", b.Eval("document.querySelectorAll('#panel mark').length"), "a claim of two passages shows both")
	require.Contains(t, b.Eval("document.querySelector('#panel').textContent"), "37 against 73")
	b.Shoot("panel-of-two")
	b.Eval("document.querySelector('#panel button').click()")
	require.Equal(t, "true", b.Eval("document.querySelector('#panel').hidden"))
	b.quiet()
}

// The card may be pointed at, and goes when the pointer has left it.
func TestACardStaysWhileItIsPointedAt(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	b.show(write(t, council(), export.HTML), 1280, 800)
	point := func(of string) {
		var at [2]float64
		require.NoError(t, json.Unmarshal([]byte(b.Eval("(() => { const r = document.querySelector(\""+of+"\").getClientRects()[0]; return JSON.stringify([r.x + 5, r.y + r.height / 2]) })()")), &at))
		b.Call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]}, nil)
	}
	gone := "new Promise(r => setTimeout(() => r(document.querySelector('#card').hidden), 400))"
	point(inText)
	require.Equal(t, "false", b.Eval(gone))
	point("#card")
	require.Equal(t, "false", b.Eval(gone))
	point("h1")
	require.Equal(t, "true", b.Eval(gone))
}

func TestTheFilterShowsWhatItCounts(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	b.show(write(t, council(), export.HTML), 1280, 800)
	for _, c := range []struct {
		word string
		want int
	}{{"located", 7}, {"disputed", 2}, {"rejected", 2}, {"all", 8}} { // all is what is chosen in the beginning
		word, want := c.word, c.want
		b.Eval("document.querySelector('#show-" + word + "').click()")
		require.Equal(t, fmt.Sprint(want), b.Eval("[...document.querySelectorAll('article.claim')].filter(e => e.offsetHeight > 0).length + [...document.querySelectorAll('tr.claim')].filter(e => getComputedStyle(e).display !== 'none').length"), word)
		require.Equal(t, fmt.Sprintf("%d of 8 claims", want), b.Eval("document.querySelector('.hits').textContent"))
		require.Contains(t, b.Eval("document.querySelector('label:has(#show-"+word+")').textContent"), fmt.Sprint(want))
		require.Equal(t, "true", b.Eval("[...document.querySelectorAll('.prose p, .prose li')].every(e => e.offsetHeight > 0)"), "the text stays")
	}
	b.Eval("document.querySelector('#show-rejected').click()")
	b.Shoot("rejected")
	_, all := b.print()
	require.Contains(t, all, "Choose hashicorp/raft", "a filter shortens nothing that is printed")
}

// Addresses that lead nowhere, or nowhere good, change nothing.
func TestAPageOpensAtAnyAnchor(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	b.show(write(t, council(), export.HTML), 1280, 800)
	for _, to := range []string{"nothing", "1", "%3Cimg%20src=x%20onerror=alert(1)%3E", `a"]b'c\\d e`, "%E0%A4%A", "constructor", "__proto__"} {
		b.Eval("location.hash = " + fmt.Sprintf("%q", "#"+to) + "; new Promise(r => setTimeout(r, 50))")
	}
	b.Eval("location.hash = '#c4'; new Promise(r => setTimeout(r, 300))")
	require.Equal(t, "c4", b.Eval("document.activeElement.id"))
	b.quiet()
}

// What is foreign stays words in a browser too.
func TestABrowserRunsNothingForeign(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	for _, evil := range []string{"<script>document.title='PWNED'</script>", "</script><script>document.title='PWNED'</script>", "<!--<script>", "]]><img src=x onerror=\"document.title='PWNED'\">", "</text></svg><img src=x onerror=document.title='PWNED'>", "x\" onmouseover=\"document.title='PWNED'\" data-x=\"", "</style><img src=x onerror=document.title='PWNED'>"} {
		p := council()
		for i := range p.Registry.Entries {
			e := &p.Registry.Entries[i]
			e.Text, e.Quote, e.Location.Passage, e.Location.Context = evil, evil, evil, "x"+evil+"y"
			e.Seats, e.Location.Within = []string{evil, fmt.Sprint(i)}, []string{evil}
		}
		for key := range p.Sources {
			p.Sources[key] = export.Source{Title: evil, Published: "2020 " + evil, State: evil}
		}
		p.Course[0].Name, p.Uses[0].Seat, p.Topic = evil, evil, evil
		b.show(write(t, p, export.HTML), 1280, 800)
		b.Eval("document.querySelector(\"a[href='#c1']\").click()")
		require.Contains(t, b.Eval("document.querySelector('#panel').textContent"), evil)
		require.Equal(t, "1 0", b.Eval("document.scripts.length + ' ' + document.images.length"))
		b.quiet()
	}
}

// What is printed is the report, in few pages; the appendix where it is asked for.
func TestPaper(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	b.show(write(t, council(), export.HTML), 1280, 800)
	pages, text := b.print()
	require.LessOrEqual(t, pages, 12)
	for _, want := range []string{"Which Raft library", "Choose hashicorp/raft", "Raft in production", "The course of the run"} {
		require.Contains(t, text, want)
	}
	for _, not := range []string{"Contents", "Close", "To keep the codebase small", "Claim Registry"} {
		require.NotContains(t, text, not)
	}
	b.Eval("document.querySelector('#print-appendix').click()")
	more, text := b.print()
	require.Greater(t, more, pages)
	require.Contains(t, text, "To keep the codebase small")
	require.Contains(t, text, "Claim Registry")
	_, large := example(t)
	b.show(write(t, large, export.HTML), 1280, 800)
	pages, text = b.print()
	require.LessOrEqual(t, pages, 12, "a council of three with 250 claims")
	require.Contains(t, text, "Take restic 0.14")
	b.show(write(t, export.Publication{Report: []byte("# Nothing was found\n\nNo source could be reached.\n")}, export.HTML), 1280, 800)
	pages, text = b.print()
	require.Equal(t, 1, pages)
	require.NotRegexp(t, `NaN|undefined|null|%!|Infinity`, text)
}

// Nothing of it needs the script: all there is to read can be read.
func TestAPageWithoutItsScript(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	b.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.show(write(t, council(), export.HTML), 1280, 800)
	require.Equal(t, "false false", b.Eval("(document.querySelector('#panel').offsetHeight > 0) + ' ' + (document.querySelector('#card').offsetHeight > 0)"))
	require.Contains(t, b.Eval("document.querySelector(\""+inText+"\").title"), "both network and disk IO are left to the user.")
	require.Equal(t, "true", b.Eval("[...document.querySelectorAll('.cite a')].every(a => document.querySelector(a.getAttribute('href')).offsetHeight > 0)"))
	b.quiet()
}

// axe-core finds nothing wrong in what is drawn, colours and all.
func TestAxeFindsNothingInABrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	check := func(name string) {
		require.Empty(t, b.Axe(), name)
		b.Shoot(name)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		for _, size := range [][2]int{{1440, 900}, {390, 844}, {320, 640}} {
			name := fmt.Sprintf("%s-%d", scheme, size[0])
			b.show(write(t, council(), export.HTML), size[0], size[1])
			check(name)
			require.Equal(t, "true", b.Eval("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the window")
			b.Eval("document.querySelector('#show-disputed').click(); document.querySelector(\"a[href='#c4']\").click()")
			check(name + "-panel")
			require.Equal(t, "true", b.Eval("(() => { const r = document.querySelector('#panel button').getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight && r.height >= 24 })()"), "it can be closed")
		}
	}
	_, large := example(t)
	b.show(write(t, large, export.HTML), 320, 640)
	check("example")
	require.Equal(t, "true", b.Eval("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the window")
	b.show(write(t, export.Publication{Report: []byte("# Nothing was found\n\nNo source could be reached.\n")}, export.HTML), 1280, 800)
	check("empty")
}

// A question of any script and length has its report in the order in which it is read.
func TestQuestionsOfAnyScript(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	for name, c := range map[string]struct{ topic, said, direction string }{
		"arabic":  {"هل نبني خدمتنا على bbolt أم على Badger؟", "ابنِ على bbolt v1.5.0 مع المزامنة [C1].", "rtl"},
		"chinese": {"我们的 Go 服务应该使用 bbolt 还是 Badger？", "请使用 bbolt v1.5.0，并保持同步写入 [C1]。", "ltr"},
		"long":    {strings.Repeat("Writes come in bursts, and what was acknowledged must survive a power cut; ", 270) + "which of the two?", "Build on bbolt v1.5.0 [C1].", "ltr"},
	} {
		f, p := example(t)
		f.Topic, f.Plan.Title, f.Draft = c.topic, "", []byte("## Recommendation\n\n"+c.said+"\n\n## Executive Summary\n\n"+c.said+"\n\n## Key Findings\n\n- "+c.said+"\n")
		p.Topic, p.Report = f.Topic, report.Render(f)
		for _, width := range []int{1280, 390} {
			b.show(write(t, p, export.HTML), width, 800)
			require.Equal(t, "true", b.Eval("document.documentElement.scrollWidth <= innerWidth"), name)
			b.Shoot("question-" + name + "-" + strconv.Itoa(width))
		}
		begins := b.Eval("(() => { const p = document.querySelector('.prose p'), r = document.createRange(); r.setStart(p.firstChild, 0); r.setEnd(p.firstChild, 1); const a = r.getBoundingClientRect(), box = p.getBoundingClientRect(); return a.left - box.left > box.width / 2 ? 'rtl' : 'ltr' })()")
		require.Equal(t, c.direction, begins, name)
		require.Less(t, len(b.Eval("document.querySelector('h1').textContent")), 400, name)
		require.LessOrEqual(t, len(write(t, p, export.HTML)), 400_000, name)
	}
}

// A council of three makes a page that can be sent.
func TestAPageIsSmall(t *testing.T) {
	p, more := council(), ""
	for n := range 200 {
		e := p.Registry.Entries[n%8]
		e.ID = fmt.Sprintf("C%d", n+9)
		e.Text = strings.Repeat("What was found out of it goes on. ", 5) + e.ID
		e.Location.Context = strings.Repeat("About it there is much to say. ", 40) + e.Location.Passage + strings.Repeat(" Behind it too.", 60)
		e.Location.Text = ""
		p.Registry.Entries = append(p.Registry.Entries, e)
		more += fmt.Sprintf("And so [\\[1\\]](#c%d \"C%d\").\n\n", n+9, n+9)
	}
	p.Report = bytes.Replace(p.Report, []byte("## Key Findings\n\n"), []byte("## Key Findings\n\n"+more), 1)
	page := write(t, p, export.HTML)
	require.LessOrEqual(t, len(page), 400<<10)
	require.Contains(t, page, "where exactly it is and how each judge voted are in registry.json")
}

// A conclusion tells in the card and the panel what it is and what it rests on, and each
// of that opens in its place.
func TestAConclusionOpensBesideTheText(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	b.show(write(t, publication("## Key Findings\n\nBuy it [C5]. It fails soon [C6].\n", boilers()), export.HTML), 1440, 900)
	b.TabTo(".prose a.claim[href='#c5']")
	card := b.Eval("document.querySelector('#card').textContent")
	for _, want := range []string{"Buy the new boiler.", "recommendation", "held by bo", "nobody has judged", "C4", "C3 was not found"} {
		require.Contains(t, card, want)
	}
	b.Shoot("conclusion-card")
	b.Press("Enter")
	b.Shoot("conclusion-panel")
	require.Contains(t, b.Eval("document.querySelector('#panel').textContent"), "Buy the new boiler.")
	require.Empty(t, b.Axe())
	for _, way := range [][2]string{{"#c4", "In a day it uses 18 kWh."}, {"#c1", "Before it. In a day it uses 18 kWh. Behind it."}} {
		b.Eval("document.querySelector(\"#panel a.claim[href='" + way[0] + "']\").click()")
		require.Contains(t, b.Eval("document.querySelector('#panel').textContent"), way[1])
	}
	b.Press("Escape")
	require.Equal(t, "true", b.Eval("document.activeElement.matches(\".prose a.claim[href='#c5']\")"), "the focus is back")
	for range 3 { // round the circle
		b.Eval("document.querySelector(\"a.claim[href='#c6']\").click(); document.querySelector(\"#panel a.claim[href='#c7']\").click()")
	}
	require.Contains(t, b.Eval("document.querySelector('#panel').textContent"), "C6 rests on it in turn")
	b.quiet()

	_, large := example(t)
	b.show(write(t, large, export.HTML), 1280, 800)
	b.Eval("document.querySelector('.rests-on a:not(.claim)').click()")
	b.Await("document.activeElement.matches('tr.claim') && document.activeElement.closest('details').open")
}

// Charts can be read by light and by dark, on a phone and on paper.
func TestChartsInABrowser(t *testing.T) {
	t.Parallel()
	reg, lines := years("1,200", "1,900", "4,000", "3,500", "5,100")
	b := startBrowser(t)
	for name, p := range map[string]export.Publication{"bars": publication(comparison(), boilers()), "series": publication(chartOf(lines...), reg)} {
		b.show(write(t, p, export.HTML), 1280, 900)
		b.Eval("document.querySelector('.chart').scrollIntoView({behavior: 'instant', block: 'center'})")
		b.Shoot("chart-" + name)
		require.Equal(t, "true", b.Eval("(() => { const s = document.querySelector('.chart svg').getBoundingClientRect(); return [...document.querySelectorAll('.chart svg *')].every(e => { const r = e.getBoundingClientRect(); return r.left >= s.left - 1 && r.right <= s.right + 1 && r.top >= s.top - 1 && r.bottom <= s.bottom + 1 }) })()"), "nothing is outside of the drawing")
		require.Empty(t, b.Axe())
		b.quiet()
		_, text := b.print()
		require.Contains(t, text, "as the quotations of the claims below state it")
	}
	b.Scheme("dark")
	b.show(write(t, publication(chartOf(lines...), reg), export.HTML), 390, 844)
	b.Eval("document.querySelector('.chart').scrollIntoView({behavior: 'instant', block: 'center'})")
	b.Shoot("chart-dark-phone")
	require.Empty(t, b.Axe())
	require.Equal(t, "true", b.Eval("document.documentElement.scrollWidth <= innerWidth"))
}
