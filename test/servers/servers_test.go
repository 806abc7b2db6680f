// Package servers_test runs what the program offers with no vendor's command line at all:
// the seats are servers that speak the wire of OpenAI's chat completions, with a
// scripted model behind each, and pages are found by search engines on loopback.
package servers_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/evidence/websearch/engine"
	"github.com/research-council/research-council/internal/output/browser"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/test/engines"
	"github.com/research-council/research-council/test/loopback"
	"github.com/research-council/research-council/test/pty"
	"github.com/research-council/research-council/test/web"
)

// bin is the folder of the programs under test.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "council servers-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", bin+string(filepath.Separator), "./cmd/council", "./cmd/council-hook")
	build.Dir, build.Stderr = filepath.Join("..", ".."), os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		return 1
	}
	return m.Run()
}

// house is a person's machine without any vendor's program: models and a search engine
// of their own, pages of others, and a proxy through which all that is not on this
// machine would have to go.
type house struct {
	*testing.T
	dir    string
	env    []string
	web    *web.Web
	abroad atomic.Int64 // requests that left the machine
	asked  atomic.Int64 // searches

	elsewhere map[string]string // where an engine leads in the place of a page
}

// pages are what the fake web says.
func pages() []web.Page {
	page := func(host, title, text string) web.Page {
		return web.Page{URL: "http://" + host + "/kettles", Body: "<html><head><title>" + title + "</title></head><body><article><h1>" + title + "</h1><p>" + text + "</p><p>" +
			strings.Repeat("More is said of other things in the house, and of those who use them every day. ", 8) + "</p></article></body></html>"}
	}
	return []web.Page{
		page("makers.example", "How kettles are made", "The kettle of this works is pressed from steel of 0.6 millimetres. Its lid is made of copper."),
		page("testers.example", "Twelve kettles tested", "In our test the kettle with the flat element boiled a litre of water in 152 seconds."),
		page("repairs.example", "What breaks first", "After four years the kettle fails most often at the switch below its handle."),
	}
}

// programs are the folders in which a house has those of the system.
const programs = "/usr/bin:/bin"

func newHouse(t *testing.T, config string, env ...string) *house {
	h := &house{T: t, dir: t.TempDir(), web: web.Start(t, pages()...)}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.abroad.Add(1)
		t.Logf("something left the machine: %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	require.NoError(t, os.Mkdir(filepath.Join(h.dir, "home"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(h.dir, "project"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, "config.yaml"), []byte(config), 0o600))
	h.env = append([]string{
		"PATH=" + bin + ":" + programs, "HOME=" + filepath.Join(h.dir, "home"), "COUNCIL_CONFIG=" + filepath.Join(h.dir, "config.yaml"), "LANG=C.UTF-8",
		"HTTP_PROXY=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL, "RESEARCH_COUNCIL_ALLOW_PRIVATE=1",
	}, env...)
	return h
}

// council runs the program to its end.
func (h *house) council(args ...string) (stdout, stderr string, code int) {
	h.Helper()
	return h.ended(h.program(args...))
}

func (h *house) program(args ...string) *exec.Cmd {
	return exec.CommandContext(h.Context(), filepath.Join(bin, "council"), args...)
}

func (h *house) ended(cmd *exec.Cmd) (stdout, stderr string, code int) {
	h.Helper()
	var out, said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = filepath.Join(h.dir, "project"), h.env, &out, &said, 5*time.Second
	_ = cmd.Run()
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// done runs the program, which has to end well.
func (h *house) done(args ...string) string {
	h.Helper()
	out, said, code := h.council(args...)
	require.Zero(h, code, "%s%s%s", out, said, h.log())
	return out
}

func (h *house) log() string {
	list, _ := filepath.Glob(filepath.Join(h.dir, "project", "research", "*-*-*", "progress.log"))
	var b strings.Builder
	for _, name := range list {
		data, _ := os.ReadFile(name)
		b.Write(data)
	}
	return b.String()
}

// file is a file of the only run.
func (h *house) file(parts ...string) string {
	h.Helper()
	list, err := filepath.Glob(filepath.Join(append([]string{h.dir, "project", "research", "*-*-*"}, parts...)...))
	require.NoError(h, err)
	require.Len(h, list, 1, parts)
	data, err := os.ReadFile(list[0])
	require.NoError(h, err)
	return string(data)
}

// searxng is a SearXNG that finds the pages of the web, with the format json allowed.
func (h *house) searxng() string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		if r.URL.Path != "/search" || r.URL.Query().Get("format") != "json" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		results := []map[string]any{}
		for _, p := range pages() {
			results = append(results, map[string]any{"url": cmp.Or(h.elsewhere[p.URL], h.web.Direct(p.URL)), "title": "About kettles", "content": "The kettle is a vessel.", "engine": "a", "score": 1, "publishedDate": nil})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"query": r.URL.Query().Get("q"), "number_of_results": 3, "results": results, "answers": []any{}, "suggestions": []any{}, "unresponsive_engines": []any{}})
	}))
	h.Cleanup(s.Close)
	return s.URL
}

