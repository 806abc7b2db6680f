package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/audit"
	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/test/web"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds a text against a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// run audits a report over a fake web.
func run(t *testing.T, w *web.Web, report string, o audit.Options) audit.Result {
	t.Helper()
	a, err := archive.Open(t.TempDir(), w.Options())
	require.NoError(t, err)
	o.Archive = a
	return parsed(t, report, o)
}

func parsed(t *testing.T, report string, o audit.Options) audit.Result {
	t.Helper()
	d, err := citation.Parse([]byte(report), "text/markdown")
	require.NoError(t, err)
	r, err := audit.Report(context.Background(), "report.md", d, o)
	require.NoError(t, err)
	return r
}

const (
	depth   = "The surveyors measured the lake in 2019 and found it to be 187 metres deep at its deepest point, north of the island."
	outflow = "About 14 cubic metres of water leave it every second through the old sluice, which was not rebuilt after the flood of 1953."
)

// lake serves the page the reports of these tests cite.
func lake(t *testing.T) *web.Web {
	t.Helper()
	return web.Start(t,
		web.Page{URL: "http://news.example/lake", Body: web.Report()},
		web.Page{URL: "http://news.example/moths", Body: web.Article("On the breeding of moths",
			"Moths breed in the dark, as was shown by counting them under lamps of eleven colours.",
			"A moth that is kept in daylight lays a third of its eggs, and 61.6 % of these never hatch. “Light is the enemy of the moth,” wrote the entomologist.",
			"The caterpillars eat the leaves of oak and willow, and in some years nothing else is left of a wood than its bark and its twigs.")},
	)
}

const sources = "\n\n## References\n\n[1] http://news.example/lake - The depth of the lake\n[2] http://news.example/moths - On the breeding of moths\n"

func kinds(r audit.Result) []string {
	list := []string{}
	for _, f := range r.Findings {
		list = append(list, f.Kind)
	}
	return list
}

func TestASoundReportHasNoFindings(t *testing.T) {
	r := run(t, lake(t), "# Lakes and moths\n\n"+
		"“The surveyors measured the lake in 2019 and found it to be 187 metres deep at its deepest point,” as the news had it. [1]\n\n"+
		"It was in 2019 that the lake was found to be 187 metres deep by surveyors [1]. Of the eggs laid in daylight about 61.6 % never hatch [2].\n\n"+
		"> Moths breed in the dark, as was shown by counting them under lamps of eleven colours.\n> — the entomologist [2]"+sources, audit.Options{})
	require.Empty(t, r.Findings)
	require.Equal(t, "A", r.Grade.Letter)
	require.InDelta(t, 100, r.Grade.Score, 0.01)
	require.Equal(t, audit.Counts{
		Statements: 4, About: 4, References: 2, Sources: 2, Read: 2, Quotations: 2, Located: 2, Numbers: 3, NumbersFound: 3,
		States: map[archive.State]int{archive.Live: 2},
	}, r.Counts)
}

func TestEachFaultIsFound(t *testing.T) {
	w := lake(t)
	for name, c := range map[string]struct {
		text string
		kind string
		says string
	}{
		"a quotation nobody wrote":         {"“The lake was drained in one night by the monks of the abbey,” it says. [1]", "unlocated", "does not stand in [1]"},
		"a quotation of another source":    {"“Light is the enemy of the moth,” says the surveyor of the lake. [1]", "unlocated", "but in [2]"},
		"an altered number in a quotation": {"“The surveyors measured the lake in 2019 and found it to be 178 metres deep at its deepest point,” it says. [1]", "altered", "number \"178\", there \"187\""},
		"a lost negation":                  {"“Through the old sluice, which was rebuilt after the flood of 1953,” water leaves the lake. [1]", "altered", "not"},
		"a number the source lacks":        {"The surveyors measured the lake and found it 178 metres deep north of the island [1].", "number", "[1] does not hold 178"},
		"a number of another source":       {"The surveyors measured the lake and found 61.6 % of it deep, north of the island [1].", "number", "61.6 % in [2]"},
		"a magnitude the source lacks":     {"About 14 million cubic metres of water leave the lake through the old sluice [1].", "number", "14 million"},
		"a source of other matter":         {"Moths breed in the dark and caterpillars eat the leaves of willow [1].", "wrong-source", "[2] does"},
		"a quotation from the comments":    {"“I have always held that the lake is bottomless, whatever the surveyors say,” says one. [1]", "aside", "outside the article"},
		"a marker without its reference":   {"The lake is 187 metres deep north of the island [7].", "dangling", "[7]"},
	} {
		t.Run(name, func(t *testing.T) {
			sound := "\n\nThe surveyors measured the lake in 2019 [1]. Moths breed in the dark under lamps of eleven colours [2]."
			r := run(t, w, c.text+sound+sources, audit.Options{})
			require.Contains(t, kinds(r), c.kind)
			require.Contains(t, r.Findings[0].What, c.says)
			for _, f := range r.Findings {
				require.Equal(t, 1, f.Line, "the sound statements have no findings")
			}
		})
	}
}

