package render

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/test/web"
)

// bare is the Chromium of this machine, with nothing but its flags to hold it. Its own
// sandbox is off where tests are the superuser's.
func bare(t *testing.T) Browser {
	b := installed(t)
	b.Box = func(context.Context) (string, error) { return "", errors.New("none in this test") }
	b.flags = []string{"--disable-logging"}
	if os.Geteuid() == 0 {
		b.flags = append(b.flags, "--no-sandbox")
	}
	return b
}

// inside is something on this machine that counts who comes.
type inside struct {
	port string
	came atomic.Int32
}

func listenInside(t *testing.T) *inside {
	i := &inside{}
	l, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	_, i.port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			i.came.Add(1)
			_ = c.Close()
		}
	}()
	u, err := net.ListenPacket("udp", ":"+i.port)
	require.NoError(t, err)
	t.Cleanup(func() { _ = u.Close() })
	go func() {
		for _, _, err := u.ReadFrom(make([]byte, 2000)); err == nil; _, _, err = u.ReadFrom(make([]byte, 2000)) {
			i.came.Add(1)
		}
	}()
	return i
}

// addresses are all forms of private ones, on the port that is listened at.
func (i *inside) addresses(t *testing.T) []string {
	var list []string
	for _, address := range web.Private("http://127.0.0.1:" + i.port + "/") {
		if u, err := url.Parse(address); err == nil && u.Port() == "" {
			u.Host += ":" + i.port
			address = u.String()
		}
		list = append(list, address)
	}
	table, err := os.ReadFile(filepath.Join("..", "archive", "testdata", "metadata-addresses.tsv"))
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		host := strings.Split(line, "\t")[1]
		if strings.Count(host, ":") > 1 && !strings.HasPrefix(host, "[") {
			host = "[" + host + "]"
		}
		list = append(list, "http://"+host+":"+i.port+"/")
	}
	require.Greater(t, len(list), 37)
	return list
}