// families starts a server of each name and gives their configuration.
func families(t *testing.T, models map[string]*researcher) string {
	var b strings.Builder
	b.WriteString("limits: {iterations: 3, minutes: 20}\nchat:\n")
	for name, m := range models {
		s := loopback.Chat(t, loopback.Scenario{Play: m.play, Most: 2000})
		fmt.Fprintf(&b, "  %s: {brand: %s, base_url: %q, max: {model: %s-1}, standard: {model: %s-1}, cheap: {model: %s-1}, free: true}\n", name, name, s.URL+"/v1", name, name, name)
	}
	return b.String()
}

func three() map[string]*researcher {
	return map[string]*researcher{
		"north": newResearcher("kettle steel", "steel"), "south": newResearcher("kettle boils test", "boiled"), "west": newResearcher("kettle breaks", "fails"),
	}
}

func (h *house) configure(config string) {
	require.NoError(h, os.WriteFile(filepath.Join(h.dir, "config.yaml"), []byte(config), 0o600))
}

// own is a house whose models and search engine are its own.
func own(t *testing.T) *house {
	h := newHouse(t, "")
	h.configure("seats: [north, south, west]\n" + families(t, three()) + "network: {pace: 1ms}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searxng() + "\"}}\n")
	return h
}

// byScripts has a page made by its scripts, of an answer that they ask for: without a
// browser nobody can read it. It says why there is none.
func (h *house) byScripts() (missing string) {
	if browser.Chromium(programs) == "" {
		return "chromium is not installed"
	}
	if _, err := confine.Find(h.Context()); err != nil {
		return err.Error()
	}
	whole := pages()[2]
	text, err := json.Marshal(map[string]string{"page": whole.Body})
	require.NoError(h, err)
	require.NoError(h, h.web.Add(
		web.Page{URL: whole.URL, Body: `<!doctype html><title>Repairs</title><div id="root"></div><script>fetch("/api/page").then(r => r.json()).then(d => { root.innerHTML = d.page })</script>`},
		web.Page{URL: "http://repairs.example/api/page", MIME: "application/json", Body: string(text)},
	))
	return ""
}

// inTheWay has one page be that of a wiki, and another a paper whose own page is shut and
// that is known by its DOI: an open copy holds its text.
func (h *house) inTheWay() {
	wiki, paper := pages()[0], pages()[1]
	wiki.Body = strings.Replace(wiki.Body, "<head>", `<head><script>RLCONF={"wgPageName":"Kettle","wgCurRevisionId":1234567,"wgRevisionId":1234567,"wgIsArticle":true};</script>`, 1)
	require.NoError(h, h.web.Add(wiki,
		web.Page{URL: "http://press.example/twelve", Status: http.StatusForbidden, Body: "<title>Access denied</title><h1>Access denied</h1>"},
		web.Page{URL: "http://deposit.example/twelve", Body: paper.Body}))
	require.NoError(h, h.web.Know(web.Work{
		DOI: "10.5555/twelve", Title: "Twelve kettles tested", Year: 2024, Landing: "http://press.example/twelve",
		Copies: []web.OpenCopy{{Landing: h.web.Direct("http://deposit.example/twelve"), Version: "acceptedVersion"}},
	}))
	h.elsewhere = map[string]string{paper.URL: "https://doi.org/10.5555/twelve"}
	o := h.web.Options()
	services := "network: {pace: 1ms"
	for name, address := range map[string]string{
		"wayback": o.Wayback, "crossref": o.Crossref, "arxiv": o.ArXiv, "openalex": o.OpenAlex, "unpaywall": o.Unpaywall, "europepmc": o.EuropePMC, "github": o.GitHub, "doi": o.DOI,
	} {
		services += fmt.Sprintf(", %s: %q", name, h.web.Direct(address))
	}
	config, err := os.ReadFile(filepath.Join(h.dir, "config.yaml"))
	require.NoError(h, err)
	h.configure(strings.Replace(string(config), "network: {pace: 1ms", services, 1))
}

