package notion_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/output/notion"
	notiontest "github.com/research-council/research-council/test/notion"
)

// environment is a getenv with one variable.
func environment(name, value string) func(string) string {
	return func(n string) string {
		if n == name {
			return value
		}
		return ""
	}
}

// client speaks with a fake over the network.
func client(t testing.TB, s *notiontest.Server) *notion.Client {
	t.Helper()
	c, err := notion.New(notion.Config{Server: s.URL, Parent: s.Parent}, environment("NOTION_TOKEN", s.Token))
	require.NoError(t, err)
	return c
}

// direct hands requests to a fake without a network.
type direct struct{ http.Handler }

var errCut = errors.New("the connection was cut")

func (d direct) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer func() {
		if cut := recover(); cut == http.ErrAbortHandler {
			err = cmp.Or(r.Context().Err(), errCut)
		} else if cut != nil {
			panic(cut)
		}
	}()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return w.Result(), nil
}

// near is a client of a fake without a network.
func near(s *notiontest.Server, pace time.Duration) *notion.Client {
	c, err := notion.New(notion.Config{Server: "http://notion.invalid", Parent: s.Parent, Pace: pace}, environment("NOTION_TOKEN", s.Token))
	if err != nil {
		panic(err) // the fake gives a parent and a token
	}
	return c.Through(direct{s})
}

// report is Markdown that takes many requests: what it holds is too long, too
// many and too deep for one.
func report(paragraphs, rows int) []byte {
	var b strings.Builder
	b.WriteString("# The lake\n\nA first paragraph.\n\n")
	for i := range paragraphs {
		fmt.Fprintf(&b, "Paragraph %d with a [source](https://news.invalid/%d).\n\n", i, i)
	}
	b.WriteString("- a\n  - b\n    - c\n      - d\n        - e\n\n| n | m |\n|---|---|\n")
	for i := range rows {
		fmt.Fprintf(&b, "| %d | x |\n", i)
	}
	return []byte(b.String() + "\nThe last words.\n")
}

// run is what a caller does to deliver a report: what it knows survives it.
type run struct {
	id   string // that was written down
	made int    // pages it made itself
}

const mark = "20240203-lake"

func (r *run) deliver(ctx context.Context, c *notion.Client, blocks []notion.Block) (int, error) {
	if r.id == "" {
		p, found, err := c.Find(ctx, mark)
		if err == nil && !found {
			p, err = c.Create(ctx, notion.Title("How deep is the lake?", mark))
			r.made++
		}
		if err != nil {
			return 0, err
		}
		r.id = p.ID
	}
	if err := c.Replace(ctx, r.id, blocks); err != nil {
		return 0, err
	}
	return c.Count(ctx, r.id)
}

func TestAReportBecomesAPage(t *testing.T) {
	s := notiontest.Start(t)
	c := client(t, s)
	blocks := notion.Blocks([]byte("# Lake\n\nIt is **187 m** deep [1](https://news.invalid/lake).\n\n- a\n  1. b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"))
	p, err := c.Create(t.Context(), notion.Title("How deep\x1b[31m is it?\n", mark))
	require.NoError(t, err)
	require.NoError(t, c.Replace(t.Context(), p.ID, blocks))
	got := s.Page(p.ID)
	require.Equal(t, "How deep is it? (run 20240203-lake)", got.Title)
	require.Equal(t, got.URL, p.URL)
	require.Equal(t, `heading_1: Lake
paragraph: It is 187 m deep 1.
bulleted_list_item: a
  numbered_list_item: b
table: 
  table_row: x | y
  table_row: 1 | 2
`, got.Text())
	require.Equal(t, []string{"https://news.invalid/lake"}, got.Blocks[1].Links)
	n, err := c.Count(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, 7, n)
	require.Equal(t, n, notion.Count(blocks))
	require.Equal(t, n, got.Count())
	for _, r := range s.Requests() {
		require.Equal(t, http.StatusOK, r.Status, "%s %s", r.Method, r.Path)
	}
}

