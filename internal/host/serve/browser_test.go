package serve

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/chromium"
)

// axe-core finds nothing wrong on any page, by light and dark, on a wide screen and a phone;
// nothing is wider than the window, and nothing is asked of anybody else.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	project := t.TempDir()
	finished(t, project)
	dir := begin(t, project, openID, "Is it under way?")
	attend(t, dir)
	underWay(t, dir, openID, 1)
	other := t.TempDir()
	reviewed(t, other)
	x := serveProject(t, project, other)
	b.Open(x.server.URL())
	require.Equal(t, "/", b.Eval("location.pathname + location.search"))
	pages := map[string]string{"list": x.base + "/", "live": x.run(openID, ""), "findings": strings.Replace(x.run(doneID, "findings"), newProject(project).Key, newProject(other).Key, 1)}
	for _, page := range allPages {
		pages["done-"+strings.ReplaceAll(page, "/", "-")] = x.run(doneID, page)
	}
	for _, look := range []struct {
		scheme string
		width  int
	}{{"light", 1280}, {"dark", 390}} {
		b.Scheme(look.scheme)
		b.Size(look.width, 900)
		for name, address := range pages {
			name = fmt.Sprintf("%s-%s-%d", name, look.scheme, look.width)
			b.Open(address)
			require.Empty(t, b.Axe(), name)
			require.Equal(t, "true", b.Eval("document.documentElement.scrollWidth <= innerWidth"), "%s: nothing is wider than the window", name)
			require.Empty(t, b.Faults(), name)
			for _, asked := range b.Requests() {
				require.True(t, strings.HasPrefix(asked, x.base+"/"), asked)
			}
			require.NotContains(t, b.Eval("document.title"), "PWNED")
			b.Shoot(name)
		}
	}
}

// By keyboard alone: from the list to the report, to a citation's passage and back, to a
// filter, to a cancelled run.
func TestByKeyboardAlone(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	project := t.TempDir()
	finished(t, project)
	underWay(t, begin(t, project, openID, "Is it under way?"), openID, 1)
	x := serveProject(t, project)
	b.Size(1280, 900)
	b.Open(x.server.URL())
	b.Press("Tab")
	require.Equal(t, "To the content", b.Eval("document.activeElement.textContent"))
	b.TabTo("a[href$='" + doneID + "/']")
	b.Press("Enter")
	b.Await("document.title.startsWith('Overview: How fast')")
	b.TabTo("a[href$='/report']")
	b.Press("Enter")
	b.Await("document.title.startsWith('Report')")
	b.TabTo("a.cite")
	b.Press("Enter")
	b.Await("document.querySelector('#beside mark') !== null")
	require.Equal(t, "A kettle boils a litre in 3 minutes.", b.Eval("document.querySelector('#beside mark').textContent"))
	require.Equal(t, "beside", b.Eval("document.activeElement.id"))
	require.Equal(t, "true", b.Eval("(() => { const m = document.querySelector('#beside mark').getBoundingClientRect(); return m.top >= 0 && m.bottom <= innerHeight })()"), "the passage is in sight")
	require.Equal(t, "true", b.Eval("document.getElementById('beside').getBoundingClientRect().bottom <= innerHeight"), "and all that can be scrolled to")
	b.Shoot("beside")
	b.Press("Escape")
	require.Equal(t, "true", b.Eval("document.activeElement.matches('a.cite')"), "the focus is back")
	b.Open(x.run(doneID, "claims"))
	b.TabTo("input[type=search]")
	b.Type("five minutes")
	b.Press("Enter")
	b.Await("location.search.includes('five') && document.querySelector('.count') !== null")
	require.Equal(t, "1 of 4 claims", b.Eval("document.querySelector('.count').textContent"))
	require.Equal(t, "?q=five+minutes", b.Eval("location.search"), "the address says only what was chosen")

	b.Open(x.run(openID, ""))
	b.TabTo("details:last-of-type summary")
	b.Press("Enter")
	b.TabTo("button.grave")
	b.Press("Enter")
	b.Await("document.body.textContent.includes('The run is cancelled')")
	r, err := supervisor.Read(project, openID)
	require.NoError(t, err)
	require.Equal(t, flow.Cancelled, r.Status)
	require.Empty(t, b.Faults())
}