func TestThreeFamiliesOfServersSearchTheWebToAReportThatVerifies(t *testing.T) {
	h := own(t)
	noBrowser := h.byScripts()
	h.inTheWay()
	h.done("run", "What are kettles made of, and what breaks first?")
	t.Run("one page was made by scripts", func(t *testing.T) {
		if noBrowser != "" {
			t.Skip(noBrowser)
		}
		require.Contains(t, h.file("final-report.md"), "fails most often at the switch below its handle")
		source := h.web.Direct(pages()[2].URL)
		entry := gjson.Get(h.file("registry.json"), `entries.#(quote%"*below its handle*")`)
		require.Equal(t, "located", entry.Get("location.state").Str, entry.Raw)
		index := h.file("sources", "index.jsonl")
		require.Contains(t, index, `"rendered":{"by":"Chromium `)
		require.Equal(t, 1, h.web.Count(pages()[2].URL), "asked for once: the browser gets what came")
		require.Contains(t, h.file("final-report.html"), source)
	})
	final := h.file("final-report.md")
	require.Contains(t, final, "0.6 millimetres")
	require.Contains(t, final, "read in the form of revision 1234567")
	require.Contains(t, final, "[DOI 10.5555/twelve]")
	require.Contains(t, final, "read in the form of the accepted version")
	var reg struct {
		Entries []struct {
			Families []string
			Location struct{ State string }
			Support  *struct{ Verdict string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(h.file("registry.json")), &reg))
	require.Len(t, reg.Entries, 3)
	for _, e := range reg.Entries {
		require.Equal(t, "located", e.Location.State)
		require.NotNil(t, e.Support, "rivals have voted on it")
	}
	require.Contains(t, h.done("verify"), "3 quotations found again")
	require.Positive(t, h.asked.Load())
	require.Zero(t, h.abroad.Load(), "models, engine and pages are all that was spoken to")
	require.Equal(t, "completed", gjson.Get(h.file("status.json"), "status").Str)
}

// A library of pages and of what a run has archived is searched by seats with a model,
// when the pages themselves are gone.
func TestSeatsSearchALibraryOfPagesAndRuns(t *testing.T) {
	h := newHouse(t, "")
	h.configure("network: {pace: 1ms, wayback: ''}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searxng() + "\"}}\n")
	require.Contains(t, h.done("library", "add", h.web.Direct("http://makers.example/kettles")), "1 added")
	require.Contains(t, h.done("library", "search", "kettle", "steel"), "pressed from steel of 0.6 millimetres")
	h.done("run", "--web", "--seats", "librarian", "Where does a kettle fail most often?")
	run := gjson.Get(h.file("status.json"), "id").Str
	require.NotEmpty(t, run)
	out := h.done("library", "add", "--run", run)
	require.Contains(t, out, h.web.Direct("http://repairs.example/kettles"))
	require.Contains(t, out, "2 added, 1 unchanged", "the page that was added before")
	require.Contains(t, h.done("library", "search", "switch", "handle"), "fails most often at the switch")
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, "project", "research")))

	h.web.Down("makers.example", "testers.example", "repairs.example")
	asked := h.asked.Load()
	models := three()
	for _, m := range models {
		m.query, m.tool = "kettle", "search_sources"
	}
	h.configure("seats: [north, south, west]\n" + families(t, models) + "network: {pace: 1ms, wayback: ''}\n")
	h.done("run", "--library", "default", "What are kettles made of, and what breaks first?")
	require.Contains(t, h.file("final-report.md"), "0.6 millimetres")
	require.Contains(t, h.done("verify"), "3 quotations found again")
	h.done("library", "forget", "--all")
	require.Contains(t, h.done("verify"), "3 quotations found again", "what is cited was copied into the run")
	require.Equal(t, asked, h.asked.Load())
	require.Zero(t, h.abroad.Load())
}

