package librarian_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/librarian"
)

// places writes passages as "shard first-last head".
func places(list []librarian.Passage) []string {
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprintf("%s %d-%d %s", p.Shard, p.First, p.Last, p.Head))
	}
	return out
}

const source = `// Copyright 2020 Nobody. All rights reserved.

// Package kettle boils water.
//
// It promises that nothing burns.
package kettle

// How heat moves.
//
// The coil is hot and the water is not, so heat
// moves from the one to the other until both
// are equally hot.

// Boil heats water until it boils.
//
//go:noinline
func Boil(w Water) error {
	// A lid keeps the heat in.
	return w.heat(100)
}

const a = 1

const b = 2
`

func TestASourceFileIsCutAtItsDeclarations(t *testing.T) {
	require.Equal(t, []string{
		"official 3-6 Package kettle boils water.",
		"official 8-12 How heat moves.",
		"code 14-20 func Boil(w Water) error",
		"code 22-24 const a = 1",
	}, places(librarian.Split("kettle/kettle.go", source)))
}

func TestATestIsCommunityAsAWhole(t *testing.T) {
	for _, name := range []string{"kettle_test.go", "examples/tea/main.go", "test_kettle.py", "src/app.spec.ts", "CHANGELOG.md", "scripts/brew.py", "brew.sh"} {
		for _, p := range librarian.Split(name, source) {
			require.Equal(t, librarian.Community, p.Shard, name)
		}
	}
}

func TestADocumentIsCutAtItsHeadings(t *testing.T) {
	text := "# Tea\n\nIntro to tea.\n\n## Black\n\nBlack tea is oxidised.\nIt is strong.\n\n```\n# no heading\n```\n\nGreen\n-----\n\nGreen tea is not.\n"
	require.Equal(t, []string{
		"official 3-3 Tea", "official 7-12 Tea › Black", "official 17-17 Green",
	}, places(librarian.Split("docs/tea.md", text)))
}

func TestLongThingsAreCut(t *testing.T) {
	var long, flat strings.Builder
	long.WriteString("func F() {\n")
	for i := range 200 {
		fmt.Fprintf(&long, "\tcall(%d)\n", i)
		if i%9 == 8 {
			long.WriteString("\n")
		}
		fmt.Fprintf(&flat, "word number %d\n", i)
	}
	long.WriteString("}\n")
	for name, text := range map[string]string{"long.go": long.String(), "flat.txt": flat.String(), "flat.json": flat.String()} {
		list := librarian.Split(name, text)
		require.GreaterOrEqual(t, len(list), 3, name)
		for _, p := range list {
			require.LessOrEqual(t, p.Last-p.First, 90, name)
		}
	}
}

func TestWhatNobodyCanReadIsLeftOut(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "blanks": "\n \n\t\n", "no letters": "{\n}\n[1, 2]\n", "not UTF-8": "caf\xe9 au lait\n",
		"a line without end": strings.Repeat("word ", 1000), "NUL": "some words\x00here\n",
	} {
		require.Empty(t, librarian.Split("a.txt", text), name)
	}
}

func TestLineEndsOfWindows(t *testing.T) {
	list := librarian.Split("a.md", "# One\r\n\r\nTea is hot.\r\nVery hot.\r\n")
	require.Len(t, list, 1)
	require.Equal(t, "Tea is hot.\nVery hot.", list[0].Text)
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{source, "# a\n\nb c d\n", "/* a\nb */\n", "\"\"\"\ndoc string\n\"\"\"\nclass A:\n", "```\n", "= a\n\n<h1>x</h1>\n"} {
		for _, name := range []string{"a.go", "a.md", "a.py", "a.html", "README", "a.json", "a_test.go"} {
			f.Add(name, s)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		lines := strings.Split(text, "\n")
		end := 0
		for _, p := range librarian.Split(name, text) {
			require.Greater(t, p.First, end, "no line belongs to two passages")
			require.LessOrEqual(t, p.Last, len(lines))
			require.Len(t, p.Kinds, p.Last-p.First+1)
			end = p.Last
			for i, line := range strings.Split(p.Text, "\n") {
				require.Equal(t, strings.TrimSuffix(lines[p.First-1+i], "\r"), line)
			}
		}
	})
}