func TestWhatOneRequestCannotHoldGoesWithSeveral(t *testing.T) {
	s := notiontest.New()
	s.Short(37)
	c := near(s, 0)
	for name, markdown := range map[string]string{
		"many blocks":             string(report(250, 320)),
		"deep lists":              deep("- ", 12),
		"deep quotations":         strings.Repeat("> ", 12) + "end",
		"items with many items":   "- a\n" + strings.Repeat("  - b\n", 230) + "- c\n",
		"a long text":             strings.Repeat("wörter 𝔘nd 🏔️ ", 40_000),
		"long text in many links": strings.Repeat("[a](https://news.invalid/"+strings.Repeat("x", 1900)+") b ", 900),
		"a long piece of code":    "```go\n" + strings.Repeat("\"\\\t\n", 60_000) + "\n```",
		"a table with long cells": "| a | b |\n|---|---|\n| " + strings.Repeat("lang ", 50_000) + " | " + strings.Repeat("**x** y ", 400) + " |\n",
		"the widest table":        row("h", 30) + row("---", 30) + strings.Repeat(row(strings.Repeat("\"ü ", 3000), 30), 3),
		"a table too wide":        row("h", 31) + row("---", 31) + row("c", 31),
		"an item with long text":  "- " + strings.Repeat("*a* b ", 500) + "\n  - c\n",
	} {
		blocks := notion.Blocks([]byte(markdown))
		p, err := c.Create(t.Context(), name)
		require.NoError(t, err, name)
		require.NoError(t, c.Replace(t.Context(), p.ID, blocks), name)
		n, err := c.Count(t.Context(), p.ID)
		require.NoError(t, err, name)
		require.Equal(t, notion.Count(blocks), n, name)
		require.Equal(t, outline(blocks, ""), s.Page(p.ID).Text(), name)
	}
}

func row(cell string, columns int) string { return strings.Repeat("| "+cell+" ", columns) + "|\n" }

func deep(marker string, levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i*len(marker)) + marker + strconv.Itoa(i) + "\n")
	}
	return b.String()
}

// outline is what a page with these blocks shows.
func outline(blocks []notion.Block, indent string) string {
	var b strings.Builder
	for _, block := range blocks {
		text := content(block.Text)
		if block.Type == "table_row" {
			var cells []string
			for _, cell := range block.Cells {
				cells = append(cells, content(cell))
			}
			text = strings.Join(cells, " | ")
		}
		b.WriteString(indent + block.Type + ": " + text + "\n" + outline(block.Children, indent+"  "))
	}
	return b.String()
}

func content(runs []notion.Text) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.Content)
	}
	return b.String()
}

// delivery is a situation in which a report is delivered: for the first time,
// or over another.
type delivery struct {
	what        string
	before, now []notion.Block
}

func deliveries(paragraphs int) []delivery {
	return []delivery{
		{"a first report", nil, notion.Blocks(report(paragraphs, 2))},
		{"a second report over a first", notion.Blocks(report(4, 1)), notion.Blocks(report(2, 101))},
	}
}

// start makes a server and a caller as they are before a delivery.
func (d delivery) start(t *testing.T) (*notiontest.Server, *run) {
	s, r := notiontest.New(), &run{}
	if d.before != nil {
		_, err := r.deliver(t.Context(), near(s, 0), d.before)
		require.NoError(t, err)
	}
	return s, r
}

// requests is how many a delivery takes when nothing goes wrong.
func (d delivery) requests(t *testing.T) int {
	s, r := d.start(t)
	before := len(s.Requests())
	_, err := r.deliver(t.Context(), near(s, 0), d.now)
	require.NoError(t, err)
	return len(s.Requests()) - before
}

// delivered requires one page with the whole content and nothing else.
func (d delivery) delivered(t *testing.T, s *notiontest.Server, n int, when string) {
	require.Len(t, s.Pages(s.Parent), 1, when)
	require.Equal(t, outline(d.now, ""), s.Pages(s.Parent)[0].Text(), when)
	require.Equal(t, notion.Count(d.now), n, when)
}

