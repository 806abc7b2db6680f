package serve

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// allPages are the pages of a finished run.
var allPages = []string{"", "report", "claims", "claims/C1", "sources", "disputes", "agreement", "votes", "changes", "log"}

func TestAFinishedRunIsShown(t *testing.T) {
	project := t.TempDir()
	finished(t, project)
	x := serveProject(t, project)
	_, list := x.get(x.base + "/")
	for _, want := range []string{"How fast does a kettle boil?", "✓</span> completed", "<td class=\"number\" data-label=\"score\">71<", "$1.25", "30m00s"} {
		require.Contains(t, list, want)
	}
	for page, wants := range map[string][]string{
		"":           {"Read the report", "4 in all", "1 dispute<", "Research", "codex", "✕</span> failed"},
		"report":     {`<a class="cite" href="` + strings.TrimPrefix(x.run(doneID, "claims/C1"), x.base) + `" title="claim C1">[1]</a>`, `href="https://example.com/slow" rel="noopener noreferrer nofollow"`, "<th scope=\"col\">a</th>", "&lt;script&gt;"},
		"claims":     {"4 of 4 claims", "✓</span> located", "✕</span> not found", "disputed", "critical"},
		"claims/C1":  {"<mark id=\"passage\">A kettle boils a litre in 3 minutes.</mark>", "<pre class=\"within\" tabindex=\"0\" aria-label=\"what it stands within\">if high {", "in the mountains", "D1"},
		"claims/C2":  {"the page was read and has no such words", "four minutes"},
		"claims/C11": {"It rests on", "claims/C1\">C1"},
		"sources":    {"notes/kettles.md", "https://example.com/slow", "not archived"},
		"disputes":   {"three against five minutes", "a kettle and a watch", "A kettle boils a litre in three minutes.", "It takes five minutes."},
		"agreement":  {"2 / 1", "3 claims", "Use a lid."},
		"votes":      {"codex (openai)", "Votes were cast on 1 claim."},
		"changes":    {"No run before this one"},
		"log":        {"Phase 1 [2J begins", "Nothing did."},
	} {
		body := x.page(doneID, page)
		for _, want := range wants {
			require.Contains(t, body, want, page)
		}
		require.NotContains(t, body, "<script>document", page)
		require.NotContains(t, body, "javascript:", page)
		require.NotContains(t, body, "canary.invalid", page)
		require.NotContains(t, body, "\x1b", page)
	}
	require.NotContains(t, x.page(doneID, "disputes"), ", 0 of them")
	require.Contains(t, x.page(doneID, "claims/C2"), "<dd>not found</dd>")
	code, _ := x.get(x.run(doneID, "claims/C3"))
	require.Equal(t, http.StatusNotFound, code)
}

// A claim that a desk has refused stands in the table with its reason, and counts nowhere.
func TestRefusedClaimsAreInTheTable(t *testing.T) {
	project := t.TempDir()
	dir := finished(t, project)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, claim.Records), 0o700))
	write1(t, dir, claim.RefusalsFile("codex"), `{"seat":"codex","text":"A kettle <b>boils</b> oil.","quote":"boils oil","source":"notes/kettles.md","reason":"the quotation is not in the source"}`+"\nno json\n")
	x := serveProject(t, project)
	all := x.page(doneID, "claims")
	require.Contains(t, all, "5 of 5 claims")
	require.Contains(t, all, `<option value="refused">refused</option>`)
	require.Contains(t, all, "A kettle &lt;b&gt;boils&lt;/b&gt; oil.")
	for query, n := range map[string]string{"state=refused": "1 of 5", "q=refused": "1 of 5", "seat=codex&state=refused": "1 of 5", "state=refused&seat=claude": "0 of 5", "source=kettles&state=refused": "1 of 5"} {
		require.Contains(t, x.page(doneID, "claims?"+query), n+" claims", query)
	}
	require.Contains(t, x.page(doneID, "claims/refused-1"), "the quotation is not in the source")
	for _, none := range []string{"refused-0", "refused-2", "refused-x", "refused--1"} {
		code, _ := x.get(x.run(doneID, "claims/"+none))
		require.Equal(t, http.StatusNotFound, code, none)
	}
	require.Contains(t, x.page(doneID, ""), "4 in all", "they are counted in nothing")
}

// What a seat has failed at is told with its reason and what a person can do.
func TestAFailureIsToldWithWhatToDo(t *testing.T) {
	project := t.TempDir()
	finished(t, project)
	x := serveProject(t, project)
	require.Contains(t, x.page(doneID, ""), `<strong>left no report</strong> no answer <span class="do">`)
}

