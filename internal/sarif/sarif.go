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
	"net/url"
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/finding"
)

// Tool is what has made the findings.
type Tool struct {
	Name, Version string
	URI           string // where people read about it; "" for none
	Commit        string // the revision that was reviewed; "" for none
	Repository    string // its address; "" for none
	Incomplete    string // why the review is not whole; "" when it is
}

// schema is the format's own address.
const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// root is the name by which the repository's folder goes.
const root = "SRCROOT"

// Write gives the log file of one run, indented JSON, the findings in the order
// given.
func Write(tool Tool, list []finding.Merged) ([]byte, error) {
	rules := rulesOf(list)
	files := filesOf(list)
	r := run{
		Tool:                tools{driver{Name: tool.Name, Version: tool.Version, InformationURI: tool.URI, Rules: rules}},
		OriginalURIBaseIDs:  map[string]base{root: {message{"The root of the repository."}}},
		ColumnKind:          "unicodeCodePoints",
		Artifacts:           artifacts(files),
		Invocations:         []invocation{{Successful: tool.Incomplete == "", Description: tool.Incomplete}},
		Results:             results(list, rules, files),
		VersionControl:      revision(tool),
		DefaultFileEncoding: "utf-8",
	}
	data, err := json.MarshalIndent(log{Schema: schema, Version: "2.1.0", Runs: []run{r}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write SARIF: %w", err)
	}
	return append(data, '\n'), nil
}

func revision(t Tool) []version {
	if t.Repository == "" {
		return nil // without an address the format has no place for a revision
	}
	return []version{{RepositoryURI: t.Repository, RevisionID: t.Commit, MappedTo: place{URIBaseID: root}}}
}

func ruleID(f finding.Finding) string { return f.Kind + "/" + f.Category }

// rulesOf are the rules that the findings break, by their ids.
func rulesOf(list []finding.Merged) []rule {
	worst := map[string]finding.Merged{}
	for _, m := range list {
		id := ruleID(m.Finding)
		if w, ok := worst[id]; !ok || grade(m.Severity) > grade(w.Severity) {
			worst[id] = m
		}
	}
	rules := []rule{}
	for id, m := range worst {
		r := rule{
			ID:            id,
			Short:         message{fmt.Sprintf("%s: %s", m.Kind, strings.ReplaceAll(m.Category, "-", " "))},
			Configuration: configuration{level(m.Severity)},
			Properties:    map[string]any{"tags": tags(list, id), "problem.severity": problem(m.Severity)},
		}
		if m.Kind == finding.Security {
			r.Properties["security-severity"] = fmt.Sprintf("%.1f", grade(m.Severity))
		}
		rules = append(rules, r)
	}
	slices.SortFunc(rules, func(a, b rule) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

// tags are a rule's kind and the weaknesses its findings name.
func tags(list []finding.Merged, id string) []string {
	var tags []string
	for _, m := range list {
		if ruleID(m.Finding) != id {
			continue
		}
		if m.CWE != "" {
			tags = append(tags, "external/cwe/"+strings.ToLower(m.CWE))
		}
		tags = append(tags, m.Kind)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
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

// grade puts a severity on the scale that code hosts sort security findings by:
// over 9 is critical, from 7 high, from 4 medium.
func grade(severity string) float64 {
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

// filesOf are the files of the findings, sorted.
func filesOf(list []finding.Merged) []string {
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
		list = append(list, artifact{place{URI: uri(f), URIBaseID: root}})
	}
	return list
}

// uri is a path as a relative reference.
func uri(path string) string {
	u := url.URL{Path: path}
	return u.String() // writes ./a:b where the first part has a colon
}

func results(list []finding.Merged, rules []rule, files []string) []result {
	out := []result{}
	for _, m := range list {
		n, _ := slices.BinarySearchFunc(rules, ruleID(m.Finding), func(r rule, id string) int { return strings.Compare(r.ID, id) })
		at, _ := slices.BinarySearch(files, m.File)
		out = append(out, result{
			RuleID: rules[n].ID, RuleIndex: n, Level: level(m.Severity), Kind: "fail",
			Message:      message{says(m.Finding)},
			Locations:    []location{{physical{place{URI: uri(m.File), URIBaseID: root, Index: &at}, where(m.Finding)}}},
			Fingerprints: map[string]string{"councilFinding/v1": m.Fingerprint},
			Suppressions: suppressions(m),
			Rank:         100 * float64(4-slices.Index(finding.Severities(), m.Severity)) / 4,
			Properties:   properties(m),
		})
	}
	return out
}

const limit = 2000 // characters of a text

// says is what a finding says, without marks of formatting: readers take
// brackets for links.
func says(f finding.Finding) string {
	parts := []string{agent.Plain(f.Title, limit)}
	for _, p := range []struct{ name, text string }{{"", f.Description}, {"Impact: ", f.Impact}, {"Fix: ", f.Fix}} {
		if s := agent.Plain(p.text, limit); s != "" {
			parts = append(parts, p.name+s)
		}
	}
	return bracketed(strings.Join(parts, "\n"))
}

// bracketed escapes what the format has for links in plain text.
func bracketed(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)
}

func where(f finding.Finding) region {
	r := region{StartLine: max(1, f.Line), EndLine: max(1, f.Line, f.EndLine)}
	if f.Found() && f.Code != "" {
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
		if s := agent.Plain(j.Reason, limit); s != "" {
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