func TestDoctorTriesServersAndEngines(t *testing.T) {
	h := own(t)
	h.env = append(h.env, "BRAVE_API_KEY=k-123")
	data, err := os.ReadFile(filepath.Join(h.dir, "config.yaml"))
	require.NoError(t, err)
	h.configure(strings.Replace(string(data), "engines: [searxng]", "engines: [searxng, brave, tavily]", 1))
	out, _, _ := h.council("doctor", "--json")
	said := map[string]string{}
	for _, c := range gjson.Get(out, "checks").Array() {
		said[c.Get("area").Str] += c.Get("level").Str + " " + c.Get("finding").Str + "\n"
	}
	require.Contains(t, said["north"], "ok it answers")
	require.Contains(t, said["search: searxng"], "ok ")
	require.Contains(t, said["search: searxng"], "3 leads")
	require.Contains(t, said["search: brave"], "was not asked: a search costs $0.0050")
	require.Contains(t, said["search: tavily"], "TAVILY_API_KEY is not set")
	require.NotContains(t, out, "k-123")
	require.Zero(t, h.abroad.Load())

	h.configure("chat: {gone: {base_url: 'http://127.0.0.1:1/v1', max: {model: m}, standard: {model: m}, cheap: {model: m}, free: true}}\nsearch: {engines: [searxng], services: {searxng: {url: 'http://127.0.0.1:1'}}}\n")
	out, _, _ = h.council("doctor")
	require.Contains(t, out, "nothing answers at http://127.0.0.1:1/v1")
	require.Contains(t, out, "searxng: no connection")
}

// answerAll answers the questions of staged research.
func (h *house) answerAll() {
	h.Helper()
	answers := map[string]string{}
	for i := 1; i <= 10; i++ {
		answers[fmt.Sprintf("Q%d", i)] = "speed"
	}
	data, err := json.Marshal(answers)
	require.NoError(h, err)
	require.NoError(h, os.WriteFile(filepath.Join(h.dir, "project", "answers.json"), data, 0o600))
	_, said, code := h.council("resume", "--input", "answers.json")
	require.Equal(h, 5, code, "%s%s", said, h.log())
}

func TestStagedResearchByServersAlone(t *testing.T) {
	h := own(t)
	_, said, code := h.council("staged", "--reviewers", "north,south,west", "--collectors", "2", "Which kettle lasts?")
	require.Equal(t, 5, code, "%s%s", said, h.log())
	h.answerAll()
	_, said, code = h.ended(pty.Stdin(h, h.program("resume", "--confirm")))
	require.Zero(t, code, "%s%s", said, h.log())
	require.Equal(t, "completed", gjson.Get(h.file("status.json"), "status").Str)
	require.Contains(t, h.file("review.json"), "approved")
	require.Contains(t, h.done("verify"), "is verified")
	require.Contains(t, h.file("collection.json"), h.web.Direct("http://makers.example/kettles"))
	require.Zero(t, h.abroad.Load())
}

func TestACampaignsResearchByAServerAlone(t *testing.T) {
	h := own(t)
	h.done("campaign", "run", "research", "kettles", "What are kettles made of?", "--seats", "north", "--research", "2", "--max-iterations", "6")
	list, err := filepath.Glob(filepath.Join(h.dir, "project", "docs", "research-kettles", "*.tex"))
	require.NoError(t, err)
	require.NotEmpty(t, list)
	report, err := os.ReadFile(list[0])
	require.NoError(t, err)
	require.Contains(t, string(report), "0.6 millimetres")
	require.Contains(t, h.done("verify"), "is verified")
	require.Zero(t, h.abroad.Load())
}