// The report as a page of its own is shut in: whatever is in it does nothing here.
func TestWhatClaimsHaveToDoWithEachOtherIsShown(t *testing.T) {
	project := t.TempDir()
	finished(t, project)
	x := serveProject(t, project)
	one := x.page(doneID, "claims/C1")
	require.Regexp(t, `(?s)Beside other claims.*contradicts <a [^>]*>C2</a> It takes five minutes.*anthropic, openai.*holds under another condition than <a [^>]*>C11</a>.*Each holds: with &lt;b&gt; a lid.*judges do not agree on this and <a [^>]*>C10</a>.*anthropic \(same\), openai \(narrower\)`, one)
	require.Regexp(t, `is wider than <a [^>]*>C10</a>.*one family alone was heard`, x.page(doneID, "claims/C2"))
	require.Regexp(t, `is narrower than <a [^>]*>C2</a>`, x.page(doneID, "claims/C10"))
	all := x.page(doneID, "agreement")
	require.Regexp(t, `(?s)Contradictory <span class="soft">1.*Both, each under its condition <span class="soft">1.*Narrower <span class="soft">1.*C10</a> is narrower than <a [^>]*>C2</a>.*Not agreed`, all)
	require.NotContains(t, all, "unrelated")
}

func TestAReportOfItsOwnRunsNothing(t *testing.T) {
	project := t.TempDir()
	finished(t, project)
	x := serveProject(t, project)
	answer, err := x.client.Get(x.run(doneID, "final-report.html"))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	policy := answer.Header.Get("Content-Security-Policy")
	for _, want := range []string{"sandbox allow-popups;", "default-src 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		require.Contains(t, policy, want)
	}
	require.NotContains(t, policy, "script")
	require.NotContains(t, policy, "allow-same-origin")
}

func TestAPassageIsMarkedWhereItStands(t *testing.T) {
	for name, c := range map[string]struct {
		text, part string
		n          int
		want       string
	}{
		"behind letters of four bytes": {"😀😀 ä\nIt boils.\n", "It boils.", 1, `<li><code><mark id="passage">It boils.</mark></code></li>`},
		"the second of two":            {"It boils.\nNo.\nIt boils.\n", "It boils.", 2, `<li><code>It boils.</code></li>` + "\n<li><code>No.</code></li>\n" + `<li><code><mark id="passage">It boils.</mark></code></li>`},
		"over lines":                   {"a It\nboils. b\n", "It\nboils.", 1, `<li><code>a <mark id="passage">It</mark></code></li>` + "\n" + `<li><code><mark>boils.</mark> b</code></li>`},
		"foreign tags are text":        {"<mark>x</mark> <b>It</b>", "<b>It</b>", 1, `<li><code>&lt;mark&gt;x&lt;/mark&gt; <mark id="passage">&lt;b&gt;It&lt;/b&gt;</mark></code></li>`},
	} {
		t.Run(name, func(t *testing.T) {
			l := located(c.text, "", c.part, c.n)
			require.True(t, holds(c.text, l))
			var m markup
			m.lines(c.text, excerpt{first: l.First, start: l.Start, end: l.End, around: linesAround})
			require.Contains(t, m.String(), c.want)
			require.Contains(t, m.String(), `start="1"`)
		})
	}
	require.False(t, holds("other words", claim.Location{Start: 0, End: 5, Passage: "words"}))
	require.False(t, holds("short", claim.Location{Start: 2, End: 99}))
	require.False(t, holds("short", claim.Location{Start: -1, End: 2}))
}

