package sarif_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/sarif"
	readers "github.com/research-council/research-council/test/readers/sarif"
)

var tool = sarif.Tool{
	Name: "research-council", Version: "1.2.3", URI: "https://council.invalid/", Commit: "0123456789abcdef", Repository: "https://code.invalid/shop.git",
}

func said(reviewer, file string, line int, severity, category string) finding.Finding {
	return finding.Finding{
		ID: "L1", Kind: finding.KindOf(reviewer), Reviewer: reviewer, Seat: "north", Family: "one", Batch: 1, Severity: severity, Confidence: finding.High,
		File: file, Line: line, EndLine: line + 1, Category: category, Title: "Error of Open is ignored", Description: "Nothing looks at it, see [1].",
		Impact: "It panics.", Fix: "Return it.", Code: "f, _ := os.Open(name)\ndefer f.Close()", State: finding.Located,
	}
}

// review are findings of every sort.
func review() []finding.Merged {
	injection := said("security-auditor", "web/serve page#1.go", 7, finding.Critical, "sql-injection")
	injection.CWE = "CWE-89"
	gone := said("stack-reviewer", "go.mod", 3, finding.Info, finding.Uncategorised)
	gone.State, gone.Reason = finding.Missing, "the quotation stands nowhere"
	all := finding.Merge([]finding.Finding{
		injection, gone,
		said("error-inspector", "store/read.go", 41, finding.Moderate, "unchecked-error"),
		said("error-inspector", "store/read.go", 91, finding.Minor, "unchecked-error"),
		said("bug-hunter", "ü/ä:b.go", 1, finding.Serious, "race"),
	})
	var refuted string
	for _, m := range all {
		if m.Line == 91 {
			refuted = m.ID
		}
	}
	return finding.Apply(all, []finding.Judgement{{ID: refuted, Verdict: finding.SaysFalse, Reason: "The caller looks at it.", By: "synthesizer"}})
}

func write(t require.TestingT, tool sarif.Tool, list []finding.Merged) []byte {
	log, err := sarif.Write(tool, list)
	require.NoError(t, err)
	return log
}

// schema makes the format's schema ready.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(readers.Schema(t)))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("https://sarif.invalid/schema.json", doc))
	s, err := c.Compile("https://sarif.invalid/schema.json")
	require.NoError(t, err)
	return s
}

func conforms(t require.TestingT, s *jsonschema.Schema, log []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	require.NoError(t, err)
	return s.Validate(doc)
}

func TestTheLogConformsToTheFormatsSchema(t *testing.T) {
	s := schema(t)
	require.NoError(t, conforms(t, s, write(t, tool, review())))
	require.NoError(t, conforms(t, s, write(t, sarif.Tool{Name: "x", Incomplete: "stopped"}, nil)), "a review without anything")
	broken := bytes.Replace(write(t, tool, review()), []byte(`"level": "error"`), []byte(`"level": "grave"`), 1)
	require.Error(t, conforms(t, s, broken), "the schema tells right from wrong")
}

func TestTheFormatsAuthorsFindNothingWrong(t *testing.T) {
	for _, p := range readers.Validate(t, write(t, tool, review())) {
		require.Equal(t, "note", p.Level, "%s: %s", p.Rule, p.Message) // notes are wishes, such as whole files within the log
	}
	require.NotEmpty(t, readers.Validate(t, []byte(`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "x"}, "ruleIndex": 3}]}]}`)),
		"the validator tells right from wrong")
}

func TestAnyFindingMakesALogThatConforms(t *testing.T) {
	s := schema(t)
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.String()
		f := finding.Finding{
			ID: "L1", Kind: rapid.SampledFrom(finding.Kinds()).Draw(t, "kind"), Severity: rapid.SampledFrom(append(finding.Severities(), "none")).Draw(t, "severity"),
			Confidence: finding.Low, File: word.Draw(t, "file"), Line: rapid.IntRange(0, 9).Draw(t, "line"), EndLine: rapid.IntRange(0, 9).Draw(t, "end"),
			Category: word.Draw(t, "category"), Title: word.Draw(t, "title"), Description: word.Draw(t, "description"), Code: word.Draw(t, "code"),
			Reviewer: word.Draw(t, "reviewer"), Family: word.Draw(t, "family"), State: rapid.SampledFrom(append(finding.States(), "")).Draw(t, "state"),
		}
		log := write(t, tool, finding.Merge([]finding.Finding{f}))
		require.NoError(t, conforms(t, s, log))
		require.Equal(t, log, write(t, tool, finding.Merge([]finding.Finding{f})))
	})
}

// read is what a test looks at of a log.
type read struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []map[string]any }
		}
		Results []struct {
			RuleID    string `json:"ruleId"`
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct {
						StartLine, EndLine int
						Snippet            struct{ Text string }
					}
				}
			}
			PartialFingerprints map[string]string
			Suppressions        []struct{ Kind, Justification string }
		}
		Artifacts []struct{ Location struct{ URI string } }
	}
}

func TestWhatTheLogSays(t *testing.T) {
	list := review()
	var log read
	require.NoError(t, json.Unmarshal(write(t, tool, list), &log))
	run := log.Runs[0]
	require.Len(t, run.Results, len(list))
	require.Len(t, run.Artifacts, 4)
	require.Len(t, run.Tool.Driver.Rules, 4)
	for i, m := range list {
		r := run.Results[i]
		require.Equal(t, m.Kind+"."+m.Category, r.RuleID)
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex]["id"])
		require.Equal(t, map[string]string{
			finding.Critical: "error", finding.Serious: "error", finding.Moderate: "warning", finding.Minor: "note", finding.Info: "note",
		}[m.Severity], r.Level)
		at := r.Locations[0].PhysicalLocation
		require.Equal(t, m.Line, at.Region.StartLine)
		require.Equal(t, "SRCROOT", at.ArtifactLocation.URIBaseID)
		require.Equal(t, m.IsLocated(), at.Region.Snippet.Text != "", "only code that stands there is shown")
		require.Contains(t, r.PartialFingerprints, "councilFinding/v1")
		require.Equal(t, !m.Stands(), len(r.Suppressions) == 1)
	}
	text := string(write(t, tool, list))
	require.Contains(t, text, `"web/serve%20page%231.go"`)
	require.Contains(t, text, `"%C3%BC/%C3%A4%3Ab.go"`)
	require.Contains(t, text, "The caller looks at it.")
	require.Contains(t, text, "external/cwe/cwe-089")
	require.Contains(t, text, `see \\[1\\]`, "brackets make no link")
}

func BenchmarkWrite(b *testing.B) {
	var list []finding.Finding
	for i := range 20_000 {
		list = append(list, said("bug-hunter", fmt.Sprintf("pkg%d/a.go", i/40), i%40*9+1, finding.Moderate, strings.Repeat("x", 1+i%50)))
	}
	all := finding.Merge(list)
	for b.Loop() {
		_, err := sarif.Write(tool, all)
		require.NoError(b, err)
	}
}
