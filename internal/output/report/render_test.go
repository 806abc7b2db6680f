package report_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/report"
)

var update = flag.Bool("update", false, "write the golden reports anew")

func entry(id, words, quoted, src string, l claim.Location, seats ...string) claim.Entry {
	return claim.Entry{ID: id, Text: words, Quote: quoted, Source: src, Key: source.Identify(src).Key, Seats: seats, Rounds: []string{"research"}, Location: l}
}

func entries() []claim.Entry {
	page := claim.Location{State: claim.Unchecked, Reason: "web pages are not fetched by this version"}
	return []claim.Entry{
		entry("C1", "Caches age.", "Entries expire after 30 s.", "docs/cache.md:3-4", claim.Location{State: claim.Located, Tier: "exact", First: 3, Last: 4}, "claude", "codex"),
		entry("C2", "Caches are small.", "At most 1,204 entries | rows", "docs/cache.md:9", claim.Location{State: claim.Located, Tier: "normalised", First: 7, Last: 7, Reason: "the lines cited were 9"}, "codex"),
		entry("C3", "Others do it too.", "as <b>others</b> [do](javascript:alert(1))\n# it", "https://www.example.com/a_(b)?utm_source=x&id=2", page, "gemini"),
		entry("C4", "The same page again.", "", "http://example.com/a_(b)?id=2#top", page, "claude"),
		entry("C5", "A paper says no.", "It did not.", "doi:10.1000/Xyz(1)", page, "claude"),
		entry("C6", "Somebody invented this.", "Never written.", "docs/cache.md", claim.Location{State: claim.NotFound, Reason: "the source does not hold these words"}, "gemini"),
	}
}

func final(draft string) report.Final {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return report.Final{
		Topic: "How do caches <age>?", ID: "20260102-030405-abcdef", Status: "completed", Draft: []byte(draft), Registry: claim.Registry{Entries: entries()},
		Seats: []report.SeatLine{
			{Name: "claude", Role: "research", Model: "opus", Outcome: "complete", Iterations: 3},
			{Name: "codex", Role: "research", Outcome: "exhausted", Iterations: 10, Carried: true},
			{Name: "codex", Role: "refinement", Outcome: "failed", Reason: "terminal: no credit.", Iterations: 1},
		},
		Missing: []string{"gemini: not logged in"}, Began: began, Ended: began.Add(90 * time.Minute),
		Spent: budget.Spent{USD: 1.234, Estimated: true, Tokens: 56789}, Writer: "session", Scope: "docs",
	}
}

func TestGolden(t *testing.T) {
	mended, err := os.ReadFile("testdata/mended.md")
	require.NoError(t, err)
	hostile, err := os.ReadFile("testdata/hostile.md")
	require.NoError(t, err)
	spent := final("")
	spent.Status, spent.Reason, spent.Writer = "out_of_budget", "the money set aside is spent", "program"
	nothing := final("# Executive Summary\n")
	nothing.Status, nothing.Reason, nothing.Registry, nothing.Seats = "failed", "no seat left a report", claim.Registry{}, nil
	for name, f := range map[string]report.Final{
		"mended": final(string(mended)), "hostile": final(string(hostile)), "spent": spent, "nothing": nothing,
	} {
		got := report.Render(f)
		check(t, got, f.Registry.Entries)
		golden(t, name, got)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), name)
}

var (
	ownAnchor = regexp.MustCompile(`^<a id="(c[0-9]+)">$`)
	ownLabel  = regexp.MustCompile(`^\[([0-9]+)\]$`)
)

// read is what an independent reader of Markdown sees in a report.
type read struct {
	headings []string
	anchors  map[string]int   // to the number of its source
	linked   map[string]int   // anchors linked to, with the number shown
	named    map[string]bool  // ids in the titles of links
	foreign  []string         // links and HTML that are not ours
	byKey    map[string][]int // numbers of a source's key
}

