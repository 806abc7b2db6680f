package serve

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// canary must never be seen.
const canary = "CANARY7f3a"

// attempt is a request as it goes over the wire.
type attempt struct {
	what   string // the request line
	host   string // "-" for none
	origin string
	site   string // Sec-Fetch-Site
	who    string // of C the cookie, of W the token of forms
	body   string
	more   string // further lines of the head
	want   []int
}

// wire is the text of a request.
func (q attempt) wire(fill *strings.Replacer) string {
	var b strings.Builder
	version := " HTTP/1.1"
	if q.host == "-" {
		version = " HTTP/1.0"
	}
	b.WriteString(q.what + version + "\r\n")
	if q.host != "-" {
		if q.host == "" {
			q.host = "127.0.0.1:P"
		}
		b.WriteString("Host: " + strings.TrimPrefix(q.host, "empty") + "\r\n")
	}
	for name, value := range map[string]string{"Origin": q.origin, "Sec-Fetch-Site": q.site} {
		if value != "" {
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
	if strings.Contains(q.who, "C") {
		b.WriteString("Cookie: COOKIE\r\n")
	}
	if strings.Contains(q.who, "W") {
		q.body = strings.TrimPrefix(q.body+"&write=WRITE", "&")
	}
	head := fill.Replace(b.String() + q.more)
	body := fill.Replace(q.body)
	if strings.HasPrefix(q.what, "POST") && !strings.Contains(head, "Content-Length") {
		if !strings.Contains(head, "Content-Type") {
			head += "Content-Type: application/x-www-form-urlencoded\r\n"
		}
		head += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return head + "Connection: close\r\n\r\n" + body
}

// Requests that somebody wrote who had not seen the server, and what each may get.
func hostileRequests() []attempt {
	const ours = "http://127.0.0.1:P"
	bad := []int{400, 403, 421}
	unknown := []int{401, 403}
	none := []int{400, 404}
	return []attempt{
		{what: "GET /?token=T", site: "none", want: []int{303}},
		{what: "GET /", site: "none", who: "C", want: []int{200}},
		{what: "GET /", site: "none", want: unknown},
		{what: "GET /?token=", site: "none", want: unknown},
		{what: "GET /?token=SHORT", site: "none", want: unknown},
		{what: "GET /?token=TX", site: "none", want: unknown},
		{what: "GET /?token=wrong&token=T", site: "none", want: unknown},
		{what: "GET /?token[]=T", site: "none", want: unknown},
		{what: "GET /run/K/DONE/", site: "same-origin", who: "C", want: []int{200}},
		{what: "HEAD /run/K/DONE/", site: "same-origin", who: "C", want: []int{200}},
		{what: "GET /run/K/DONE/", site: "none", want: unknown},
		{what: "GET /run/K/nope/", site: "same-origin", want: unknown},
		{what: "GET /run/K/nope/", site: "same-origin", who: "C", want: none},
		{what: "GET /run/K/DONE/", host: "evil.invalid:P", site: "cross-site", who: "C", want: bad},
		{what: "GET /?token=T", host: "evil.invalid:P", site: "cross-site", want: bad},
		{what: "GET /", host: "127.0.0.1.nip.invalid:P", who: "C", want: bad},
		{what: "GET /", host: "localhost.evil.invalid:P", who: "C", want: bad},
		{what: "GET /", host: "evil-localhost:P", who: "C", want: bad},
		{what: "GET /?token=T", host: "localhost:P", site: "none", want: []int{303}},
		{what: "GET /?token=T", host: "LOCALHOST:P", site: "none", want: []int{303}},
		{what: "GET /?token=T", host: "127.0.0.1.:P", want: bad},
		{what: "GET /", host: "127.0.0.1", who: "C", want: bad},
		{what: "GET /", host: "127.0.0.1:1", who: "C", want: bad},
		{what: "GET /?token=T", host: "localhost:9000", want: bad},
		{what: "GET /", host: "0.0.0.0:P", who: "C", want: bad},
		{what: "GET /", host: "[::1]:P", who: "C", want: bad},
		{what: "GET /", host: "2130706433:P", who: "C", want: bad},
		{what: "GET /", host: "user@127.0.0.1:P", who: "C", want: bad},
		{what: "GET /", host: "127.0.0.1:P, evil.invalid", who: "C", want: bad},
		{what: "GET /", host: "127.0.0.1:P\r\nHost: evil.invalid", who: "C", want: []int{400}},
		{what: "GET /", host: "-", who: "C", want: bad},
		{what: "GET /", host: "empty", who: "C", want: bad},
		{what: "GET http://evil.invalid/", who: "C", want: bad},
		{what: "GET /", host: "evil.invalid:P", who: "C", more: "X-Forwarded-Host: 127.0.0.1:P\r\n", want: bad},
		{what: "POST /run/K/OPEN/note", origin: ours, site: "same-origin", who: "C", body: "note=hello", want: []int{403}},
		{what: "POST /run/K/OPEN/note", who: "CW", body: "note=hello", want: []int{403}},
		{what: "POST /run/K/OPEN/note?write=WRITE", origin: ours, site: "same-origin", who: "C", body: "note=hello", want: []int{403}},
		{what: "POST /run/K/OPEN/note?token=T", origin: ours, site: "same-origin", body: "note=hello", want: unknown},
		{what: "POST /run/K/OPEN/cancel", origin: "https://evil.invalid", site: "cross-site", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: "http://127.0.0.1:1", site: "same-site", who: "C", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: "http://127.0.0.1:1", site: "same-site", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: "null", site: "cross-site", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: "null", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: "https://127.0.0.1:P", site: "cross-site", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: "http://127.0.0.1:P.evil.invalid", site: "cross-site", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: "http://localhost:P", site: "cross-site", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: ours, site: "cross-site", who: "CW", want: []int{403}},
		{what: "POST /run/K/OPEN/cancel", origin: ours + "\r\nOrigin: https://evil.invalid", site: "same-origin", who: "CW", want: []int{400, 403}},
		{what: "POST /run/K/OPEN/cancel", origin: "https://evil.invalid", site: "cross-site", who: "C", more: "Content-Type: text/plain\r\n", body: `{"token":"x","a":"="}`, want: []int{403, 415}},
		{what: "GET /run/K/OPEN/cancel", site: "none", who: "C", want: []int{404, 405}},
		{what: "GET /run/K/OPEN/cancel?_method=POST&token=T", site: "none", who: "C", want: []int{404, 405}},
		{what: "GET /run/K/OPEN/cancel", site: "none", who: "C", more: "X-HTTP-Method-Override: POST\r\n", want: []int{404, 405}},
		{what: "HEAD /run/K/OPEN/cancel", site: "none", who: "C", want: []int{404, 405}},
		{what: "PUT /run/K/OPEN/note", origin: ours, site: "same-origin", who: "C", want: []int{405}},
		{what: "DELETE /run/K/DONE/", origin: ours, site: "same-origin", who: "C", want: []int{405}},
		{what: "TRACE /", who: "C", want: []int{405, 501}},
		{what: "CONNECT 127.0.0.1:22", who: "C", want: []int{400, 405, 501}},
		{what: "OPTIONS /run/K/OPEN/cancel", origin: "https://evil.invalid", site: "cross-site", want: []int{403, 405}},
		{what: "OPTIONS /", origin: "https://evil.invalid", site: "cross-site", more: "Access-Control-Request-Private-Network: true\r\n", want: []int{403, 405}},
		{what: "GET /run/K/OPEN/events", origin: "https://evil.invalid", site: "cross-site", who: "C", want: []int{403}},
		{what: "GET /run/K/OPEN/events", site: "same-origin", want: unknown},
		{what: "GET /events", site: "same-site", who: "C", want: []int{403}},
		{what: "GET /run/K/DONE/report", site: "cross-site", who: "C", want: []int{403}},
		{what: "GET /run/K/DONE/final-report.html", site: "same-site", who: "C", more: "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n", want: []int{403}},
		{what: "GET /run/K/..%2f..%2fetc%2fpasswd", who: "C", want: none},
		{what: "GET /run/../../etc/passwd", who: "C", want: none},
		{what: "GET /run/%2e%2e/%2e%2e/FOREIGN", who: "C", want: none},
		{what: "GET /run/K/%252e%252e%252fFOREIGN/", who: "C", want: none},
		{what: "GET /run/K/..%5c..%5cFOREIGN/", who: "C", want: none},
		{what: "GET /run/K/DONE%00.html", who: "C", want: none},
		{what: "GET /run/%2fabs%2fpath%2fFOREIGN", who: "C", want: none},
		{what: "GET /run/.", who: "C", want: none},
		{what: "GET /run/", who: "C", want: none},
		{what: "GET /run/%20", who: "C", want: none},
		{what: "GET /run/K/" + strings.Repeat("a", 300) + "/", who: "C", want: none},
		{what: "GET /run/K/" + strings.Repeat("a", 64<<10), who: "C", want: []int{400, 404, 414, 431}},
		{what: "GET /run/K/UPPER/", who: "C", want: none},
		{what: "GET /run/K/FOREIGN/", who: "C", want: none},
		{what: "GET /run/FK/FOREIGN/", who: "C", want: none},
		{what: "GET /run/K/LINK/", who: "C", want: none},
		{what: "GET /run/K/OTHERS/", who: "C", want: none},
		{what: "GET /run/K/DONE/text?hash=..%2f..%2f..%2fjournal.jsonl", who: "C", want: none},
		{what: "GET /run/K/DONE/text?hash=" + strings.Repeat("0", 64), who: "C", want: none},
		{what: "GET /run/K/DONE/journal.jsonl", who: "C", want: none},
		{what: "GET /run/K/DONE/claims/..%2f..%2fjournal.jsonl", who: "C", want: none},
		{what: "GET /run/K/DONE/../../.git/config", who: "C", want: none},
		{what: "GET /static/", who: "C", want: none},
		{what: "GET /favicon.ico", want: []int{204}},
		{what: "GET /debug/pprof/", who: "C", want: none},
		{what: "GET /?q=%3Cscript%3Ealert(1)%3C/script%3E", who: "C", want: []int{200}},
		{what: "GET /?sort=__proto__&page=-1&page=1e9&state=%ff", who: "C", want: []int{200, 400}},
		{what: "GET /run/K/DONE/claims?page=99999999&sort=%00&dir=%ff&q=%ff%fe", who: "C", want: []int{200}},
		{what: "GET /?next=https://evil.invalid&token=T", want: []int{303}},
		{what: "GET //evil.invalid/?token=T", want: none},
		{what: "GET /%5Cevil.invalid/?token=T", want: none},
		{what: "GET /%2Fevil.invalid/?token=T", want: none},
		{what: "GET /%0d%0aSet-Cookie:x=1?token=T", want: none},
		{what: "GET /run/K/DONE/claims?token=T", site: "none", want: []int{303}},
		{what: "GET /run/K/DONE/claims?token=T", site: "cross-site", want: bad},
		{what: "GET /run/K/DONE/claims?token=SHORT", site: "none", want: unknown},
		{what: "GET /run/K/DONE/claims?token=wrong&token=T", site: "none", want: unknown},
		{what: "GET /%0d%0aSet-Cookie:x=1", who: "C", want: none},
		{what: "GET /%1b[2J", who: "C", want: none},
		{what: "POST /new", origin: ours, site: "same-origin", who: "C", body: "question=smuggled", want: []int{403}},
		{what: "POST /new", origin: ours, site: "same-origin", who: "W", body: "question=smuggled", want: unknown},
		{what: "POST /new", who: "CW", body: "question=smuggled", want: []int{403}},
		{what: "POST /new?write=WRITE", origin: ours, site: "same-origin", who: "C", body: "question=smuggled", want: []int{403}},
		{what: "POST /new", origin: "https://evil.invalid", site: "cross-site", who: "CW", body: "question=smuggled", want: []int{403}},
		{what: "POST /new", origin: "null", site: "cross-site", who: "CW", body: "question=smuggled", want: []int{403}},
		{what: "POST /new", host: "evil.invalid:P", origin: "http://evil.invalid:P", site: "same-origin", who: "CW", body: "question=smuggled", want: bad},
		{what: "POST /new", origin: ours, site: "same-origin", who: "CW", more: "Content-Type: text/plain\r\n", body: "question=smuggled", want: []int{415}},
		{what: "GET /new?question=smuggled", site: "cross-site", who: "C", want: []int{403}},
		{what: "GET /new?from=PLAN", site: "none", want: unknown},
		{what: "PUT /new", origin: ours, site: "same-origin", who: "CW", body: "question=smuggled", want: []int{405}},
		{what: "POST /planned/PLAN/start", origin: ours, site: "same-origin", who: "C", want: []int{403}},
		{what: "POST /planned/PLAN/start", origin: ours, site: "same-origin", who: "W", want: unknown},
		{what: "POST /planned/PLAN/start", who: "CW", want: []int{403}},
		{what: "POST /planned/PLAN/start", origin: "https://evil.invalid", site: "cross-site", who: "CW", want: []int{403}},
		{what: "POST /planned/PLAN/start", origin: "http://127.0.0.1:1", site: "same-site", who: "CW", want: []int{403}},
		{what: "POST /planned/PLAN/start?write=WRITE", origin: ours, site: "same-origin", who: "C", want: []int{403}},
		{what: "GET /planned/PLAN/start", site: "same-origin", who: "C", want: []int{404, 405}},
		{what: "GET /planned/PLAN", site: "none", want: unknown},
		{what: "POST /planned/" + strings.Repeat("0", 64) + "/start", origin: ours, site: "same-origin", who: "CW", want: none},
		{what: "POST /planned//start", origin: ours, site: "same-origin", who: "CW", want: none},
		{what: "POST /run/K/OPEN/note", origin: ours, site: "same-origin", who: "CW", body: "note=" + strings.Repeat("x", maxForm), want: []int{413}},
		{what: "POST /run/K/OPEN/note", origin: ours, site: "same-origin", who: "CW", body: "note=smuggled", more: "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 13\r\nTransfer-Encoding: chunked\r\n", want: []int{400}},
		{what: "POST /run/K/OPEN/note", origin: ours, site: "same-origin", who: "CW", more: "Content-Encoding: gzip\r\n", want: []int{400, 415}},
		{what: "POST /run/K/OPEN/note", origin: ours, site: "same-origin", who: "CW", more: "Content-Type: multipart/form-data; boundary=x\r\n", want: []int{400, 415}},
		{what: "POST /run/K/OPEN/note", origin: ours, site: "same-origin", who: "CW", more: "Content-Type: application/json\r\n", body: `{"note":"x"`, want: []int{400, 415}},
		{what: "POST /run/K/OPEN/note", origin: ours, site: "same-origin", who: "CW", body: "note=%zz", want: []int{400}},
		{what: "POST /run/K/DONE/cancel", origin: ours, site: "same-origin", who: "CW", want: []int{409}},
		{what: "POST /run/K/OTHERS/cancel", origin: ours, site: "same-origin", who: "CW", want: none},
		{what: "POST /run/K/OPEN/delete", origin: ours, site: "same-origin", who: "CW", want: []int{404, 405}},
		{what: "POST /", origin: ours, site: "same-origin", who: "CW", want: []int{404, 405}},
		{what: "GET /", origin: "https://evil.invalid", site: "cross-site", who: "C", more: "Upgrade: websocket\r\n", want: bad},
		{what: "PRI *", host: "-", want: []int{400, 405, 505}},
	}
}

func TestHostileRequestsGetNothing(t *testing.T) {
	project, elsewhere := t.TempDir(), t.TempDir()
	begin(t, project, openID, "Is it under way?")
	done := finished(t, project)
	foreign := begin(t, elsewhere, foreignID, canary)
	const link, others = "20260220-080001-0abcde", "20260220-080002-0abcde"
	require.NoError(t, os.Symlink(foreign, filepath.Join(project, "research", link)))
	theirs := begin(t, project, others, canary)
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(theirs, 65534, 65534))
	} else {
		require.NoError(t, os.RemoveAll(theirs)) // only root can give a folder away
	}
	before := tree(t, done)
	known := runsIn(t, project)
	x := serveProject(t, project)
	a := x.server.access
	plan := x.server.plans.keep(&planned{project: newProject(project), setup: flow.Setup{ID: "20260223-143000-a1b2c3", Topic: canary, Root: project}})
	_, port, err := net.SplitHostPort(x.server.listener.Addr().String())
	require.NoError(t, err)
	fill := strings.NewReplacer("127.0.0.1:P", "127.0.0.1:"+port, "localhost:P", "localhost:"+port, "LOCALHOST:P", "LOCALHOST:"+port, ":P", ":"+port, "=T", "="+a.token, "=SHORT", "="+a.token[:63],
		"COOKIE", a.cookie+"="+a.session, "WRITE", a.write, "FK", newProject(elsewhere).Key, "/K/", "/"+newProject(project).Key+"/",
		"PLAN", plan, "OPEN", openID, "DONE", doneID, "FOREIGN", foreignID, "LINK", link, "OTHERS", others, "UPPER", strings.ToUpper(doneID))
	for _, q := range hostileRequests() {
		text := q.wire(fill)
		name := line(text, 120)
		answer, body := send(t, x.server.listener.Addr().String(), text)
		require.Contains(t, q.want, answer.StatusCode, "%s\n%s", name, body)
		if strings.Contains(body, "<") { // what net/http refuses by itself is plain
			for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin"} {
				require.Equal(t, want, answer.Header.Get(header), "%s: %s", name, header)
			}
			require.Contains(t, answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
		}
		for header := range answer.Header {
			require.False(t, strings.HasPrefix(header, "Access-Control-") || header == "Server", "%s: %s", name, header)
		}
		require.NotContains(t, body, canary, name)
		if at := answer.Header.Get("Location"); at != "" {
			require.Regexp(t, "^/([^/\\\\]|$)", at, "%s: it leads to another server", name)
		}
		if answer.StatusCode >= 400 && answer.StatusCode != http.StatusConflict { // with that comes the run's page
			require.NotContains(t, body, project, name)
			require.NotContains(t, body, a.token, name)
			require.NotContains(t, body, a.session, name)
		}
		require.NotContains(t, body, a.token, name)
		require.NotContains(t, body, "<script>alert", name)
	}
	r, err := supervisor.Read(project, openID)
	require.NoError(t, err)
	require.Equal(t, flow.Status(""), r.Status, "the run goes on")
	require.Empty(t, r.Notes)
	require.NoFileExists(t, filepath.Join(project, "research", openID, "cancelled"))
	require.Equal(t, before, tree(t, done), "nothing of the finished run has changed")
	require.Equal(t, known, runsIn(t, project), "no run was started")
}

// runsIn are the runs of a project.
func runsIn(t *testing.T, project string) []string {
	t.Helper()
	ids, err := workspace.List(project)
	require.NoError(t, err)
	return ids
}

// tree is what stands in a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found[path] = string(data)
		return err
	}))
	return found
}

