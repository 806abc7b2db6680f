package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/claim"
	"research-council/internal/report"
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

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		name, markdown string
		want           [][2]string // text and source
	}{
		{"a link", "It is old. Caches age [fast](https://a.test/x_(y)). It is new.", [][2]string{{"Caches age fast.", "https://a.test/x_(y)"}}},
		{"a link behind the sentence", "Caches really age. [source](https://a.test/)", [][2]string{{"Caches really age.", "https://a.test/"}}},
		{"a bare address", "Caches really age (https://a.test/x). More.", [][2]string{{"Caches really age.", "https://a.test/x"}}},
		{"an autolink", "Caches really age, see <https://a.test/x>.", [][2]string{{"Caches really age, see .", "https://a.test/x"}}},
		{"a reference link", "Caches really age [a].\n\n[a]: https://a.test/", [][2]string{{"Caches really age a.", "https://a.test/"}}},
		{"a path with lines", "Caches age as internal/cache.go:12-20 shows.", [][2]string{{"Caches age as internal/cache.go:12-20 shows.", "internal/cache.go:12-20"}}},
		{"a path as code", "Caches age: see `cache.go:12`.", [][2]string{{"Caches age: see cache.go:12.", "cache.go:12"}}},
		{"a relative link", "Caches age as [here](docs/a.md#L3) written.", [][2]string{{"Caches age as here written.", "docs/a.md#L3"}}},
		{"two sources of one sentence", "Caches age, [a](https://a.test/) and [b](https://b.test/) say.", [][2]string{{"Caches age, a and b say.", "https://a.test/"}, {"Caches age, a and b say.", "https://b.test/"}}},
		{"numbers and abbreviations", "See e.g. the 3.5 GB of Smith et al. in [a](https://a.test/). Next.", [][2]string{{"See e.g. the 3.5 GB of Smith et al. in a.", "https://a.test/"}}},
		{"Chinese", "缓存很旧。缓存会过期[来源](https://a.test/)。", [][2]string{{"缓存会过期来源。", "https://a.test/"}}},
		{"a table", "| claim | where |\n|---|---|\n| x | Caches age so [a](https://a.test/) |", [][2]string{{"Caches age so a", "https://a.test/"}}},
		{"lists of sources", "Said well.\n\n## 5. References (all)\n\n- Nature of it [a](https://a.test/)\n\n### Web\n\n- Three more words https://b.test/\n\n## After\n\nCaches age so [c](https://c.test/).", [][2]string{{"Caches age so c.", "https://c.test/"}}},
		{"a list of sources without a heading", "Said well.\n\n**Sources:**\n\n- Nature of it [a](https://a.test/)\n\nCaches age so [c](https://c.test/).", [][2]string{{"Caches age so c.", "https://c.test/"}}},
		{"a list of sources in a paragraph", "Said well.\n\n参考文献：\n[1] - Nature of it https://a.test/\n[2] - And this too https://b.test/\n\n[3] - One more here https://c.test/\n\nCaches age so [c](https://c.test/).", [][2]string{{"Caches age so c.", "https://c.test/"}}},
		{"what is no source", "It is [up there](#top), [mail us](mailto:a@b.test) or [click here](javascript:x) at 10:30 with 1.5:1.", nil},
		{"headings and code", "# See [this good thing](https://a.test/)\n\n```\nsee a.go:12 for that\n```\n", nil},
	} {
		var got [][2]string
		for _, d := range report.Claims([]byte(c.markdown), "codex", "research") {
			require.Equal(t, []string{"codex", "research", ""}, []string{d.Seat, d.Round, d.Quote}, c.name)
			got = append(got, [2]string{d.Text, d.Source})
		}
		require.Equal(t, c.want, got, c.name)
	}
	require.Len(t, report.Claims([]byte(strings.Repeat("Caches really age, see a.go:12.\n\n", 3000)), "s", "r"), report.MostClaims)
}

// sound is a draft without a fault.
func sound() string {
	var b strings.Builder
	for _, h := range report.Headings() {
		b.WriteString("## " + h + "\n\nIt is so [C1].\n\n")
	}
	return b.String()
}

func TestLint(t *testing.T) {
	known := []claim.Entry{{ID: "C1"}, {ID: "C2"}}
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
		{"a section missing", strings.Replace(sound(), "## Novel Insights", "", 1), []string{`"Novel Insights" is missing`}},
		{"a section empty", strings.Replace(sound(), "## Novel Insights\n\nIt is so [C1].", "## Novel Insights\n\n***\n", 1), []string{`"Novel Insights" is empty`}},
		{"unknown ids, each told once", sound() + "So [C1, C9] and [C9] and [C3-C5].", []string{"no claim C9", "no claim C3", "no claim C4", "no claim C5"}},
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
		got := report.Lint([]byte(c.draft), known)
		require.Len(t, got, len(c.want), "%s: %q", c.name, got)
		for i, part := range c.want {
			require.Contains(t, got[i], part, c.name)
		}
	}
	require.Empty(t, report.Lint([]byte(strings.ReplaceAll(sound(), "[C1]", "")), nil), "an empty registry has nothing to cite")
	require.Len(t, report.Lint([]byte(sound()+strings.Repeat("[C5-C24] [C30-C49]", 3)), known), report.MostProblems)
}
