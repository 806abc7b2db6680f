package citation_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/citation"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const list = "\n\n## References\n\n[1] https://one.test/ - One\n[2] https://two.test/ - Two\n[3] https://three.test/ - Three\n[4] https://four.test/ - Four\n"

func parse(t *testing.T, report string) citation.Document {
	t.Helper()
	d, err := citation.Parse([]byte(report), "text/markdown")
	require.NoError(t, err)
	return d
}

func parseHTML(t *testing.T, report string) citation.Document {
	t.Helper()
	d, err := citation.Parse([]byte(report), "text/html; charset=utf-8")
	require.NoError(t, err)
	return d
}

// cited are the addresses of the sources a statement refers to.
func cited(d citation.Document, s citation.Statement) []string {
	var out []string
	for _, n := range s.References {
		out = append(out, d.References[n].URL)
	}
	return out
}

func TestEveryFormOfAReferenceInMarkdownIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		text  string
		leads []string
	}{
		"a number behind the sentence":     {"The sky is blue. [1]" + list, "The sky is blue.", []string{"https://one.test/"}},
		"a number within it":               {"The sky is blue [1]." + list, "The sky is blue.", []string{"https://one.test/"}},
		"a number joined to a word":        {"The sky is blue[2]." + list, "The sky is blue.", []string{"https://two.test/"}},
		"several numbers":                  {"The sky is blue [1, 3]." + list, "The sky is blue.", []string{"https://one.test/", "https://three.test/"}},
		"a range":                          {"The sky is blue [1-3]." + list, "The sky is blue.", []string{"https://one.test/", "https://two.test/", "https://three.test/"}},
		"a range with a dash":              {"The sky is blue [2–3; 1]." + list, "The sky is blue.", []string{"https://two.test/", "https://three.test/", "https://one.test/"}},
		"numbers side by side":             {"The sky is blue [1][2]." + list, "The sky is blue.", []string{"https://one.test/", "https://two.test/"}},
		"a page beside the number":         {"The sky is blue [1, p. 23]." + list, "The sky is blue.", []string{"https://one.test/"}},
		"a word before the number":         {"The sky is blue [Source 2]." + list, "The sky is blue.", []string{"https://two.test/"}},
		"what one tool writes":             {"[cite_start]The sky is blue [cite: 1, 2]." + list, "The sky is blue.", []string{"https://one.test/", "https://two.test/"}},
		"lenticular brackets":              {"天空是蓝色的，草是绿色的【1】。" + list, "天空是蓝色的，草是绿色的。", []string{"https://one.test/"}},
		"lenticular brackets and a dagger": {"The sky is blue 【2†source】." + list, "The sky is blue.", []string{"https://two.test/"}},
		"escaped brackets":                 {`The sky is blue \[1\].` + list, "The sky is blue.", []string{"https://one.test/"}},
		"a number that is a link":          {"The sky is blue [[1]](https://one.test/)." + list, "The sky is blue.", []string{"https://one.test/"}},
		"a number that is only a link":     {"The sky is blue ([1](https://other.test/)).", "The sky is blue.", []string{"https://other.test/"}},
		"a raised number":                  {"The sky is blue<sup>1</sup>." + list, "The sky is blue.", []string{"https://one.test/"}},
		"a raised number in brackets":      {"The sky is blue<sup>[1,2]</sup>." + list, "The sky is blue.", []string{"https://one.test/", "https://two.test/"}},
		"raised digits":                    {"The sky is blue.¹ ³" + list, "The sky is blue.", []string{"https://one.test/", "https://three.test/"}},
		"pandoc's raised number":           {"The sky is blue.^1,2^" + list, "The sky is blue.", []string{"https://one.test/", "https://two.test/"}},
		"a footnote":                       {"The sky is blue.[^a]\n\n[^a]: See https://note.test/x.", "The sky is blue.", []string{"https://note.test/x"}},
		"a numbered footnote":              {"The sky is blue[^1].\n\n[^1]: <https://note.test/>", "The sky is blue.", []string{"https://note.test/"}},
		"a link":                           {"The [sky](https://a.test/) is blue.", "The sky is blue.", []string{"https://a.test/"}},
		"a link with parentheses":          {"The [sky](https://a.test/w_(x)_y) is blue.", "The sky is blue.", []string{"https://a.test/w_(x)_y"}},
		"a link with a title":              {`The [sky](https://a.test/ "a (good) title") is blue.`, "The sky is blue.", []string{"https://a.test/"}},
		"a link in angles":                 {"The [sky](<https://a.test/a b>) is blue.", "The sky is blue.", []string{"https://a.test/a b"}},
		"a link with brackets in it":       {"The [sky [above]](https://a.test/) is blue.", "The sky [above] is blue.", []string{"https://a.test/"}},
		"a link by name":                   {"The [sky][s] is blue.\n\n[s]: https://a.test/ \"Sky\"", "The sky is blue.", []string{"https://a.test/"}},
		"a link by its own name":           {"The [Sky] is blue.\n\n[sky]: https://a.test/", "The Sky is blue.", []string{"https://a.test/"}},
		"a picture in a link":              {"The [sky ![x](https://img.test/x.png)](https://a.test/) is blue.", "The sky is blue.", []string{"https://a.test/"}},
		"an address in angles":             {"The sky is blue, see <https://a.test/>.", "The sky is blue, see.", []string{"https://a.test/"}},
		"a bare address":                   {"The sky is blue (https://a.test/x_(y)), says one.", "The sky is blue, says one.", []string{"https://a.test/x_(y)"}},
		"a bare address and a full stop":   {"The sky is blue: https://a.test/x.", "The sky is blue:.", []string{"https://a.test/x"}},
		"a bare address in Chinese":        {"天空是蓝色的，见https://a.test/x。草是绿色的。", "天空是蓝色的，见。", []string{"https://a.test/x"}},
		"an HTML link":                     {`The <a href="https://a.test/?a=1&amp;b=2">sky</a> is blue.`, "The sky is blue.", []string{"https://a.test/?a=1&b=2"}},
		"a place of a file":                {"The sky is set in `src/sky.go:12-14` to blue.", "The sky is set in src/sky.go:12-14 to blue.", []string{"src/sky.go:12-14"}},
		"a file by a link":                 {"The [sky](../docs/sky.md) is blue.", "The sky is blue.", []string{"../docs/sky.md"}},
		"a standard":                       {"The sky is blue by RFC 9110 alone.", "The sky is blue by RFC 9110 alone.", []string{"RFC 9110"}},
		"a DOI":                            {"The sky is blue (doi:10.1000/xyz).", "The sky is blue (doi:10.1000/xyz).", []string{"doi:10.1000/xyz"}},
		"a preprint":                       {"The sky is blue (arXiv:2301.00001v2).", "The sky is blue (arXiv:2301.00001v2).", []string{"arXiv:2301.00001v2"}},
		"a number on a line of its own":    {"The sky is blue.\n[1]" + list, "The sky is blue.", []string{"https://one.test/"}},
		"a paragraph of its own":           {"The sky is blue.\n\nSource: [A](https://a.test/)", "The sky is blue.", []string{"https://a.test/"}},
		"an entry of a list":               {"- The sky is blue [1]" + list, "The sky is blue", []string{"https://one.test/"}},
		"a row of a table":                 {"| a | b |\n|---|---|\n| The sky | blue [2] |" + list, "The sky | blue", []string{"https://two.test/"}},
		"emphasis":                         {"The **sky** is _blue_ **[1]**." + list, "The sky is blue.", []string{"https://one.test/"}},
		"code that was closed by a marker": {"The sky is blue.\n\n```\nx[9]\n``` [1]" + list, "The sky is blue.", []string{"https://one.test/"}},
		"code that nobody closed":          {"The sky is blue. [1]\n\n```" + list, "The sky is blue.", []string{"https://one.test/"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, c.in)
			require.Len(t, d.Statements, 1)
			require.Equal(t, c.text, d.Statements[0].Text)
			require.Equal(t, c.leads, cited(d, d.Statements[0]))
		})
	}
}