// check reads a rendered report with another parser, with all extensions that
// make links, and holds it to what Render promises.
func check(t require.TestingT, rendered []byte, entries []claim.Entry) read {
	r := readReport(rendered, entries)
	require.Equal(t, complete(r.headings), r.headings, "%s", rendered)
	require.Empty(t, r.foreign, "%s", rendered)
	for anchor, number := range r.linked {
		require.Equal(t, number, r.anchors[anchor], "reference to %s in:\n%s", anchor, rendered)
	}
	for anchor := range r.anchors {
		require.True(t, r.named[strings.ToUpper(anchor)], "%s is listed and not cited in:\n%s", anchor, rendered)
	}
	for id := range r.named {
		if slices.ContainsFunc(entries, func(e claim.Entry) bool { return e.ID == id && e.Kind.RestsOnClaims() }) {
			continue // it has the sources of what it rests on
		}
		require.Contains(t, r.anchors, strings.ToLower(id), "%s is cited and not listed in:\n%s", id, rendered)
	}
	for key, numbers := range r.byKey {
		require.Len(t, numbers, 1, "source %s stands twice in:\n%s", key, rendered)
	}
	return r
}

// complete are the sections a report has to have in any case, and those of the
// others that it has, in order.
func complete(headings []string) []string {
	return slices.DeleteFunc(slices.Concat(report.Council.Body(), report.Council.Appendix()), func(name string) bool {
		return !slices.Contains([]string{"Executive Summary", "Research Metadata", "Residual Gaps & Next Steps"}, name) && !slices.Contains(headings, name)
	})
}

func readReport(rendered []byte, entries []claim.Entry) read {
	r := read{anchors: map[string]int{}, linked: map[string]int{}, named: map[string]bool{}, byKey: map[string][]int{}}
	root := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(text.NewReader(rendered))
	keys := map[string]string{}
	for _, e := range entries {
		keys[strings.ToLower(e.ID)] = source.Identify(e.Source).Key
	}
	heading, number := "", 0
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		inList := heading == "Comprehensive Source List"
		switch n := n.(type) {
		case *ast.Heading:
			if words := string(n.Lines().Value(rendered)); n.Level == 2 {
				heading = words
				r.headings = append(r.headings, words)
			} else if n.Level == 1 && n.PreviousSibling() != nil {
				r.foreign = append(r.foreign, "second title "+words)
			}
		case *ast.ListItem:
			if list := n.Parent().(*ast.List); inList && list.IsOrdered() {
				number++
			}
		case *ast.Link:
			r.link(n, rendered, inList)
		case *ast.Image, *ast.HTMLBlock, *ast.AutoLink:
			if !inList { // an address inside a quotation may become a link
				r.foreign = append(r.foreign, fmt.Sprintf("%s in %s", n.Kind(), heading))
			}
		case *ast.RawHTML:
			tag := string(n.Segments.Value(rendered))
			if m := ownAnchor.FindStringSubmatch(tag); m != nil && inList {
				if r.anchors[m[1]] != 0 {
					r.foreign = append(r.foreign, "second "+tag)
				}
				r.anchors[m[1]] = number
				if k := keys[m[1]]; len(r.byKey[k]) == 0 || r.byKey[k][len(r.byKey[k])-1] != number {
					r.byKey[k] = append(r.byKey[k], number)
				}
			} else if tag != "</a>" {
				r.foreign = append(r.foreign, tag)
			}
		}
		return ast.WalkContinue, nil
	})
	return r
}

// wordsBelow is the text below a node as it was typed.
func wordsBelow(n ast.Node, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(src))
		} else {
			b.WriteString(wordsBelow(c, src))
		}
	}
	return b.String()
}