func TestWhatLooksLikeAFaultAndIsNone(t *testing.T) {
	w := lake(t)
	for name, text := range map[string]string{
		"a rounded number":                   "Of the eggs about 62 % never hatch in daylight when moths breed [2].",
		"a title in quotation marks":         "In “The depth of the lake” surveyors measured it north of the island [1].",
		"a comma inside the marks":           "“Only three species of fish are known to live below 100 metres,” say surveyors of the lake. [1]",
		"a quotation with brackets":          "“The surveyors measured the lake in 2019 and [they] found it to be 187 metres deep at its deepest point” [1].",
		"a number written out in the source": "Moths were counted under lamps of 11 colours in the dark [2].",
		"several sources":                    "Moths breed in the dark under eleven colours, and the lake is 187 metres deep north of the island [1][2].",
		"a short statement":                  "It is so [1].",
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, w, text+"\n\nThe surveyors measured the lake in 2019 [1]. Moths breed in the dark under lamps of eleven colours [2]."+sources, audit.Options{})
			require.Empty(t, r.Findings)
		})
	}
}

// The specimens of the fake web, each cited once with its quotation.
func TestEachSpecimenOfTheFakeWebGetsItsVerdict(t *testing.T) {
	w := web.Start(t)
	var text, list strings.Builder
	var cited []web.Planted
	for _, p := range web.Catalogue() {
		if p.Slow || strings.HasPrefix(p.Name, "a bomb") || p.Name == "a body without an end" || p.Name == "changed between two fetches" {
			continue // package archive has them
		}
		require.NoError(t, w.Plant(p))
		cited = append(cited, p)
		ref := p.Ref
		if n := len(cited); true {
			fmt.Fprintf(&text, "“%s” [%d]\n\n", strings.TrimSuffix(p.Quote, "."), n)
			fmt.Fprintf(&list, "[%d] Example, A. (2021). The depth of the lake. %s\n", n, ref)
		}
	}
	r := run(t, w, "# Lakes\n\n"+text.String()+"## References\n\n"+list.String(), audit.Options{})
	require.Len(t, r.Sources, len(cited))
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[f.Kind+" "+f.Key] = true
	}
	kindOf := map[string]string{"gone": "dead", "likely-invented": "invented", "stale": "stale", "moved": "moved", "blocked": "blocked", "unreachable": "unreachable"}
	for i, p := range cited {
		s := r.Sources[i]
		require.Equal(t, p.State, string(s.State), p.Name)
		if kind := kindOf[p.State]; kind != "" {
			require.True(t, found[kind+" "+s.Key], "%s: %s", p.Name, kind)
		}
		q := r.Statements[i].Quotations
		require.Len(t, q, 1, p.Name)
		require.Equal(t, p.Found, q[0].State == claim.Located, p.Name)
		require.Equal(t, p.Name == "a retracted paper", s.Retracted, p.Name)
		require.Equal(t, p.Name == "a DOI of another paper", s.Mismatch != "", p.Name)
		require.Equal(t, p.Name == "a quotation from a comment", q[0].Aside, p.Name)
	}
	require.Equal(t, len(cited), r.Counts.Quotations, "nothing leaves the count")
	var b bytes.Buffer
	require.NoError(t, audit.Write(&b, r))
	golden(t, "specimens.txt", b.String())
}

