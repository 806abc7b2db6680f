package supervisor_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/output/notion"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
	notiontest "github.com/research-council/research-council/test/notion"
)

// Variables by which a supervisor in a process of its own knows the fake Notion.
const (
	notionServer = "TEST_NOTION_SERVER"
	notionParent = "TEST_NOTION_PARENT"
	notionToken  = "TEST_NOTION_TOKEN"
)

// delivers is the client of such a supervisor; nil where nothing is delivered.
func delivers() *notion.Client {
	c, err := notion.New(notion.Config{Server: os.Getenv(notionServer), Parent: os.Getenv(notionParent), TokenEnv: notionToken}, os.Getenv)
	if err != nil {
		panic(err)
	}
	return c
}

// newDelivery is a run whose report goes to a fake Notion.
func newDelivery(t *testing.T, but map[string]string) (*councilRun, *notiontest.Server) {
	s := notiontest.Start(t)
	c := newReview(t, but)
	staged.Of(c.setup.Own).Notion = s.Parent
	return c, s
}

// delivering are options with a client for the fake, with this token.
func (c *councilRun) delivering(s *notiontest.Server, token string) supervisor.Options {
	o := c.options()
	o.Environ = append(o.Environ, "NOTION_TOKEN="+token)
	client, err := notion.New(notion.Config{Server: s.URL, Parent: s.Parent}, func(string) string { return token })
	require.NoError(c, err)
	o.Products = product.All(product.Settings{Notion: client})
	return o
}

// nowhere fails when a secret stands in any file of the run.
func (c *councilRun) nowhere(secret string) {
	files := 0
	for _, dir := range []string{c.folder(), c.calls} {
		require.NoError(c, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(name)
			require.False(c, bytes.Contains(data, []byte(secret)), name)
			files++
			return err
		}))
	}
	require.Greater(c, files, 30)
}

func TestAReportIsDeliveredAsOnePage(t *testing.T) {
	t.Parallel()
	spy := "#! it looks at its environment\nenv > \"$CALLS/env\"\ncat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + wellSaid()["advocate"] + "\n\n<!-- RESEARCH_COMPLETE -->\nEND\n"
	c, s := newDelivery(t, map[string]string{"advocate": spy})
	for _, n := range []int{2, 5, 9} {
		s.Fail(n, http.StatusTooManyRequests, "rate_limited")
	}
	r := c.staged(c.delivering(s, s.Token))
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Empty(t, r.Issues)

	pages := s.Pages(s.Parent)
	require.Len(t, pages, 1)
	res := read[staged.ReportResult](c, staged.DeliveryFile)
	require.Equal(t, pages[0].ID, res.PageID)
	require.Equal(t, pages[0].URL, res.NotionURL)
	require.False(t, res.Local)
	delivered := c.in("seats/ada/review.1.R1/inputs/final-report.md") // as it was then
	require.Equal(t, notion.Count(notion.Blocks([]byte(delivered))), res.Blocks)
	require.GreaterOrEqual(t, res.Blocks, staged.Blocks)
	require.Contains(t, pages[0].Text(), "The first text")
	require.Contains(t, pages[0].Text(), "The reviewers have approved this report.", "the page is the reviewed report")
	require.Equal(t, notion.Count(notion.Blocks([]byte(c.file(flow.FinalReport)))), pages[0].Count())
	require.NotEmpty(t, c.told("env"))
	c.nowhere(s.Token)
}

func TestARevisionReplacesTheTextOfThePage(t *testing.T) {
	t.Parallel()
	again := opinion("needs_revision", "The pace is not measured.")
	c, s := newDelivery(t, map[string]string{
		"review": opinion("approved", ""), "review-1-R1": again, "review-1-R2": again, "reconsider-1-R1": again, "reconsider-1-R2": again,
		"prose.2": strings.ReplaceAll(alone()["prose"], "first", "second"),
	})
	staged.Of(c.setup.Own).Revisions = 1
	r := c.staged(c.delivering(s, s.Token))
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 1, panel.Revisions(r))
	pages := s.Pages(s.Parent)
	require.Len(t, pages, 1)
	require.Contains(t, pages[0].Text(), "The second text")
	require.NotContains(t, pages[0].Text(), "The first text")
	require.Contains(t, pages[0].Text(), "The reviewers have approved this report.")
}

func TestADeliveryThatCannotWorkFailsAndIsGoneOnWithLater(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options func(*councilRun, *notiontest.Server) supervisor.Options
		reason  string
	}{
		"a wrong token": {func(c *councilRun, s *notiontest.Server) supervisor.Options {
			return c.delivering(s, "ntn_wrong0123456789")
		}, "401 unauthorized: API token is invalid"},
		"a page that is not shared": {func(c *councilRun, s *notiontest.Server) supervisor.Options {
			s.Unshare(s.Parent)
			return c.delivering(s, s.Token)
		}, "share the page or database with the integration"},
		"no token": {func(c *councilRun, s *notiontest.Server) supervisor.Options {
			o := c.options()
			o.Products = product.All(product.Settings{NotionProblem: "the variable NOTION_TOKEN is not set"})
			return o
		}, "the variable NOTION_TOKEN is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, s := newDelivery(t, nil)
			r := run.staged(c.options(run, s))
			require.Equal(t, flow.Failed, r.Status)
			require.Contains(t, r.Reason, "Gate failed: report — ")
			require.Contains(t, r.Reason, c.reason)
			require.Equal(t, "report", run.state().CurrentStage)
			require.Contains(t, run.file(flow.FinalReport), "The first text", "it is there as a file")
			run.nowhere("ntn_wrong0123456789")
			require.Empty(t, s.Pages(s.Parent))

			mended := notiontest.Start(t) // as a person sets it up
			require.NoError(t, supervisor.Reopen(run.options(), r.Setup, ""))
			r = run.supervise(run.delivering(mended, mended.Token))
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Len(t, mended.Pages(mended.Parent), 1)
			require.Equal(t, 1, run.turns("ada", "prose"), "the text is not written again")
		})
	}
}

