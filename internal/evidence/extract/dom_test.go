package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const timeout = "<p>The election timeout is 150 ms to 300 ms.</p>"

// A page of a few hundred kilobytes may be a document of gigabytes; it is read
// all the same, without one.
func TestAPageThatIsLargerInsideThanOutIsReadFlat(t *testing.T) {
	styles := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<b id=x%d>", i)
		}
		return b.String()
	}
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d=1 ", i)
		}
		return b.String()
	}
	for name, page := range map[string]string{
		"form that is never closed":       "<p>" + styles(400) + strings.Repeat("<p>x", 50_000),
		"form opened in each paragraph":   strings.Repeat("<font size=1><p>", 300_000),
		"elements beyond count":           strings.Repeat("<i></i>", 300_000),
		"attributes beyond count":         "<p " + attributes(500_000) + ">",
		"depth":                           strings.Repeat("<div>", 5_000),
		"tables in tables":                strings.Repeat("<table><tr><td>", 5_000),
		"wrongly closed form":             strings.Repeat("<b><i><u><p></b></i></u>", 100_000),
		"a comment that never ends":       strings.Repeat("<br>", 450_000) + "<!-- x",
		"a script that never ends, after": strings.Repeat("<br>", 450_000) + "<script>var x=1;",
	} {
		d, err := Text([]byte("<!doctype html><title>Raft</title><body>"+timeout+page), "text/html; charset=utf-8", "")
		require.NoError(t, err, name)
		require.Contains(t, d.Text, "The election timeout is 150 ms to 300 ms.", name)
		require.Equal(t, "Raft", d.Title, name)
		require.Equal(t, "flat/"+Version, d.Extractor, name)
		require.True(t, HasWarning(d.Warnings, NoArticle), name)
		require.NotContains(t, d.Text, "var x", name)
	}
}

func TestOrdinaryLargePagesKeepTheirArticle(t *testing.T) {
	row := `<tr><td><a href="/x"><b>Name</b></a></td><td>12</td></tr>`
	for name, page := range map[string]string{
		"a long article":        strings.Repeat(timeout, 20_000),
		"a long table":          "<table>" + strings.Repeat(row, 20_000) + "</table>",
		"old form, never ended": "<font face=arial>" + strings.Repeat("<p>Some <b>words</b> and <i>others</i> of it.", 20_000),
	} {
		d, err := Text([]byte("<!doctype html><title>Raft</title><body><article>"+timeout+page+"</article>"), "text/html", "")
		require.NoError(t, err, name)
		require.NotEqual(t, "flat/"+Version, d.Extractor, name)
	}
}

func TestOnlySoMuchOfASourceIsReadAndThatIsSaid(t *testing.T) {
	long := strings.Repeat("The line of a long log.\n", MaxRead/24+100) + "The end of it."
	for _, mime := range []string{"text/plain", "text/html"} {
		d, err := Text([]byte(long), mime, "")
		require.NoError(t, err)
		require.True(t, HasWarning(d.Warnings, Truncated), mime)
		require.NotContains(t, d.Text, "The end of it.")
		require.Less(t, len(d.Text), MaxRead+1000)
	}
}