func TestEveryFormOfAReferenceInHTMLIsRead(t *testing.T) {
	const ol = `<h2>Sources</h2><ol><li id="r1"><a href="https://one.test/">One</a> <a href="#b1">↩</a></li><li id="r2">Two. https://two.test/</li></ol>`
	for name, c := range map[string]struct {
		in    string
		text  string
		leads []string
	}{
		"a link":                       {`<p>The <a href="https://a.test/?a&amp;b">sky</a> is blue.</p>`, "The sky is blue.", []string{"https://a.test/?a&b"}},
		"a raised link to an entry":    {`<p>The sky is blue.<sup><a href="#r2">[1]</a></sup></p>` + ol, "The sky is blue.", []string{"https://two.test/"}},
		"brackets around a link":       {`<p>The sky is blue [<a href="#r1">1</a>, <a href="#r2">2</a>].</p>` + ol, "The sky is blue.", []string{"https://one.test/", "https://two.test/"}},
		"a raised number":              {`<p>The sky is blue<sup>2</sup>.</p>` + ol, "The sky is blue.", []string{"https://two.test/"}},
		"a number in brackets":         {`<p>The sky is blue&nbsp;[1].</p>` + ol, "The sky is blue.", []string{"https://one.test/"}},
		"words that lead to an entry":  {`<p>The sky is blue (<a href="#r1">Smith 2020</a>).</p>` + ol, "The sky is blue (Smith 2020).", []string{"https://one.test/"}},
		"a bare address":               {`<p>The sky is blue, https://a.test/.</p>`, "The sky is blue,.", []string{"https://a.test/"}},
		"a number that is a link":      {`<p>The sky is blue <a href="https://one.test/">[1]</a>.</p>` + ol, "The sky is blue.", []string{"https://one.test/"}},
		"a list of lines":              {`<p>The sky is blue [2].</p><p>Sources:<br>[1] https://one.test/<br>[2] https://two.test/</p>`, "The sky is blue.", []string{"https://two.test/"}},
		"a list that goes on at three": {`<p>The sky is blue [3].</p><h3>Sources</h3><ol start="3"><li>https://one.test/</li></ol>`, "The sky is blue.", []string{"https://one.test/"}},
		"a frame around the main part": {
			`<div role="navigation"><a href="https://n.test/">n</a></div><div><a href="https://m.test/">Other stories</a></div><main><p>The sky is blue [1].</p>` + ol + `</main><div>Read <a href="https://l.test/">the latest</a></div>`,
			"The sky is blue.",
			[]string{"https://one.test/"},
		},
		"menus and scripts around it": {
			`<head><style>p{}</style></head><nav><a href="https://n.test/">n</a></nav><script>"<p>[7]"</script><p>The sky is blue [1].</p><footer><a href="https://f.test/">f</a></footer>` + ol,
			"The sky is blue.",
			[]string{"https://one.test/"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := parseHTML(t, c.in)
			require.Len(t, d.Statements, 1)
			require.Equal(t, c.text, d.Statements[0].Text)
			require.Equal(t, c.leads, cited(d, d.Statements[0]))
		})
	}
}