func (r *read) link(n *ast.Link, src []byte, inList bool) {
	target := string(n.Destination)
	label := wordsBelow(n, src)
	label = strings.ReplaceAll(label, `\`, "")
	anchor, inside := strings.CutPrefix(target, "#")
	m := ownLabel.FindStringSubmatch(label)
	switch {
	case inside && m != nil:
		var number int
		_, _ = fmt.Sscan(m[1], &number)
		r.linked[anchor] = number
		named, _, _ := strings.Cut(string(n.Title), " — ")
		for _, id := range strings.Split(named, ", ") {
			r.named[id] = true
		}
	case target == "disputes.md" && label == target:
	case inList && (strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")):
	default:
		r.foreign = append(r.foreign, "link "+label+" to "+target)
	}
}

// fragments is what drafts are drawn from: honest and hostile Markdown.
func fragments() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"[C1]", "[C2, C3]", "[C4; C5]", "[C1-C6]", "[c2]", "[C99]", "[C1, C99]", "[C0]", "[C]", "[[C1]]", "[C1](http://x.test)", "[C1][C2]", "[C1]: http://x.test\n", "[^1]", "[1]", "[2, 3]", "[^1]: x\n",
			"\n", "\n\n", "# ", "## ", "### ", "Executive Summary", "## Key Findings (by theme)\n\n", "## 3. areas of strong consensus:\n\n", "## Sources\n\n", "**Sources:**\n\n", "# Comprehensive Source List\n\n", "## Methodology Note\n\n",
			"words ", "two words. ", "a_b", "*", "**", "_", "`", "``", "```\n", "~~", "~", "> ", "- ", "1. ", "2) ", "+ ", "    ", "\t", "|", "| a | b |\n|---|---|\n| c | d |\n", "---\n", "===\n", "\\", "\\\n", "  \n",
			"<b>", "</b>", "<script>", "<a id=\"c1\"></a>", "<!-- x -->", "<!-- ", "-->", "<div>\n", "<http://y.test>", "https://x.test/a_(b)", "www.x.test", "a@b.test", "[x](javascript:alert(1))", "![i](http://x.test/i.png)", "[x]", "[x]: javascript:alert(1)\n",
			"&lt;b&gt;", "&#91;C1&#93;", "&amp;", "&#10;", "&#0;", "&#x202e;", "\\[C1\\]", "\\<b>", "!", "(", ")", "]", "[", "\x00", "\xff", "\u202e", "é", "不", "<!-- RESEARCH_COMPLETE -->\n",
		}),
		rapid.StringN(0, 6, -1),
	)
}

func TestEveryReferenceResolves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draft := strings.Join(rapid.SliceOfN(fragments(), 0, 30).Draw(t, "draft"), "")
		f := final(draft)
		check(t, report.Render(f), f.Registry.Entries)
		for _, problem := range report.Council.Lint([]byte(draft), f.Registry.Entries) {
			require.NotContains(t, problem, "\n")
		}
		report.Usable([]byte(draft))
	})
}

// A draft of known citations keeps them all, numbered in the order in which
// sources are first cited.
func TestCitationsAreNumberedAsTheyAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.SliceOfN(rapid.IntRange(1, 6), 1, 12).Draw(t, "cited")
		var draft, want strings.Builder
		draft.WriteString("## Key Findings\n\n")
		numbers := map[string]int{}
		doubt := map[claim.State]string{claim.Unchecked: " (quotation not checked)", claim.NotFound: " (quotation not found)"}
		for _, n := range order {
			key := entries()[n-1].Key
			if numbers[key] == 0 {
				numbers[key] = len(numbers) + 1
			}
			fmt.Fprintf(&draft, "Word [C%d].\n", n)
			site := source.Host(key)
			if site != "" {
				site = " — " + site
			}
			fmt.Fprintf(&want, "Word [\\[%d\\]](#c%d \"C%d%s\")%s.\n", numbers[key], n, n, site, doubt[entries()[n-1].Location.State])
		}
		got := report.Render(final(draft.String()))
		check(t, got, entries())
		require.Contains(t, string(got), want.String())
	})
}

// Foreign words in every field stay words.
func TestForeignFieldsStayWords(t *testing.T) {
	evil := "x\n# Forged\n\n<script>alert(1)</script> [y](javascript:z) ![i](http://i.test) `code` | [C1] <!-- \x1b[2J \u202e"
	f := final("## Key Findings\n\nIt is so [C1, C2, C3].\n")
	f.Topic, f.Reason, f.Status, f.Writer, f.ID, f.Scope = evil, evil, evil, evil, evil, evil
	f.Missing = []string{evil}
	f.Seats = []report.SeatLine{{Name: evil, Role: evil, Model: evil, Outcome: evil, Reason: evil}}
	for i, e := range f.Registry.Entries {
		e.Text, e.Quote, e.Seats = evil, evil, []string{evil}
		e.Source = []string{evil, "a.md", "https://x.test/" + evil}[i%3]
		e.Location.Reason, e.Location.Tier = evil, evil
		f.Registry.Entries[i] = e
	}
	got := report.Render(f)
	check(t, got, f.Registry.Entries)
	require.NotContains(t, string(got), "\x1b")
	f.Draft = nil
	check(t, report.Render(f), f.Registry.Entries)
}

func TestTheProgramSaysWhatItTookOut(t *testing.T) {
	got := string(report.Render(final("## Key Findings\n\nSo [C77] and [C1, C78] and [3] and https://x.test/.\n")))
	require.Contains(t, got, "So and [\\[1\\]](#c1 \"C1\") and and `https://x.test/`.")
	require.Contains(t, got, "2 ids of claims that are not in the registry were left out of the text.")
	require.Contains(t, got, "1 reference typed by hand, without a claim, was taken out of the text.")
}

// Texts made to keep a parser busy are read in time and memory that grow with
// their length alone.
func TestTimeIsBounded(t *testing.T) {
	const n = 1 << 16
	for name, draft := range map[string]string{
		"quotations":     strings.Repeat(">", n),
		"lazy lines":     strings.Repeat("> ", 1000) + strings.Repeat("\na", n/4),
		"lists":          strings.Repeat("- ", n/2),
		"pairs":          strings.Repeat("[a](", n/4),
		"angles":         strings.Repeat("[a](<b", n/6),
		"titles":         strings.Repeat("[a](b \"\n", n/8),
		"images":         strings.Repeat("![", n/2),
		"stars":          strings.Repeat("*", n),
		"emphasis":       strings.Repeat("a**b_c* ", n/8),
		"comments":       strings.Repeat("<!-- ", n/5),
		"a wide table":   "|a" + strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2001) + "\n" + strings.Repeat("|\n", n/4),
		"definitions":    strings.Repeat("[a]: b\n", n/7),
		"citations":      strings.Repeat("[C1, C2]", n/8),
		"beyond a limit": strings.Repeat("word ", 2*report.Limit/5),
	} {
		start := time.Now()
		f := final(draft)
		report.Render(f)
		report.Council.Lint([]byte(draft), f.Registry.Entries)
		report.Usable([]byte(draft))
		require.Less(t, time.Since(start), time.Minute, name) // they take a tenth of a second
	}
}

