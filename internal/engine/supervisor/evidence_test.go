package supervisor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

// leaving is a fake agent that leaves the same report in every turn, keeps the
// list it was shown before it, and records what it is told for its n-th turn.
func leaving(t *testing.T, report string, claims ...string) string {
	path, err := filepath.Abs(filepath.Join("testdata/unfounded", report))
	require.NoError(t, err)
	var record strings.Builder
	for n, c := range claims {
		fmt.Fprintf(&record, "[ $N = %d ] && cat > \"$DIR/claims.jsonl\" <<'END'\n%s\nEND\n", n+1, c)
	}
	return supports + `echo turn >> "$CALLS/$SEAT-$ROLE"; N=$(wc -l < "$CALLS/$SEAT-$ROLE"); DIR=$(dirname "$RESEARCH_REPORT_PATH")
cp "$DIR/open.md" "$CALLS/$SEAT-$ROLE-open-$N"
` + record.String() + fmt.Sprintf("cp '%s' \"$RESEARCH_REPORT_PATH\"; chmod u+w \"$RESEARCH_REPORT_PATH\"\n", path)
}

// Claims of the notes that every council here has for a scope.
const (
	holds   = `{"text":"The collector paces itself.","quote":"The collector paces itself by the heap goal","source":"notes.md"}`
	altered = `{"text":"The collector never paces itself.","quote":"The collector never paces itself by the heap goal","source":"notes.md"}`
	nowhere = `{"text":"Maps are unsafe.","quote":"Maps are not safe for concurrent use.","source":"https://source.invalid/faq"}`
	itself  = `{"text":"It said so.","quote":"The collector paces itself by the heap goal","source":"final-report.md"}`
)

// shown is what a seat was shown before its n-th turn of research.
func (c *councilRun) shown(seat string, n int) string {
	data, err := os.ReadFile(filepath.Join(c.calls, fmt.Sprintf("%s-research-open-%d", seat, n)))
	require.NoError(c, err)
	return string(data)
}

func TestAReportWithoutClaimsIsSentBackAndEndsWithoutEvidence(t *testing.T) {
	t.Parallel()
	for _, report := range []string{"links-only.md", "prose-no-links.md", "claims-named-not-recorded.md", "claims-in-prose.md", "honest-empty.md"} {
		t.Run(report, func(t *testing.T) {
			c := newCouncil(t, map[string]string{"ada": leaving(t, report)})
			c.setup.Scope = "" // nobody can step in
			r := c.run()
			require.Equal(t, flow.NoEvidence, r.Status, r.Reason)
			require.Equal(t, 2, c.turns("ada", "research"), "sent back within the rule of its loop")
			require.Empty(t, c.shown("ada", 1))
			require.Contains(t, c.shown("ada", 2), "- Your report: ")
			require.Contains(t, c.file("final-report.md"), "This run did not complete: no evidence.")
		})
	}
}

func TestALinkedReportIsSentBackUntilAClaimOfItHolds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claims []string
		turns  int
	}{
		"one that holds from the start": {[]string{holds}, 1},
		"sent back once":                {[]string{"", holds}, 2},
		"one that holds among others":   {[]string{altered + "\n" + holds + "\n" + nowhere}, 1},
		"after one that does not":       {[]string{altered, holds}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			council := newCouncil(t, map[string]string{"ada": leaving(t, "links-only.md", c.claims...)})
			r := council.run()
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Equal(t, c.turns, council.turns("ada", "research"))
			if c.turns > 1 {
				require.Contains(t, council.shown("ada", 2), "links prove nothing")
			}
		})
	}
}