// everyWay is a page that asks for addresses in every way a page has.
const everyWay = `<!doctype html><title>x</title><div id="root"></div><div id="all"></div><script>
const at = ADDRESSES, port = PORT
const put = (html) => all.insertAdjacentHTML("beforeend", html)
const tried = (f) => { try { const p = f(); if (p && p.catch) p.catch(() => 0) } catch {} }
const worker = (u) => new Blob(["fetch(" + JSON.stringify(u) + ",{mode:'no-cors'}); new WebSocket(" + JSON.stringify(u.replace("http", "ws")) + ")"], {type: "text/javascript"})
for (const rel of ["preconnect", "dns-prefetch", "prefetch", "modulepreload", "stylesheet", "icon", "manifest", "prerender", "preload"])
	for (const u of at) tried(() => { const l = document.createElement("link"); l.rel = rel; l.as = "script"; l.href = u; document.head.append(l) })
for (const u of at) {
	put("<img src='" + u.replaceAll("'", "") + "'><p style='background:url(" + u.replaceAll("'", "") + ")'>x</p>")
	if (at.indexOf(u) < 12) for (const html of ["<iframe src=U></iframe>", "<object data=U></object>", "<embed src=U>", "<video src=U autoplay></video>",
		"<form action=U method=post target=f></form>", "<a ping=U href='#'>x</a>"]) put(html.replace("U", JSON.stringify(u)))
	tried(() => fetch(u)); tried(() => fetch(u, {mode: "no-cors", method: "POST", body: "x"}))
	tried(() => { const x = new XMLHttpRequest(); x.open("GET", u); x.send() })
	tried(() => import(u)); tried(() => new EventSource(u)); tried(() => navigator.sendBeacon(u, "x"))
	tried(() => new WebSocket(u.replace("http", "ws")))
	tried(() => new WebTransport(u.replace("http:", "https:")))
	tried(() => window.open(u)); tried(() => navigator.serviceWorker.register(u))
	tried(() => { const s = document.createElement("script"); s.src = u; document.head.append(s) })
}
for (const u of at.slice(0, 8)) { tried(() => new Worker(URL.createObjectURL(worker(u)))); tried(() => new SharedWorker(URL.createObjectURL(worker(u)))) }
const here = (u) => "<meta http-equiv=refresh content='0;url=" + u + "'><script>fetch('" + u + "'); location = '" + u + "'</" + "script>"
for (const u of at.slice(0, 6)) {
	const pages = ["data:text/html," + encodeURIComponent(here(u)), URL.createObjectURL(new Blob([here(u)], {type: "text/html"})), "javascript:fetch('" + u + "')"]
	for (const src of pages) tried(() => { const f = document.createElement("iframe"); f.src = src; document.body.append(f) })
	tried(() => { const f = document.createElement("iframe"); f.srcdoc = here(u); document.body.append(f) })
	tried(() => { const s = document.createElement("script"); s.type = "speculationrules"; s.text = JSON.stringify({prefetch: [{urls: [u]}], prerender: [{urls: [u]}]}); document.head.append(s) })
	tried(() => { const s = document.createElement("style"); s.textContent = "@import '" + u + "'; @font-face { font-family: x; src: url('" + u + "') } p { font-family: x }"; document.head.append(s) })
	put("<svg><image href='" + u + "'/><use href='" + u + "#a'/></svg>"); tried(() => fetch(u, {keepalive: true, mode: "no-cors"}))
}
for (const f of document.forms) tried(() => f.submit())
for (const l of document.links) tried(() => l.click())
const frame = document.createElement("iframe"); document.body.append(frame)
for (const w of [window, frame.contentWindow]) for (const host of ["127.0.0.1", "[::1]", "localhost"]) tried(() => {
	const c = new w.RTCPeerConnection({iceServers: [{urls: "stun:" + host + ":" + port}, {urls: "turn:" + host + ":" + port + "?transport=tcp", username: "a", credential: "b"}]})
	c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o))
})
for (const u of ["file:///etc/passwd", "view-source:file:///etc/passwd", "chrome://version", "devtools://devtools/bundled/inspector.html"]) { put("<iframe src='" + u + "'></iframe>"); tried(() => window.open(u)); tried(() => fetch(u).then(r => r.text()).then(t => { root.textContent += t })) }
root.textContent += "The page has tried everything. ".repeat(30)
</script>`

// reporting are fields of an answer that have a browser tell others of what it does.
func (i *inside) reporting() http.Header {
	at := "http://127.0.0.1:" + i.port + "/"
	return http.Header{
		"Content-Type": {"text/html"}, "Link": {"<" + at + ">; rel=preload; as=script", "<" + at + ">; rel=preconnect", "<" + at + ">; rel=dns-prefetch"},
		"Content-Security-Policy-Report-Only": {"default-src 'none'; report-uri " + at + "; report-to all"}, "Reporting-Endpoints": {`all="` + at + `"`},
		"Report-To": {`{"group":"all","max_age":86400,"endpoints":[{"url":"` + at + `"}]}`}, "Nel": {`{"report_to":"all","max_age":86400,"success_fraction":1.0}`},
		"Sourcemap": {at}, "Speculation-Rules": {`"` + at + `"`}, "Alt-Svc": {`http/1.1="127.0.0.1:` + i.port + `"`},
	}
}

