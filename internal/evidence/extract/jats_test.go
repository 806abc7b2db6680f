package extract_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/extract"
)

// paper is one as archives of papers give it (https://jats.nlm.nih.gov/archiving/tag-library/).
const paper = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.3 20210610//EN" "JATS-archivearticle1-3.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article" xml:lang="en"><front>
<journal-meta><journal-title-group><journal-title>Journal of Lakes</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">1</article-id><article-id pub-id-type="doi">10.5555/Lake.1</article-id>
<title-group><article-title>The depth of <italic>the</italic> lake</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Example</surname><given-names>Ada B.</given-names></name><xref rid="a">1</xref></contrib></contrib-group>
<permissions><copyright-statement>All words reserved</copyright-statement></permissions>
<abstract><title>Abstract</title><p>It is deep.</p></abstract></article-meta></front>
<body><sec><title>Results</title><p>The surveyors measured the lake
in 2019 and found it to be 187&#160;metres deep<xref ref-type="bibr" rid="r1">[1]</xref>; CO<sub>2</sub> was low.</p>
<table-wrap><label>Table 1</label><caption><p>Depths.</p></caption><table><tr><th>Place</th><th>Depth</th></tr><tr><td>north</td><td>187</td></tr></table></table-wrap></sec></body>
<back><ref-list><ref id="r1"><mixed-citation>Somebody. Older depths. 1953.</mixed-citation></ref></ref-list></back></article>`

func TestAPaperInXMLIsReadAsAPaper(t *testing.T) {
	d, err := extract.Text([]byte(paper), "application/xml;charset=UTF-8", "")
	require.NoError(t, err)
	require.Equal(t, "The depth of the lake", d.Title)
	require.Equal(t, []string{"Ada B. Example"}, d.Authors)
	require.Equal(t, "10.5555/lake.1", d.DOI)
	article, aside, _ := strings.Cut(d.Text, extract.Separator)
	require.Contains(t, article, "The surveyors measured the lake in 2019 and found it to be 187 metres deep[1]; CO2 was low.")
	require.Contains(t, article, "north \t 187")
	require.Contains(t, aside, "Older depths. 1953.")
	require.NotContains(t, d.Text, "Journal of Lakes")
	require.NotContains(t, d.Text, "reserved")
	require.Empty(t, d.Warnings)

	front, _, _ := strings.Cut(paper, "<body>")
	d, err = extract.Text([]byte(front+"</article>"), "text/xml", "")
	require.NoError(t, err)
	require.True(t, extract.HasWarning(d.Warnings, extract.Paywall), "of some papers only the abstract is given")
	d, err = extract.Text([]byte(paper[:len(paper)-200]), "application/xml", "")
	require.NoError(t, err)
	require.True(t, extract.HasWarning(d.Warnings, extract.Damaged))
	require.Contains(t, d.Text, "CO2 was low.")
	d, err = extract.Text([]byte(front+"<body><p>One.</p>"+strings.Repeat("<sec><p>x", 100_000)), "application/xml", "")
	require.NoError(t, err)
	require.True(t, extract.HasWarning(d.Warnings, extract.Damaged), "what is nested without end is read as far as a paper is")
	require.Contains(t, d.Text, "One.")
	d, err = extract.Text([]byte(`<?xml version="1.0"?><feed><article>no paper</article></feed>`), "application/xml", "")
	require.NoError(t, err)
	require.Contains(t, d.Text, "<feed>", "other XML is read as it is")
}

// What reviewers have written, what authors have answered them, and references that stand
// in the text are no words of the paper, and their names and numbers none of its own.
func TestLettersAboutAPaperAreNotThePaper(t *testing.T) {
	letter := func(name, kind string) string {
		return "<" + name + ` article-type="` + kind + `"><front-stub><article-id pub-id-type="doi">10.5555/letter</article-id><title-group><article-title>Decision letter</article-title></title-group>` +
			`<contrib-group><contrib><name><surname>Reviewer</surname><given-names>Rita</given-names></name></contrib></contrib-group></front-stub><body><p>The claim of the ` + kind + ` is not shown.</p></body></` + name + ">"
	}
	whole := strings.Replace(paper, "</article>", letter("sub-article", "decision-letter")+letter("response", "reply")+
		`<sub-article article-type="translation"><body><p>Er ist tief.</p></body></sub-article></article>`, 1)
	whole = strings.Replace(whole, "</body>", "<sec><ref-list><ref><mixed-citation>Others. A lake is dry. 1901.</mixed-citation></ref></ref-list></sec></body>", 1)
	whole = strings.Replace(whole, "10.5555/Lake.1", "10.5555/<!-- split -->Lake.1", 1)
	d, err := extract.Text([]byte(whole), "application/xml", "")
	require.NoError(t, err)
	require.Equal(t, "The depth of the lake", d.Title)
	require.Equal(t, []string{"Ada B. Example"}, d.Authors)
	require.Equal(t, "10.5555/lake.1", d.DOI)
	article, aside, _ := strings.Cut(d.Text, extract.Separator)
	require.Contains(t, article, "CO2 was low.")
	require.Contains(t, article, "Er ist tief.")
	for _, words := range []string{"The claim of the decision-letter is not shown.", "The claim of the reply is not shown.", "A lake is dry."} {
		require.NotContains(t, article, words)
		require.Contains(t, aside, words)
	}

	front, _, _ := strings.Cut(paper, "<body>")
	d, err = extract.Text([]byte(front+letter("sub-article", "decision-letter")+"</article>"), "application/xml", "")
	require.NoError(t, err)
	require.True(t, extract.HasWarning(d.Warnings, extract.Paywall), "a letter is not the text")
}

// Who is named by one name alone, or as a group, lends none to the next author; and editors
// are no authors.
func TestAuthorsOfAPaperKeepTheirOwnNames(t *testing.T) {
	others := `<contrib-group><contrib><collab>The Lake Group</collab></contrib><contrib><name><given-names>Plato</given-names></name></contrib>` +
		`<contrib contrib-type="editor"><name><surname>Editor</surname><given-names>Eve</given-names></name></contrib><contrib contrib-type="author">`
	d, err := extract.Text([]byte(strings.Replace(paper, `<contrib-group><contrib contrib-type="author">`, others, 1)), "application/xml", "")
	require.NoError(t, err)
	require.Equal(t, []string{"Plato", "Ada B. Example"}, d.Authors)
}

// Entities that a paper declares are not filled in, and names of many pieces cost no time
// that grows with their square.
func TestAPaperThatIsMadeToCostTime(t *testing.T) {
	bomb := `<!DOCTYPE article [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]><article article-type="research-article"><body><p>First.</p><p>&b;&f;</p></body></article>`
	d, err := extract.Text([]byte(bomb), "application/xml", "")
	require.NoError(t, err)
	require.Contains(t, d.Text, "First.")
	require.NotContains(t, d.Text, "lol")
	require.NotContains(t, d.Text, "root:")
	require.True(t, extract.HasWarning(d.Warnings, extract.Damaged))

	names := `<article article-type="research-article"><front><article-meta><contrib-group><contrib><name><surname>` + strings.Repeat("abc<x/>", 100_000) + `</surname></name></contrib></contrib-group></article-meta></front><body><p>First.</p></body></article>`
	d, err = extract.Text([]byte(names), "application/xml", "")
	require.NoError(t, err)
	require.Less(t, len(d.Authors[0]), 2000)
}
