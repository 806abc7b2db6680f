package gemini

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"research-council/internal/agent"
)

// policy keeps the agent from writing what would give it more than it has: its
// settings and policies, which a later turn would read, the count of its
// iterations, and the scope, which the CLI opens for writing along with
// reading. A pattern is searched for in the arguments of the call as JSON; the
// CLI leaves out those where a quantifier follows a group that holds one.
func policy(t agent.Turn) string {
	dir := regexp.QuoteMeta(jsonText(t.Dir))
	patterns := []string{
		`[^"]*\.\.`,         // by way of a folder above
		`(?!` + dir + `/)/`, // absolute and elsewhere
	}
	for _, name := range []string{".gemini", "GEMINI.md", policyFile, filepath.Base(t.State)} {
		patterns = append(patterns, `(?:|[^"/][^"]*/|`+dir+`/+|`+dir+`/[^"]*/)`+anyCase(name)+`["/]`)
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

// jsonText is s as it stands between the quotes of a JSON string that escapes
// no more than it must.
func jsonText(s string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always encodes
	return strings.Trim(b.String(), "\"\n")
}

// anyCase is a pattern for s where capitals do not matter, as on some file
// systems.
func anyCase(s string) string {
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