// Whatever a text and a place are, the lines that are shown are those of the text.
func TestAnyTextIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab\n]{0,400}`)).Draw(t, "text")
		start := rapid.IntRange(0, len(text)).Draw(t, "start")
		end := rapid.IntRange(start, len(text)).Draw(t, "end")
		var m markup
		m.lines(text, excerpt{first: 1, start: start, end: end, around: rapid.IntRange(0, 3).Draw(t, "around")})
		require.Equal(t, strings.Count(m.String(), "<mark"), strings.Count(m.String(), "</mark>"))
		require.Equal(t, strings.Count(m.String(), "<li>"), strings.Count(m.String(), "</li>"))
	})
}

func TestALongTextOpensAtItsPassage(t *testing.T) {
	text := strings.Repeat("long ", 1<<20) + "It boils." + strings.Repeat(" behind", 1<<20)
	l := located(text, "", "It boils.", 1)
	for _, around := range []int{linesAround, 0} {
		var m markup
		m.lines(text, excerpt{first: 1, start: l.Start, end: l.End, around: around})
		require.Contains(t, m.String(), `<mark id="passage">It boils.</mark>`)
		require.Less(t, m.Len(), mostShown+4096)
	}
}

// Where the archive is not what it was the page says so and marks nothing.
func TestAnArchiveThatHasChangedIsSaid(t *testing.T) {
	project := t.TempDir()
	dir := finished(t, project)
	x := serveProject(t, project)
	hash := located(kettles, "", "A", 1).Text
	files, err := filepath.Glob(filepath.Join(dir, "sources", "data", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files, hash)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		data[len(data)/2] ^= 1
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
	body := x.page(doneID, "claims/C1")
	require.Contains(t, body, "what is archived is not what was archived")
	require.NotContains(t, body, "<mark")
	require.NotContains(t, body, project, "no place on this machine")
	for _, name := range files {
		require.NoError(t, os.Remove(name))
	}
	body = x.page(doneID, "claims/C1")
	require.Contains(t, body, "cannot be shown in its archived text")
	require.Contains(t, body, "<blockquote>A kettle boils a litre in 3 minutes.</blockquote>")
}

// What the report calls a chart is drawn where the claims state its numbers.
func TestAChartIsDrawn(t *testing.T) {
	project := t.TempDir()
	dir := begin(t, project, doneID, "What does a boiler use?")
	end1(t, dir, doneID, "What does a boiler use?")
	var reg claim.Registry
	for i, quote := range []string{"The new boiler uses 18 kWh in a day.", "The old boiler uses 30 kWh in a day."} {
		reg.Entries = append(reg.Entries, claim.Entry{ID: fmt.Sprintf("C%d", i+1), Text: quote, Quote: quote, Source: "boilers.md", Location: claim.Location{State: claim.Located, Passage: quote}})
	}
	writeJSON(t, dir, claim.RegistryFile, reg)
	const table = "# Boilers\n\n*Chart: Energy by day & night*\n\n| What | kWh | Quotation |\n| --- | --- | --- |\n| new | 18 | [\\[1\\]](#c1 \"C1\") |\n| old | %d | [\\[1\\]](#c2 \"C2\") |\n\nSo it is.\n"
	x := serveProject(t, project)
	write1(t, dir, "final-report.md", fmt.Sprintf(table, 30))
	body := x.page(doneID, "report")
	for _, want := range []string{`<figure class="chart"><figcaption><strong>Energy by day &amp; night</strong> in kWh`, ">30 kWh</text>", "claims/C2", "So it is."} {
		require.Contains(t, body, want)
	}
	require.NotContains(t, body, "Chart: ")
	require.Equal(t, 1, strings.Count(body, "<table>"))
	write1(t, dir, "final-report.md", fmt.Sprintf(table, 31))
	body = x.page(doneID, "report")
	require.NotContains(t, body, "<figure", "no claim states that number")
	require.Contains(t, body, "Chart: Energy by day &amp; night")
}

// Whatever words a run holds they stay words, on every page.
func TestForeignWordsStayWords(t *testing.T) {
	for i, evil := range []string{
		"<script>document.title='PWNED'</script>", "</title></main><img src=x onerror=alert(1)>", `" autofocus onfocus="alert(1)`, "'><svg/onload=alert(1)>", "]]><!--", "\u202egnp.exe\x00\x1b]0;x\x07",
	} {
		project := t.TempDir()
		dir := begin(t, project, doneID, "a"+evil)
		end1(t, dir, doneID, evil)
		where := claim.Location{State: claim.Located, Tier: evil, Reason: evil, Doubt: evil, First: 1, Last: 2, Start: 1, End: 2, Passage: evil, Context: evil, Within: []string{evil}, LeftOut: []string{evil}, Nearest: evil, Text: evil}
		e := claim.Entry{ID: "C1", Text: evil, Quote: evil, Source: evil, Key: evil, Type: claim.SourceType(evil), Confidence: claim.Confidence(evil), Seats: []string{evil, "x"}, Families: []string{evil}, Questions: []string{evil}, Rounds: []string{evil}, Location: where, Support: &claim.Support{Verdict: evil, Reason: evil, Votes: []claim.Vote{{Seat: evil, Family: evil, Answer: evil, Reason: evil}}}}
		odd := e
		odd.ID, odd.Location.State, odd.Kind = evil, claim.State(evil), claim.Kind(evil)
		writeJSON(t, dir, claim.RegistryFile, claim.Registry{Entries: []claim.Entry{e, odd}, Conflicts: []claim.Conflict{{ID: evil, A: "C1", B: evil, Kind: claim.ConflictKind(evil), Severity: claim.Severity(evil), Detail: evil, Settle: evil, Status: evil, Resolution: evil}}})
		write1(t, dir, "final-report.md", "# "+evil+"\n\n"+evil+" [\\[1\\]](#c1 \""+evil+"\")\n\n```\n"+evil+"\n```\n")
		write1(t, dir, "progress.log", evil)
		x := serveProject(t, project)
		for _, page := range append(allPages, "claims/"+url.PathEscape(evil), "claims?q="+url.QueryEscape(evil)+"&source="+url.QueryEscape(evil)) {
			code, body := x.get(x.run(doneID, page))
			require.Contains(t, []int{http.StatusOK, http.StatusNotFound}, code, "%d %s", i, page)
			for _, not := range []string{"<script>document", "<img", "<svg/", `" autofocus`, "<!--", "\u202e", "\x00", "\x1b"} {
				require.NotContains(t, body, not, "%d %s", i, page)
			}
		}
	}
}

