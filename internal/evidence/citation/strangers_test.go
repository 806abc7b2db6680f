package citation_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/citation"
)

// truth is what a report cites: sentences, each by how it begins, with a source each, by
// its address or by how its entry begins. It was written by somebody who has not seen how
// reports are read.
type truth struct {
	File     string
	Cited    []pair
	Optional []pair // that may be read as citations or not
}

type pair struct{ Sentence, Target string }

func truths(t *testing.T, folder string) []truth {
	f, err := os.Open(filepath.Join("testdata", folder, "truth.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	var out []truth
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one truth
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one))
		out = append(out, one)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, out)
	return out
}

// plain is a text without what marks, blanks and signs of punctuation differ in.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > 127 && strings.ContainsRune("¹²³⁴⁵⁶⁷⁸⁹⁰", r), !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// states reports whether a statement is, or goes with, the sentence of a pair; written is
// it as it stands in the report, markers and all.
func (p pair) states(s citation.Statement, written string) bool {
	want := plain(p.Sentence)
	return strings.Contains(plain(s.Text), want) || strings.Contains(plain(s.Passage), want) || strings.Contains(plain(written), want)
}

// names reports whether a reference is the source of a pair; entry is it as it stands in
// the report.
func (p pair) names(r citation.Reference, entry string) bool {
	want, url, text := plain(p.Target), plain(r.URL), plain(r.Text)
	return strings.Contains(url, want) || url != "" && strings.Contains(want, url) ||
		strings.Contains(plain(r.Label+r.Text+r.By+r.Title), want) || strings.Contains(plain(entry), want) ||
		text != "" && len(want) > 12 && strings.Contains(want, text)
}

// compare gives the pairs that are not found, and what was read besides.
func (w truth) compare(text string, d citation.Document) (missed, extra []string) {
	taken := map[[2]int]bool{}
	find := func(p pair) bool {
		found := false
		for i, s := range d.Statements {
			if !p.states(s, text[s.Start:s.End]) {
				continue
			}
			for _, n := range s.References {
				if r := d.References[n]; p.names(r, text[r.Start:r.End]) {
					taken[[2]int{i, n}], found = true, true
				}
			}
		}
		return found
	}
	for _, p := range w.Cited {
		if !find(p) {
			missed = append(missed, p.Sentence+" -> "+p.Target)
		}
	}
	for _, p := range w.Optional {
		find(p)
	}
	for i, s := range d.Statements {
		for _, n := range s.References {
			if !taken[[2]int{i, n}] {
				extra = append(extra, s.Text+" -> "+d.References[n].URL+" "+d.References[n].Text)
			}
		}
	}
	return missed, extra
}

// bounds are how many of the pairs of each report are not found, and how many are read
// that are none. They may only become less.
var bounds = map[string][2]int{
	"perplexity.md":   {0, 2},
	"claude.md":       {0, 2},
	"wikipedia.html":  {0, 1},
	"notion.md":       {6, 2},
	"legal_gdocs.txt": {0, 1},
	"news.html":       {0, 1},
	"slides.md":       {1, 1},
	"email.txt":       {0, 2},
}

// compared parses the report of a folder and gives what is missed and what is read besides.
func (w truth) compared(t *testing.T, folder string) (missed, extra []string, d citation.Document) {
	text, err := os.ReadFile(filepath.Join("testdata", folder, w.File))
	require.NoError(t, err)
	d, err = citation.Parse(text, "")
	require.NoError(t, err)
	missed, extra = w.compare(string(text), d)
	return missed, extra, d
}

func TestReportsOfStrangersAreReadAsFarAsTheyWere(t *testing.T) {
	for _, w := range truths(t, "strangers") {
		t.Run(w.File, func(t *testing.T) {
			missed, extra, d := w.compared(t, "strangers")
			require.Equal(t, bounds[w.File], [2]int{len(missed), len(extra)}, "the bound may only become less\nmissed:\n%s\nextra:\n%s", strings.Join(missed, "\n"), strings.Join(extra, "\n"))
			sections := slices.ContainsFunc(d.Findings, func(f citation.Finding) bool { return f.Fault == citation.NoMarkers })
			if d.Understood && !sections {
				require.LessOrEqual(t, len(missed)*2, len(w.Cited), "most of its marks are not read")
			}
		})
	}
}

func TestEachStyleIsReadInOtherWords(t *testing.T) {
	for _, w := range truths(t, "styles") {
		t.Run(w.File, func(t *testing.T) {
			missed, extra, d := w.compared(t, "styles")
			require.Empty(t, missed)
			require.Empty(t, extra)
			require.True(t, d.Understood)
		})
	}
}

// The marks of these reports lead to no list that can be told: nothing is to grade.
func TestAReportMostOfWhoseMarksAreNotReadIsNotUnderstood(t *testing.T) {
	for name, report := range map[string]string{
		"raised numbers": "# Bees\n\nBees fly up to three kilometres¹. They like lime trees². A hive of 60,000 bees needs 30 kg of honey³. Drones die in autumn⁴. See [the shop](https://shop.example/bees).\n\nHoney Atlas, North Press; The Lime Book; Hives and Winters; On Drones\n",
		"daggers":        "# Inns\n\n- The Swan was built of oak†\n- The Bell burned down twice‡\n- The Crown has a ghost†\n- The Ship is closed†‡\n\nAsk at the archive, https://archive.example/.\n",
		"tags":           "# Roads\n\nThe road was paved in 1912 [Mun-A:4]. It was widened later [Mun-B:9]. A toll was paid [Mun-A:7]. The toll ended [Dist-C:1].\n\nThe archive is at https://archive.example/.\n",
	} {
		d, err := citation.Parse([]byte(report), "")
		require.NoError(t, err)
		require.False(t, d.Understood, name)
		require.NotEmpty(t, d.Seen, name)
		require.Equal(t, citation.Style, d.Findings[0].Fault, name)
	}
	for name, report := range map[string]string{
		"units":    "# Plots\n\nThe plot has 300 m². The house has 120 m². The pond holds 40 m³. The fence is 90 m long. See [the register](https://plots.example/9).\n",
		"the dead": "# Painters\n\nAnna Roth († 1904) painted mills. Jo Wend († 1911) painted ships. Ida Falk († 1920) painted both. See [the museum](https://museum.example/roth).\n",
	} {
		d, err := citation.Parse([]byte(report), "")
		require.NoError(t, err)
		require.True(t, d.Understood, name)
	}
}
