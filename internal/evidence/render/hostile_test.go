package render

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
					return archive.PageAnswer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(page)}, nil
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