func send(t *testing.T, address, text string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	go func() { _, _ = io.WriteString(c, text) }() // it may be refused before it is all there
	method, _, _ := strings.Cut(text, " ")
	answer, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	require.NoError(t, err, line(text, 120))
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body) // it may be cut off with the connection
	return answer, string(body)
}

func TestTheTokenOpensAnyPage(t *testing.T) {
	project := t.TempDir()
	finished(t, project)
	x := serveProject(t, project)
	fresh := func() *http.Client {
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		return &http.Client{Jar: jar}
	}
	for _, page := range []string{"claims?state=not-found", "claims/C1", "report", ""} {
		x.client = fresh()
		code, _ := x.get(x.run(doneID, page))
		require.Equal(t, http.StatusUnauthorized, code, page)
		address := x.run(doneID, page)
		mark := "?"
		if strings.Contains(page, "?") {
			mark = "&"
		}
		answer, err := x.client.Get(address + mark + "token=" + x.server.access.token)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusOK, answer.StatusCode, page)
		require.Equal(t, address, answer.Request.URL.String(), "the token is not left in the address")
		code, _ = x.get(x.run(doneID, "sources"))
		require.Equal(t, http.StatusOK, code, "the browser is known from now on")
	}
}

func TestTheCookieIsShutIn(t *testing.T) {
	x := serveProject(t, t.TempDir())
	answer, _ := send(t, x.server.listener.Addr().String(), "GET /?token="+x.server.access.token+" HTTP/1.1\r\nHost: "+x.server.listener.Addr().String()+"\r\nConnection: close\r\n\r\n")
	require.Len(t, answer.Cookies(), 1)
	c := answer.Cookies()[0]
	require.True(t, c.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, c.SameSite)
	require.Contains(t, c.Name, strings.TrimPrefix(x.server.listener.Addr().String(), "127.0.0.1:"))
	require.NotContains(t, c.Value, x.server.access.token)
	require.Equal(t, "/", answer.Header.Get("Location"))
	other := serveProject(t, t.TempDir())
	require.NotEqual(t, x.server.access.token, other.server.access.token)
}

