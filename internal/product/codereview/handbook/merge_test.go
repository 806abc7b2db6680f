package handbook_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/product/codereview/handbook"
)

func doc() handbook.Document {
	return handbook.Document{
		Folder: "internal/x", Languages: []string{"Go"}, Lines: 12, Count: 1,
		Remarks: []handbook.Remark{{Place: "internal/x/x.go:1", Text: "The whole of it"}, {Place: "internal/x/x.go:3", Text: "Not safe for two at once"}},
	}
}

func part() string { return string(handbook.Render(doc())) }

func TestMergeKeepsWhatPeopleWrote(t *testing.T) {
	crlf := strings.ReplaceAll(part(), "\n", "\r\n")
	old := handbook.Begin + "\nold\n" + handbook.End + "\n"
	cases := map[string]struct{ existing, want string }{
		"nothing":                     {"", part()},
		"a text":                      {"# Ours\n\nBy hand.\n", "# Ours\n\nBy hand.\n\n" + part()},
		"no line break at the end":    {"By hand.", "By hand.\n\n" + part()},
		"an empty line at the end":    {"By hand.\n\n", "By hand.\n\n" + part()},
		"Windows line breaks":         {"By hand.\r\n", "By hand.\r\n\r\n" + crlf},
		"a byte order mark":           {"\ufeffBy hand.\n", "\ufeffBy hand.\n\n" + part()},
		"nothing but that mark":       {"\ufeff", "\ufeff" + part()},
		"ours after that mark":        {"\ufeff" + old, "\ufeff" + part()},
		"ours in the middle":          {"above\n" + old + "below", "above\n" + part() + "below"},
		"ours with Windows breaks":    {"above\r\n" + strings.ReplaceAll(old, "\n", "\r\n") + "below\r\n", "above\r\n" + crlf + "below\r\n"},
		"blanks behind a mark":        {handbook.Begin + " \t\nold\n" + handbook.End + "  \n", part()},
		"ours twice":                  {old + "between\n" + old + "below\n", part() + "between\nbelow\n"},
		"a begin without an end":      {"above\n" + handbook.Begin + "\nmine or yours\n", "above\nmine or yours\n\n" + part()},
		"an end without a begin":      {"above\n" + handbook.End + "\nbelow\n", "above\nbelow\n\n" + part()},
		"one part inside another":     {handbook.Begin + "\na\n" + old + "b\n" + handbook.End + "\nc\n", "a\n" + part() + "b\nc\n"},
		"a mark in prose":             {"write " + handbook.Begin + " and " + handbook.End + "\n", "write " + handbook.Begin + " and " + handbook.End + "\n\n" + part()},
		"an indented mark":            {"    " + handbook.Begin + "\n", "    " + handbook.Begin + "\n\n" + part()},
		"marks shown in a code block": {"```\n" + old + "```\n", "```\n" + old + "```\n\n" + part()},
		"a code block left open":      {"```\n" + old, "```\n" + part()},
		"UTF-16":                      {"\xff\xfea\x00", "\xff\xfea\x00"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, changed := handbook.Merge([]byte(c.existing), doc())
			require.Equal(t, c.want, string(got))
			require.Equal(t, c.want != c.existing, changed)
			again, changed := handbook.Merge(got, doc())
			require.Equal(t, string(got), string(again), "merging again changes nothing")
			require.False(t, changed)
		})
	}
}

func TestCompanionGainsOneLine(t *testing.T) {
	cases := map[string]struct{ existing, want string }{
		"nothing":                        {"", "@AGENTS.md\n"},
		"the line":                       {"@AGENTS.md\n", "@AGENTS.md\n"},
		"the line without a break":       {"@AGENTS.md", "@AGENTS.md"},
		"the line among others":          {"# Rules\r\n\r\n@AGENTS.md\r\n", "# Rules\r\n\r\n@AGENTS.md\r\n"},
		"a sentence that takes it in":    {"Read @AGENTS.md.\n", "Read @AGENTS.md.\n"},
		"other rules":                    {"Be brief.\n", "Be brief.\n\n@AGENTS.md\n"},
		"other rules without a break":    {"Be brief.", "Be brief.\n\n@AGENTS.md\n"},
		"Windows line breaks":            {"Be brief.\r\n", "Be brief.\r\n\r\n@AGENTS.md\r\n"},
		"a byte order mark":              {"\ufeffBe brief.\n", "\ufeffBe brief.\n\n@AGENTS.md\n"},
		"the name alone":                 {"See AGENTS.md\n", "See AGENTS.md\n\n@AGENTS.md\n"},
		"another file":                   {"@docs/AGENTS.md\n", "@docs/AGENTS.md\n\n@AGENTS.md\n"},
		"the line in a code block":       {"```\n@AGENTS.md\n```\n", "```\n@AGENTS.md\n```\n\n@AGENTS.md\n"},
		"the line in a block left open":  {"```\n@AGENTS.md\n", "@AGENTS.md\n\n```\n@AGENTS.md\n"},
		"the line in code between words": {"`@AGENTS.md`\n", "`@AGENTS.md`\n\n@AGENTS.md\n"},
		"UTF-16":                         {"\xfe\xff\x00a", "\xfe\xff\x00a"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, changed := handbook.PointToAgents([]byte(c.existing))
			require.Equal(t, c.want, string(got))
			require.Equal(t, c.want != c.existing, changed)
			again, changed := handbook.PointToAgents(got)
			require.Equal(t, string(got), string(again))
			require.False(t, changed)
		})
	}
}