// A run under way keeps its page fresh, without moving the focus or the page; when it ends
// while it is watched the page says so and asks no more.
func TestARunThatEndsWhileItIsWatched(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	project := t.TempDir()
	dir := begin(t, project, openID, "Is it under way?")
	attend(t, dir)
	underWay(t, dir, openID, 1)
	x := serveProject(t, project)
	b.Size(1280, 500)
	b.Open(x.server.URL())
	b.Open(x.run(openID, ""))
	b.Await("document.body.textContent.includes('reads page 1')")
	b.Eval("document.querySelector('.steer summary').focus(); scrollTo(0, 120)")
	records(t, dir, "A kettle boils.")
	underWay(t, dir, openID, 2)
	b.Await("document.body.textContent.includes('reads page 2') && document.body.textContent.includes('A kettle boils.')")
	require.Equal(t, "true 120", b.Eval("document.activeElement.matches('.steer summary') + ' ' + scrollY"))
	b.Shoot("live")
	end1(t, dir, openID, "Is it under way?")
	b.Await("document.querySelector('#state').textContent.includes('completed') && document.querySelector('#live').dataset.open === 'false'")
	require.Equal(t, "0", b.Eval("performance.getEntriesByType('resource').filter(e => e.name.endsWith('/events')).length"))
	require.Empty(t, b.Faults())
}

// Without script everything can be read, sorted and done.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	project := t.TempDir()
	finished(t, project)
	begin(t, project, openID, "Is it under way?")
	x := serveProject(t, project)
	b.Open(x.server.URL())
	b.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.Open(x.run(doneID, "report"))
	b.TabTo("a.cite")
	b.Press("Enter")
	b.Await("location.pathname.endsWith('/claims/C1')")
	b.Await("document.querySelector('mark')?.textContent == 'A kettle boils a litre in 3 minutes.'")
	b.Open(x.run(doneID, "claims?sort=source&dir=down"))
	b.Await("document.querySelector('th:last-child')?.getAttribute('aria-sort') == 'descending'") // no script tells that the page is whole
	b.Open(x.run(openID, ""))
	b.TabTo("details:last-of-type summary")
	b.Press("Enter")
	b.TabTo("button.grave")
	b.Press("Enter")
	b.Await("document.body.textContent.includes('The run is cancelled')")
}

// What is printed is the page without what only a screen needs.
func TestOnPaper(t *testing.T) {
	t.Parallel()
	pdftotext, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed")
	}
	b := chromium.Start(t)
	project := t.TempDir()
	finished(t, project)
	x := serveProject(t, project)
	b.Open(x.server.URL())
	for page, want := range map[string]string{"report": "A kettle boils a litre in three minutes", "claims/C1": "if high", "claims": "It takes five minutes."} {
		b.Open(x.run(doneID, page))
		file := filepath.Join(t.TempDir(), "page.pdf")
		require.NoError(t, os.WriteFile(file, b.PDF(), 0o600))
		text, err := exec.Command(pdftotext, file, "-").Output()
		require.NoError(t, err)
		flat := strings.Join(strings.Fields(string(text)), " ")
		require.Contains(t, flat, want)
		require.NotContains(t, flat, "Overview")
		require.NotContains(t, flat, "To the content")
	}
}

// A hostile report, and hostile archived pages, are words.
func TestAHostileReportIsWords(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	project := t.TempDir()
	dir := finished(t, project)
	texts := []string{
		`<!doctype html><title>Evil</title><base href="http://canary.invalid/"><meta http-equiv="refresh" content="0;url=http://canary.invalid/"><script>document.title="PWNED"</script><body onload="document.title='PWNED'"><img src=x onerror="document.title='PWNED'"><p>It boils.</p><p>It boils.</p><mark>no</mark>`,
		`<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='PWNED'"><script>document.title="PWNED"</script><text>It boils.</text></svg>`,
		"\x1b]52;c;UFdORUQ=\x07\x1b[2JIt boils.\u202e reversed \u202c\x00\r",
	}
	reg, err := os.ReadFile(filepath.Join(dir, claim.RegistryFile))
	require.NoError(t, err)
	whole, err := claim.ParseRegistry(reg)
	require.NoError(t, err)
	for i, text := range texts {
		hash := archived(t, dir, fmt.Sprintf("evil-%d.txt", i), text)
		whole.Entries = append(whole.Entries, claim.Entry{ID: fmt.Sprintf("C%d", 20+i), Text: text, Quote: "It boils.", Source: "evil", Key: "file:evil", Seats: []string{"x"}, Location: located(text, hash, "It boils.", 1)})
	}
	writeJSON(t, dir, claim.RegistryFile, whole)
	write1(t, dir, "final-report.md", "# "+texts[0]+"\n\n"+texts[1]+" [\\[1\\]](#c20)\n\n"+texts[2])
	x := serveProject(t, project)
	b.Open(x.server.URL())
	for _, page := range append([]string{"claims/C20", "claims/C21", "claims/C22", "final-report.html"}, allPages...) {
		b.Open(x.run(doneID, page))
		require.NotContains(t, b.Eval("document.title"), "PWNED", page)
		require.Equal(t, "0", b.Eval("document.querySelectorAll('base,iframe,object,main img,[onload],[onerror]').length"), page)
		for _, asked := range b.Requests() {
			require.True(t, strings.HasPrefix(asked, x.base+"/") || page == "final-report.html" && strings.HasSuffix(asked, "canary.invalid/x.png"), "%s asks for %s", page, asked) // that one is tried and blocked
		}
		if strings.HasPrefix(page, "claims/C2") {
			require.Equal(t, "It boils.", b.Eval("[...document.querySelectorAll('mark')].map(m => m.textContent).join('|')"), page)
		}
	}
}