func TestWhatIsNoReferenceIsNone(t *testing.T) {
	for name, in := range map[string]string{
		"an index":           "The entry a[7] of the array is read." + list,
		"a year":             "In the year [2023] it was so." + list,
		"a unit":             "The area is 5 km² or 10 m<sup>3</sup> of land." + list,
		"a mailbox":          "Write to [us](mailto:a@b.test) now.",
		"a place in it":      "See [above](#above) for more of it.",
		"a picture":          "Look at ![1](https://img.test/x.png) and go on.",
		"code":               "    x[1]\n\n```\ny [2] https://c.test/\n```\n\nAnd text goes on here.",
		"a host with a port": "Listen on example.com:8080 for it.",
		"a comment":          "Some text <!-- https://c.test/ [1] --> goes on.",
		"front matter":       "---\nsource: https://c.test/\n---\nSome text goes on.",
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, in)
			require.Empty(t, d.Statements)
			for _, f := range d.Findings {
				require.NotEqual(t, citation.Dangling, f.Fault)
			}
		})
	}
}

func TestListsOfSourcesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		labels []string
	}{
		"numbers in brackets":           {"## References\n\n[1] A. https://a.test/\n[2] B. https://b.test/", []string{"1", "2"}},
		"numbers with a full stop":      {"## Sources:\n\n1. A. https://a.test/\n2. B. https://b.test/", []string{"1", "2"}},
		"a numbered heading":            {"# 7. Works Cited\n\n1. A. https://a.test/\n2. B. https://b.test/", []string{"1", "2"}},
		"a line in bold":                {"**References**\n\n[1] A. https://a.test/\n[2] B. https://b.test/", []string{"1", "2"}},
		"a line with a colon":           {"参考文献：\n[1] https://a.test/\n[2] https://b.test/", []string{"1", "2"}},
		"Chinese":                       {"## 七、参考资料\n\n1. A https://a.test/\n2. B https://b.test/", []string{"1", "2"}},
		"German":                        {"## Quellen\n\n[1] https://a.test/\n\n[2] https://b.test/", []string{"1", "2"}},
		"French":                        {"## Références\n\n- [1] https://a.test/\n- [2] https://b.test/", []string{"1", "2"}},
		"lenticular brackets":           {"## 来源\n\n【1】A https://a.test/\n【2】B https://b.test/", []string{"1", "2"}},
		"no heading":                    {"[1] https://a.test/ - A\n[2] https://b.test/ - B", []string{"1", "2"}},
		"no heading and no addresses":   {"[1] Smith, The Book.\n[2] Jones, The Other.", []string{"1", "2"}},
		"an address on the next line":   {"## References\n\n[1] A\nhttps://a.test/\n\n[2] B\nhttps://b.test/", []string{"1", "2"}},
		"an address in a new paragraph": {"## References\n\n1. A\n\n   https://a.test/\n\n2. B\n\n   https://b.test/", []string{"1", "2"}},
		"a table":                       {"## References\n\n| # | Source |\n|---|---|\n| 1 | [A](https://a.test/) |\n| 2 | [B](https://b.test/) |", []string{"1", "2"}},
		"definitions of links":          {"[1]: https://a.test/ \"A\"\n[2]: https://b.test/", []string{"1", "2"}},
		"text behind it":                {"## References\n\n[1] https://a.test/\n[2] https://b.test/\n\n---\n\nWritten by a program in a hurry.", []string{"1", "2"}},
		"headings within it":            {"## Sources\n\n### Official\n\n1. https://a.test/\n\n### Other\n\n2. https://b.test/", []string{"1", "2"}},
		"a heading underlined":          {"References\n----------\n\n[1] https://a.test/\n[2] https://b.test/", []string{"1", "2"}},
		"bold labels":                   {"## References\n\n**[1]** https://a.test/\n\n**[2]** https://b.test/", []string{"1", "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, "# T\n\nThe sky is blue [1]. The grass is green [2].\n\n"+c.in)
			var labels []string
			for _, r := range d.References {
				require.True(t, r.Listed)
				labels = append(labels, r.Label)
			}
			require.Equal(t, c.labels, labels)
			require.Len(t, d.Statements, 2)
			for _, f := range d.Findings {
				require.Equal(t, citation.NoAddress, f.Fault)
			}
		})
	}
}