// subsequence reports whether all bytes of a stand in b, in their order.
func subsequence(a, b []byte) bool {
	for _, c := range b {
		if len(a) > 0 && a[0] == c {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// outside are the bytes of a text that are not between a begin and an end mark,
// nor marks themselves: whatever is in doubt counts as a person's. Of a text
// with code blocks, in which marks may be text, it is what stands before the
// first mark and behind the last.
func outside(text []byte) []byte {
	if bytes.Contains(text, []byte("```")) || bytes.Contains(text, []byte("~~~")) {
		const common = "<!-- research-council:"
		first, last := bytes.Index(text, []byte(common)), bytes.LastIndex(text, []byte(common))
		if first < 0 {
			return text
		}
		_, behind, _ := bytes.Cut(text[last:], []byte("\n"))
		return slices.Concat(text[:first], behind)
	}
	var kept, held []byte
	open := false
	for l := range bytes.Lines(text) {
		switch strings.TrimRight(strings.TrimPrefix(string(l), "\ufeff"), " \t\r\n") {
		case handbook.Begin:
			kept, held, open = append(kept, held...), nil, true
			continue
		case handbook.End:
			if open {
				held, open = nil, false
			}
			continue
		}
		if open {
			held = append(held, l...)
		} else {
			kept = append(kept, l...)
		}
	}
	return append(kept, held...)
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte("# Mine\r\n"), "p", "c")
	f.Add([]byte("a\n"+handbook.Begin+"\nb\n"+handbook.End+"\nc"), "", handbook.End)
	f.Add([]byte("```\n"+handbook.Begin+"\n~~~\n"+handbook.Begin+"\n"+handbook.End+"\n```\n"), "```\n"+handbook.End, "")
	f.Add([]byte("\ufeff"+handbook.End+"\n"+handbook.Begin), "\n\n# x", "`a``b`")
	f.Fuzz(func(t *testing.T, existing []byte, purpose, item string) {
		d := handbook.Document{Folder: "a", Remarks: []handbook.Remark{{Place: "a/" + item + ":1", Text: purpose}, {Place: "a/b:1", Text: item}}}
		once, _ := handbook.Merge(existing, d)
		require.True(t, subsequence(outside(existing), once), "people's bytes stay")
		twice, changed := handbook.Merge(once, d)
		require.False(t, changed)
		require.Equal(t, string(once), string(twice))
		if !bytes.HasPrefix(existing, []byte{0xff, 0xfe}) && !bytes.HasPrefix(existing, []byte{0xfe, 0xff}) {
			ours := string(handbook.Render(d))
			flat := strings.ReplaceAll(string(once), "\r\n", "\n")
			require.Contains(t, flat, ours)
			require.Equal(t, 1, strings.Count(ours, handbook.End+"\n"))
		}
		with, _ := handbook.PointToAgents(existing)
		again, changed := handbook.PointToAgents(with)
		require.False(t, changed)
		require.True(t, subsequence(existing, again))
	})
}

// texts are such as people, broken merges and older versions may leave.
func texts() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{
		handbook.Begin, handbook.End, handbook.Begin + " ", " " + handbook.End, "```", "~~~", "````go", "``` `", "    ```", "mine", "", "@AGENTS.md", "# Title", "<!--", "-->", "\ufeff", "\r",
	})
	return rapid.Custom(func(t *rapid.T) string {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), end)
		if rapid.Bool().Draw(t, "ended") {
			text += end
		}
		return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + text
	})
}

func TestMergingLosesNothingAndSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		existing := []byte(texts().Draw(t, "existing"))
		once, changed := handbook.Merge(existing, doc())
		require.Equal(t, changed, !bytes.Equal(existing, once))
		require.True(t, subsequence(outside(existing), once), "people's bytes stay")
		require.Contains(t, strings.ReplaceAll(string(once), "\r\n", "\n"), part())
		twice, changed := handbook.Merge(once, doc())
		require.Equal(t, string(once), string(twice))
		require.False(t, changed)

		d := doc()
		d.Remarks = []handbook.Remark{{Place: "internal/x/x.go:1", Text: "Does y."}}
		other, _ := handbook.Merge(once, d)
		back, _ := handbook.Merge(other, doc())
		require.Equal(t, string(once), string(back), "only what is ours is replaced")

		with, _ := handbook.PointToAgents(existing)
		require.True(t, bytes.HasSuffix(with, existing[len(existing)-len(bytes.TrimPrefix(existing, []byte("\ufeff"))):]) ||
			bytes.HasPrefix(with, existing), "every byte stays where it is")
		again, changed := handbook.PointToAgents(with)
		require.Equal(t, string(with), string(again))
		require.False(t, changed)
	})
}