// A page of another origin, and one whose name was made to lead here, gets nothing, also
// where the person has opened the pages in the same browser.
func TestAnotherPageGetsNothing(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	begin(t, project, openID, canary)
	finished(t, project)
	x := serveProject(t, project)
	_, port, err := net.SplitHostPort(x.server.listener.Addr().String())
	require.NoError(t, err)
	attacker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><title>x</title><body></body>"))
	}))
	defer attacker.Close()
	b := chromium.Start(t, "--host-resolver-rules=MAP evil.invalid 127.0.0.1")
	b.Open(x.server.URL())
	b.Open("http://evil.invalid:" + port + "/")
	require.Contains(t, b.Eval("document.body.textContent"), "does not answer to that name")
	attack := `(async () => {
		const seen = [];
		for (const [m, p] of [["GET", "/"], ["POST", "RUN/cancel"], ["POST", "RUN/note"]])
			await fetch("BASE" + p, { method: m, credentials: "include", mode: "cors", body: m === "POST" ? new URLSearchParams({ note: "PWNED" }) : undefined }).then(async (r) => seen.push(m + p + r.status + (await r.text()).length), () => {});
		await new Promise((done) => { const i = new Image(); i.onload = () => { seen.push("image"); done(); }; i.onerror = done; i.src = "BASERUN/final-report.html"; });
		await new Promise((done) => { const e = new EventSource("BASERUN/events", { withCredentials: true }); e.onmessage = () => { seen.push("events"); done(); }; e.onerror = done; });
		const f = document.createElement("iframe"); f.name = "f"; document.body.append(f);
		const form = document.createElement("form"); form.method = "post"; form.action = "BASERUN/cancel"; form.target = "f"; document.body.append(form);
		await new Promise((done) => { f.onload = done; form.submit(); setTimeout(done, 2000); });
		try { if (f.contentDocument.body.textContent) seen.push("frame"); } catch {}
		return seen.join();
	})()`
	run := "/run/" + newProject(project).Key + "/" + openID
	for _, from := range []string{attacker.URL, strings.Replace(attacker.URL, "127.0.0.1", "localhost", 1)} {
		b.Open(from)
		require.Empty(t, b.Eval(strings.NewReplacer("BASE", x.base, "RUN", run).Replace(attack)), from)
	}
	r, err := supervisor.Read(project, openID)
	require.NoError(t, err)
	require.Equal(t, flow.Status(""), r.Status)
	require.NoFileExists(t, filepath.Join(project, "research", openID, "cancelled"))
}

// Twenty thousand claims open, sort and filter in a browser.
func TestTwentyThousandClaims(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	project := t.TempDir()
	dir := finished(t, project)
	writeJSON(t, dir, claim.RegistryFile, manyClaims(20_000))
	x := serveProject(t, project)
	b.Open(x.server.URL())
	b.Open(x.run(doneID, "claims"))
	require.Equal(t, "20000 of 20000 claims, page 1 of 200", b.Eval("document.querySelector('.count').textContent"))
	t.Log("opened in", b.Eval("Math.round(performance.getEntriesByType('navigation')[0].responseEnd)"), "ms")
	b.Open(x.run(doneID, "claims?seat=codex&state=not-found&sort=source&q=steals"))
	require.Equal(t, "6667 of 20000 claims, page 1 of 67", b.Eval("document.querySelector('.count').textContent"))
	require.Equal(t, "100", b.Eval("document.querySelectorAll('tbody tr').length"))
	b.Open(x.run(doneID, "claims?seat=codex&state=not-found&sort=id&q=steals&dir=down"))
	t.Log("filtered in", b.Eval("Math.round(performance.getEntriesByType('navigation')[0].responseEnd)"), "ms")
	require.Empty(t, b.Axe())
	require.Less(t, bytes.Count([]byte(b.Eval("document.documentElement.outerHTML")), nil), 400<<10)
}