func FuzzRender(f *testing.F) {
	f.Add([]byte("## Key Findings\n\nSo it is [C1, C2].\n\n- a\n\n> b\n"))
	f.Add([]byte("[C1]: x\n\n| a |\n|---|\n| [C2] \\| |\n<div>\n"))
	f.Add([]byte("**[C99]** ~~x~~ `[C1]` &#60;b> \\[C3\\]\n===\n"))
	f.Fuzz(func(t *testing.T, draft []byte) {
		in := final(string(draft))
		check(t, report.Render(in), in.Registry.Entries)
	})
}

func FuzzLint(f *testing.F) {
	f.Add([]byte("## Key Findings\n\nSo [C1] [C9] [1] http://x.test <b>\n<!-- RESEARCH_COMPLETE -->\nx"))
	f.Fuzz(func(t *testing.T, draft []byte) {
		problems := report.Council.Lint(draft, entries())
		if len(problems) > report.MaxProblems {
			t.Fatalf("%d problems", len(problems))
		}
		for _, p := range problems {
			if strings.ContainsAny(p, "\n\x1b\x00") || len(p) > 1000 {
				t.Fatalf("problem %q", p)
			}
		}
	})
}

func FuzzUsable(f *testing.F) {
	f.Add([]byte("# T\n\nIt is so, says [a](http://x.test). See a.go:12-13 and <https://y.test>.\n\n## Sources\n\nhttp://z.test\n"))
	f.Add([]byte("[a]: http://x.test\n\nThree words here [a]. “x” (https://y.test/(z))."))
	f.Fuzz(func(t *testing.T, in []byte) {
		if ok, problem := report.Usable(in); ok == (problem != "") {
			t.Fatalf("usable %v, problem %q", ok, problem)
		}
	})
}