// A caller that is killed at any request, whether Notion carried it out or
// not, goes on to one page with the whole content.
func TestKilledAtAnyRequestThereIsOnePageInTheEnd(t *testing.T) {
	for _, d := range deliveries(98) { // more than one lot
		requests := d.requests(t)
		require.Greater(t, requests, 10)
		for k := 1; k <= requests; k++ {
			for _, performed := range []bool{false, true} {
				when := fmt.Sprintf("%s, request %d, performed %v", d.what, k, performed)
				s, r := d.start(t)
				before := len(s.Requests())
				ctx, kill := context.WithCancel(t.Context())
				s.Plan(k, notiontest.Fault{Before: kill, Drop: true, Performed: performed})
				_, err := r.deliver(ctx, near(s, 0), d.now)
				require.ErrorIs(t, err, context.Canceled, when)
				require.Len(t, s.Requests(), before+k, "nothing is sent after the end: %s", when)
				n, err := r.deliver(t.Context(), near(s, 0), d.now)
				require.NoError(t, err, when)
				d.delivered(t, s, n, when)
			}
		}
	}
}

// One request may go wrong in any way, and the delivery does not even notice.
func TestAnyOneFaultIsOvercome(t *testing.T) {
	for name, f := range map[string]notiontest.Fault{
		"too many requests":          {Status: 429, Code: "rate_limited", RetryAfter: "0"},
		"overloaded":                 {Status: 529, Code: "service_overload"},
		"broken":                     {Status: 500, Code: "internal_server_error"},
		"broken after it was done":   {Status: 500, Code: "internal_server_error", Performed: true},
		"late":                       {Status: 504, Body: "<html>gateway timeout</html>"},
		"cut":                        {Drop: true},
		"cut after it was done":      {Drop: true, Performed: true},
		"nonsense after it was done": {Body: `[]`, Performed: true},
	} {
		for _, d := range deliveries(5) {
			requests := d.requests(t)
			for k := 1; k <= requests; k++ {
				when := fmt.Sprintf("%s at request %d of %s", name, k, d.what)
				s, r := d.start(t)
				s.Plan(k, f)
				n, err := r.deliver(t.Context(), near(s, 0), d.now)
				require.NoError(t, err, when)
				d.delivered(t, s, n, when)
			}
		}
	}
}

func TestWhateverGoesWrongTheLastDeliveryCounts(t *testing.T) {
	blocks := [][]notion.Block{notion.Blocks(report(1, 1)), notion.Blocks(report(9, 3))}
	rapid.Check(t, func(t *rapid.T) {
		s := notiontest.New()
		r := &run{}
		for n := range rapid.IntRange(1, 80).Draw(t, "faults end") {
			if rapid.IntRange(0, 4).Draw(t, "fault") > 0 {
				continue
			}
			f := notiontest.Fault{Performed: rapid.Bool().Draw(t, "performed"), Drop: rapid.Bool().Draw(t, "drop")}
			if !f.Drop {
				f.Status = rapid.SampledFrom([]int{429, 409, 500, 502, 503, 529}).Draw(t, "status")
				f.Performed = f.Performed && f.Status >= 500 && f.Status != 529 // what is refused is not done
			}
			s.Plan(n+1, f)
		}
		for _, want := range []int{0, 1, 0} {
			delivered := false
			for try := 0; try < 40 && !delivered; try++ {
				ctx, kill := context.WithCancel(context.Background())
				if rapid.IntRange(0, 3).Draw(t, "kill") == 0 {
					s.Plan(rapid.IntRange(1, 30).Draw(t, "at"), notiontest.Fault{Before: kill, Drop: true, Performed: rapid.Bool().Draw(t, "done")})
				}
				n, err := r.deliver(ctx, near(s, 0), blocks[want])
				kill()
				delivered = err == nil && n == notion.Count(blocks[want])
			}
			require.True(t, delivered)
			require.Len(t, s.Pages(s.Parent), 1)
			require.Equal(t, outline(blocks[want], ""), s.Page(r.id).Text())
		}
	})
}