func TestAHeadingOfSourcesMayHeadSomethingElse(t *testing.T) {
	d := parse(t, "## Sources\n\nThe river has two sources, one in each valley [1]. Both are dry in summer.\n\n## More\n\n- [1] is a marker here."+list)
	require.Len(t, d.References, 4)
	require.Equal(t, "The river has two sources, one in each valley.", d.Statements[0].Text)
}

func TestEntriesAreDescribed(t *testing.T) {
	for in, want := range map[string]citation.Reference{
		"https://a.test/x - A Title | Site":                                              {Title: "A Title | Site", URL: "https://a.test/x", Key: "url:a.test/x"},
		"Smith, J., & Doe, A. (2019). The growth of things. Journal, 3. doi:10.1000/abc": {Title: "The growth of things", By: "Smith, J., & Doe, A", Year: 2019, URL: "doi:10.1000/abc", Key: "doi:10.1000/abc"},
		"J. Smith, “The growth of things,” Journal, 2019. https://a.test/x":              {Title: "The growth of things", By: "J. Smith", Year: 2019, URL: "https://a.test/x", Key: "url:a.test/x"},
		"[The Growth](https://a.test/x), Site":                                           {Title: "The Growth", URL: "https://a.test/x", Key: "url:a.test/x"},
		"The Growth. https://a.test/x https://doi.org/10.1000/abc":                       {URL: "https://doi.org/10.1000/abc", Key: "doi:10.1000/abc"},
		"internal/a.go:12": {URL: "internal/a.go:12", Key: "file:internal/a.go"},
	} {
		t.Run(in, func(t *testing.T) {
			d := parse(t, "It grows [1].\n\n## References\n\n[1] "+in+"\n")
			got := d.References[0]
			require.Equal(t, want, citation.Reference{Title: got.Title, By: got.By, Year: got.Year, URL: got.URL, Key: got.Key})
		})
	}
}