// A page that tries every way to every form of private addresses comes to nobody: in the
// box, and by the browser's flags alone.
func TestAPageReachesNothingByItself(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]Browser{"in a box": installed(t), "by flags alone": bare(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := listenInside(t)
			at, err := json.Marshal(i.addresses(t))
			require.NoError(t, err)
			page := strings.NewReplacer("ADDRESSES", string(at), "PORT", i.port).Replace(everyWay)
			b.patience = 15 * time.Second
			var asked atomic.Int32
			made, err := b.Render(t.Context(), "http://rogue.example/", func(_ context.Context, r archive.PageRequest) (archive.PageAnswer, error) {
				if r.Main && asked.Load() == 0 {
					asked.Add(1)
					return archive.PageAnswer{Status: 200, Header: i.reporting(), Body: []byte(page)}, nil
				}
				asked.Add(1)
				return archive.PageAnswer{}, errors.New("refused")
			})
			require.NoError(t, err)
			require.Contains(t, string(made.Document), "The page has tried everything.")
			require.NotContains(t, string(made.Document), "root:x:0")
			require.Greater(t, asked.Load(), int32(250), "what it asked for came to us")
			require.Zero(t, i.came.Load())
		})
	}
}

// nearby are forms of this machine's own addresses, as many as a page may ask hosts.
var nearby = []string{
	"127.0.0.1", "127.8.8.8", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost", "localhost.", "app.localhost", "0.0.0.0",
	"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "127。0。0。1",
}

// A page in a real browser before a real archive: its server sends each of its requests on
// to this machine, its own name leads there once it has been shown, and it goes there
// itself. Nobody comes.
func TestAHostilePageIsLedNowhereByItsServer(t *testing.T) {
	t.Parallel()
	i := listenInside(t)
	b, brief := installed(t), installed(t)
	brief.patience = 2 * time.Second
	shown := `root.textContent = "The page has come to its end, and says so in a sentence. ".repeat(12)`
	pages := []web.Page{
		{URL: "http://rogue.example/refresh", Body: `<!doctype html><div id="root"></div><meta http-equiv="refresh" content="0; url=http://127.0.0.1:` + i.port + `/"><script>document.title</script>`},
		{URL: "http://rogue.example/go", Body: `<!doctype html><div id="root"></div><script>location = "/r/0"</script>`},
		{URL: "http://rebind.example/first", Body: "public", Header: map[string]string{"Connection": "close", "Access-Control-Allow-Origin": "*"}},
		{URL: "http://rogue.example/app", Body: `<!doctype html><div id="root"></div><script>
const none = () => 0, all = []
for (let n = 0; n < ` + strconv.Itoa(len(nearby)) + `; n++) all.push(fetch("/r/" + n, {mode: "no-cors"}).catch(none))
all.push(fetch("http://rebind.example/first").then(r => r.text()).then(t => { first = t; return fetch("http://rebind.example/second") }).then(r => { first = "rebound" }).catch(none))
let first = ""
Promise.all(all).then(() => { ` + shown + `; document.title = first })</script>`},
	}
	for n, host := range nearby {
		pages = append(pages, web.Page{URL: "http://rogue.example/r/" + strconv.Itoa(n), Redirect: "http://" + host + ":" + i.port + "/secret"})
	}
	w := web.Start(t, pages...)
	o := w.Options()
	public, err := w.Resolve(t.Context(), "rebind.example", "80")
	require.NoError(t, err)
	o.AllowPrivate = []string{"rogue.example", public[0].Addr().String()} // the latter stands for one of the world
	o.Wayback = ""
	o.Render = func(ctx context.Context, address string, ask archive.Ask) (archive.Rendering, error) {
		if strings.HasSuffix(address, "/app") {
			return b.Render(ctx, address, ask)
		}
		return brief.Render(ctx, address, ask) // of which nothing comes
	}
	var rebound atomic.Int32
	o.Resolve = func(ctx context.Context, host, port string) ([]netip.AddrPort, error) {
		switch {
		case host == "rogue.example" || host == "rebind.example" && w.Count("http://rebind.example/first") == 0:
			return w.Resolve(ctx, host, port)
		case host == "rebind.example":
			rebound.Add(1)
		}
		return []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:" + i.port)}, nil
	}
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })

	snap, err := a.Fetch(t.Context(), "http://rogue.example/app")
	require.NoError(t, err)
	require.Equal(t, archive.Live, snap.State, snap.Reason)
	text, err := a.Text(snap)
	require.NoError(t, err)
	require.Contains(t, text, "The page has come to its end")
	require.Equal(t, "public", snap.Title, "the name was read while it led to the world, and not behind that")
	require.Positive(t, rebound.Load(), "it was looked up again")
	for n := range nearby {
		require.Equal(t, 1, w.Count("http://rogue.example/r/"+strconv.Itoa(n)), nearby[n])
	}
	for _, page := range []string{"refresh", "go"} {
		snap, err := a.Fetch(t.Context(), "http://rogue.example/"+page)
		require.NoError(t, err)
		require.False(t, snap.State.Readable(), page)
		require.Contains(t, snap.Reason, "refused: ", page)
	}
	require.Zero(t, i.came.Load())
}

