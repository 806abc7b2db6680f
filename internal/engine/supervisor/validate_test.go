package supervisor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/verify"
)

// weighed is a council whose evidence is fair and whose one conflict is minor:
// a page on the web and a file bear out what matters, and two files of equal
// weight differ in an aside. Ada claims it all, so that bea and cid may judge; ruling is what they
// rule.
func weighed(t *testing.T, ruling string) *councilRun {
	const (
		main  = "The gateway refuses every upload above the limit that the account has been given by contract."
		aside = "The archive keeps the refused uploads for %s days before the nightly job removes them all."
	)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<html><head><title>Uploads</title></head><body><article><h1>Uploads</h1><p>%s</p></article></body></html>", main+" Nothing in this manual changes that.")
	}))
	t.Cleanup(page.Close)
	line := func(text, source, more string) string {
		return fmt.Sprintf(`{"text":%q,"quote":%q,"source":%q%s}`, text, text, source, more)
	}
	claims := strings.Join([]string{
		line(main, page.URL+"/manual", `,"source_type":"official_doc","critical":true,"questions":["Q2"]`),
		line(main, "gateway.go:1", `,"critical":true,"questions":["Q2"]`),
		line(fmt.Sprintf(aside, "30"), "archive.go:1", ""),
		line(fmt.Sprintf(aside, "60"), "gateway.go:2", ""),
	}, "\n")
	as := func(claims, side, mine string) string {
		return fmt.Sprintf("CLAIM='%s'; SIDE=%s; MINE=%s; RULING='%s'\n", claims, side, mine, ruling) + juror
	}
	c := newCouncil(t, map[string]string{"ada": as(claims, "A", "C3"), "bea": as("", "A", "C3"), "cid": as("", "B", "C4")})
	dir := t.TempDir()
	file := "// " + main + "\n// " + fmt.Sprintf(aside, "60") + "\n// Removal is set to sixty since the release of the second gateway, says its changelog.\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gateway.go"), []byte(file), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "archive.go"), []byte("// "+fmt.Sprintf(aside, "30")+"\n"), 0o600))
	c.setup.Scope = dir
	c.setup.Network = flow.Network{Private: []string{"127.0.0.1"}}
	c.setup.Plan = scope.Plan{Mode: scope.Exploratory, Debate: scope.Auto, Budget: scope.Medium, Questions: []scope.Question{{ID: "Q1", Text: "?"}, {ID: "Q2", Text: "?"}, {ID: "Q3", Text: "?"}}}
	return c
}

func conflictOf(c *councilRun) claim.Conflict {
	reg, err := claim.ParseRegistry([]byte(c.file("registry.json")))
	require.NoError(c, err)
	require.Len(c, reg.Conflicts, 1, c.file("progress.log"))
	return reg.Conflicts[0]
}

func TestValidatorsSettleAMinorConflictByWordsThatAreThere(t *testing.T) {
	t.Parallel()
	c := weighed(t, `{"claim_id":"D1","verdict":"resolved_B","evidence":"gateway.go:3","quote":"Removal is set to sixty since the release of the second gateway","confidence":"High"}`)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, visited(r), "validation", c.file("progress.log")+c.file("score.json"))
	require.NotContains(t, visited(r), "debate", "it is settled")
	d := conflictOf(c)
	require.Equal(t, claim.Minor, d.Severity)
	require.Equal(t, "resolved_B", d.Status, d.Resolution)
	require.Contains(t, c.file("registry.json"), "Removal is set to sixty", "the new evidence is a claim like any other")
	v, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.Empty(t, v.Problems)
}

func TestARulingOnWordsThatAreNotThereSettlesNothing(t *testing.T) {
	t.Parallel()
	c := weighed(t, `{"claim_id":"D1","verdict":"resolved_B","evidence":"gateway.go:3","quote":"Removal is set to ninety since the release of the second gateway","confidence":"High"}`)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Subset(t, visited(r), []string{"validation", "debate"}, "what validators leave open is debated")
	require.Equal(t, "still_divergent", conflictOf(c).Status)
}

// A validator that records once more what another claims, and it has voted on, is not its
// author; what it has found itself is a claim of its own.
func TestAValidatorRecordsWhatItFinds(t *testing.T) {
	t.Parallel()
	c := weighed(t, `{"claim_id":"D1","verdict":"resolved_B","evidence":"gateway.go:3","quote":"Removal is set to ninety since the release of the second gateway","confidence":"High"}`)
	script, err := os.ReadFile(c.setup.Seats[1].Program)
	require.NoError(t, err)
	const (
		main = "The gateway refuses every upload above the limit that the account has been given by contract."
		own  = "A second gateway has been released."
	)
	recorded := fmt.Sprintf(`{"id":"v1","text":%q,"quote":%q,"source":"gateway.go"}`, main, main) + "\n" + fmt.Sprintf(`{"id":"v2","text":%q,"quote":"since the release of the second gateway","source":"gateway.go"}`, own)
	as := strings.Replace(string(script), "*-verdicts.md) ", "*-verdicts.md) printf '%s\\n' '"+recorded+"' > \"$dir/claims.jsonl\"; ", 1)
	require.NoError(t, os.WriteFile(c.setup.Seats[1].Program, []byte(as), 0o700))
	p := &play{councilRun: c}
	r := p.play()
	require.Subset(t, visited(r), []string{"validation", "debate"})
	for _, e := range p.registry().Entries[:4] {
		require.Equal(t, []string{"ada"}, e.Seats, e.ID)
		require.NotContains(t, e.Rounds, "validation", e.ID)
		require.Len(t, e.Support.Votes, 2, e.ID)
	}
	e := p.byText(own)
	require.Equal(t, []string{"bea"}, e.Seats)
	require.Len(t, e.Support.Votes, 2, "it is judged with what the debate brings")
}
