package robots_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/robots"
	"github.com/research-council/research-council/test/readers"
)

const agent = "research-council"

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name, file, path string
		allowed          bool
	}{
		{"an empty file", "", "/a", true},
		{"everything closed", "User-agent: *\nDisallow: /", "/a", false},
		{"robots.txt is always open", "User-agent: *\nDisallow: /", "/robots.txt", true},
		{"an empty rule closes nothing", "User-agent: *\nDisallow:", "/a", true},
		{"a folder", "User-agent: *\nDisallow: /private/", "/private/a", false},
		{"beside the folder", "User-agent: *\nDisallow: /private/", "/private", true},
		{"the beginning of a name", "User-agent: *\nDisallow: /pri", "/private", false},
		{"the longer rule wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true},
		{"in any order", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b/c", true},
		{"of two as long, the open one", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true},
		{"a star", "User-agent: *\nDisallow: /*.pdf", "/x/y.pdf?z", false},
		{"an end", "User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", true},
		{"the end is met", "User-agent: *\nDisallow: /*.pdf$", "/x.pdf/y.pdf", false},
		{"a query", "User-agent: *\nDisallow: /*?s=", "/find?s=lake", false},
		{"stars on end", "User-agent: *\nDisallow: /a**b", "/axxb", false},
		{"our own group", "User-agent: *\nDisallow: /\n\nUser-agent: Research-Council\nAllow: /", "/a", true},
		{"another's group", "User-agent: otherbot\nDisallow: /", "/a", true},
		{"a group for several", "User-agent: otherbot\nUser-agent: research-council\nDisallow: /a", "/a", false},
		{"our groups are one", "User-agent: research-council\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: research-council\nDisallow: /b", "/b", false},
		{"a name with a version", "User-agent: research-council/2.0\nDisallow: /", "/a", false},
		{"a longer name is another's", "User-agent: research-councillor\nDisallow: /", "/a", true},
		{"our group without rules opens all", "User-agent: *\nDisallow: /\nUser-agent: research-council\n", "/a", true},
		{"letters in per cent", "User-agent: *\nDisallow: /%61%2fb", "/a%2Fb", false},
		{"letters beyond ASCII", "User-agent: *\nDisallow: /lac-lé", "/lac-l%C3%A9man", false},
		{"comments and blanks", "  user-agent : * # all\n\tDISALLOW: /a # that\n", "/a", false},
		{"unknown lines between", "User-agent: *\nCrawl-delay: 5\nSitemap: http://x/\nDisallow: /a", "/a", false},
		{"line ends of old Macs", "User-agent: *\rDisallow: /a\r", "/a", false},
		{"a byte order mark", "\xef\xbb\xbfUser-agent: *\nDisallow: /a", "/a", false},
		{"rules before any group", "Disallow: /\nUser-agent: x\nDisallow: /", "/a", true},
		{"a page of HTML", "<!doctype html><title>Not found</title>", "/a", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.allowed, robots.Parse([]byte(c.file), agent).Allowed(c.path))
		})
	}
}

func TestOnlyTheBeginningIsRead(t *testing.T) {
	rule := "User-agent: *\nDisallow: /a\n"
	filler := strings.Repeat("# nothing\n", robots.Limit/10)
	require.False(t, robots.Parse([]byte(rule+filler+filler), agent).Allowed("/a"))
	require.True(t, robots.Parse([]byte(filler+rule), agent).Allowed("/a"))
}

func TestWithoutAFile(t *testing.T) {
	for _, c := range []struct {
		status         int
		known, allowed bool
	}{{200, false, true}, {206, false, true}, {404, true, true}, {403, true, true}, {429, true, true}, {500, true, false}, {503, true, false}, {0, true, false}, {301, true, false}} {
		rules, known := robots.Status(c.status)
		require.Equal(t, c.known, known, c.status)
		require.Equal(t, c.allowed, rules.Allowed("/a"), c.status)
	}
}

// What two parsers of different make agree on is not our reading alone. The
// files have what RFC 9309 defines and both know.
func TestAnotherParserSaysTheSame(t *testing.T) {
	type question struct {
		File  string `json:"file"`
		Agent string `json:"agent"`
		Path  string `json:"path"`
	}
	var asked []question
	var input bytes.Buffer
	piece := rapid.SampledFrom([]string{"a", "b", "ab", "*", "/", ".pdf", "?q=", "a*", "/b"})
	path := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "/", ".pdf", "?q="}), 0, 6), func(p []string) string { return "/" + strings.Join(p, "") })
	rule := rapid.Custom(func(t *rapid.T) string {
		end := rapid.SampledFrom([]string{"", "", "$"}).Draw(t, "end")
		return rapid.SampledFrom([]string{"Allow: /", "Disallow: /"}).Draw(t, "rule") + strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, "pattern"), "") + end + "\n"
	})
	group := rapid.Custom(func(t *rapid.T) string {
		who := rapid.SampledFrom([]string{"*", agent, "otherbot"}).Draw(t, "agent")
		return "User-agent: " + who + "\n" + strings.Join(rapid.SliceOfN(rule, 1, 4).Draw(t, "rules"), "")
	})
	for i := range 2000 {
		q := question{strings.Join(rapid.SliceOfN(group, 1, 3).Example(i), ""), agent, path.Example(i)}
		asked = append(asked, q)
		require.NoError(t, json.NewEncoder(&input).Encode(q))
	}
	answers := strings.Fields(string(readers.Ask(t, "warc", input.Bytes(), "robots.mjs")))
	require.Len(t, answers, len(asked))
	for i, q := range asked {
		got := robots.Parse([]byte(q.File), q.Agent).Allowed(q.Path)
		require.Equal(t, answers[i] == "true", got, "%s for %s:\n%s", q.Path, q.Agent, q.File)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*a*b$\nAllow: /%zz"), "/axb")
	f.Add([]byte("\xff:\nuser-agent\n:*"), "")
	f.Fuzz(func(t *testing.T, file []byte, path string) {
		rules := robots.Parse(file, agent)
		require.Equal(t, rules.Allowed(path), rules.Allowed(path))
		require.True(t, rules.Allowed("/robots.txt"))
	})
}