func TestHowACouncilEndsByItsEvidence(t *testing.T) {
	t.Parallel()
	type seats map[string]string
	crash := "exit 70\n"
	for name, c := range map[string]struct {
		seats  seats
		want   flow.Status
		reason string // a part of it
	}{
		"both record what holds":         {seats{"ada": leaving(t, "links-only.md", holds), "bea": leaving(t, "links-only.md", holds)}, flow.Completed, ""},
		"nobody records":                 {seats{"ada": leaving(t, "links-only.md"), "bea": leaving(t, "links-only.md")}, flow.NoEvidence, "none was located"},
		"what is recorded does not hold": {seats{"ada": leaving(t, "links-only.md", altered), "bea": leaving(t, "links-only.md")}, flow.NoEvidence, "not in their sources"},
		"one is enough":                  {seats{"ada": leaving(t, "links-only.md", holds), "bea": leaving(t, "links-only.md")}, flow.Completed, ""},
		"all have failed":                {seats{"ada": crash, "bea": crash}, flow.Failed, "ada: "},
		"one of two has failed":          {seats{"ada": leaving(t, "links-only.md", holds), "bea": crash}, flow.Completed, ""},
		"the run's own report":           {seats{"ada": leaving(t, "links-only.md", itself)}, flow.NoEvidence, ""},
		"no source can be reached":       {seats{"ada": leaving(t, "links-only.md", nowhere)}, flow.NoEvidence, "could not be looked for"},
	} {
		t.Run(name, func(t *testing.T) {
			council := newCouncil(t, c.seats)
			r := council.run()
			require.Equal(t, c.want, r.Status, r.Reason)
			require.Contains(t, r.Reason, c.reason)
		})
	}
}

// Where all have failed, what they had recorded until then is held against its sources
// and stands in the report; those who are asked again later find it there.
func TestWhatFailedSeatsHaveRecordedIsReported(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": leaving(t, "links-only.md", holds+"\n"+altered) + "rm \"$RESEARCH_REPORT_PATH\"\nexit 70\n"})
	c.setup.Scope = "" // nobody steps in
	r := c.run()
	require.Equal(t, flow.Failed, r.Status, r.Reason)
	require.Contains(t, c.file("registry.json"), "The collector paces itself.")
	final := c.file("final-report.md")
	require.Contains(t, final, "The collector paces itself.")
	require.Contains(t, final, "ada failed before a report; what was recorded until then counts.")
}

// A limit that ends the run is what is said of it, before it has any evidence.
func TestALimitBeforeTheFirstClaimIsNoLackOfEvidence(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `echo '{"usd":2}'` + "\n" + leaving(t, "links-only.md")})
	c.setup.Limits.USD = 1
	r := c.run()
	require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
}

// A source that is down is the seat's fault neither: it is not asked again for
// what it has recorded.
func TestASeatWhoseSourcesAreDownIsNotSentBack(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": leaving(t, "links-only.md", nowhere)})
	r := c.run()
	require.Equal(t, flow.NoEvidence, r.Status, r.Reason)
	require.Equal(t, 1, c.turns("ada", "research"))
}

// Seats whose loop the supervisor keeps are shown, before every turn, which of
// their quotations were not found.
func TestBeforeEveryTurnASeatIsShownWhatFailed(t *testing.T) {
	t.Parallel()
	other := strings.ReplaceAll(altered, "never", "hardly")
	c := newCouncil(t, map[string]string{"ada": leaving(t, "links-only.md", altered, other)})
	c.setup.Loop.Iterations, c.setup.Loop.Stuck = 3, 3
	r := c.run()
	require.Equal(t, flow.NoEvidence, r.Status, r.Reason)
	require.Equal(t, 3, c.turns("ada", "research"))
	require.Empty(t, c.shown("ada", 1))
	require.Contains(t, c.shown("ada", 2), "never paces itself by the heap goal")
	require.NotContains(t, c.shown("ada", 2), "hardly")
	for _, failed := range []string{"never", "hardly"} {
		require.Contains(t, c.shown("ada", 3), failed+" paces itself by the heap goal")
	}
	require.Contains(t, c.shown("ada", 3), "the quotation was not found in")
}

// A judge is told what is wrong with its answer, and nothing of what went wrong
// while it researched.
func TestAJudgeIsNotToldOfQuotationsItRecordedBefore(t *testing.T) {
	t.Parallel()
	agent := `cp "$(dirname "$RESEARCH_REPORT_PATH")/open.md" "$CALLS/$SEAT-$ROLE-open"
` + supports + `printf '%s\n%s\n' '` + holds + `' '` + altered + `' > "$(dirname "$RESEARCH_REPORT_PATH")/claims.jsonl"
printf '# Report of %s\n\n## Key Findings\n\n%s\n\n<!-- RESEARCH_COMPLETE -->\n' "$SEAT" "$WORDS" > "$RESEARCH_REPORT_PATH"
`
	c := newCouncil(t, map[string]string{"ada": agent, "bea": agent})
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, c.told("ada-refinement-open"), "the quotation was not found in")
	require.Empty(t, c.told("ada-support-open"))
}
