package report

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// maxChanges bounds how many changes of one sort are listed.
const maxChanges = 200

// Changes is what has changed since an earlier run, in Markdown.
func Changes(previous string, d claim.Difference) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Changes since %s\n\n", escape(previous))
	fmt.Fprintf(&b, "%s gained, %d lost, %d changed; %s another text now.\n", plural.Of(len(d.Gained), "claim"), len(d.Lost), len(d.Changed), plural.Forms(len(d.Drifted), "source has", "sources have"))
	part := func(title string, n int, line func(i int) string) {
		if n == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		for i := range min(n, maxChanges) {
			fmt.Fprintf(&b, "- %s\n", line(i))
		}
		if n > maxChanges {
			fmt.Fprintf(&b, "- and %d more (`council diff` lists all)\n", n-maxChanges)
		}
	}
	part("Gained", len(d.Gained), func(i int) string { return changed(d.Gained[i]) })
	part("Lost", len(d.Lost), func(i int) string { return changed(d.Lost[i]) })
	part("Changed", len(d.Changed), func(i int) string {
		c := d.Changed[i]
		return changed(c.New) + " — " + strings.Join(c.What, ", ") + fmt.Sprintf(": %s, was %s", c.New.Location.State, c.Old.Location.State)
	})
	part("Only in other words", len(d.Reworded), func(i int) string {
		c := d.Reworded[i]
		return changed(c.New) + "; it was: " + escapeForeign(c.Old.Text, mostOfClaim)
	})
	part("Sources with another text", len(d.Drifted), func(i int) string { return foreignCode(d.Drifted[i].Source) })
	return []byte(b.String())
}

// mostOfClaim is how many characters of a claim are told.
const mostOfClaim = 400

func changed(e claim.Entry) string {
	return escapeForeign(e.Text, mostOfClaim) + " (" + foreignCode(e.Source) + ")"
}