func TestTheLibrarianResearchesTheWeb(t *testing.T) {
	h := newHouse(t, "")
	h.configure("network: {pace: 1ms}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searxng() + "\"}}\n")
	h.done("run", "--web", "--seats", "librarian", "Where does a kettle fail most often?")
	final := h.file("final-report.md")
	require.Contains(t, final, "switch below its handle")
	require.NotContains(t, final, "page-0", "places are addresses")
	require.Contains(t, final, h.web.Direct("http://repairs.example/kettles"))
	require.Contains(t, h.done("verify"), "is verified")
	require.Zero(t, h.abroad.Load())
	require.Equal(t, int64(0), gjson.Get(h.file("registry.json"), `entries.#(location.state!="located")#`).Get("#").Int())
	require.Positive(t, gjson.Get(h.file("registry.json"), "entries.#").Int())
}

// The same in stages and as a campaign: --web means the same there.
func TestTheLibrarianResearchesTheWebInStagesAndCampaigns(t *testing.T) {
	h := newHouse(t, "")
	h.configure("network: {pace: 1ms}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searxng() + "\"}}\n")
	for _, plan := range [][]string{{"run", "Why?"}, {"staged", "Why?"}, {"campaign", "run", "research", "kettles", "Why?"}} {
		require.Regexp(t, `(?m)^web +searched by searxng$`, h.done(append(plan, "--web", "--seats", "librarian", "--dry-run")...))
	}
	h.done("campaign", "run", "research", "kettles", "Where does a kettle fail most often?", "--web", "--seats", "librarian", "--research", "1", "--max-iterations", "6")
	list, err := filepath.Glob(filepath.Join(h.dir, "project", "docs", "research-kettles", "*.tex"))
	require.NoError(t, err)
	require.NotEmpty(t, list)
	report, err := os.ReadFile(list[0])
	require.NoError(t, err)
	require.Contains(t, string(report), "switch below its handle")
	require.Contains(t, h.done("verify"), "is verified")

	_, said, code := h.council("staged", "--web", "--seats", "librarian", "Where does a kettle fail most often?")
	require.Equal(t, 5, code, "%s%s", said, h.log())
	h.answerAll()
	_, said, code = h.ended(pty.Stdin(h, h.program("resume", "--confirm")))
	require.Equal(t, 1, code, said)
	require.Contains(t, h.log(), "no quorum", "nobody is there to review it; all else is done")
	require.Contains(t, h.done("claims"), "fails most often at the switch")
	require.Contains(t, h.done("verify"), "is verified")
	require.Positive(t, h.asked.Load())
	require.Zero(t, h.abroad.Load())
}

// Without any engine set, --web asks those that want no key.
func TestTheLibrarianResearchesTheWebWithoutAKey(t *testing.T) {
	h := newHouse(t, "")
	repairs := h.web.Direct(pages()[2].URL)
	found := engines.Start(t, []engines.Result{{Title: "What breaks first", URL: repairs, Snippet: "Of kettles and their switches.", Published: "2024-01-02"}})
	config := "network: {pace: 1ms, wayback: '', crossref: '', openalex: '', unpaywall: '', europepmc: '', github: '', doi: '', arxiv: ''}\nsearch:\n  services:\n"
	for _, name := range engine.Keyless() {
		config += fmt.Sprintf("    %s: {url: %q}\n", name, found.Base(name))
	}
	h.configure(config)
	h.done("run", "--web", "--seats", "librarian", "Where does a kettle fail most often?")
	require.Contains(t, h.file("final-report.md"), "fails most often at the switch below its handle")
	require.Contains(t, h.done("verify"), "is verified")
	require.NotEmpty(t, found.Requests("openalex"))
	require.NotEmpty(t, found.Requests("wikipedia"))
	require.Empty(t, found.Requests("brave"))
}

func TestTheLibrarianSaysWhyTheWebGaveNothing(t *testing.T) {
	h := newHouse(t, "")
	h.configure("network: {pace: 1ms}\nsearch: {engines: [searxng], services: {searxng: {url: 'http://127.0.0.1:1'}}}\n")
	_, said, code := h.council("run", "--web", "--seats", "librarian", "What is a kettle made of?")
	require.Equal(t, 1, code)
	require.Contains(t, said+h.log(), "no search engine has answered: searxng: no connection")
}
