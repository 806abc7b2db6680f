package stated_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

func TestNumbersHaveOneForm(t *testing.T) {
	for in, want := range map[string]string{
		"12":             "12e0",
		"12.50":          "125e-1",
		"39,218":         "39218e0",
		"1,234,567":      "1234567e0",
		"1.234.567,5":    "12345675e-1",
		"1 234":          "1e0 234e0",
		"1\u202f234":     "1234e0",
		"3,5":            "35e-1",
		"12.5 million":   "125e5",
		"12.5M":          "125e5",
		"6.64亿":          "664e6",
		"5万":             "5e4",
		"10k":            "1e4",
		"85 miles de":    "85e3",
		"3 mil millones": "3e9",
		"14 миллиардов":  "14e9",
		"6.9 مليار":      "69e8",
		"5 करोड़":        "5e7",
		"100 만":          "1e6",
		"3 Milliarden":   "3e9",
		"12 %":           "12e0",
		"12 percent":     "12e0",
		"GPT-4":          "",
		"H2O and v1":     "",
		"6T cells":       "",
		"$6T":            "6e12",
		"1.2.3":          "",
		"5G":             "",
		"100 m":          "1e2",
		"0.05":           "5e-2",
		"1906—1937":      "1906e0 1937e0",
	} {
		t.Run(in, func(t *testing.T) {
			var got []string
			for _, n := range stated.Numbers("a " + in + " b") {
				got = append(got, n.Value)
			}
			require.Equal(t, want, strings.Join(got, " "))
		})
	}
}

func TestWhatStandsBetweenMarksIsQuoted(t *testing.T) {
	for in, want := range map[string]string{
		`He said "the cell is full" and left.`: "the cell is full",
		`Er sagte: »die Zelle ist voll«.`:      "die Zelle ist voll",
		`他说“这个细胞已经完全充满了”。`:                     "这个细胞已经完全充满了",
		`a "term" only`:                  "",
		`5" wide and 6" high and so on`:  "",
		`"never closed`:                  "",
		"don’t say ‘it is all over’ now": "it is all over",
		"":                               "",
	} {
		t.Run(in, func(t *testing.T) {
			var got []string
			for _, s := range stated.Quoted(in) {
				got = append(got, in[s.From:s.To])
			}
			require.Equal(t, want, strings.Join(got, "|"))
		})
	}
}

func TestNoQuotationIsCutInTwo(t *testing.T) {
	in := `He said "it is full. It cannot grow. Stop." Then he left.`
	var got []string
	for _, s := range stated.Sentences(in, stated.Quoted(in)) {
		got = append(got, strings.TrimSpace(in[s.From:s.To]))
	}
	require.Equal(t, []string{`He said "it is full. It cannot grow. Stop."`, "Then he left."}, got)
}

func FuzzStated(f *testing.F) {
	f.Add(`"a b c" 1,5 Mio. «d e f»`)
	f.Fuzz(func(t *testing.T, in string) {
		at := 0
		for _, s := range stated.Quoted(in) {
			require.True(t, at <= s.From && s.From <= s.To && s.To <= len(in))
			at = s.To
		}
		for _, n := range stated.Numbers(in) {
			require.Equal(t, n.Text, in[n.Start:n.Start+len(n.Text)])
		}
	})
}