func TestCopiesOfOneTextAreOneWitness(t *testing.T) {
	w := lake(t)
	require.NoError(t, w.Add(web.Page{URL: "http://blog.example/copy", Body: web.Report()}))
	r := run(t, w, "Surveyors measured the lake in 2019 [1][3], and moths breed in the dark [2]."+sources+"[3] http://blog.example/copy - A copy\n", audit.Options{})
	require.Equal(t, []string{"copy"}, kinds(r))
	require.Equal(t, "[3] repeats the text of [1]: they are one witness", r.Findings[0].What)
	require.Equal(t, 1, r.Counts.Copies)
}

func TestAnOutageIsNoVerdict(t *testing.T) {
	w := lake(t)
	w.Down("news.example")
	r := run(t, w, "“The lake was drained in one night by the monks,” it is said, in 1321. [1]"+sources, audit.Options{})
	require.Equal(t, claim.Unchecked, r.Statements[0].Quotations[0].State)
	require.Equal(t, audit.Unknown, r.Statements[0].Numbers[0].State)
	require.Equal(t, audit.Unknown, r.Statements[0].About)
	for _, f := range r.Findings {
		require.NotContains(t, []string{"unlocated", "number", "wrong-source", "dead", "invented"}, f.Kind)
	}
	require.Zero(t, r.Grade.Parts[0].Good, "what could not be read counts, as not read")
}

func TestOffLineNothingIsFetched(t *testing.T) {
	w := lake(t)
	r := run(t, w, "The lake is deep, it is said by surveyors [1]."+sources, audit.Options{Offline: true})
	require.Empty(t, w.Requests())
	require.Equal(t, map[archive.State]int{audit.Unchecked: 2}, r.Counts.States)
	require.Equal(t, []string{"unused"}, kinds(r))
	require.Len(t, r.Grade.Parts, 1)
}

func TestOffLineTheArchiveIsRead(t *testing.T) {
	w := lake(t)
	dir := t.TempDir()
	report := "“" + depth + "” [1] Moths breed in the dark under lamps of eleven colours [2]." + sources
	var results []string
	for _, offline := range []bool{false, true} {
		a, err := archive.Open(dir, w.Options())
		require.NoError(t, err)
		r := parsed(t, report, audit.Options{Archive: a, Offline: offline})
		require.Empty(t, r.Findings)
		r.Offline = false
		text, err := json.Marshal(r)
		require.NoError(t, err)
		results = append(results, string(text))
		w.Down("news.example")
	}
	require.Equal(t, results[0], results[1])
}

func TestFilesAreLookedUpBelowTheScope(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pace.go"), []byte("package pace\n\n// The collector starts early enough to end before the heap has doubled.\nconst Goal = 100\n"), 0o600))
	files, err := library.Open(dir, nil)
	require.NoError(t, err)
	defer files.Close()
	r := parsed(t, "“The collector starts early enough to end before the heap has doubled” (pace.go:3).\n\n"+
		"“The collector never starts before the heap has doubled” (pace.go:3).\n\nThe goal of the collector is a heap of 100 (pace.go:90).\n\n"+
		"The collector is told in no_such.go:3 and in ../outside.go:1 what to do.\n", audit.Options{Files: files.ArchivedOnly()})
	require.Equal(t, claim.Located, r.Statements[0].Quotations[0].State)
	require.Equal(t, claim.NotFound, r.Statements[1].Quotations[0].State)
	require.Subset(t, kinds(r), []string{"dead", "bad-lines", "outside"})
	require.Equal(t, 1, r.Counts.States[archive.Gone])
	require.Equal(t, 1, r.Counts.States[audit.Unchecked], "what lies outside was not looked at")
	require.Equal(t, 1, r.Counts.Unread)
}