func TestSentencesEndWhereTheyEnd(t *testing.T) {
	for in, want := range map[string]string{
		"First one. Dr. Smith et al. found it in Fig. 3 by 1.5 m [1]. Last one.":  "Dr. Smith et al. found it in Fig. 3 by 1.5 m.",
		"First one. He said “It is so. It was so.” of it [1]. Last one.":          "He said “It is so. It was so.” of it.",
		"First one. J. R. Smith of the U.S. Army found it, e.g. here [1]. Last.":  "J. R. Smith of the U.S. Army found it, e.g. here.",
		"第一句话在这里。第二句话在这里[1]。第三句话在这里。":                                             "第二句话在这里。",
		"最初の文です。次の文です。[1] 最後の文です。":                                                "次の文です。",
		"First one! Is it so? [1] Last one.":                                      "Is it so?",
		"Первое предложение. Второе предложение здесь [1]. Третье.":               "Второе предложение здесь.",
		"Es wurde am 6. Dezember 2001 geschätzt [1]. Letzter Satz.":               "Es wurde am 6. Dezember 2001 geschätzt.",
		"[1] says that it is so. Last one.":                                       "says that it is so.",
		"The first claim is here, a claim [1] and more of it. The last one here.": "The first claim is here, a claim and more of it.",
	} {
		t.Run(in, func(t *testing.T) {
			d := parse(t, in+list)
			require.Len(t, d.Statements, 1)
			require.Equal(t, want, d.Statements[0].Text)
		})
	}
}

func TestAListOfLinksIsNoSourceOfTheSentenceBefore(t *testing.T) {
	d := parse(t, "The sky is blue. Read more:\n\n- [The blue of the sky](https://a.test/)\n- [Why grass is green](https://b.test/)\n")
	require.Len(t, d.Statements, 2)
	require.Equal(t, "The blue of the sky", d.Statements[0].Text)
}

func TestAPassageReachesBackToTheLastMarker(t *testing.T) {
	d := parse(t, "One is one. Two is two. [1] Three is three. Four is four. [2]"+list)
	require.Len(t, d.Statements, 2)
	require.Equal(t, "One is one. Two is two.", d.Statements[0].Passage)
	require.Equal(t, "Three is three. Four is four.", d.Statements[1].Passage)
	require.Equal(t, "Four is four.", d.Statements[1].Text)
}

func TestQuotationsAreFoundInAnyMarks(t *testing.T) {
	for in, want := range map[string][]string{
		`He calls it "a very good thing" [1].`:                         {"a very good thing"},
		`He calls it “a very good thing” [1].`:                         {"a very good thing"},
		`He calls it «a very good thing» [1].`:                         {"a very good thing"},
		`He calls it »a very good thing« [1].`:                         {"a very good thing"},
		`He calls it „a very good thing“ [1].`:                         {"a very good thing"},
		`He calls it „a very good thing” [1].`:                         {"a very good thing"},
		`He calls it ‘a man’s very good thing’ [1].`:                   {"a man’s very good thing"},
		`He calls it 「非常に良いものだと思います」 [1].`:                             {"非常に良いものだと思います"},
		`He calls it 『非常に良いものだと思います』 [1].`:                             {"非常に良いものだと思います"},
		`他说“这是一件非常非常好的事情”[1]。`:                                         {"这是一件非常非常好的事情"},
		`He calls it "good" and a 5" pipe and "so be it then" [1].`:    {"so be it then"},
		`It's the dogs' house and the cats' too [1].`:                  nil,
		`He says “she said ‘do not go there’ to me” [1].`:              {"she said ‘do not go there’ to me"},
		`He says “one two three” and “four five six” [1].`:             {"one two three", "four five six"},
		`He calls it [“a very good thing”](https://a.test/) here [1].`: nil,
		`He calls it "a very good thing [1].`:                          nil,
	} {
		t.Run(in, func(t *testing.T) {
			d := parse(t, in+list)
			require.Len(t, d.Statements, 1)
			var got []string
			for _, q := range d.Statements[0].Quotations {
				got = append(got, q.Text)
			}
			require.Equal(t, want, got)
		})
	}
}