func TestOnlyLoopbackIsServedWithoutTLS(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:0": "", "[::1]:0": "", "localhost:0": "", "": "", "127.0.0.2:0": "", "[::ffff:127.0.0.1]:0": "",
		"0.0.0.0:8080": "--tls-cert", "[::]:8080": "--tls-cert", ":8080": "--tls-cert", "192.0.2.1:8080": "ssh -L 8080", "myhost:8080": "--tls-cert", "[::ffff:0.0.0.0]:0": "--tls-cert", "0:8080": "--tls-cert", "127.1:0": "--tls-cert",
		"8080": "no address", "127.0.0.1:99999": "no port", "127.0.0.1:-1": "no port", "-x": "no address", "http://127.0.0.1:1": "no address", "127.0.0.1:http": "no port",
	} {
		l, _, err := Address{Listen: listen}.open()
		if want != "" {
			require.ErrorContains(t, err, want, listen)
			require.NotContains(t, err.Error(), "\n")
			continue
		}
		if err != nil && strings.Contains(listen, "::1") {
			continue // this machine has no IPv6
		}
		require.NoError(t, err, listen)
		host, _, err := net.SplitHostPort(l.Addr().String())
		require.NoError(t, err)
		require.True(t, net.ParseIP(host).IsLoopback(), listen)
		require.NoError(t, l.Close())
	}
}

