package citation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/citation"
)

// hostile are texts made to cost a parser time, each repeated to a length.
var hostile = map[string]string{
	"open brackets":         "[",
	"closed brackets":       "[1]",
	"nested links":          "[a](",
	"links without end":     "[a](http://x.test/",
	"parentheses":           "(",
	"angles":                "<a ",
	"comments":              "<!-- ",
	"backticks":             "` `` ``` ",
	"emphasis":              "*a_ **b__ ",
	"quotation marks":       "“ a \" ",
	"nested quotations":     "> ",
	"addresses":             "http://",
	"lines of addresses":    "http://a.test/\n",
	"entries":               "[1] http://a.test/\n",
	"headings":              "# References\n",
	"fences":                "```\n~~~~\n`````\n",
	"items":                 "- 1. [^a]: \n",
	"table":                 "|a|[1]|\n",
	"entities":              "&amp;&#x",
	"numbers":               "1.1,1 ",
	"paths":                 "a/",
	"path and line":         "a.a:1",
	"superscripts":          "abc¹ ",
	"lenticular":            "【1†",
	"sentences":             "A b. ",
	"one sentence, markers": "a [1] ",
	"markers and quotes":    "“a b c” [1] ",
	"tags":                  "<div><p><a href='#a'>[1]</a>",
	"lists of HTML":         "<ul><li>",
	"raised":                "<sup>1",
	"lines of sources":      "Sources: http://a.test/\n\n---\n\n",
	"notes within notes":    "^[a ",
	"authors and years":     "(Smith, 2020) ",
	"tags of tools":         "<cite id=\"a\">",
	"signs":                 "«a1». ",
	"entries of one number": "# References\n\n[1] http://a.test/ b" + strings.Repeat(" c [2] d", 400) + "\n\n",
}

func TestHostileTextIsReadInBoundedTime(t *testing.T) {
	for name, piece := range hostile {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(piece, (256<<10)/len(piece))
			for _, mime := range []string{"text/markdown", "text/html"} {
				start := time.Now()
				_, err := citation.Parse([]byte(text), mime)
				require.NoError(t, err)
				require.Less(t, time.Since(start), 15*time.Second, mime) // tenths of a second; quadratic takes minutes
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, piece := range hostile {
		for _, mime := range []string{"text/markdown", "text/html"} {
			b.Run(name+" "+mime, func(b *testing.B) {
				text := []byte(strings.Repeat(piece, (1<<20)/len(piece)))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if _, err := citation.Parse(text, mime); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Numbers that count, name or measure are no citations, though a list has as many entries.
func TestNumbersAmidSentencesThatAreNoCitations(t *testing.T) {
	for _, text := range []string{
		"Variant 1 and scenario 2, with plan 3, cost more. Children aged 2 and older pay. Of those, 4 and 5 were lost.",
		"Scores rose from 1 to 2, then 3, and 4. Half lost 1, a quarter 2, and the rest 3.",
		"One hive lost 1 and the next lost 2, the third 3. We won 2, drew 1 and lost 3.",
		"The code1 and code2 and code3 files. Use python2 and http2, sha1 and utf8.",
		"The committee met twice, in May 2 and June 3. Vitamin d3 and factor 5 matter, and grade 4.",
		"Answer with yes 1, no 2, or maybe 3. The scale has very bad 1, bad 2, good 3 and very good 4.",
		"It took 1 and a half hours; it weighs 2, and it costs 3 or 4.",
		"The recipe takes eggs 1, butter 2, and sugar 3. Bake until brown 4.",
		"Players scored: goals 1, assists 2, cards 3, and fouls 4.",
		"Call extension 1, or dial 2, or press 3, or say 4 for help.",
		"The mixture contains hydrogen 1, helium 2, lithium 3, and beryllium 4.",
		"Of patients, men 1, women 2, children 3, and infants 4 were lost.",
		"Bus lines run hourly 1, daily 2, or weekly 3. Night lines run monthly 4.",
		"Factor alpha1 and beta2 and gamma3 matter. Receptor kappa4 too.",
		"They ranked honesty 1, skill 2, and speed 3. The rest ranked lower.",
		"The league has wins 1, draws 2, losses 3. Points are 4.",
		"Weight kg 1, height cm 2, and girth mm 3 were recorded. Pulse ms 4.",
	} {
		d, err := citation.Parse([]byte("# R\n\n"+text+"\n\n## References\n\n1. A, https://a.example.org/a\n2. B, https://a.example.org/b\n3. C, https://a.example.org/c\n4. D, https://a.example.org/d\n"), "")
		require.NoError(t, err)
		require.Empty(t, d.Statements, text)
	}
}

// A number within an entry of a list begins no other one.
func TestANumberWithinAnEntryBeginsNone(t *testing.T) {
	const text = "# R\n\nKettles boil at a hundred degrees in most towns [1]. They whistle for a minute before anybody comes [2].\n\n## References\n\n"
	for _, list := range []string{
		"1. A, vol. 2. https://a.example.org/a\n2. B, https://b.example.org/b\n3. C, https://c.example.org/c\n",
		"1. A in its 2. edition, https://a.example.org/a\n2. B, https://b.example.org/b\n",
		"1. Smith, Works, vol. 2. Oxford, https://a.example.org/a 2. B, https://b.example.org/b\n",
		"[1] Smith, answering [2] of Jones, https://a.example.org/a [2] Jones, https://b.example.org/b\n",
		"[1] Smith, Works, Part [2] of three, https://a.example.org/a\n[2] Jones, https://b.example.org/b\n",
	} {
		d, err := citation.Parse([]byte(text+list), "")
		require.NoError(t, err)
		require.Len(t, d.Statements, 2, list)
		for i, want := range []string{"https://a.example.org/a", "https://b.example.org/b"} {
			require.Len(t, d.Statements[i].References, 1, list)
			require.Equal(t, want, d.References[d.Statements[i].References[0]].URL, list)
		}
	}
}