func TestAQuotationIsLookedForWhereItsMarkerPoints(t *testing.T) {
	for in, want := range map[string]string{
		"He says “one two three” [1], she “four five six” [2].":              "https://one.test/",
		"As [1] has it, “one two three” is so.":                              "https://one.test/",
		"He says “one two three”. It was so. [1] And not so. [2]":            "https://one.test/",
		"It was so. [1] He says “one two three”.":                            "https://one.test/",
		"> one two three four\n\nSource: https://one.test/":                  "https://one.test/",
		"> one two three four [1]":                                           "https://one.test/",
		"> one two three four\n> — Smith [1]":                                "https://one.test/",
		"He says this in the paper [1]:\n\n> one two three four\n\nAnd more": "https://one.test/",
	} {
		t.Run(in, func(t *testing.T) {
			d := parse(t, in+list)
			require.NotEmpty(t, d.Statements)
			for _, s := range d.Statements {
				for _, q := range s.Quotations {
					require.True(t, strings.HasPrefix(q.Text, "one two three"))
					require.Equal(t, want, d.References[q.References[0]].URL)
					return
				}
			}
			t.Fatal("no quotation was found")
		})
	}
}

func TestANoteSetLikeAQuotationIsNone(t *testing.T) {
	for _, in := range []string{"> **Note:** one two three four [1]", "> [!TIP] one two three four [1]", "> 💡 one two three four [1]", "> One is one [1]. Two is two [2]. Three is three [3]."} {
		for _, s := range parse(t, in+list).Statements {
			require.Empty(t, s.Quotations, in)
		}
	}
}

func TestFaultsOfStructureAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		fault citation.Fault
		line  int
		times int
		says  string
	}{
		"dangling":          {"A is a [1].\n\nB is b [7]. C is c [7].\n\n[1] https://a.test/\n", citation.Dangling, 3, 2, "[7] stands in the text 2 times"},
		"dangling in range": {"A is a [1-3].\n\n## Sources\n[1] https://a.test/\n[3] https://c.test/\n", citation.Dangling, 0, 1, "[2]"},
		"duplicate":         {"A is a [1] [2].\n\n[1] https://www.a.test/?utm_source=x\n[2] http://a.test/\n", citation.Duplicate, 4, 1, "[1], [2] are one source"},
		"unused":            {"A is a [1].\n\n[1] https://a.test/\n[2] https://b.test/\n", citation.Unused, 4, 1, "[2] is listed"},
		"no address":        {"A is a [1] [2].\n\n## References\n[1] https://a.test/\n[2] Smith, The Book\n", citation.NoAddress, 5, 1, "Smith, The Book"},
		"same label":        {"A is a [1].\n\n[1] https://a.test/\n[1] https://b.test/\n", citation.SameLabel, 4, 1, "called [1]"},
		"gap":               {"A is a [1] [4].\n\n[1] https://a.test/\n[4] https://b.test/\n", citation.Gap, 4, 2, "2, 3"},
		"no list":           {"A is a [1]. B is b [2].\n", citation.NoList, 1, 2, "2 markers"},
		"no markers":        {"A is a.\n\n## Sources\n\n- https://a.test/\n- https://b.test/\n", citation.NoMarkers, 0, 1, "2 sources"},
		"no sources":        {"A is a. B is b.\n", citation.NoSources, 0, 0, "no source"},
		"left over":         {"A is a citeturn0search1. B is b 【4:0†x】.\n", citation.Leftover, 1, 2, "2 reference tokens"},
		"elsewhere":         {"A is a [[1]](https://b.test/).\n\n[1] https://a.test/\n[2] https://b.test/\n", citation.Elsewhere, 1, 1, "links to https://b.test/"},
		"bad address":       {"A is a [x](https://exa mple/).\n\nB is [b](https://..).", citation.Unreadable, 3, 1, "https://.."},
		"second list":       {"A is a [1].\n\n## References\n\n1. Smith, The Book\n2. Jones, The Other\n\n参考文献：\n[1] https://a.test/\n", citation.SecondList, 5, 2, "second list of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, c.in)
			for _, f := range d.Findings {
				if f.Fault == c.fault {
					require.Equal(t, c.line, f.Line)
					require.Equal(t, c.times, f.Times)
					require.Contains(t, f.Detail, c.says)
					return
				}
			}
			t.Fatalf("not found among %v", d.Findings)
		})
	}
}

func TestASoundReportHasNoFindings(t *testing.T) {
	require.Empty(t, parse(t, "# T\n\nA is a [1]. B is b [2, 3]. C is c [4]."+list).Findings)
}

