package campaign

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A plan before and after it was mended, and a blocker raised against it.
const (
	before = `# Plan

## Vision & Objectives

Some text about it.

## Risk Assessment

Some text about it.
`
	after = `# Plan

## Vision & Objectives

Local disk only; NFS is refused at start.

## Risk Assessment

Some text about it.
`
	raised  = `{"severity":"blocker","aspect":"feasibility","text":"SQLite file locking over NFS is not dealt with","evidence":["C3"],"resolution":"say which disks"}`
	concern = `{"severity":"Concern","text":"Costs are old"}`
)

// reading is a critic's turn over a plan; the registry has the claims C3 and
// C7.
func reading(plan string) Reading {
	return Reading{By: "codex", Plan: []byte(plan), Hash: string(NormalisePlan([]byte(plan))), Known: func(id string) bool { return id == "C3" || id == "C7" }}
}

func closes(id string, evidence ...string) string {
	list := ""
	if len(evidence) > 0 {
		list = `"` + strings.Join(evidence, `","`) + `"`
	}
	return fmt.Sprintf(`{"resolves":%q,"how":"WAL mode on local disk only","evidence":[%s]}`, id, list)
}

func TestABlockerIsClosedByAChangedPlanAndEvidenceThatIsThere(t *testing.T) {
	blocked := ReadIssues(nil, []byte(raised), reading(before))
	require.Equal(t, []Issue{{
		ID: "B1", Severity: Blocker, Aspect: "feasibility", Text: "SQLite file locking over NFS is not dealt with", Resolution: "say which disks",
		Evidence: []string{"C3"}, By: "codex", Plan: reading(before).Hash,
	}}, blocked.Issues)
	for name, c := range map[string]struct {
		plan, lines string
		closed      bool
		says        string
	}{
		"a claim of the registry":           {after, closes("B1", "C7"), true, ""},
		"words of the plan":                 {after, closes("B1", "NFS is refused at start."), true, ""},
		"twice":                             {after, closes("B1", "C7") + "\n" + closes("B1", "C7"), true, ""},
		"another that is not there, too":    {after, closes("B2", "C7") + "\n" + closes("B1", "C7"), true, `there is no issue "B2"`},
		"the plan says the same":            {before, closes("B1", "C7"), false, "the plan says what it said"},
		"only blanks and a comment changed": {before + "\n\n<!-- 2026 -->\n", closes("B1", "C7"), false, "the plan says what it said"},
		"a claim that is not there":         {after, closes("B1", "C1"), false, `"C1" is neither`},
		"a claim far beyond":                {after, closes("B1", "C99"), false, `"C99" is neither`},
		"no claim's id as it is written":    {after, closes("B1", "c7 "), false, `"c7" is neither`},
		"no evidence":                       {after, closes("B1"), false, "no evidence is named"},
		"an address":                        {after, closes("B1", "https://example.com/x"), false, "https://example.com/x"},
		"one there and one not":             {after, closes("B1", "C7", "C99"), false, `"C99" is neither`},
		"words the plan does not have":      {after, closes("B1", "NFS works at any time"), false, "neither"},
		"a word anybody would find":         {after, closes("B1", "NFS"), false, "neither"},
	} {
		t.Run(name, func(t *testing.T) {
			h := ReadIssues(blocked.Issues, []byte(c.lines), reading(c.plan))
			require.Len(t, h.Issues, 1)
			require.Equal(t, c.closed, len(Open(h.Issues)) == 0)
			told := ""
			for _, r := range h.Refused {
				told += r.Reason + "\n"
			}
			require.Contains(t, told, c.says)
			if c.closed {
				require.Equal(t, "codex", h.Issues[0].Closed.By)
				require.Equal(t, reading(after).Hash, h.Issues[0].Closed.Plan)
				require.Len(t, h.News, 1, "it is closed once")
			}
		})
	}
}

func TestAnIssueIsRaisedOnceAndMayBeRaisedAgain(t *testing.T) {
	h := ReadIssues(nil, []byte(raised+"\n"+concern+"\n"+raised), reading(before))
	require.Len(t, h.Issues, 2)
	require.Len(t, Open(h.Issues), 1, "a concern blocks nothing")
	h = ReadIssues(h.Issues, []byte(closes("B1", "C7")), reading(after))
	require.Empty(t, Open(h.Issues))
	h = ReadIssues(h.Issues, []byte(raised), reading(after))
	require.Len(t, Open(h.Issues), 1)
	h = ReadIssues(h.Issues, []byte(closes("B1", "C7")), reading(after))
	require.Len(t, Open(h.Issues), 1, "since it was raised again, the plan has not changed")
}

func TestEvidenceOfAnIssueIsWhatIsThere(t *testing.T) {
	h := ReadIssues(nil, []byte(`{"severity":"blocker","text":"x","evidence":["C1","C3","made up by somebody entirely"]}`), reading(before))
	require.Equal(t, []string{"C3"}, h.Issues[0].Evidence)
}

func TestLinesThatAreNoIssueAreTold(t *testing.T) {
	h := ReadIssues(nil, []byte(strings.Join([]string{
		closes("B1", "C7"),
		`{"severity":"fatal","text":"x"}`,
		`{"severity":"blocker","text":" "}`,
		`{"severity":"blocker","text":"x","evidence":"C3"}`,
		`["blocker"]`,
	}, "\n")), reading(before))
	require.Empty(t, h.Issues)
	require.Equal(t, []Refused{
		{Line: 1, Reason: `there is no issue "B1"`},
		{Line: 2, Reason: `there is no severity "fatal"; there are blocker, concern, suggestion`},
		{Line: 3, Reason: "it has no text"},
		{Line: 4, Reason: "its evidence may be no string"},
		{Line: 5, Reason: "no JSON object"},
	}, h.Refused)
}

func TestAPlanWithAMissingSectionIsNotComplete(t *testing.T) {
	full := func() map[string][]byte {
		texts := map[string][]byte{"component-store": []byte("Some text about it.")}
		for _, key := range PlanSections() {
			if key != components {
				texts[key] = []byte("Some text about it.")
			}
		}
		return texts
	}
	require.Empty(t, MissingSections(full()))
	require.Equal(t, PlanSections(), MissingSections(nil))
	for name, text := range map[string]string{
		"nothing":             "",
		"blank":               " \n\n",
		"a heading alone":     "### Risk Assessment\n",
		"TODO":                "TODO\n",
		"a list of TBD":       "- TBD\n- tbd.\n",
		"a comment":           "<!--\n## Risk Assessment\n\nNone.\n-->\n",
		"a comment left open": "<!-- Some text about it.",
		"heading and todo":    "## Risks\n\nTODO: …\n",
	} {
		t.Run(name, func(t *testing.T) {
			texts := full()
			texts["risks"] = []byte(text)
			require.Equal(t, []string{"risks"}, MissingSections(texts))
		})
	}
	texts := full()
	texts["decisions"] = []byte("None.")
	require.Empty(t, MissingSections(texts), "no decision is open")
	delete(texts, "component-store")
	require.Equal(t, []string{components}, MissingSections(texts))
}