func TestOldContentGoesAndPagesOfPeopleStay(t *testing.T) {
	s := notiontest.New()
	c := near(s, 0)
	p, err := c.Create(t.Context(), "Lake")
	require.NoError(t, err)
	require.NoError(t, c.Replace(t.Context(), p.ID, notion.Blocks(report(130, 1))))
	s.Write(p.ID, "a remark")
	own := s.NewPageBelow(p.ID, "My notes")
	s.Write(own, "mine")
	require.NoError(t, c.Replace(t.Context(), p.ID, notion.Blocks([]byte("new\n"))))
	require.Equal(t, "child_page: My notes\nparagraph: new\n", s.Page(p.ID).Text())
	require.Equal(t, "paragraph: mine\n", s.Page(own).Text())
	n, err := c.Count(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, 1, n, "a page below a page is no block of it")
	require.NoError(t, c.Replace(t.Context(), p.ID, nil))
	require.Equal(t, "child_page: My notes\n", s.Page(p.ID).Text())
}

func TestSomebodyElseWritesAtTheSameTime(t *testing.T) {
	blocks := notion.Blocks(report(120, 1))
	whole := notiontest.New()
	id := whole.NewPageBelow(whole.Parent, "Lake")
	require.NoError(t, near(whole, 0).Replace(t.Context(), id, blocks))
	for k := 1; k < len(whole.Requests()); k++ {
		s := notiontest.New()
		id := s.NewPageBelow(s.Parent, "Lake")
		s.Plan(k, notiontest.Fault{Before: func() { s.Write(id, "by another") }})
		require.NoError(t, near(s, 0).Replace(t.Context(), id, blocks))
		require.Equal(t, outline(blocks, ""), s.Page(id).Text(), "at request %d", k)
	}
	s := notiontest.New()
	id = s.NewPageBelow(s.Parent, "Lake")
	for k := 1; k < 1000; k++ {
		s.Plan(k, notiontest.Fault{Before: func() { s.Write(id, "by another") }})
	}
	require.ErrorContains(t, near(s, 0).Replace(t.Context(), id, blocks[:1]), "somebody else writes to it")
}

func TestALinkNotionDoesNotTakeBecomesText(t *testing.T) {
	s := notiontest.New()
	s.Dislike("/odd")
	c := near(s, 0)
	p, err := c.Create(t.Context(), "Lake")
	require.NoError(t, err)
	markdown := strings.Repeat("[good](https://news.invalid/good)\n\n", 60) + "- a\n  - [bad](https://news.invalid/odd)\n\n| [b](https://news.invalid/odd) |\n|-|\n\n" + strings.Repeat("[good](https://news.invalid/good)\n\n", 60)
	blocks := notion.Blocks([]byte(markdown))
	require.NoError(t, c.Replace(t.Context(), p.ID, blocks))
	got := s.Page(p.ID)
	require.Equal(t, outline(blocks, ""), got.Text())
	links := 0
	for _, b := range got.Blocks {
		links += len(b.Links)
	}
	require.Equal(t, 120, links)
	require.Empty(t, got.Blocks[60].Children[0].Links)
	require.Empty(t, got.Blocks[61].Children[0].Links)
}

func TestBlocksThatCannotBeDeletedAreNotWrittenOver(t *testing.T) {
	s := notiontest.New()
	s.Write(s.Parent, "locked")
	s.Fail(3, http.StatusBadRequest, "validation_error")
	err := near(s, 0).Replace(t.Context(), s.Parent, notion.Blocks([]byte("new")))
	require.ErrorContains(t, err, "write a page: delete the old content: Notion answered 400 validation_error")
	require.Equal(t, "paragraph: locked\n", s.Page(s.Parent).Text())
}