func TestAServerThatIsDownForAWhileIsTriedAgain(t *testing.T) {
	t.Parallel()
	c, s := newDelivery(t, nil)
	for n := 1; n <= 6; n++ { // as often as one try of a delivery asks
		s.Fail(n, http.StatusServiceUnavailable, "service_unavailable")
	}
	r := c.staged(c.delivering(s, s.Token))
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Len(t, s.Pages(s.Parent), 1)
	require.Equal(t, []string{flow.DeliveryFailed}, codes(r.Issues))
	require.Equal(t, []string{flow.DeliveryFailed}, codes(c.status().Issues))
	require.Equal(t, "report", staged.Part(flow.Run{Stage: r.Issues[0].Stage}))
}

func codes(list []flow.Issue) []string {
	var found []string
	for _, i := range list {
		found = append(found, i.Code)
	}
	return found
}

// held lets a reviewer wait until the test has done something to the page.
func (c *councilRun) held(o supervisor.Options, do func()) flow.Run {
	c.says(map[string]string{"ada.review": "#! it waits\ntouch \"$CALLS/waits\"; while [ ! -e \"$CALLS/go\" ]; do sleep 0.02; done\ncat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + opinion("approved", "") + "\nEND\n"})
	done := make(chan flow.Run, 1)
	go func() { done <- c.staged(o) }()
	until(c.T, "the report is reviewed", func() bool { _, err := os.Stat(filepath.Join(c.calls, "waits")); return err == nil })
	do()
	require.NoError(c, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600))
	return <-done
}

func TestAPageThatSomebodyPutsAwayIsMadeAnew(t *testing.T) {
	t.Parallel()
	c, s := newDelivery(t, nil)
	first := ""
	r := c.held(c.delivering(s, s.Token), func() {
		first = s.Pages(s.Parent)[0].ID
		s.Trash(first)
	})
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	pages := s.Pages(s.Parent)
	require.Len(t, pages, 1)
	require.NotEqual(t, first, pages[0].ID)
	require.Contains(t, pages[0].Text(), "The reviewers have approved this report.")
}

func TestAReviewedReportThatCannotBePutThereIsAnIssue(t *testing.T) {
	t.Parallel()
	c, s := newDelivery(t, nil)
	r := c.held(c.delivering(s, s.Token), func() {
		s.Unshare(s.Pages(s.Parent)[0].ID)
		s.Unshare(s.Parent)
	})
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, []string{flow.DeliveryFailed}, codes(r.Issues))
	require.Contains(t, c.file(flow.FinalReport), "The reviewers have approved this report.")
}

// Each supervisor is killed one request later than the one before it: at odd
// requests before the request is carried out, at even ones after it.
func TestADeliveryKilledAtAnyRequestMakesOnePage(t *testing.T) {
	t.Parallel()
	c, s := newDelivery(t, nil)
	c.begin()
	c.supervise(c.options())
	c.give(false)
	c.supervise(c.options())
	c.give(true)
	kills := 0
	for ; !c.deliveredIn(s, kills+1); kills++ {
		require.Less(c, kills, 60, "the delivery does not get on")
	}
	require.Greater(t, kills, 10)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	pages := s.Pages(s.Parent)
	require.Len(t, pages, 1)
	require.Equal(t, notion.Count(notion.Blocks([]byte(c.file(flow.FinalReport)))), pages[0].Count())
	require.Contains(t, pages[0].Text(), "The reviewers have approved this report.")
	require.Equal(t, "completed", read[status.Status](c, "status.json").Status)
	for _, seat := range []string{"ada", "bea", "cid"} {
		require.LessOrEqual(t, c.turns(seat, "prose"), 1)
	}
	c.nowhere(s.Token)
}

// deliveredIn works on the run in a process that is killed at its n-th request,
// and reports whether it has ended by itself.
func (c *councilRun) deliveredIn(s *notiontest.Server, n int) bool {
	cmd := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
	cmd.Env = append(os.Environ(), notionServer+"="+s.URL, notionParent+"="+s.Parent, notionToken+"="+s.Token)
	var said bytes.Buffer
	cmd.Stderr = &said
	killed := make(chan struct{})
	kill := func() {
		close(killed)          // first: who waits for its end looks at this
		_ = cmd.Process.Kill() // it is there: it has just asked
	}
	f := notiontest.Fault{Before: kill}
	if n%2 == 1 {
		f.Hold = make(chan struct{}) // for ever: the client is gone
	}
	require.NoError(c, cmd.Start())
	s.Plan(n, f)
	err := cmd.Wait()
	select {
	case <-killed:
		return false
	default:
		require.NoError(c, err, said.String())
		return true
	}
}
