package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of the claims a report without a synthesis lists: how many in a section, and
// how many words those of a section have together.
const (
	maxListed   = 30
	listedWords = MaxDraftWords / 2
)

// fallbackDraft is the synthesis of last resort: what the registry holds, in the
// sections of a report, without a judgement on any of it.
func fallbackDraft(f Final) string {
	var b strings.Builder
	part := func(name, body string) {
		if body != "" {
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", name, body)
		}
	}
	if len(f.Registry.Entries) == 0 {
		part(summary, "No synthesis was written and no claim was registered. Whatever the researchers found stands in their own reports in the run's folder.")
		return b.String()
	}
	part(summary, fallbackSummary(f.Registry.Entries))
	shared := func(e claim.Entry) bool { return f.Form == Council && len(e.Seats) > 1 }
	advised := func(e claim.Entry) bool { return f.Form == Council && e.Kind == claim.Recommendation } // the program lists them
	part(findings, claimList(f.Registry.Entries, func(e claim.Entry) bool { return rejection(e) == "" && !shared(e) && !advised(e) }))
	part(consensus, claimList(f.Registry.Entries, func(e claim.Entry) bool { return rejection(e) == "" && shared(e) && !advised(e) }))
	return b.String()
}

func fallbackSummary(entries []claim.Entry) string {
	located, missing := 0, 0
	sources := map[string]bool{}
	for _, e := range entries {
		for _, p := range e.Evidence() {
			sources[p.Key] = true
		}
		switch e.Location.State {
		case claim.Located:
			located++
		case claim.NotFound:
			missing++
		}
	}
	return fmt.Sprintf("No synthesis was written. The registry holds %s about %s; the quotations of %d were located in their sources, those of %d were not found. "+
		"Below stand the claims as the researchers made them, the located ones first.",
		plural.Of(len(entries), "claim"), plural.Of(len(sources), "source"), located, missing)
}

// claimList lists claims with their ids, the weightiest first; "" for
// none.
func claimList(entries []claim.Entry, wanted func(claim.Entry) bool) string {
	var chosen []claim.Entry
	for _, e := range entries {
		if wanted(e) {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		return ""
	}
	critical := claim.Critical(entries)
	slices.SortStableFunc(chosen, func(a, b claim.Entry) int { return rank(a, critical) - rank(b, critical) })
	var b strings.Builder
	listed, room := 0, listedWords
	for _, e := range chosen[:min(len(chosen), maxListed)] {
		text := escapeForeign(e.Text, maxText)
		if room -= words.Count(text); room < 0 {
			break
		}
		listed++
		fmt.Fprintf(&b, "- %s [%s]\n", lineStart(bracketReplacer.Replace(text)), e.ID)
	}
	if rest := len(chosen) - listed; rest > 0 {
		fmt.Fprintf(&b, "\nAnd %d more in the registry.\n", rest)
	}
	return b.String()
}

// bracketReplacer keeps a claim's words from citing claims.
var bracketReplacer = strings.NewReplacer(`\[`, "(", `\]`, ")")

// rank is the place of a claim among those listed: of what holds first what is critical,
// as far as a seat may call claims so, and then what is verified.
func rank(e claim.Entry, critical map[string]bool) int {
	switch {
	case !e.Holds():
		return 4
	case critical[e.ID] && e.Verified():
		return 0
	case critical[e.ID]:
		return 1
	case e.Verified():
		return 2
	}
	return 3
}
