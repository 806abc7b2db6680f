package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/report"
)

func TestUsable(t *testing.T) {
	prose := strings.Repeat("Caches age because nobody looks at them for a while. ", 5)
	for _, c := range []struct {
		name, markdown string
		problem        string // "" for a usable one
	}{
		{"prose", prose, ""},
		{"prose in a list", "- " + prose, ""},
		{"prose in a table", "| a | b |\n|---|---|\n| " + prose + " | x |", ""},
		{"prose behind a marker", agent.Marker + "\n\n" + prose, ""},
		{"Chinese", strings.Repeat("缓存会过期因为没有人看它们", 8), ""},
		{"nothing", "", "it is empty"},
		{"blanks", " \n\t\n", "it is empty"},
		{"headings alone", "# Report\n\n## Findings\n\n## Sources\n", "nothing but headings"},
		{"the marker alone", agent.Marker + "\n", "nothing but headings"},
		{"headings and marker", "# Report\n\n" + agent.Marker, "nothing but headings"},
		{"long headings", "# " + prose, "nothing but headings"},
		{"a comment", "<!-- " + prose + " -->", "nothing but headings"},
		{"a fenced report", "```markdown\n" + prose + "\n```", "a block of code"},
		{"an apology", "I could not do this, sorry.", "it has 6 words"},
		{"marks", strings.Repeat("... --- !!! ", 100), "nothing but"},
		{"bytes", "\x00\x01" + prose, "it is no text"},
	} {
		ok, problem := report.Usable([]byte(c.markdown))
		require.Equal(t, c.problem == "", ok, c.name)
		require.Contains(t, problem, c.problem, c.name)
		require.Equal(t, ok, problem == "", c.name)
	}
}

func sound() string {
	var b strings.Builder
	for _, h := range report.Council.Headings() {
		b.WriteString("## " + h + "\n\nIt is so [C1].\n\n")
	}
	return b.String()
}

func TestLint(t *testing.T) {
	known := []claim.Entry{{ID: "C1"}, {ID: "C2"}, {ID: "C7", Location: claim.Location{State: claim.Withdrawn, Reason: "It is of 2019."}}}
	for _, c := range []struct {
		name, draft string
		want        []string // a part of each problem
	}{
		{"sound", sound(), nil},
		{"with its marker", sound() + "\n" + agent.Marker + "\n\n", nil},
		{"titles of other forms", strings.NewReplacer("## Key Findings", "# 2. **key findings** (by theme)", "## Novel Insights", "### NOVEL INSIGHTS:").Replace(sound()), nil},
		{"a code span may hold anything", sound() + "`[C9] [1] <b> https://x.test`\n", nil},
		{"a list of sources, which is dropped", strings.Replace(sound(), "Source List\n\nIt is so [C1].", "Source List\n\n1. https://x.test [C9] <b>", 1), nil},
		{"no list of sources", strings.Replace(sound(), "## Comprehensive Source List", "", 1), nil},
		{"nothing", " \n", []string{"empty"}},
		{"a section missing", strings.Replace(sound(), "## Key Findings", "", 1), []string{`"Key Findings" is missing`}},
		{"a section about which there is nothing to say", strings.Replace(sound(), "## Novel Insights\n\nIt is so [C1].", "", 1), nil},
		{"a section empty", strings.Replace(sound(), "## Novel Insights\n\nIt is so [C1].", "## Novel Insights\n\n***\n", 1), []string{`"Novel Insights" is empty`}},
		{"unknown ids, each told once", sound() + "So [C1, C9] and [C9] and [C3-C5].", []string{"no claim C9", "no claim C3", "no claim C4", "no claim C5"}},
		{"what was withdrawn", sound() + "So [C7].", []string{"C7 was withdrawn: It is of 2019. Cite another"}},
		{"a link", sound() + "So [it is](https://x.test/a).", []string{`"https://x.test/a"`}},
		{"an id as a link", sound() + "So [C1](https://x.test/a).", []string{`"https://x.test/a"`}},
		{"an image", sound() + "![x](i.png)", []string{`"i.png"`}},
		{"a bare address", sound() + "So https://x.test/a, and www.x.test.", []string{`"https://x.test/a"`, `"www.x.test"`}},
		{"an autolink", sound() + "So <https://x.test/a>.", []string{`"https://x.test/a"`}},
		{"a definition", sound() + "\n[C1]: https://x.test/a", []string{`"https://x.test/a"`}},
		{"references typed by hand", sound() + "So [1] and [2, 3] and [^n].", []string{"[1] is a reference", "[2, 3] is", "[^n] is"}},
		{"HTML", sound() + "So <b>it</b> is.\n\n<div>\nx\n</div>", []string{`"<b>"`, `"</b>"`, "<div>"}},
		{"nothing cited", strings.ReplaceAll(sound(), "[C1]", ""), []string{"No claim is cited"}},
		{"behind the marker", sound() + agent.Marker + "\n\nDone!", []string{"behind the marker"}},
	} {
		got := report.Council.Lint([]byte(c.draft), known)
		require.Len(t, got, len(c.want), "%s: %q", c.name, got)
		for i, part := range c.want {
			require.Contains(t, got[i], part, c.name)
		}
	}
	require.Empty(t, report.Council.Lint([]byte(strings.ReplaceAll(sound(), "[C1]", "")), nil), "an empty registry has nothing to cite")
	require.Len(t, report.Council.Lint([]byte(sound()+strings.Repeat("[C5-C24] [C30-C49]", 3)), known), report.MaxProblems)
}
