package gemini

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/project/protected"
)

// policy keeps the agent from writing what would give it more than it has: its
// settings and policies, which a later turn would read, the count of its
// iterations, and the scope, which the CLI opens for writing along with
// reading. Who builds in a project writes there, but for what the program keeps
// in it and what later sessions obey. A pattern is searched for in the arguments
// of the call as JSON; the CLI leaves out those where a quantifier follows a
// group that holds one.
func policy(t agent.Turn) string {
	dir := pathPattern(t.Dir)
	patterns := []string{`[^"]*\.\.`} // by way of a folder above
	if builds(t) {
		patterns = append(patterns, building(t)...)
	} else {
		patterns = append(patterns, `(?!`+dir+`/)/`) // absolute and elsewhere
	}
	for _, name := range []string{".gemini", "GEMINI.md", policyFile, filepath.Base(t.State)} {
		patterns = append(patterns, `(?:|[^"/][^"]*/|`+dir+`/+|`+dir+`/[^"]*/)`+caseInsensitive(name)+`["/]`)
	}
	var rules strings.Builder
	for _, pattern := range patterns {
		rules.WriteString("[[rule]]\n" +
			"toolName = [\"write_file\", \"replace\"]\n" +
			"argsPattern = " + agent.TOML(`"file_path":"`+pattern) + "\n" +
			"decision = \"deny\"\n" +
			"priority = 999\n\n")
	}
	return rules.String()
}

// builds reports whether the agent writes in a project.
func builds(t agent.Turn) bool { return t.Project != "" && t.Role == agent.Code }

// building are the patterns of what who builds in a project may not write.
func building(t agent.Turn) []string {
	dir, project := pathPattern(t.Dir), pathPattern(t.Project)
	patterns := []string{
		`(?!` + dir + `/|` + project + `/)/`,
		`[^"]*/\.?/`, // the same place in other words
	}
	for _, kept := range []string{caseInsensitive("research") + "/", caseInsensitive("docs/research-") + `[^"/]*/`} {
		patterns = append(patterns, `(?!`+dir+`/)`+project+`/`+kept)
	}
	for _, name := range protected.Names() {
		if !slices.ContainsFunc(t.Named, func(path string) bool { return slices.Contains(strings.Split(path, "/"), name) }) { // what of it is not theirs is put back
			patterns = append(patterns, project+`/(?:|[^"]*/)`+caseInsensitive(name)+`["/]`)
		}
	}
	return patterns
}

// pathPattern is a pattern for a path as it stands in JSON.
func pathPattern(path string) string { return regexp.QuoteMeta(jsonText(path)) }

// jsonText is s as it stands between the quotes of a JSON string that escapes
// no more than it must.
func jsonText(s string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always encodes
	return strings.Trim(b.String(), "\"\n")
}

// caseInsensitive is a pattern for s where capitals do not matter, as on some file
// systems.
func caseInsensitive(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) {
			b.WriteString("[" + string(unicode.ToLower(r)) + string(unicode.ToUpper(r)) + "]")
			continue
		}
		b.WriteString(regexp.QuoteMeta(string(r)))
	}
	return b.String()
}