// The same page in a browser like everybody's does reach what is inside, so that the test
// above would see it.
func TestAnOrdinaryBrowserWouldReachIt(t *testing.T) {
	t.Parallel()
	i := listenInside(t)
	dir := t.TempDir()
	at := `["http://127.0.0.1:` + i.port + `/","http://[::1]:` + i.port + `/"]`
	page := filepath.Join(dir, "page.html")
	require.NoError(t, os.WriteFile(page, []byte(strings.NewReplacer("ADDRESSES", at, "PORT", i.port).Replace(everyWay)), 0o600))
	cmd := exec.CommandContext(t.Context(), installed(t).Program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-features=LocalNetworkAccessChecks",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--timeout=4000", "--dump-dom", "file://"+page)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NotEmpty(t, out)
	require.Positive(t, i.came.Load())
}

// left are the processes that have anything of a folder in their environment.
func left(t *testing.T, dir string) (list []string) {
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, file := range found {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), dir+"/render-") {
			list = append(list, file)
		}
	}
	return list
}

// What has no end is ended, whole: with a document where there is one, else with a reason.
func TestAPageWithoutAnEndIsEnded(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]Browser{"in a box": installed(t), "by flags alone": bare(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" {
				t.Skip("processes are found by /proc")
			}
			for name, c := range map[string]struct{ script, document string }{
				"a loop":              {`while (true);`, ""},
				"windows of words":    {`while (true) alert("x")`, ""},
				"a page that grows":   {`const grow = () => { for (let i = 0; i < 5000; i++) root.append(document.createElement("p"), "x"); setTimeout(grow) }; grow()`, ""},
				"reloads":             {`location.reload()`, "-"},
				"requests for ever":   {`const more = () => fetch("/x?" + Math.random()).catch(() => 0).then(more); for (let i = 0; i < 50; i++) more(); root.textContent = "There is a sentence here."`, "There is a sentence here."},
				"a stream":            {`fetch("/stream"); root.textContent = "There is a sentence here."`, "There is a sentence here."},
				"what is not its own": {`Object.defineProperty(Element.prototype, "outerHTML", {get() { return "forged" }}); root.textContent = "There is a sentence here."`, "There is a sentence here."},
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					b := b
					dir, err := os.MkdirTemp("", "r") // a short one: Chromium lays sockets down in it
					require.NoError(t, err)
					t.Cleanup(func() { _ = os.RemoveAll(dir) })
					b.folder, b.patience = dir, 3*time.Second
					if c.document == "" { // it gives none
						b.reading = 3 * time.Second
					}
					var shown atomic.Bool
					ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
					defer cancel()
					made, err := b.Render(ctx, "http://endless.example/", func(ctx context.Context, r archive.PageRequest) (archive.PageAnswer, error) {
						shown.Store(true)
						if strings.HasSuffix(r.URL, "/stream") {
							<-ctx.Done()
							return archive.PageAnswer{}, ctx.Err()
						}
						page := `<!doctype html><title>x</title><div id="root"></div><script>` + c.script + `</script>`
						return archive.PageAnswer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(page)}, nil
					})
					require.True(t, shown.Load(), err)
					switch {
					case c.document == "":
						if err == nil { // it was taken as it stood
							require.NotEmpty(t, made.Document)
						}
					case c.document != "-":
						require.NoError(t, err)
						require.Contains(t, string(made.Document), c.document)
					}
					require.Eventually(t, func() bool { return len(left(t, dir)) == 0 }, 10*time.Second, 100*time.Millisecond, "a process is left")
					files, err := os.ReadDir(dir)
					require.NoError(t, err)
					require.Empty(t, files)
				})
			}
		})
	}
}