func TestAPageIsFoundByItsMark(t *testing.T) {
	s := notiontest.New()
	c := near(s, 0)
	for i := range 230 {
		s.NewPageBelow(s.Parent, notion.Title("Lake", "run-"+strconv.Itoa(i)))
		s.Write(s.Parent, "words between run-9 pages")
	}
	p, found, err := c.Find(t.Context(), "run-9")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "Lake (run run-9)", s.Page(p.ID).Title, "not run-90 and not a paragraph")
	require.Equal(t, s.Page(p.ID).URL, p.URL)
	s.Trash(p.ID)
	_, found, err = c.Find(t.Context(), "run-9")
	require.NoError(t, err)
	require.False(t, found)
	p, found, err = c.Find(t.Context(), "run-229")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "Lake (run run-229)", s.Page(p.ID).Title)
	_, _, err = c.Find(t.Context(), " \x00")
	require.ErrorContains(t, err, "no mark")
}

func TestReportsGoIntoADatabase(t *testing.T) {
	s := notiontest.New()
	s.Short(7)
	id := s.NewDatabase("All reports")
	for i := range 20 {
		s.NewPageBelow(id, notion.Title("Lake", mark+"-"+strconv.Itoa(i)))
	}
	config := notion.Config{Server: "http://notion.invalid", Parent: "https://notion.invalid/ada/" + strings.ReplaceAll(id, "-", "") + "?v=0123456789abcdef0123456789abcdef", ParentKind: "database"}
	c, err := notion.New(config, environment("NOTION_TOKEN", s.Token))
	require.NoError(t, err)
	c.Through(direct{s})
	_, found, err := c.Find(t.Context(), mark)
	require.NoError(t, err)
	require.False(t, found)
	for _, f := range []notiontest.Fault{{}, {Drop: true, Performed: true}} {
		s.Plan(1, f)
		p, err := c.Create(t.Context(), notion.Title("Lake", mark))
		require.NoError(t, err)
		again, found, err := c.Find(t.Context(), mark)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, p, again)
		s.Trash(p.ID)
	}
	require.Len(t, s.Pages(id), 20)
	for _, check := range c.Access(t.Context()) {
		require.True(t, check.OK, check.Finding)
	}
}

func TestATitleKeepsItsMark(t *testing.T) {
	title := notion.Title(strings.Repeat("long 🏔️ ", 300), mark)
	require.Less(t, len([]rune(title)), 300)
	require.True(t, strings.HasSuffix(title, "… (run "+mark+")"))
	s := notiontest.New()
	p, err := near(s, 0).Create(t.Context(), title)
	require.NoError(t, err)
	require.Equal(t, title, s.Page(p.ID).Title)
	_, err = near(s, 0).Create(t.Context(), " \n")
	require.ErrorContains(t, err, "no title")
}

func TestWithoutAParentThereIsNoClient(t *testing.T) {
	c, err := notion.New(notion.Config{Parent: " "}, environment("", ""))
	require.NoError(t, err)
	require.Nil(t, c)
}

