package export_test

import (
	"encoding/json"
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/export"
)

// elided is a claim whose quotation leaves words of its source out, twice.
func elided(gaps ...string) claim.Entry {
	e := entry("C1", "docs/cache.md:3-4", located("The cache is fast and 100 % <b>safe</b> for every reader."))
	e.Quote, e.Location.LeftOut = "The cache is … for … reader.", gaps
	return e
}

// What a quotation leaves out is told wherever the quotation is shown: behind it,
// in its own place, and as plain text.
func TestWhatAQuotationLeavesOutIsShownBesideIt(t *testing.T) {
	reg := claim.Registry{
		Entries:   []claim.Entry{elided("fast and 100 % <b>safe</b>", "every"), entry("C2", "docs/cache.md:3-4", located("Quotation C2"))},
		Conflicts: []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Kind: claim.ByDate, Severity: claim.P1, Status: "open"}},
	}
	reg.Entries[0].Support = &claim.Support{Verdict: "supports", Votes: []claim.Vote{{Seat: "codex", Family: "openai", Answer: "supports"}}}
	p := publication("So [C1].", reg)
	paper := paper()
	paper.Registry = reg
	const quotation = "The cache is … for … reader.”"
	for form, c := range map[string]struct{ text, first string }{
		"report": {write(t, p, export.Markdown), `“fast and 100 % \<b\>safe\</b\>”`},
		"HTML":   {html.UnescapeString(stripped(write(t, p, export.HTML))), "“fast and 100 % <b>safe</b>”"},
		"TeX":    {write(t, p, export.TeX), `“fast and 100 \% <b>safe</b>”`},
		"paper":  {typeset(t, paper), `“fast and 100 \% <b>safe</b>”`},
	} {
		text := untied(c.text)
		shown := strings.Count(text, quotation)
		require.Positive(t, shown, form)
		require.Equal(t, shown, strings.Count(text, quotation+" (left out: "+c.first+"; “every”)"), "%s: %s", form, text)
	}
	var r export.Record
	require.NoError(t, json.Unmarshal([]byte(write(t, p, export.JSON)), &r))
	require.Equal(t, []string{"fast and 100 % <b>safe</b>", "every"}, r.Registry.Entries[0].Location.LeftOut)
	for _, form := range []export.Form{export.BibTeX, export.CSL, export.RIS} {
		require.NotContains(t, write(t, p, form), "The cache is", "references hold no quotations, and so no gaps")
	}
}

func TestAQuotationWithoutGapsHasNothingBehindIt(t *testing.T) {
	reg := claim.Registry{Entries: []claim.Entry{elided()}}
	p := publication("So [C1].", reg)
	for _, form := range []export.Form{export.Markdown, export.HTML, export.TeX} {
		require.NotContains(t, write(t, p, form), "left out:", form)
	}
}

// stripped is a page without its tags; those of foreign text are escaped.
func stripped(page string) string {
	var b strings.Builder
	for page != "" {
		before, rest, found := strings.Cut(page, "<")
		b.WriteString(before)
		if !found {
			break
		}
		_, page, _ = strings.Cut(rest, ">")
	}
	return b.String()
}

// untied is TeX with its signs for angle brackets as others have them, and
// without the marks at which long words may break.
func untied(text string) string {
	return strings.NewReplacer(`\allowbreak{}`, "", `\allowbreak `, "", `\hspace{0pt}`, "", `\textless{}`, "<", `\textgreater{}`, ">").Replace(text)
}
