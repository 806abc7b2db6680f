// Package canary_test attacks the real council with pages, files, topics,
// peers and seats that mean harm. Each attack carries a canary, a word or a
// secret that shows where it has come to; none may get anywhere but into text.
package canary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/eval/stage"
	"github.com/research-council/research-council/test/web"
)

// secret stands in files and behind addresses that no seat is given.
const secret = "CANARYSECRET-5f2b91"

// bin is the folder of the programs under attack.
var bin string

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "hostile-seat" {
		if err := hostileSeat(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	cli.OnDisk()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "council-canary-")
	if err == nil {
		defer os.RemoveAll(dir)
		bin = filepath.Join(dir, "bin")
		err = stage.Build(context.Background(), filepath.Join("..", ".."), bin)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// hostileSeat is a seat that means harm. It keeps what it was asked in a
// folder, claims what stands there, and reports attacks. A meek one writes a
// synthesis that is in order, so that what it cites gets into the report.
func hostileSeat(dir, temper string) error {
	asked, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	report := os.Getenv("RESEARCH_REPORT_PATH")
	kept := filepath.Join(dir, fmt.Sprintf("asked-%s-%d", filepath.Base(report), os.Getpid()))
	if err := os.WriteFile(kept, asked, 0o600); err != nil {
		return err
	}
	fmt.Println("writing \x1b[31mCANARYescape\x1b[0m \u202e\u009b31m")
	own := filepath.Dir(report)
	words := "## Executive Summary\n\n" + strings.Repeat(sound, 10) + "\n\n## Key Findings\n\n" + all("CANARY") + "\n\n"
	switch {
	case strings.Contains(string(asked), "\n# Research\n") || strings.HasPrefix(string(asked), "# Research\n"):
		claims, err := os.ReadFile(filepath.Join(dir, "claims.jsonl"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(own, "claims.jsonl"), claims, 0o600); err != nil {
			return err
		}
	case strings.HasPrefix(string(asked), "# Votes"):
		words = all("CANARY") + "\n" + `{"id":"C1","answer":"supports","reason":` + strconv.Quote(all("CANARY")) + "}\n{\"id\":\"../../x\",\"answer\":\"supports\"}\n"
	case strings.HasPrefix(string(asked), "# Synthesis") && temper == "meek":
		if words, err = meek(own); err != nil {
			return err
		}
	case temper == "thief":
		// whoever publishes this report publishes the secret
		_ = os.Remove(report) // it may not be there
		return os.Symlink(filepath.Join(dir, "secret.md"), report)
	}
	// a report with a zero byte is no text, and nobody would read on
	return os.WriteFile(report, []byte(strings.ReplaceAll(words, "\x00", "")+"\n\n"+agent.Marker+"\n"), 0o600)
}

// meek is a synthesis that cites every claim there is.
func meek(own string) (string, error) {
	data, err := os.ReadFile(filepath.Join(own, "inputs", "registry.json"))
	if err != nil {
		return "", err
	}
	ids := regexp.MustCompile(`"id": "(C\d+)"`).FindAllStringSubmatch(string(data), -1)
	var b strings.Builder
	for _, name := range []string{
		"Executive Summary", "Key Findings", "Areas of Strong Consensus", "Areas of Disagreement or Nuance",
		"Novel Insights", "Remaining Open Questions", "Methodology Note",
	} {
		b.WriteString("## " + name + "\n\n" + strings.Repeat(sound, 4) + "\n\n")
		if name == "Key Findings" {
			for _, id := range ids {
				b.WriteString("A finding of the survey [" + id[1] + "].\n\n")
			}
		}
	}
	return b.String(), nil
}

// world is a stage with a hostile web, a scope and secrets around it.
type world struct {
	*testing.T
	*stage.Stage
	web    *web.Web
	vault  *vault
	dir    string // what the hostile seats keep
	scope  string
	claims []map[string]any
}

// vault is a server on a private address that nobody may ask.
type vault struct {
	mu     sync.Mutex
	asked  []string
	port   string
	server *httptest.Server
}

func newVault(t *testing.T) *vault {
	v := &vault{}
	v.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.asked = append(v.asked, r.Host+r.URL.String())
		fmt.Fprintf(w, "<p>%s The vault holds the words that nobody outside may ever read.</p>", secret)
	}))
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	v.server.Listener = l
	v.server.Start()
	t.Cleanup(v.server.Close)
	_, v.port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return v
}

func (v *vault) visits() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.asked)
}