// Links of Markdown start from the report's own folder, and may name a place in
// a file.
func TestLinksStartFromTheReport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"top.md": "# Kettles\n\nA kettle boils water with an electric coil.\n", "guide/next.md": "# Coils\n\nA coil heats the water of a kettle.\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	files, err := library.Open(dir, nil)
	require.NoError(t, err)
	defer files.Close()
	states := func(folder string) map[string]archive.State {
		r := parsed(t, "A coil heats water, as [the next page](next.md) says. A kettle boils it with a coil, as [another](../top.md#kettles) says.\n\n"+
			"It boils, as [this](top.md#kettles) says. It cools, as [that](gone.md) says. It rests, as [one](../gone.md#rest) says, and it is [elsewhere](../../top.md).\n",
			audit.Options{Files: files.ArchivedOnly(), Folder: folder})
		all := map[string]archive.State{}
		for _, s := range r.Sources {
			all[s.Address] = s.State
		}
		return all
	}
	require.Equal(t, map[string]archive.State{
		"next.md": archive.Live, "../top.md#kettles": archive.Live, "top.md#kettles": archive.Live,
		"gone.md": archive.Gone, "../gone.md#rest": archive.Gone, "../../top.md": audit.Unchecked,
	}, states(filepath.Join(dir, "guide")))
	require.Equal(t, map[string]archive.State{
		"next.md": archive.Gone, "../top.md#kettles": audit.Unchecked, "top.md#kettles": archive.Live,
		"gone.md": archive.Gone, "../gone.md#rest": audit.Unchecked, "../../top.md": audit.Unchecked,
	}, states(""), "without it they lie below the scope alone")
}

func TestTheGradeCanBeRecomputed(t *testing.T) {
	r := run(t, lake(t), "The lake is 178 metres deep north of the island, surveyors found [1]. “Light is the enemy of the moth” [2]."+sources, audit.Options{})
	sum, weight := 0.0, 0.0
	for _, p := range r.Grade.Parts {
		sum += p.Weight * float64(p.Good) / float64(p.Of)
		weight += p.Weight
	}
	require.InDelta(t, 100*sum/weight, r.Grade.Score, 1e-9)
	require.Equal(t, 85.0, r.Grade.Score)
	require.Equal(t, "B", r.Grade.Letter)
}

func TestOneGraveThingCapsTheGrade(t *testing.T) {
	w := lake(t)
	text := strings.Repeat("The surveyors measured the lake in 2019 and found it to be 187 metres deep [1].\n\n", 40)
	r := run(t, w, text+"Moths breed in the dark under lamps of eleven colours [2]. The lake is deep to surveyors [3]."+sources+"[3] http://no-such-host.example/a - A\n", audit.Options{})
	require.Equal(t, []string{"invented"}, kinds(r))
	require.Greater(t, r.Grade.Score, 85.0)
	require.Equal(t, "C", r.Grade.Letter)
	require.Contains(t, r.Grade.Why, "At most C")
}

func TestProgressIsToldForEachSource(t *testing.T) {
	var told []string
	run(t, lake(t), "The lake [1], the moths [2]."+sources, audit.Options{Progress: func(done, all int) { told = append(told, fmt.Sprint(done, "/", all)) }})
	require.Equal(t, []string{"1/2", "2/2"}, told)
}

func TestAnAuditCanBeBroken(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, err := archive.Open(t.TempDir(), lake(t).Options())
	require.NoError(t, err)
	d, err := citation.Parse([]byte("The lake [1]."+sources), "")
	require.NoError(t, err)
	_, err = audit.Report(ctx, "report.md", d, audit.Options{Archive: a})
	require.ErrorIs(t, err, context.Canceled)
}

func TestManyFindingsAreTold(t *testing.T) {
	var text strings.Builder
	for i := range 70 {
		fmt.Fprintf(&text, "It says “the invented words of number %d” [1].\n\n", i)
	}
	var b bytes.Buffer
	r := run(t, lake(t), text.String()+sources, audit.Options{})
	require.NoError(t, audit.Write(&b, r))
	require.Equal(t, 70, r.Counts.NotFound)
	require.Contains(t, b.String(), "and 20 more")
}

func TestOneDefectIsOneFindingHoweverOftenItRepeats(t *testing.T) {
	var text strings.Builder
	for i := range 70 {
		fmt.Fprintf(&text, "Claim %d holds [%d].\n\n", i, i+100)
	}
	r := parsed(t, text.String()+sources, audit.Options{})
	require.Equal(t, []string{"dangling", "no-markers"}, kinds(r))
	require.Equal(t, 70, r.Findings[0].Times)
	require.Equal(t, 72, r.Counts.Structure, "and two sources that nothing refers to")

	again := strings.Repeat("It says “these words were never said there” [1].\n\n", 30)
	r = run(t, lake(t), again+"The moths agree [2]."+sources, audit.Options{})
	for _, f := range r.Findings {
		if f.Kind == "unlocated" {
			require.Equal(t, 30, f.Times)
		}
	}
	require.Equal(t, 1, strings.Count(strings.Join(kinds(r), " "), "unlocated"))
}