func TestWhatCannotWorkIsRefusedBeforeAnythingIsSent(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef"
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	const secret = "ntn_s3cret"
	for says, c := range map[string]notion.Config{
		"NOTION_TOKEN is not set":                      {Parent: id},
		"COUNCIL_NOTION is not set":                    {Parent: id, TokenEnv: "COUNCIL_NOTION"},
		"BAD_TOKEN holds no token":                     {Parent: id, TokenEnv: "BAD_TOKEN"},
		"parent is no id or address":                   {Parent: "Reports"},
		"parent is no id":                              {Parent: "https://notion.invalid/" + id[1:]},
		"parent_kind has to be page or database":       {Parent: id, ParentKind: "block"},
		"server has to be an http":                     {Parent: id, Server: "file:///etc"},
		"no such file":                                 {Parent: id, TokenFile: filepath.Join(dir, "none")},
		"(mode 0644): chmod 600 it":                    {Parent: id, TokenFile: file("open", secret, 0o644)},
		"(mode 0620): chmod 600 it":                    {Parent: id, TokenFile: file("writable", secret, 0o620)},
		"holds no token: one is a single word such as": {Parent: id, TokenFile: file("two", secret+"\n"+secret, 0o600)},
		"empty holds no token":                         {Parent: id, TokenFile: file("empty", "\n", 0o600)},
		"is no file":                                   {Parent: id, TokenFile: dir},
	} {
		client, err := notion.New(c, environment("BAD_TOKEN", secret+"\r\nX: y"))
		require.ErrorContains(t, err, says)
		require.Nil(t, client)
		require.NotContains(t, err.Error(), "s3cret")
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestATokenFileIsUsedBeforeTheVariable(t *testing.T) {
	s := notiontest.Start(t)
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte(s.Token+"\n"), 0o600))
	c, err := notion.New(notion.Config{Server: s.URL + "/", Parent: s.Parent, TokenFile: path}, environment("NOTION_TOKEN", "ntn_other"))
	require.NoError(t, err)
	require.True(t, c.Access(t.Context())[0].OK)
}

func TestAParentIsAnIDOrAnAddress(t *testing.T) {
	s := notiontest.New()
	digits := strings.ReplaceAll(s.Parent, "-", "")
	for _, parent := range []string{
		s.Parent, digits, strings.ToUpper(digits), " " + digits + "\n",
		"https://www.notion.invalid/Reports-of-the-council-" + digits,
		"https://www.notion.invalid/ada/Reports-" + digits + "?pvs=4#" + strings.Repeat("a", 32),
		"https://www.notion.invalid/ada/" + strings.Repeat("b", 32) + "?v=" + strings.Repeat("c", 32) + "&p=" + digits + "&pm=s",
	} {
		c, err := notion.New(notion.Config{Server: "http://notion.invalid", Parent: parent}, environment("NOTION_TOKEN", s.Token))
		require.NoError(t, err, parent)
		_, err = c.Through(direct{s}).Create(t.Context(), parent)
		require.NoError(t, err, parent)
	}
}

// slow reads at most what it is asked for, for ever.
type slow struct{}

func (slow) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestAnAnswerWithoutAnEndIsGivenUp(t *testing.T) {
	s := notiontest.New()
	c := near(s, 0).Through(direct{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.CopyN(w, slow{}, 33<<20)
	})})
	_, err := c.Count(t.Context(), s.Parent)
	require.ErrorContains(t, err, "the answer is too large")
}

func TestAnAppendThatSaysNothingIsLookedUp(t *testing.T) {
	s := notiontest.New()
	s.Plan(3, notiontest.Fault{Body: `{"results":[]}`, Performed: true})
	s.Plan(5, notiontest.Fault{Body: `{"results":[{"id":"x"}]}`})
	blocks := notion.Blocks([]byte("- a\n  - b\n    - c\n      - d\n"))
	require.NoError(t, near(s, 0).Replace(t.Context(), s.Parent, blocks))
	require.Equal(t, outline(blocks, ""), s.Page(s.Parent).Text())
}

func TestAListingWithoutAnEndIsGivenUp(t *testing.T) {
	s := notiontest.New()
	c := near(s, 0).Through(direct{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results":[],"has_more":true,"next_cursor":"again"}`)
	})})
	_, err := c.Count(t.Context(), s.Parent)
	require.ErrorContains(t, err, "a listing has no end")
}

func TestBlocksInOneAnotherForEverAreGivenUp(t *testing.T) {
	s := notiontest.New()
	made := 0
	c := near(s, 0).Through(direct{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		made += 2
		_, _ = fmt.Fprintf(w, `{"results":[{"id":"%032x","type":"quote","has_children":true},{"id":"%032x","type":"quote","has_children":true}]}`, made, made+1)
	})})
	_, err := c.Count(t.Context(), s.Parent)
	require.ErrorContains(t, err, "a listing has no end")
}
