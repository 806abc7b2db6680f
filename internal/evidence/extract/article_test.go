package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const about = "The lake is the deepest of the region, and its water is among the clearest that have been measured since 1903. "

// split is what a page says in its article and around it.
func split(t testing.TB, page string) (article, around string) {
	d, err := Text([]byte("<!doctype html><title>The lake</title><body>"+page), "text/html; charset=utf-8", "https://news.example/lake")
	require.NoError(t, err)
	for _, p := range d.Parts {
		if p.Kind == Article {
			article += d.Text[p.Start:p.End]
		} else {
			around += d.Text[p.Start:p.End]
		}
	}
	return article, around
}

func TestWhatAPageCallsAsideIsNoPartOfItsArticle(t *testing.T) {
	body := "<p>" + strings.Repeat(about, 3) + "</p><p>" + strings.Repeat(about, 4) + "</p>"
	for name, markup := range map[string]string{
		"buttons to share it":        `<div class="post-share">Words aside</div>`,
		"a name of two words":        `<div class="entryMeta">Words aside</div>`,
		"offers of other articles":   `<section id="relatedPosts"><p>Words aside</p></section>`,
		"who wrote it":               `<div class="author-box"><p>Words aside, written about her in a line that is as long as many a paragraph is.</p></div>`,
		"a role":                     `<div role="complementary">Words aside</div>`,
		"a list of links":            `<ul><li><a href="/a">Words aside</a></li><li><a href="/b">Others</a></li></ul>`,
		"the words before the links": `<h3>Words aside</h3><ul><li><a href="/a">One more</a></li><li><a href="/b">Others</a></li></ul>`,
		"a link to read on":          `<p><a href="/a">Words aside: the river</a></p>`,
	} {
		article, around := split(t, "<article><h1>The lake</h1>"+body+markup+"<p>"+about+"</p></article>")
		require.Contains(t, around, "Words aside", name)
		require.Equal(t, 8, strings.Count(article, strings.TrimSpace(about)), name)
	}
}

func TestAWordThatThePageUsesForItsArticleSaysNothing(t *testing.T) {
	for _, name := range []string{"widget", "meta", "promo", "modal"} {
		article, _ := split(t, `<div class="`+name+`"><h1>The lake</h1><p>`+strings.Repeat(about, 5)+"</p><p>"+strings.Repeat(about, 5)+"</p></div>")
		require.Equal(t, 10, strings.Count(article, strings.TrimSpace(about)), name)
	}
}

func TestAnArticleOfOneParagraphHasItsHeading(t *testing.T) {
	article, around := split(t, "<main><article><h1>The lake</h1><p>"+about+"</p><p>Subscribe to continue reading. Already a subscriber? Log in.</p></article></main>"+
		`<section class="comments"><p>A reader: I have always held that the lake is bottomless, whatever the surveyors say.</p></section>`)
	require.Contains(t, article, "The lake\n")
	require.Contains(t, around, "bottomless")
}

func TestTheLeadIsOfTheArticle(t *testing.T) {
	lead := "Divers have brought up a bell that had lain in the depth of the lake for more than four hundred years."
	article, around := split(t, `<div class="head"><h1>The lake</h1><div class="intro">`+lead+`</div></div>
		<div class="content"><p>`+strings.Repeat(about, 6)+"</p><p>"+strings.Repeat(about, 6)+"</p></div>")
	require.Contains(t, article, lead)
	require.NotContains(t, around, lead)
}

func TestALineThatStandsTwiceIsOfTheArticleWhereItStandsInIt(t *testing.T) {
	code := "<pre>func a() {\n}\nfunc b() {\n}\nfunc c() {\n}\n</pre>"
	article, around := split(t, `<div class="menu">Measured</div><p>}</p><article><p>`+strings.Repeat(about, 4)+"</p><h2>Measured</h2>"+
		code+"<p>"+strings.Repeat(about, 4)+"</p></article>")
	require.Equal(t, 3, strings.Count(article, "\n}"))
	require.Contains(t, article, "Measured")
	require.Contains(t, around, "Measured")
}

func TestNamesOfElementsAreTakenApart(t *testing.T) {
	for name, want := range map[string]string{
		"postMeta": "meta", "post__share": "share", "Sidebar": "sidebar", "read-more": "read", "recent_posts": "recent",
		"content": "", "metal": "", "metaphor": "", "shareholders": "", "readers": "", "adult": "", "": "", "--": "", "ÄÖ-é": "",
		"wrap main social-bar": "social",
	} {
		require.Equal(t, want, wordOfAsides(name), name)
	}
}

func TestLinesAreFoundAgainWhereTheyStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom(strings.Fields("a b c d e f g h } }"))).Draw(t, "page")
		var visible []line
		var text []string
		for i, w := range words {
			visible = append(visible, line{text: w})
			if rapid.Bool().Draw(t, "kept") {
				text = append(text, words[i])
			}
		}
		chosen := alignLines(visible, text)
		require.Len(t, chosen, len(visible))
		left := text // what was found stands in the text in this order
		for i, l := range visible {
			if !chosen[i] {
				continue
			}
			for len(left) > 0 && left[0] != l.text {
				left = left[1:]
			}
			require.NotEmpty(t, left, "%v of %v", chosen, text)
			left = left[1:]
		}
		all := alignLines(visible, words)
		require.NotContains(t, all, false, "a text is all of itself")
	})
}
