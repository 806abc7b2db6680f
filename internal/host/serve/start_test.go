package serve

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/test/chromium"
)

// TestMain lets this program be the keeper of what the server starts, as council is.
func TestMain(m *testing.M) {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	os.Exit(run(m))
}

// programs is the folder that both programs are built into, once.
var programs func() (string, error)

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "council-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = sync.OnceValues(func() (string, error) {
		build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", dir+"/", "github.com/research-council/research-council/cmd/council", "github.com/research-council/research-council/cmd/council-hook")
		build.Stderr = os.Stderr
		return dir, build.Run()
	})
	return m.Run()
}

// send1 sends a form of a page that belongs to no run, and follows where it leads.
func (x *served) send1(page string, fields url.Values) (code int, at, body string) {
	x.t.Helper()
	fields.Set("write", x.server.access.write)
	r, err := http.NewRequest(http.MethodPost, x.base+page, strings.NewReader(fields.Encode()))
	require.NoError(x.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", x.base)
	answer, err := x.client.Do(r)
	require.NoError(x.t, err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	require.NoError(x.t, err)
	return answer.StatusCode, answer.Request.URL.Path, string(data)
}

// configuredServer is a server of a project with docs, and of a configuration.
func configuredServer(t *testing.T, conf string) *served {
	t.Helper()
	project, file := t.TempDir(), filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.Mkdir(filepath.Join(project, "docs"), 0o700))
	write1(t, project, "docs/cache.md", "# The cache\n\nThe cache is cleared whenever a new release is installed, because old entries may have another form.\n")
	require.NoError(t, os.Symlink("/etc", filepath.Join(project, "away")))
	require.NoError(t, os.Symlink("docs", filepath.Join(project, "link")))
	require.NoError(t, os.WriteFile(file, []byte(conf), 0o600))
	x := serveProject(t, project)
	vars := map[string]string{"COUNCIL_CONFIG": file, "HOME": filepath.Dir(file)}
	x.server.Env.Getenv = func(name string) string { return vars[name] }
	return x
}

// What will not do is said at its field, or above the form; what was typed stands there, and
// nothing is laid down.
func TestAWishThatWillNotDo(t *testing.T) {
	x := configuredServer(t, "seats: [librarian]\n")
	for _, c := range []struct{ field, typed, says string }{
		{"question", "", "The question is empty; write what to find out"},
		{"question", " \r\n\t", "The question is empty"},
		{"question", "\u200b\u2060", "The question is empty"},
		{"question", "\xff\xfe", "The question is not valid UTF-8"},
		{"question", strings.Repeat("x", request.MaxTopicBytes+1), "at most 1048576 are taken"},
		{"scope", "nowhere", `The folder &#34;nowhere&#34;: no such file or directory; name a folder that exists.`},
		{"scope", "/etc", "name a folder inside the project"},
		{"scope", "../..", "name a folder inside it."},
		{"scope", "away", "outside the project"},
		{"scope", "link", "leads through a symlink"},
		{"scope", "docs/cache.md", "is no folder"},
		{"scope", "docs\x00", "Name a folder."},
		{"seats", "nobody", "No seat is called &#34;nobody&#34;: use some of"},
		{"seats", "a,b", "No seat is called"},
		{"tier", "best", "Choose one of max, standard, cheap."},
		{"max-usd", "-1", "Use an amount above 0, such as 2.50."},
		{"max-usd", "0", "Use an amount above 0"},
		{"max-usd", "NaN", "Use an amount above 0"},
		{"max-usd", "1e999", "Use an amount above 0"},
		{"max-usd", "five", "Use an amount above 0"},
		{"max-minutes", "1.5", "Use a whole number from 1 up."},
		{"max-minutes", "0", "Use a whole number from 1 up."},
		{"max-minutes", "99999999999999999999", "Use a whole number from 1 up."},
		{"debate", "often", "Choose one of auto, force, off."},
		{"review", "no", "Choose one of yes."},
		{"project", "0123456789ab", ""},
	} {
		fields := url.Values{"question": {"When is the cache cleared?"}, "max-minutes": {"7"}}
		fields.Set(c.field, c.typed)
		code, _, body := x.send1("/new", fields)
		name := c.field + "=" + line(c.typed, 40)
		require.Equal(t, http.StatusBadRequest, code, name)
		require.Contains(t, body, "Nothing was planned:", name)
		require.Equal(t, 1, strings.Count(body, "role=\"alert\""), name)
		if c.says != "" {
			_, at, found := strings.Cut(body, `id="w-`+c.field+`">`)
			require.True(t, found, "%s: %s", name, body)
			said, _, _ := strings.Cut(at, "</p>")
			require.Contains(t, said, c.says, name)
			require.Equal(t, 1, strings.Count(body, `class="wrong"`), "%s: one line, at its field", name)
		}
		require.NotContains(t, body, "--", name)
		require.NotContains(t, body, x.project, name)
		if c.field != "max-minutes" {
			require.Contains(t, body, `value="7"`, "%s: what was typed stands there", name)
		}
	}
	require.NoDirExists(t, filepath.Join(x.project, workspace.Runs))
}

// What only the whole shows is said above the form.
func TestAWishThatCannotBeHeld(t *testing.T) {
	x := configuredServer(t, "seats: [ghost]\ncommands: {ghost: {program: no-such-program}}\n")
	code, _, body := x.send1("/new", url.Values{"question": {"When is the cache cleared?"}, "seats": {"ghost"}})
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, body, "Nothing was planned:</strong> none of the seats asked for can take part")
	require.Contains(t, body, `value="ghost" checked`)

	broken := configuredServer(t, "seats: 5\n")
	code, body = broken.get(broken.base + "/new")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "read configuration")
	code, _, body = broken.send1("/new", url.Values{"question": {"When is the cache cleared?"}})
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "read configuration")
}