func newWorld(t *testing.T) *world {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { settle(t, top) }) // before the folder goes
	s, err := stage.New(bin, filepath.Join(top, "stage"))
	require.NoError(t, err)
	w := &world{T: t, Stage: s, vault: newVault(t), dir: filepath.Join(top, "kept"), scope: filepath.Join(s.Project, "docs")}
	for _, d := range []string{w.dir, w.scope} {
		require.NoError(t, os.MkdirAll(d, 0o700))
	}
	w.lay(top)
	w.spin()
	w.traps(top)
	w.write(filepath.Join(w.dir, "claims.jsonl"), w.lines())
	return w
}

// settle waits for what was started for a folder to end: a run that is cancelled
// has a supervisor that is still putting its things away.
func settle(t *testing.T, folder string) {
	t.Helper()
	require.Eventually(t, func() bool {
		list, err := filepath.Glob("/proc/[0-9]*/cmdline") // none where there is no /proc
		require.NoError(t, err)
		return !slices.ContainsFunc(list, func(name string) bool {
			line, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(line), folder)
		})
	}, time.Minute, 20*time.Millisecond, "something still runs in %s", folder)
}

func (w *world) write(path, content string) {
	w.Helper()
	require.NoError(w, os.WriteFile(path, []byte(content), 0o600))
}

// lay puts hostile files into the scope and secrets beside it.
func (w *world) lay(top string) {
	w.write(filepath.Join(top, "secret.txt"), secret+" stands in a file beside the project that no reference may reach.\n")
	w.write(filepath.Join(w.dir, "secret.md"), "## Executive Summary\n\n"+secret+" "+strings.Repeat(sound, 10)+"\n\n"+agent.Marker+"\n")
	require.NoError(w, os.Symlink(filepath.Join(top, "secret.txt"), filepath.Join(w.scope, "link.txt")))
	texts := map[string]string{}
	for i, a := range attacks() {
		texts[a.file()] += strings.ReplaceAll(a.sentence(100+i), "\n", " ") + "\n"
	}
	for name, text := range texts {
		w.write(filepath.Join(w.scope, name), text)
	}
}

// spin serves a page for each attack: in its title, its text, its metadata.
func (w *world) spin() {
	var pages []web.Page
	for i, a := range attacks() {
		safe := html.EscapeString(a.text)
		pages = append(pages, web.Page{
			URL: fmt.Sprintf("http://hostile.example/%d", i), Header: map[string]string{"X-Note": a.canary},
			Body: "<!doctype html><html><head><meta charset=utf-8><title>" + safe + "</title><meta name=author content=\"" + safe + "\"></head><body><article><h1>" + safe +
				"</h1><p>" + sound + sound + "</p><p>" + html.EscapeString(a.sentence(i)) + "</p><p>" + sound + "</p></article></body></html>",
		})
		w.claim(a.text+" is claimed of the lake by observer "+strconv.Itoa(i), a.sentence(i), fmt.Sprintf("http://hostile.example/%d", i))
		w.claim("The file says of the lake: "+a.text, strings.ReplaceAll(a.sentence(100+i), "\n", " "), a.file())
		w.claim("A source whose name is an attack.", sound, a.text)
		w.claim("An address that is an attack.", sound, "http://hostile.example/"+a.text)
	}
	for i, at := range w.doors() {
		for _, status := range []int{301, 302, 307} {
			pages = append(pages, web.Page{URL: fmt.Sprintf("http://rogue.example/%d-%d", i, status), Status: status, Redirect: at})
		}
		pages = append(pages, web.Page{
			URL:  fmt.Sprintf("http://rogue.example/meta-%d", i),
			Body: "<!doctype html><meta http-equiv=refresh content=\"0;url=" + at + "\"><link rel=canonical href=\"" + at + "\"><iframe src=\"" + at + "\"></iframe><p>" + sound + "</p>",
		})
	}
	var err error
	w.web, err = web.Serve(pages...)
	require.NoError(w, err)
	w.Cleanup(func() { require.NoError(w, w.web.Close()) })
	require.NoError(w, w.web.Know(web.Work{DOI: "10.5555/vault", Title: "CANARY", Landing: w.doors()[0]}))
	for _, p := range []string{"hostile", "rogue"} {
		host, _, err := net.SplitHostPort(strings.TrimPrefix(w.web.Direct("http://"+p+".example"), "http://"))
		require.NoError(w, err)
		w.Private = append(w.Private, host)
	}
	o := w.web.Options()
	for _, service := range []string{o.Wayback, o.Crossref, o.ArXiv, o.DOI} {
		host, _, err := net.SplitHostPort(strings.TrimPrefix(w.web.Direct(service), "http://"))
		require.NoError(w, err)
		w.Private = append(w.Private, host)
	}
}