func TestDamageIsSaid(t *testing.T) {
	project := t.TempDir()
	dir := finished(t, project)
	write1(t, dir, claim.RegistryFile, `{"entries": [{"id": "C1"`)
	x := serveProject(t, project)
	code, body := x.get(x.run(doneID, "claims"))
	require.Equal(t, http.StatusInternalServerError, code)
	require.Contains(t, body, "it is no JSON")
	write1(t, dir, "status.json", "{")
	write1(t, dir, "journal.jsonl", "nonsense\n")
	_, body = x.get(x.base + "/")
	require.Contains(t, body, "unreadable")
	code, _ = x.get(x.run(doneID, ""))
	require.NotEqual(t, http.StatusOK, code)
}

func TestRunsAreSearchedAndPaged(t *testing.T) {
	project := t.TempDir()
	for i := range 250 {
		id := fmt.Sprintf("20260222-%06d-a1b2c3", 100000+i)
		dir := filepath.Join(project, "research", id)
		require.NoError(t, os.MkdirAll(dir, 0o700))
		writeJSON(t, dir, "status.json", status.Status{ID: id, Workflow: "council", Topic: fmt.Sprintf("Question %d on rafts", i), Status: []string{"completed", "failed"}[i%2], Began: time.Unix(int64(i)*1000, 0), Spent: status.Money{USD: float64(i), Reported: true}})
		write1(t, dir, "journal.jsonl", "")
	}
	x := serveProject(t, project)
	_, body := x.get(x.base + "/")
	require.Contains(t, body, "250 of 250 runs")
	require.Contains(t, body, "Question 249 on")
	require.NotContains(t, body, "Question 100 on")
	_, body = x.get(x.base + "/?page=3")
	require.Contains(t, body, "Question 0 on")
	_, body = x.get(x.base + "/?q=RAFTS&state=failed&sort=cost&page=9")
	require.Contains(t, body, "125 of 250 runs")
	_, body = x.get(x.base + "/?q=" + url.QueryEscape(`"><script>`))
	require.Contains(t, body, "No run fits")
	require.Contains(t, body, `value="&#34;&gt;&lt;script&gt;"`)
	require.Contains(t, serveEmpty(t), "council run")
}

func serveEmpty(t *testing.T) string {
	x := serveProject(t, t.TempDir())
	_, body := x.get(x.base + "/")
	return body
}