// What is started is what was planned, once, however often and with what it is asked for.
func TestAPlannedRunIsStartedOnce(t *testing.T) {
	x := configuredServer(t, "seats: [librarian]\n")
	code, at, body := x.send1("/new", url.Values{"question": {"When is the cache cleared?\r\nAnd by whom?"}, "scope": {"docs"}, "seats": {"librarian"}, "max-minutes": {"3"}, "max-usd": {"2.50"}, "debate": {"off"}, "tier": {"cheap"}})
	require.Equal(t, http.StatusOK, code, body)
	require.True(t, strings.HasPrefix(at, "/planned/"), at)
	for _, want := range []string{"<dt>Plan</dt>", "debate off", "librarian-official, librarian-code, librarian-community", "<dt>Estimate</dt><dd>nothing: no model is called</dd>", "<dt>Scope</dt>", ">Start</button>"} {
		require.Contains(t, body, want)
	}
	require.NoDirExists(t, filepath.Join(x.project, workspace.Runs), "a plan is not a run")
	_, form := x.get(x.base + "/new?from=" + strings.TrimPrefix(at, "/planned/"))
	for _, want := range []string{"When is the cache cleared?", `value="docs"`, `value="librarian" checked`, `value="2.50"`, `<option value="cheap" selected>`} {
		require.Contains(t, form, want, "it can be changed")
	}

	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			r, err := http.NewRequest(http.MethodPost, x.base+at+"/start", strings.NewReader(url.Values{"write": {x.server.access.write}, "question": {fmt.Sprint("Another one ", i)}, "scope": {"/"}}.Encode()))
			if err != nil {
				return
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", x.base)
			if answer, err := x.client.Do(r); err == nil {
				_ = answer.Body.Close()
			}
		})
	}
	all.Wait()
	ids, err := workspace.List(x.project)
	require.NoError(t, err)
	require.Len(t, ids, 1)
	r, err := supervisor.Read(x.project, ids[0])
	require.NoError(t, err)
	require.Equal(t, "When is the cache cleared?\nAnd by whom?", r.Setup.Topic)
	require.Equal(t, filepath.Join(x.project, "docs"), r.Setup.Scope)
	require.Equal(t, 3*time.Minute, r.Setup.Limits.Time)
	require.Equal(t, 2.5, r.Setup.Limits.USD)
	require.Equal(t, "cheap", r.Setup.Tier)
	require.False(t, r.Setup.Bypass)
	_, after := x.get(x.base + at)
	require.Contains(t, after, "This run has begun", "no second yes is asked for")
	require.NotContains(t, after, ">Start</button>")
}