// doors are addresses of the vault and of other private places.
func (w *world) doors() []string {
	p := ":" + w.vault.port + "/vault"
	return []string{
		"http://127.0.0.1" + p, "http://localhost" + p, "http://LOCALHOST." + p, "http://127.1" + p, "http://2130706433" + p, "http://0x7f000001" + p,
		"http://0177.0.0.1" + p, "http://[::ffff:127.0.0.1]" + p, "http://[::ffff:7f00:1]" + p, "http://[::1]" + p, "http://0.0.0.0" + p, "http://[::]" + p,
		"http://user:pass@127.0.0.1" + p, "http://hostile.example@127.0.0.1" + p, "http://127.0.0.1%09" + p, "http://１２７.0.0.1" + p, "http://127。0。0。1" + p,
		"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[fd00::1]/", "http://[64:ff9b::7f00:1]" + p,
		"gopher://127.0.0.1" + p, "file:///etc/passwd", "ftp://127.0.0.1" + p, "//127.0.0.1" + p,
	}
}

// traps claims what nobody may read.
func (w *world) traps(top string) {
	words := secret + " stands in a file beside the project that no reference may reach."
	for _, ref := range []string{
		"../secret.txt", "../../secret.txt", "../../../secret.txt:1-1", "docs/../../../secret.txt", filepath.Join(top, "secret.txt"),
		"file://" + filepath.Join(top, "secret.txt"), "link.txt", "link.txt:1", "./link.txt", "..%2f..%2fsecret.txt", "....//....//secret.txt", "\\..\\..\\secret.txt",
		"/etc/passwd:1", "/proc/self/environ", "AGENTS.md/../../../secret.txt", "~/secret.txt", "docs\x00/../../secret.txt",
	} {
		w.claim("It is said in "+ref, words, ref)
	}
	for i, at := range w.doors() {
		w.claim(fmt.Sprintf("The vault says through door %d", i), secret+" The vault holds the words that nobody outside may ever read.", at)
		for _, way := range []string{"301", "302", "307"} {
			w.claim(fmt.Sprintf("The vault says by way %s of door %d", way, i), secret+" The vault holds the words that nobody outside may ever read.", fmt.Sprintf("http://rogue.example/%d-%s", i, way))
		}
		w.claim(fmt.Sprintf("The page of door %d", i), sound, fmt.Sprintf("http://rogue.example/meta-%d", i))
	}
	w.claim("The paper in the vault", secret, "https://doi.org/10.5555/vault")
}

func (w *world) claim(text, quote, source string) {
	w.claims = append(w.claims, map[string]any{"text": text, "quote": quote, "source": source, "questions": []string{"Q1"}, "critical": len(w.claims)%7 == 0})
}

func (w *world) lines() string {
	var b strings.Builder
	out := json.NewEncoder(&b)
	for _, c := range w.claims {
		if s, ok := c["source"].(string); ok {
			c["source"] = w.web.Direct(s)
		}
		require.NoError(w, out.Encode(c))
	}
	return b.String()
}

// council runs the council with hostile seats and gives the folder of the run.
func (w *world) council(temper, topic string) (string, stage.Result) {
	w.Helper()
	self, err := os.Executable()
	require.NoError(w, err)
	seat := func(name, temper string) stage.Seat {
		return stage.Seat{Name: name, Brand: name, Program: self, Args: []string{"hostile-seat", w.dir, temper}}
	}
	require.NoError(w, w.Configure(w.web, seat("first", temper), seat("second", temper), seat("thief", "thief")))
	w.write(filepath.Join(w.dir, "topic.md"), topic)
	ctx, cancel := context.WithTimeout(w.Context(), 3*time.Minute)
	defer cancel()
	run, r, err := w.Stage.Run(ctx, "--seats", "first,second,thief", "--scope", "docs", "--max-iterations", "2", "--topic-file", filepath.Join(w.dir, "topic.md"))
	require.NoError(w, err, r.Errs)
	return run, r
}

// says is what a command of the council prints.
func (w *world) says(args ...string) stage.Result {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	r, err := w.Council(ctx, args...)
	require.NoError(w, err)
	return r
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