// mostOfOne is what the largest process of a folder's browsers has in memory now, in
// bytes: those that have the folder in their environment, and all that they have started.
func mostOfOne(t *testing.T, dir string) (most int64) {
	first := left(t, dir)
	parents, sizes := map[string]string{}, map[string]int64{}
	list, err := filepath.Glob("/proc/[0-9]*/status")
	require.NoError(t, err)
	for _, file := range list {
		data, _ := os.ReadFile(file) // of one that has ended there is nothing
		pid := filepath.Base(filepath.Dir(file))
		for line := range strings.Lines(string(data)) {
			name, value, _ := strings.Cut(line, ":")
			if words := strings.Fields(value); name == "PPid" {
				parents[pid] = words[0]
			} else if name == "VmRSS" {
				kilobytes, err := strconv.ParseInt(words[0], 10, 64)
				require.NoError(t, err)
				sizes[pid] = kilobytes << 10
			}
		}
	}
	for pid, size := range sizes {
		for at := pid; at != ""; at = parents[at] {
			if slices.Contains(first, "/proc/"+at+"/environ") {
				most = max(most, size)
				break
			}
		}
	}
	return most
}

// A page that takes memory without end is not read, and why is said. No process becomes
// larger than it may, and the next page is shown.
func TestAPageThatTakesMemoryWithoutEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by /proc")
	}
	hungry := map[string]string{
		"numbers": `const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))`,
		"files":   `const all = [], more = () => { for (let i = 0; i < 4; i++) all.push(new Blob([new Uint8Array(32 << 20).fill(i)])); setTimeout(more) }; more()`,
	}
	w := web.Start(t, web.Page{URL: "http://app.example/page", Body: shell}, script("http://app.example/app.js", `root.innerHTML = `+paragraphs(sentence)))
	for name, takes := range hungry {
		require.NoError(t, w.Add(web.Page{URL: "http://app.example/" + name, Body: `<!doctype html><title>x</title><div id="root"></div><script>` + takes + `</script>`}))
	}
	b := installed(t)
	dir, err := os.MkdirTemp("", "r") // a short one: Chromium lays sockets down in it
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b.folder, b.memory = dir, maxHeap+88<<20 // which is reached sooner
	b.patience, b.reading = 40*time.Second, 40*time.Second
	a := opened(t, w, b)
	for name := range hungry {
		done, most := make(chan struct{}), int64(0)
		var snap archive.Snapshot
		go func() {
			defer close(done)
			snap, err = a.Fetch(t.Context(), "http://app.example/"+name)
		}()
		for fetching := true; fetching; {
			most = max(most, mostOfOne(t, dir))
			select {
			case <-done:
				fetching = false
			case <-time.After(20 * time.Millisecond):
			}
		}
		require.NoError(t, err)
		require.Equal(t, archive.Blocked, snap.State, name)
		require.Contains(t, snap.Reason, "memory", name)
		t.Logf("%s: the largest process had %d MiB: %s", name, most>>20, snap.Reason)
		require.Greater(t, most, int64(maxHeap/2), "it was seen")
		require.Less(t, most, int64(b.memory+maxHeap), name) // what it may take of its own, and what it shares
	}
	snap, err := a.Fetch(t.Context(), "http://app.example/page")
	require.NoError(t, err)
	require.Equal(t, archive.Live, snap.State, snap.Reason)
}
