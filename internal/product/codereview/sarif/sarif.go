// Package sarif writes findings of a review in the Static Analysis Results
// Interchange Format, version 2.1.0, which code hosts and editors read.
//
// Every kind and category is a rule, every merged finding a result. What was
// taken out as false is there as a suppressed result with its reason. Paths are
// relative to the base SRCROOT. Findings whose code is not in its file have no
// snippet. Texts are foreign; they stand in the fields for plain text alone.
package sarif

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// Tool is what has made the findings.
type Tool struct {
	Name, Version string
	URI           string // where people read about it; "" for none
	Commit        string // the revision that was reviewed; "" for none
	Repository    string // its address; "" for none
	Incomplete    string // why the review is not whole; "" when it is
	Run           string // the run that has written the log
}

// schema is the format's own address.
const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// root is the name by which the repository's folder goes.
const root = "SRCROOT"

// Write gives the log file of one run, indented JSON, the findings in the order
// given.
func Write(tool Tool, list []finding.Merged) ([]byte, error) {
	rules := rulesOf(list)
	files := findingFiles(list)
	r := run{
		Tool:                tools{driver{Name: tool.Name, Version: tool.Version, InformationURI: tool.URI, Rules: rules}},
		OriginalURIBaseIDs:  map[string]uriBase{root: {message{"The root of the repository."}}},
		ColumnKind:          "unicodeCodePoints",
		Artifacts:           artifacts(files),
		Invocations:         []invocation{{Successful: tool.Incomplete == "", Description: tool.Incomplete}},
		Results:             results(list, rules, files),
		VersionControl:      revision(tool),
		DefaultFileEncoding: "utf-8",
		Properties:          map[string]any{"imprint": provenance.Line(tool.Run)},
	}
	data, err := json.MarshalIndent(sarifLog{Schema: schema, Version: "2.1.0", Runs: []run{r}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write SARIF: %w", err)
	}
	return append(data, '\n'), nil
}

func revision(t Tool) []version {
	if t.Repository == "" {
		return nil // without an address the format has no place for a revision
	}
	return []version{{RepositoryURI: t.Repository, RevisionID: t.Commit, MappedTo: artifactLocation{URIBaseID: root}}}
}

// ruleID is what a finding breaks. A slash would make a category a variant of
// its kind, without a description of its own.
func ruleID(f finding.Finding) string { return f.Kind + "." + f.Category }

// rulesOf are the rules that the findings break, by their ids, each as grave as
// its gravest finding.
func rulesOf(list []finding.Merged) []rule {
	worst := map[string]finding.Merged{}
	tags := map[string][]string{}
	for _, m := range list {
		id := ruleID(m.Finding)
		if w, ok := worst[id]; !ok || securitySeverity(m.Severity) > securitySeverity(w.Severity) {
			worst[id] = m
		}
		if m.CWE != "" {
			tags[id] = append(tags[id], cweTag(m.CWE))
		}
	}
	rules := make([]rule, 0, len(worst))
	for _, id := range slices.Sorted(maps.Keys(worst)) {
		slices.Sort(tags[id])
		rules = append(rules, ruleOf(id, worst[id], append(slices.Compact(tags[id]), worst[id].Kind)))
	}
	return rules
}

// cweTag is a CWE as code hosts tag it, with at least three digits.
func cweTag(cwe string) string {
	return fmt.Sprintf("external/cwe/cwe-%03s", strings.TrimPrefix(cwe, "CWE-"))
}

func ruleOf(id string, worst finding.Merged, tags []string) rule {
	category := plain.Line(strings.ReplaceAll(worst.Category, "-", " "), limit)
	full := fmt.Sprintf("A finding of the category %q by the reviewer of %s.", category, worst.Kind)
	r := rule{
		ID:            id,
		Short:         message{fmt.Sprintf("%s: %s", worst.Kind, category)},
		Full:          message{full},
		Help:          message{full + " Its message says what is wrong, what comes of it and how to mend it."},
		Configuration: configuration{level(worst.Severity)},
		Properties:    map[string]any{"tags": tags, "problem.severity": problem(worst.Severity)},
	}
	if worst.Kind == finding.Security {
		r.Properties["security-severity"] = fmt.Sprintf("%.1f", securitySeverity(worst.Severity))
	}
	return r
}

// level is how severe the format has it.
func level(severity string) string {
	switch severity {
	case finding.Critical, finding.Serious:
		return "error"
	case finding.Moderate:
		return "warning"
	}
	return "note"
}

// problem is level in the words of code hosts.
func problem(severity string) string {
	if l := level(severity); l != "note" {
		return l
	}
	return "recommendation"
}

// securitySeverity puts a severity on the scale that code hosts sort security findings by:
// over 9 is critical, from 7 high, from 4 medium.
func securitySeverity(severity string) float64 {
	switch severity {
	case finding.Critical:
		return 9.5
	case finding.Serious:
		return 8
	case finding.Moderate:
		return 5.5
	case finding.Minor:
		return 2
	}
	return 0.1
}

// findingFiles are the files of the findings, sorted.
func findingFiles(list []finding.Merged) []string {
	files := make([]string, 0, len(list))
	for _, m := range list {
		files = append(files, m.File)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func artifacts(files []string) []artifact {
	list := []artifact{}
	for _, f := range files {
		list = append(list, artifact{artifactLocation{URI: uri(f), URIBaseID: root}, []string{"analysisTarget"}})
	}
	return list
}

// uri is a path as a relative reference: all but the unreserved characters of
// RFC 3986 (2.3) and slashes are encoded, so that no colon begins a scheme.
func uri(path string) string {
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func results(list []finding.Merged, rules []rule, files []string) []result {
	out := []result{}
	for _, m := range list {
		n, _ := slices.BinarySearchFunc(rules, ruleID(m.Finding), func(r rule, id string) int { return strings.Compare(r.ID, id) })
		at, _ := slices.BinarySearch(files, m.File)
		out = append(out, result{
			RuleID: rules[n].ID, RuleIndex: n, Level: level(m.Severity), Kind: "fail",
			Message:      message{messageText(m.Finding)},
			Locations:    []location{{physical{artifactLocation{URI: uri(m.File), URIBaseID: root, Index: &at}, regionOf(m.Finding)}}},
			Fingerprints: map[string]string{"councilFinding/v1": m.Fingerprint},
			Suppressions: suppressions(m),
			Rank:         rank(m.Severity),
			Properties:   properties(m),
		})
	}
	return out
}

// rank is a severity on the format's scale from 0 to 100.
func rank(severity string) float64 {
	all := finding.Severities()
	at := slices.Index(all, severity)
	if at < 0 {
		at = len(all) - 1
	}
	return 100 - 100*float64(at)/float64(len(all)-1)
}

const limit = 2000 // characters of a text

// messageText is what a finding says, without marks of formatting: readers take
// brackets for links.
func messageText(f finding.Finding) string {
	parts := []string{plain.Line(f.Title, limit)}
	for _, p := range []struct{ name, text string }{{"", f.Description}, {"Impact: ", f.Impact}, {"Fix: ", f.Fix}} {
		if s := plain.Line(p.text, limit); s != "" {
			parts = append(parts, p.name+s)
		}
	}
	return escapeBrackets(strings.Join(parts, "\n"))
}

// escapeBrackets escapes what the format has for links in plain text.
func escapeBrackets(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)
}

func regionOf(f finding.Finding) region {
	r := region{StartLine: max(1, f.Line), EndLine: max(1, f.Line, f.EndLine)}
	if f.IsLocated() && f.Code != "" {
		r.Snippet = &snippet{strings.ToValidUTF8(f.Code, "\ufffd")}
	}
	return r
}

func suppressions(m finding.Merged) []suppression {
	if m.Stands() {
		return nil
	}
	var reasons []string
	for _, j := range m.Judgements {
		if s := plain.Line(j.Reason, limit); s != "" {
			reasons = append(reasons, s)
		}
	}
	return []suppression{{Kind: "external", Status: "accepted", Justification: strings.Join(reasons, "\n")}}
}

func properties(m finding.Merged) map[string]any {
	p := map[string]any{
		"id": m.ID, "severity": m.Severity, "confidence": m.Confidence, "status": m.Status,
		"reviewers": m.Reviewers, "families": m.Families,
	}
	if m.State != "" {
		p["state"] = m.State
	}
	return p
}