// Who has judged the evidence is said at the head of a report where it holds of
// all claims, and at the claim where it holds of some.
func TestWhoHasJudgedTheEvidenceIsSaid(t *testing.T) {
	votes := func(families ...string) *claim.Support {
		s := &claim.Support{Verdict: claim.Supports}
		for _, f := range families {
			s.Votes = append(s.Votes, claim.Vote{Seat: f, Family: f, Answer: claim.Supports})
		}
		return s
	}
	own := votes("one")
	own.Own = true
	const head, single, alone, unjudged = "**Nobody has judged this evidence.**", "**No other model has judged this evidence.**", "† judged by the model that made it alone.", "† unjudged."
	for name, c := range map[string]struct {
		first, second *claim.Support
		says          []string
	}{
		"nobody":                       {nil, nil, []string{head}},
		"judges that all failed":       {votes(), votes(), []string{head}},
		"the only family":              {own, own, []string{single}},
		"the only family, one of them": {own, nil, []string{single, unjudged}},
		"a rival":                      {votes("two"), votes("two"), nil},
		"a rival, of one":              {own, votes("two"), []string{alone}},
	} {
		t.Run(name, func(t *testing.T) {
			f := final("# Executive Summary\n\nCaches age [C1]. Caches are small [C2].\n")
			f.Registry.Entries = f.Registry.Entries[:2]
			f.Registry.Entries[0].Support, f.Registry.Entries[1].Support = c.first, c.second
			got := string(report.Render(f))
			for _, words := range []string{head, single, alone, unjudged} {
				require.Equal(t, slices.Contains(c.says, words), strings.Contains(got, words), "%s\n%s", words, got)
			}
			require.Equal(t, strings.Contains(got, alone) || strings.Contains(got, unjudged), strings.Contains(got, "\n† Cited with a reservation"), "the mark is explained where it stands")
		})
	}
}

// Neighbouring citations are one: claims of one source have one reference.
func TestNeighbouringCitationsAreOne(t *testing.T) {
	got := string(report.Render(final("## Key Findings\n\nSo [C1] [C2], [C5] and [C1].\n")))
	require.Contains(t, got, `So [\[1\]](#c1 "C1, C2")[\[2\]](#c5 "C5") (C5: quotation not checked) and [\[1\]](#c1 "C1").`)
}

// A question of any length is a title of one line.
func TestALongQuestionIsATitleOfOneLine(t *testing.T) {
	f := final("## Executive Summary\n\nSo.\n")
	f.Topic = "Which of the two?\n\n" + strings.Repeat("Consider all of this. ", 1000)
	title, _, _ := strings.Cut(string(report.Render(f)), "\n")
	require.Equal(t, "# Which of the two?", title)
	f.Topic = strings.Repeat("Consider all of this ", 1000)
	title, _, _ = strings.Cut(string(report.Render(f)), "\n")
	require.Less(t, len(title), 200)
}

// What there is to read stands before a line, and what it rests on behind it:
// every claim's words once, every quotation once, one figure for one thing.
func TestNothingIsSaidTwice(t *testing.T) {
	f := judged()
	body, appendix, found := strings.Cut(string(report.Render(f)), "\n---\n")
	require.True(t, found)
	for _, e := range f.Registry.Entries {
		require.LessOrEqual(t, strings.Count(appendix, e.Text), 1, e.ID)
		if e.Quote != "" {
			require.LessOrEqual(t, strings.Count(appendix, strings.Fields(e.Quote)[0]+" "+strings.Fields(e.Quote)[1]), 1, e.ID)
		}
	}
	for _, heading := range regexp.MustCompile(`(?m)^##+ .*\n\n(?:#|\z)`).FindAllString(body+appendix, -1) {
		require.Fail(t, "a heading without content", heading)
	}
	figures := map[string]string{}
	for _, m := range regexp.MustCompile(`(located|not found|not checked) (\d+)`).FindAllStringSubmatch(body+appendix, -1) {
		if known, seen := figures[m[1]]; seen {
			require.Equal(t, known, m[2], m[1])
		}
		figures[m[1]] = m[2]
	}
	require.Len(t, figures, 3)
}

// The first screen says the answer, how sure it is, what is disputed, what nobody
// knows and what it cost.
func TestTheFirstScreen(t *testing.T) {
	f := judged()
	got := section(t, report.Render(f), "Executive Summary")
	for _, said := range []string{"Caches age", "- **How sure:** coverage ", "/100 (how much of the question checked evidence covers, not how likely the answer is right); judges", "- **Evidence:** 6 claims; quotations located 2, not found 1, not checked 3.", "- **Disputed:** 2 disputes: 1 open, 1 settled. Open: “Caches age” against “A paper says no”.", "; weakest in cross-verification (0 %); one researcher left no report.", "- **Not known:** no located claim answers “What of", "- **Cost:** "} {
		require.Contains(t, got, said)
	}
	require.Contains(t, section(t, report.Render(f), "Rejected after Checking"), "- C6, said by gemini: “Somebody invented this.” ")
	f.Score.Input.NoModel = true
	all := string(report.Render(f))
	require.NotContains(t, all, "coverage ", "without a model there is no score")
	require.NotContains(t, all, "## Coverage Matrix")
}