func TestWithTLSTheCertificateSaysWhoThisIs(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	out, err := exec.Command(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=council.test", "-addext", "subjectAltName=DNS:council.test").CombinedOutput()
	require.NoError(t, err, string(out))
	_, _, err = Address{Listen: "0.0.0.0:0", Cert: cert}.open()
	require.ErrorContains(t, err, "go together")
	_, _, err = Address{Listen: "0.0.0.0:0", Cert: key, Key: cert}.open()
	require.ErrorContains(t, err, "--tls-cert")
	l, pair, err := Address{Listen: "127.0.0.1:0", Cert: cert, Key: key}.open()
	require.NoError(t, err)
	defer l.Close()
	port, is := names(l, pair)
	require.True(t, is("council.test:"+port))
	for _, host := range []string{"127.0.0.1:" + port, "localhost:" + port, "evil.test:" + port, "council.test", "council.test:1", ""} {
		require.False(t, is(host), host)
	}
}

// A form whose body never comes is given up; nothing is recorded.
func TestAServerThatIsKeptWaitingServesOthers(t *testing.T) {
	project := t.TempDir()
	begin(t, project, openID, "Is it under way?")
	x := serveProject(t, project)
	for range 30 {
		c, err := net.Dial("tcp", x.server.listener.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		_, err = io.WriteString(c, "POST /run/x/"+openID+"/note HTTP/1.1\r\nHost: ")
		require.NoError(t, err)
	}
	code, _ := x.get(x.base + "/")
	require.Equal(t, http.StatusOK, code)
}