func TestClaimsAreSortedAndFiltered(t *testing.T) {
	data, err := json.Marshal(claim.Registry{Entries: []claim.Entry{
		{ID: "C10", Text: "Ten", Key: "b", Seats: []string{"codex"}, Families: []string{"openai"}, Confidence: claim.Low, Location: claim.Location{State: claim.Located}},
		{ID: "C2", Text: "Two \\ \"quoted\" Ünder", Key: "a", Source: "https://a.test/x", Seats: []string{"claude", "codex"}, Families: []string{"anthropic"}, Questions: []string{"Q1"}, Critical: true, Confidence: claim.High, Location: claim.Location{State: claim.NotFound}},
		{ID: "C3", Text: "Three", Key: "", Location: claim.Location{State: claim.Unchecked}, Kind: claim.Recommendation},
	}, Conflicts: []claim.Conflict{{ID: "D1", A: "C2", B: "C99"}}})
	require.NoError(t, err)
	g, err := readRegistry(data)
	require.NoError(t, err)
	for query, want := range map[string]string{
		"": "C2 C3 C10", "dir=down": "C10 C3 C2", "sort=source": "C2 C10 C3", "sort=confidence": "C2 C10 C3", "sort=state": "C10 C2 C3", "sort=seats": "C2 C10 C3", "sort=nonsense": "C2 C3 C10",
		"seat=codex": "C2 C10", "family=openai": "C10", "state=not-found": "C2", "question=Q1": "C2", "kind=recommendation": "C3", "critical=1": "C2", "disputed=1": "C2", "source=a.test": "C2",
		"q=ünder": "C2", "q=two+quoted": "C2", "q=quoted+three": "", "q=c10": "C10", "support=unjudged": "C10", "state=%00": "",
	} {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		var ids []string
		for _, r := range g.find(readClaimsQuery(q)) {
			ids = append(ids, r.id)
		}
		require.Equal(t, want, strings.Join(ids, " "), query)
	}
	e, err := g.entry("C2")
	require.NoError(t, err)
	require.Equal(t, `Two \ "quoted" Ünder`, e.Text)
	_, err = g.entry("C99")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A registry may come with a repository of others: no nesting of it ends the server.
func TestABottomlessRegistryIsRefused(t *testing.T) {
	deep := strings.Repeat("[", 8<<20)
	for _, data := range []string{deep, `{"entries":[{"id":"C1","x":` + deep, `{"entries":[{"id":"C1","x":` + deep + strings.Repeat("]", len(deep)) + "}]}"} {
		_, err := readRegistry([]byte(data))
		require.ErrorContains(t, err, "no JSON")
	}
}

// Whatever stands in registry.json is refused or read as package claim reads it.
func FuzzRegistry(f *testing.F) {
	for _, text := range []string{"", "null", "[]", "{}", `{"entries":null}`, `{"entries":[null,{},{"id":1}]}`, `[{"id":"C1","support":{"votes":[{}]},"location":{"state":"located"}}]`, `{"entries":{"a":{"id":"C1"}},"conflicts":[{"a":"C1"}]}`, `{"entries":[{"seats":"x"}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := readRegistry(data)
		if err != nil {
			return
		}
		whole, err := claim.ParseRegistry(data)
		if err != nil {
			return // what is odd is shown row by row as far as it can be read
		}
		require.Len(t, g.rows, len(whole.Entries))
		for i, e := range whole.Entries {
			if r := g.rows[i]; json.Valid([]byte(r.json)) && strings.Count(r.json, `"support"`) < 2 && strings.Count(r.json, `"location"`) < 2 {
				one, err := r.entry()
				require.NoError(t, err)
				require.Equal(t, e.Verdict(), one.Verdict())
			}
		}
	})
}

func TestWhatAPersonSaysReachesTheRun(t *testing.T) {
	project := t.TempDir()
	dir := begin(t, project, openID, "Is it under way?")
	x := serveProject(t, project)
	code, body := x.post(openID, "note", url.Values{"note": {"hello"}})
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "has no model that could read a note")
	code, body = x.post(openID, "answers", url.Values{"answer-Q1": {"x"}})
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "does not wait for an answer")
	code, _ = x.post(openID, "confirm", url.Values{})
	require.Equal(t, http.StatusConflict, code)
	code, body = x.post(openID, "cancel", url.Values{})
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, "The run is cancelled")
	r, err := supervisor.Read(project, openID)
	require.NoError(t, err)
	require.Equal(t, flow.Cancelled, r.Status)
	before := tree(t, dir)
	for _, action := range []string{"cancel", "finish", "resume"} {
		code, body = x.post(openID, action, url.Values{})
		require.Equal(t, http.StatusConflict, code, action)
		require.Contains(t, body, "Nothing was changed:", action)
		require.Contains(t, body, "has ended", action)
	}
	require.Equal(t, before, tree(t, dir))
}

func TestErrorsHaveNoPathsInThem(t *testing.T) {
	project := t.TempDir()
	dir := finished(t, project)
	require.NoError(t, os.Remove(filepath.Join(dir, claim.RegistryFile)))
	require.NoError(t, os.Mkdir(filepath.Join(dir, claim.RegistryFile), 0o700))
	x := serveProject(t, project)
	code, body := x.get(x.run(doneID, "claims"))
	require.Equal(t, http.StatusInternalServerError, code)
	require.NotContains(t, body, project)
}