// Of many plans the oldest is forgotten, and says so.
func TestPlansAreForgotten(t *testing.T) {
	x := configuredServer(t, "seats: [librarian]\n")
	var first string
	for i := range maxPlans + 1 {
		_, at, _ := x.send1("/new", url.Values{"question": {fmt.Sprintf("When is cache %d cleared?", i)}})
		if i == 0 {
			first = at
		}
	}
	code, body := x.get(x.base + first)
	require.Equal(t, http.StatusNotFound, code)
	require.Contains(t, body, "plan the run anew")
	code, _, _ = x.send1(first+"/start", url.Values{})
	require.Equal(t, http.StatusNotFound, code)
	require.NoDirExists(t, filepath.Join(x.project, workspace.Runs))
}

// Where no person has started the server no run is planned or started.
func TestOnlyAPersonStartsARun(t *testing.T) {
	x := configuredServer(t, "seats: [librarian]\n")
	_, at, _ := x.send1("/new", url.Values{"question": {"When is the cache cleared?"}})
	x.server.Person = false
	_, list := x.get(x.base + "/")
	require.NotContains(t, list, "Start a run")
	for _, page := range []string{"/new", at} {
		code, body := x.get(x.base + page)
		require.Equal(t, http.StatusForbidden, code)
		require.Contains(t, body, "Only a person can start a run")
	}
	for _, page := range []string{"/new", at + "/start"} {
		code, _, _ := x.send1(page, url.Values{"question": {"When is the cache cleared?"}})
		require.Equal(t, http.StatusForbidden, code)
	}
	require.NoDirExists(t, filepath.Join(x.project, workspace.Runs))
}

// built is the real program.
func built(t *testing.T) string {
	t.Helper()
	dir, err := programs()
	require.NoError(t, err)
	return filepath.Join(dir, "council")
}

// On a phone a person answers the ten questions of a staged run, by choosing where answers
// are offered, confirms the brief, and finds every page of the run in order.
func TestTenQuestionsOnAPhone(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	x := configuredServer(t, "seats: [librarian]\n")
	x.server.Env.Self = built(t)
	begin := exec.Command(x.server.Env.Self, "run", "--recipe", "staged", "--seats", "librarian", "--scope", "docs", "--project", x.project, "When is the cache cleared?")
	begin.Env = append(os.Environ(), "COUNCIL_CONFIG="+x.server.Env.Getenv("COUNCIL_CONFIG"), "HOME="+x.server.Env.Getenv("HOME"))
	begin.Dir = x.project
	out, _ := begin.CombinedOutput() // it waits for a person
	ids, err := workspace.List(x.project)
	require.NoError(t, err)
	require.Len(t, ids, 1, string(out))
	inOrder := func(name string) {
		t.Helper()
		require.Empty(t, b.Axe(), name)
		require.Equal(t, "true", b.Eval("document.documentElement.scrollWidth <= innerWidth"), name)
		require.Empty(t, b.Faults(), name)
		b.Shoot(name)
	}
	b.Size(390, 800)
	b.Open(x.server.URL())
	b.Open(x.run(ids[0], ""))
	inOrder("questions")
	b.Eval(`for (const q of document.querySelectorAll('.question')) { const o = q.querySelectorAll('input'); if (o.length) o[1].click(); else q.querySelector('textarea').value = 'The cache <b>'; }`)
	b.Eval("document.querySelector('.asks form button').click()")
	b.Await("document.querySelector('.asks') !== null && document.querySelector('.asks').textContent.includes('Confirm the brief')")
	require.Contains(t, b.Eval("document.querySelector('.asks dl').textContent"), "Practitioners new to the subject")
	require.Contains(t, b.Eval("[...document.querySelectorAll('.asks input:checked')].map((e) => e.parentNode.textContent).join()"), "Practitioners new to the subject", "what was chosen is")
	inOrder("brief")
	b.Eval("document.querySelector('.asks form[action$=confirm] button').click()")
	b.Await("document.querySelector('#state') !== null && document.querySelector('#state').textContent.includes('failed')")
	require.Contains(t, b.Eval("document.querySelector('.course').textContent"), "devils advocate")
	for page, says := range map[string]string{"": "no quorum", "votes": "No reviewer could take part", "sources": "1 source", "agreement": "1 claim", "report": "cleared", "claims": "1 of 1", "disputes": "No two claims", "changes": "No run before", "log": "gate failed"} {
		b.Open(x.run(ids[0], page))
		b.Await("document.body !== null")
		require.Contains(t, b.Eval("document.body.textContent"), says, page)
		inOrder("staged-" + page)
	}
}