func TestALongDraftIsSentBack(t *testing.T) {
	problems := report.Council.Lint([]byte(strings.Replace(sound(), "It is so", strings.Repeat("word ", report.MaxDraftWords)+"It is so", 1)), entries())
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "a reader has time for")
}

func TestWhatWasWithdrawnIsToldOnceAndCountsNowhere(t *testing.T) {
	f := final(sound() + "\nAnd so [C2].")
	f.Registry.Entries[1].Location = claim.Location{State: claim.Withdrawn, Reason: "It is of | 2019."}
	f.Registry.Conflicts = []claim.Conflict{{ID: "D1", A: "C3", B: "C4", Kind: claim.ByFact, Possible: true, SaidBy: []string{"codex"}, Status: claim.Open}}
	text := string(report.Render(f))
	require.Contains(t, text, "- C2, said by codex: “Caches are small.”")
	require.Contains(t, text, ": withdrawn (It is of \\| 2019).")
	require.Contains(t, text, "5 claims; quotations located 1")
	require.Contains(t, text, "possible conflict, said by codex")
	require.NotContains(t, text, "| C2 |")
}

// A reader of the first screen meets findings before what else is recommended; what is
// opposed stands with the answer.
func TestFindingsComeBeforeWhatElseIsRecommended(t *testing.T) {
	advise := func(id, text, seat, question string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Recommendation, Text: text, RestsOn: []string{"C1"}, Seats: []string{seat}, Families: []string{seat}, Questions: []string{question}, Location: claim.Location{State: claim.Reasoned}}
	}
	f := final("## Recommendation\n\nSmall ones [C7].\n\n## Key Findings\n\n- Caches age [C1].\n")
	f.Plan.Questions = []scope.Question{{ID: "Q1", Text: "Which?"}, {ID: "Q2", Text: "How large?"}, {ID: "Q3", Text: "How old?"}}
	f.Registry.Entries = append(f.Registry.Entries, advise("C7", "Take small ones.", "claude", "Q1"), advise("C8", "Measure the size.", "codex", "Q2"), advise("C9", "Expire at once.", "claude", "Q3"), advise("C10", "Expire never.", "codex", "Q3"))
	text := string(report.Render(f))
	top, below, found := strings.Cut(text, "## Key Findings")
	require.True(t, found)
	require.NotContains(t, top, "Measure the size")
	require.Contains(t, below, "- **How large?** “Measure the size”")
	require.NotContains(t, top, "no located claim answers “How", "what is recommended answers")
	f.Registry.Entries = append(f.Registry.Entries, advise("C11", "Expire by size.", "gemini", "Q3"))
	f.Registry.Conflicts = []claim.Conflict{{ID: "D1", A: "C9", B: "C10", Answers: true, Status: claim.Open}}
	top, below, _ = strings.Cut(string(report.Render(f)), "## Key Findings")
	require.Contains(t, top, "“Expire at once”")
	require.Contains(t, top, "they cannot all be followed")
	require.Contains(t, top, "“Expire by size”", "who has to choose sees them all")
	require.Contains(t, below, "“Measure the size”")
	f.Draft = nil
	require.Contains(t, section(t, report.Render(f), "Recommendation"), "“Measure the size”", "where nobody wrote findings it stands with the rest")
}

// A seat that a person's word ended has not failed.
func TestASeatThatWasEndedHasNotFailed(t *testing.T) {
	for reason, want := range map[string]string{
		"terminal: no credit":                       "claude (opus) researched it to a report. codex failed before a report; what was recorded until then counts.",
		flow.FinishedEarly + "; it wrote no report": "claude (opus) researched it to a report. codex was ended before a report; what was recorded until then counts.",
	} {
		f := final("## Executive Summary\n\nCaches age [C1].\n")
		f.Seats = []report.SeatLine{{Name: "claude", Role: "research", Model: "opus", Outcome: "complete"}, {Name: "codex", Role: "research", Outcome: "failed", Reason: reason}}
		for i := range f.Registry.Entries {
			f.Registry.Entries[i].Seats = []string{"codex"}
		}
		require.Contains(t, string(report.Render(f)), want)
	}
}