func TestPlacesAreThoseOfTheReport(t *testing.T) {
	report := "# T\r\n\r\nFirst line.\r\nA &amp; “one two three” is **b** [1]. Last.\r\n\r\n[1] https://a.test/\r\n"
	d := parse(t, report)
	require.Len(t, d.Statements, 1)
	s := d.Statements[0]
	require.Equal(t, "A &amp; “one two three” is **b** [1].", strings.TrimSpace(report[s.Start:s.End]))
	require.Equal(t, 4, s.Line)
	require.Equal(t, "one two three", report[s.Quotations[0].Start:s.Quotations[0].End])
	require.Equal(t, 6, d.References[0].Line)
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"too large":    {make([]byte, citation.Limit+1), citation.ErrTooLarge},
		"binary":       {[]byte("\x7fELF\x00\x01\x02"), citation.ErrBinary},
		"another code": {[]byte("\xd6\xd0\xb9\xfa\xc8\xcb\xc3\xf1"), citation.ErrBinary},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := citation.Parse(c.in, "")
			require.ErrorIs(t, err, c.want)
		})
	}
	for name, in := range map[string]string{
		"empty":         "",
		"UTF-16":        "\xff\xfeA\x00 \x00i\x00s\x00",
		"a broken byte": strings.Repeat("good text ", 20) + "\xff",
		"a mark first":  "\ufeff# Title\n\nText",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := citation.Parse([]byte(in), "")
			require.NoError(t, err)
		})
	}
}

func TestHTMLIsToldFromMarkdown(t *testing.T) {
	for in, html := range map[string]bool{
		"<!DOCTYPE html><p>A <b>is</b> a.": true, "  <html><p>A is a.": true, "A <b>is</b> a.": false, "# A": false,
	} {
		d, err := citation.Parse([]byte(in+" <nav>[9] is <a href='https://n.test/'>n</a></nav>"), "")
		require.NoError(t, err)
		require.Equal(t, html, len(d.References) == 0, in)
	}
}

// Whatever is read, every place lies within it and every index has its
// reference.
func check(t require.TestingT, report string, d citation.Document) {
	within := func(start, end int) {
		require.True(t, 0 <= start && start <= end && end <= len(report), "%d-%d of %d", start, end, len(report))
	}
	refs := func(list []int) {
		for _, n := range list {
			require.True(t, n >= 0 && n < len(d.References))
		}
	}
	for _, s := range d.Statements {
		within(s.Start, s.End)
		require.True(t, utf8.ValidString(s.Text))
		require.True(t, len(s.References) > 0 || len(s.Markers) > 0)
		require.Positive(t, s.Line)
		refs(s.References)
		for _, q := range s.Quotations {
			within(q.Start, q.End)
			require.Equal(t, len(s.References) > 0, len(q.References) > 0)
			refs(q.References)
		}
	}
	for _, r := range d.References {
		within(r.Start, r.End)
		require.Positive(t, r.Line)
	}
	for _, f := range d.Findings {
		refs(f.References)
		require.NotEmpty(t, f.Detail)
	}
	_, err := json.Marshal(d)
	require.NoError(t, err)
}

func TestAnythingCanBeRead(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"A is a. ", "[1]", "[^x]", "\n", "\n\n", "> ", "- ", "1. ", "| a | b |\n", "## References\n", "https://a.test/ ", "](", ")", "“one two three” ",
		"`", "```\n", "<sup>2</sup>", "<a href=\"#x\">1</a>", "<li id=x>", "【2】", "&amp;", "[2]: https://b.test/\n", "[^x]: note\n", "**", "参考文献：\n", "天空是蓝色的。", "12.5 % ", "\\", "\xff", "é",
	})
	rapid.Check(t, func(t *rapid.T) {
		report := strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "pieces"), "")
		for _, mime := range []string{"text/markdown", "text/html"} {
			if d, err := citation.Parse([]byte(report), mime); err == nil {
				check(t, report, d)
			}
		}
	})
}