// A person fills in the form, mends what was wrong, says yes to the plan, and sees the run
// go to its report; a second yes from the plan's page, which Back shows, starts no other.
func TestARunFromAPage(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t)
	x := configuredServer(t, "seats: [librarian]\n")
	x.server.Env.Self = built(t)
	b.Size(1280, 900)
	b.Open(x.server.URL())
	b.TabTo("a[href='/new']")
	b.Press("Enter")
	b.Await("document.title === 'Start a run'")
	require.Empty(t, b.Axe())
	b.TabTo("textarea")
	b.Type("When is the cache cleared?")
	b.TabTo("input[name=scope]")
	b.Type("dics")
	b.TabTo("main button")
	b.Press("Enter")
	b.Await("document.querySelector('#w-scope') !== null")
	require.Empty(t, b.Axe())
	b.Shoot("new-wrong")
	require.Equal(t, "When is the cache cleared?", b.Eval("document.querySelector('textarea').value"))
	b.Eval("document.querySelector('input[name=scope]').value = 'docs'; document.querySelector('input[value=librarian]').click()")
	b.TabTo("main button")
	b.Press("Enter")
	b.Await("document.title.startsWith('Plan: When is')")
	require.Empty(t, b.Axe())
	b.Shoot("plan")
	plan := b.Eval("location.pathname")
	require.NoDirExists(t, filepath.Join(x.project, workspace.Runs))
	b.Size(390, 800)
	require.Equal(t, "true", b.Eval("document.documentElement.scrollWidth <= innerWidth"))
	b.TabTo("button.go")
	b.Press("Enter")
	b.Await("document.title.startsWith('Overview: When is')")
	b.Await("document.querySelector('#state').textContent.includes('completed') && document.querySelector('.lead a') !== null")
	b.Open(x.base + plan)
	require.Equal(t, "0", b.Eval("document.querySelectorAll('button').length"))
	ids, err := workspace.List(x.project)
	require.NoError(t, err)
	require.Len(t, ids, 1)
	r, err := supervisor.Read(x.project, ids[0])
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status)
	b.Open(x.run(ids[0], "report"))
	b.Await("document.body !== null && document.body.textContent.includes('The cache is cleared whenever a new release is installed')")
	require.Empty(t, b.Faults())
}

// A plan on a page speaks of no flags of a command line, and names the question once.
func TestAPlanOnAPageSpeaksOfNoFlags(t *testing.T) {
	for text, want := range map[string]string{
		"haiku splits the question (--no-plan leaves it to rules, --edit-plan lets you edit it)": "haiku splits the question",
		"no limit in money is set: --max-usd X ends it at so many dollars":                       "no limit in money is set",
		"the scope is the project (\"here\"); --scope names another folder":                      "the scope is the project (\"here\")",
		"--agents 9 is outside 1 to 5":                                                           "",
		"two seats, an hour":                                                                     "two seats, an hour",
	} {
		require.Equal(t, want, withoutFlags(text))
	}
	x := configuredServer(t, "seats: [librarian]\n")
	code, _, body := x.send1("/new", url.Values{"question": {"When is the cache cleared, and how large may it be?"}, "scope": {"docs"}})
	require.Equal(t, http.StatusOK, code)
	_, plan, _ := strings.Cut(body, `class="facts plan"`)
	require.NotRegexp(t, `--[a-z]`, plan)
	require.Equal(t, 1, strings.Count(plan, "<dt>Question</dt>"))
	require.Contains(t, plan, "<dt>Split into</dt>")
}