func TestNumbersAreCheckedWhereTheLinkFollowsTheFullStop(t *testing.T) {
	r := run(t, lake(t), "The lake is 187 metres deep. ([news.example](http://news.example/lake)) At its island 640 metres were measured.[a survey](http://news.example/lake) Nobody has been there since 1888.", audit.Options{})
	require.Len(t, r.Statements, 2)
	require.Equal(t, []string{"187"}, numbersOf(r.Statements[0], audit.Yes))
	require.Equal(t, []string{"640"}, numbersOf(r.Statements[1], audit.No))
	require.Contains(t, kinds(r), "number")
}

func numbersOf(s audit.Statement, state audit.Check) []string {
	var out []string
	for _, n := range s.Numbers {
		if n.State == state {
			out = append(out, n.Text)
		}
	}
	return out
}

func TestAStatementWhoseMarkerLeadsNowhereStaysCounted(t *testing.T) {
	r := run(t, lake(t), "The lake is 187 metres deep [9]. “It was deepest north of the island,” they say [9]. It is a lake [1]."+sources, audit.Options{})
	require.Equal(t, 3, r.Counts.Statements)
	require.Equal(t, []string{"9"}, r.Statements[0].Markers)
	require.Empty(t, r.Statements[0].Sources)
	require.Equal(t, audit.Unknown, r.Statements[0].About)
	require.Equal(t, []string{"187"}, numbersOf(r.Statements[0], audit.Unknown))
	require.Equal(t, claim.Unchecked, r.Statements[1].Quotations[0].State)
	require.NotContains(t, kinds(r), "wrong-source")
}

func TestAStyleThatIsNotUnderstoodGetsNoGrade(t *testing.T) {
	report := "The lake is deep «src:A7». The sluice is old «src:A7». It was rebuilt «src:B2/p4». Nobody swims in it «src:C1». Its island is bare.\n"
	r := parsed(t, report, audit.Options{})
	require.False(t, r.Understood)
	require.Empty(t, r.Grade.Letter)
	require.Equal(t, []string{"style"}, kinds(r))
	require.Equal(t, []string{"«src:A7»", "«src:B2/p4»", "«src:C1»"}, r.Seen[0].Examples)
	var b bytes.Buffer
	require.NoError(t, audit.Write(&b, r))
	require.Contains(t, b.String(), "report.md: style not understood, so no grade; seen: «src:A7» «src:B2/p4» «src:C1», 4 times")
	require.NotContains(t, b.String(), "grade F")
	require.True(t, audit.Gate{}.Fails([]audit.Result{r}), "it is no pass")
}

func TestNothingForeignReachesATerminal(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://a.example/x", Body: web.Article("\x1b[31mred", "Some words \x1b]0;title\x07 of the page that go on.")})
	r := run(t, w, "“one two \x1b[2J three four five” and \x1b[31mso on [1].\n\n[1] http://a.example/x \x1b[1m\n[2] http://\x1b[31mbad.example/\n", audit.Options{})
	var b bytes.Buffer
	require.NoError(t, audit.Write(&b, r))
	require.NotContains(t, b.String(), "\x1b")
}

// A report's own footnote says what it likes: it is no source.
func TestAReportVouchesForNothingItself(t *testing.T) {
	const invented = "“the lake is 900 metres deep and was dug by giants in one night”"
	r := run(t, lake(t), "# Lakes\n\nAs it says, "+invented+".[^1]\n\n[^1]: "+invented+", <http://news.example/lake>\n", audit.Options{})
	require.Contains(t, kinds(r), "unlocated")
	require.Zero(t, r.Counts.Located)
	r = run(t, lake(t), "# Moths\n\nThe paper “On the breeding of moths” says so of all moths that are kept in light [1].\n\n## References\n\n[1] http://news.example/moths - On the breeding of moths\n", audit.Options{})
	require.NotContains(t, kinds(r), "unlocated", "a source's title is no quotation")
}
