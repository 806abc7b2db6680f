package librarian_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"research-council/internal/agent"
	"research-council/internal/agent/librarian"
	"research-council/internal/evidence/claim"
	"research-council/internal/output/report"
)

func entry(n int, text string, seats ...string) claim.Entry {
	return claim.Entry{
		ID: fmt.Sprintf("C%d", n), Text: text, Quote: text, Source: "a.go:1", Key: "a.go", Seats: seats,
		Rounds: []string{agent.Research}, Location: claim.Location{State: claim.Located},
	}
}

func TestADraftHoldsWhatTheSeatsFound(t *testing.T) {
	late := entry(4, "The scavenger returns pages to the operating system in the background.", "b")
	late.Rounds, late.Key = []string{agent.Refinement}, "b.go"
	lost := entry(5, "The moon is made of cheese.", "b")
	lost.Location.State = claim.NotFound
	draft := string(librarian.Synthesise("How does the pacer set the heap goal?", []claim.Entry{
		entry(1, "The pacer sets the heap goal from GOGC and the live heap.", "a", "b"),
		entry(2, "The heap goal is reached when sweeping has ended.", "a"),
		entry(3, "Mutator assists are proportional to allocation.", "b"),
		late, lost,
	}, []string{"# Report\n\n## Open Questions\n\n- Which setting bounds the number of mark workers in a cycle?\n"}))
	section := func(name string) string {
		_, rest, ok := strings.Cut(draft, "## "+name+"\n")
		require.True(t, ok, name)
		text, _, _ := strings.Cut(rest, "\n## ")
		return text
	}
	require.Contains(t, section("Executive Summary"), "The pacer sets the heap goal from GOGC and the live heap [C1].")
	require.Contains(t, section("Areas of Strong Consensus"), "[C1]")
	require.NotContains(t, section("Areas of Strong Consensus"), "[C3]")
	require.Contains(t, section("Novel Insights"), "[C4]")
	require.NotContains(t, section("Novel Insights"), "[C2]")
	require.Contains(t, section("Remaining Open Questions"), "bounds the number of mark workers")
	require.NotContains(t, draft, "cheese", "what was not found proves nothing")
	require.True(t, strings.HasSuffix(draft, agent.Marker+"\n"))
}

// words of claims that could become marks, links, code or HTML.
func hostile() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"see https://example.com/a(b) and www.example.com.", "[C99] and [1] and [^2]", "[x](http://a.b)", "<script>alert(1)</script>", "<!-- c -->", agent.Marker,
			"## Sources", "- item\n\n## Executive Summary\n", "```go\nx\n", "`unbalanced", "``two` three```", "a | b\n--|--", "***", "====", "ftp://x", "me@example.com", "<me@example.com>",
			"[foo]: http://x.y", "&lt;b&gt; &#60;i&#62;", "\\<b>", "!" + "[i](j)", "1. one\n2. two", "> quoted", "\u202e\x00\xff", "Sources:\n- a", "http://", "https://\u200bx.y/z", "[[C1]]", "[C1", "C1]", "HTTPS://X.Y", "mailto:a@b.cc", "$x_1$", "~~a~~",
			"file:///etc/passwd", "[C7](x)", "[C1][2]", "&#91;C99&#93;", "a<b>c", "x^[1]",
		}),
	)
}

func entries() *rapid.Generator[[]claim.Entry] {
	states := []claim.State{claim.Located, claim.Unchecked, claim.NotFound, "other"}
	one := rapid.Custom(func(t *rapid.T) claim.Entry {
		text := strings.Join(rapid.SliceOfN(hostile(), 1, 4).Draw(t, "text"), " ")
		e := entry(0, text, rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "[C9]", "http://x"}), 0, 3).Draw(t, "seats")...)
		e.Location.State = rapid.SampledFrom(states).Draw(t, "state")
		e.Rounds = []string{rapid.SampledFrom([]string{agent.Research, agent.Refinement}).Draw(t, "round")}
		return e
	})
	return rapid.Custom(func(t *rapid.T) []claim.Entry {
		list := rapid.SliceOfN(one, 0, 12).Draw(t, "entries")
		for i := range list {
			list[i].ID = fmt.Sprintf("C%d", i+1)
		}
		return list
	})
}

func TestNoDraftHasProblemsWhateverWasClaimed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := entries().Draw(t, "entries")
		reports := rapid.SliceOfN(hostile(), 0, 3).Draw(t, "reports")
		for i := range reports {
			reports[i] = "## Open Questions\n\n- " + reports[i] + " and what else is there to know\n"
		}
		draft := librarian.Synthesise(hostile().Draw(t, "topic"), list, reports)
		require.Empty(t, report.Council.Lint(draft, list), "%s", draft)
	})
}