// A report written by rule has exactly the faults it was written with.
func TestPlantedFaultsOfStructureAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "references")
		unused := rapid.IntRange(0, n-1).Draw(t, "unused")
		dangling := rapid.IntRange(0, 5).Draw(t, "dangling")
		doubled := rapid.IntRange(0, n-1).Draw(t, "doubled")
		form := rapid.SampledFrom([]string{"Claim %d holds [%d].\n\n", "Claim %d holds.[%d] ", "- Claim %d holds 【%d】\n", "Claim %d holds\\[%d\\]. ", "| Claim %d holds | [%d] |\n"}).Draw(t, "form")
		heading := rapid.SampledFrom([]string{"", "## References\n\n", "## 参考文献\n\n", "**Sources**\n\n", "Quellen:\n"}).Draw(t, "heading")
		var b strings.Builder
		for i := unused; i < n; i++ {
			fmt.Fprintf(&b, form, i, i+1)
		}
		for i := range dangling {
			fmt.Fprintf(&b, form, i, n+10+i)
		}
		b.WriteString("\n\n" + heading)
		for i := range n {
			page := i
			if i > 0 && i <= doubled {
				page = 0
			}
			fmt.Fprintf(&b, "[%d] https://site.test/%d - Title %d\n", i+1, page, i)
		}
		d, err := citation.Parse([]byte(b.String()), "")
		require.NoError(t, err)
		got := map[citation.Fault]int{}
		for _, f := range d.Findings {
			got[f.Fault] += max(1, f.Times)
		}
		want := map[citation.Fault]int{}
		for fault, times := range map[citation.Fault]int{citation.Unused: unused, citation.Dangling: dangling, citation.Duplicate: doubled} {
			if times > 0 {
				want[fault] = times
			}
		}
		require.Equal(t, want, got, b.String())
	})
}

func FuzzParse(f *testing.F) {
	f.Add("A is a [1].\n\n## References\n[1] https://a.test/", false)
	f.Add("<p>A is <a href='#r'>[1]</a></p><h2>Sources</h2><ol><li id=r>x</ol>", true)
	f.Add("> “one two three” — B [^n]\n\n[^n]: https://n.test/\n| a | [2] |", false)
	f.Fuzz(func(t *testing.T, report string, html bool) {
		mime := "text/markdown"
		if html {
			mime = "text/html"
		}
		if d, err := citation.Parse([]byte(report), mime); err == nil {
			check(t, report, d)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	sample, err := os.ReadFile(filepath.Join("testdata", "report.md"))
	require.NoError(b, err)
	b.SetBytes(int64(len(sample)))
	for b.Loop() {
		if _, err := citation.Parse(sample, "text/markdown"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestStatementsAreGivenWithTheirSources(t *testing.T) {
	d := parse(t, "He says “one two three” [1], she “four five six” [2]. Both are right [1, 3, 9]."+list+"[9] Smith, The Book\n")
	require.Equal(t, []citation.Cited{
		{Text: "He says “one two three”, she “four five six”.", Source: "https://one.test/", Quote: "one two three", Line: 1},
		{Text: "He says “one two three”, she “four five six”.", Source: "https://two.test/", Quote: "four five six", Line: 1},
		{Text: "Both are right.", Source: "https://one.test/", Line: 1},
		{Text: "Both are right.", Source: "https://three.test/", Line: 1},
	}, d.Cited())
}

// Lower case may be longer than upper case: places in the one are none in the
// other.
func TestTagsAroundLettersThatGrow(t *testing.T) {
	grow := strings.Repeat("Ⱥ", 50)
	for _, text := range []string{
		`A claim of five words or more <a href="http://x.invalid/">` + grow + `</a>`,
		"A claim of five words or more <sup>" + grow[:40] + "</sup>",
		"A claim of five words or more <sup>\xff\xff\xff\xff</SUP>",
	} {
		require.NotPanics(t, func() { _, _ = citation.Parse([]byte(text), "text/markdown") }, text)
	}
	doc, err := citation.Parse([]byte(`Five words stand before this <A href="https://x.invalid/p">İstanbul İİ</A> and more of it.`), "text/markdown")
	require.NoError(t, err)
	require.NotContains(t, doc.Statements[0].Text, "/a>")
}

func BenchmarkManyShortBlocks(b *testing.B) {
	for _, n := range []int{2000, 20000} {
		text := []byte(strings.Repeat("[1]\n\n!\n\n", n))
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				_, _ = citation.Parse(text, "text/markdown")
			}
		})
	}
}

func TestDotsThatBeginAPathStay(t *testing.T) {
	for _, name := range []string{"../docs/sky.md", "../../docs/sky.md", "./docs/sky.md", "docs/sky.md", "/docs/sky.md"} {
		d, err := citation.Parse([]byte("# Sky\n\nThe sky is blue [1].\n\n## References\n\n[1] "+name+"\n"), "text/markdown")
		require.NoError(t, err)
		require.Len(t, d.References, 1)
		require.Equal(t, name, d.References[0].URL)
	}
}
