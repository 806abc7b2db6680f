package stagedlibrarian_test

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/agent/librarian/librariantest"
	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/staged"
	"github.com/research-council/research-council/internal/product/staged/stagedlibrarian"
)

// checked makes a fact of an entry, with what is said of its support.
func checked(e claim.Entry, support, reason string) staged.CheckedFact {
	return staged.CheckedFact{Fact: staged.Fact{ID: e.ID, Statement: e.Text, Quote: e.Quote, Source: e.Source}, Support: support, Reason: reason}
}

// pacer is what was found on a collector's pace: three facts that can be used and one
// that is not.
func pacer() stagedlibrarian.Evidence {
	list := []claim.Entry{
		librariantest.Entry(1, "The pacer sets the heap goal from GOGC and the live heap.", "a"),
		librariantest.Entry(2, "In 2009 the heap goal was twice the live heap.", "a"),
		librariantest.Entry(3, "Since 2023 the heap goal counts stacks and globals too.", "b"),
		librariantest.Entry(4, "The pacer is never wrong.", "b"),
	}
	list[2].Key, list[2].Source = "b.go", "b.go:3"
	e := stagedlibrarian.Evidence{Topic: "How does the pacer set the heap goal for arenas?", Registry: claim.Registry{Entries: list}}
	for i, support := range []string{"supports", "qualifies", ""} {
		into := map[string]*[]staged.CheckedFact{"supports": &e.Check.Verified, "qualifies": &e.Check.Qualified, "": &e.Check.Unjudged}[support]
		*into = append(*into, checked(list[i], support, ""))
	}
	e.Check.Unverified = []staged.CheckedFact{checked(list[3], "contradicts", "other families hold that the passage contradicts it")}
	return e
}

func TestWhatCountsSayOfEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*stagedlibrarian.Evidence)
		want []string // in findings or advocate
		not  []string
	}{
		"one source only": {want: []string{"a second, independent source for 3 facts", "single source each: 3 of 3 located facts"}},
		"two sources that say the same": {
			edit: func(e *stagedlibrarian.Evidence) {
				e.Registry.Groups = []claim.Group{{ID: "C1", Members: []string{"C1", "C3"}, Sources: 2}}
			},
			want: []string{"a second, independent source for 1 fact.", `"finding":"The pacer sets the heap goal from GOGC and the live heap.","claims":["C1","C3"]`},
		},
		"not verified":              {want: []string{"Check 1 fact by hand", "Not located, or not supported: 1 of 4 facts", "contradicts it (1)"}},
		"a source that qualifies":   {want: []string{"(its source was held to qualify this)", "qualify what is said"}},
		"not judged":                {want: []string{"whether the passages of 1 fact support"}},
		"a term without a fact":     {want: []string{"Look for sources on “arenas”", "No located fact speaks of “arenas”"}},
		"old beside new":            {want: []string{"1 located fact names no year later than 2018, while others name 2023"}},
		"its source contradicts it": {want: []string{`"against":"The pacer is never wrong [C4]."`}},
		"an open conflict": {
			edit: func(e *stagedlibrarian.Evidence) {
				e.Registry.Conflicts = []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Kind: claim.ByDate, Detail: "2009", Status: claim.Open}}
			},
			want: []string{"Settle 1 open conflict", "in conflict (date: 2009)"},
		},
		"a conflict that is settled": {
			edit: func(e *stagedlibrarian.Evidence) {
				e.Registry.Conflicts = []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Kind: claim.ByDate, Status: claim.ResolvedA}}
			},
			not: []string{"in conflict", "Settle"},
		},
		"a review that asks for changes": {
			edit: func(e *stagedlibrarian.Evidence) {
				e.Revision = "# Revision\n\n- Say what GOGC is [C1]\n- Say more of stacks.\n"
			},
			want: []string{"Answer what the review asks: “Say more of stacks”", "(the review names this fact)", `"executive_summary":"Since 2023`},
		},
		"facts the registry does not hold": {
			edit: func(e *stagedlibrarian.Evidence) {
				e.Check.Verified = append(e.Check.Verified, checked(librariantest.Entry(9, "The heap is made of cheese.", "a"), "supports", ""))
			},
			not: []string{"cheese", "C9"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := pacer()
			if c.edit != nil {
				c.edit(&e)
			}
			s, err := stagedlibrarian.Findings(e)
			require.NoError(t, err)
			v := stagedlibrarian.Advocate(e, s)
			text := mustJSON(t, s) + mustJSON(t, v)
			for _, want := range c.want {
				require.Contains(t, text, want)
			}
			for _, not := range c.not {
				require.NotContains(t, text, not)
			}
			require.Empty(t, report.Staged.Lint(stagedlibrarian.Prose(e, s, v), e.Registry.Entries))
		})
	}
}

func TestNothingVerifiedIsNoSynthesis(t *testing.T) {
	e := pacer()
	e.Check.Verified, e.Check.Qualified, e.Check.Unjudged = nil, nil, nil
	_, err := stagedlibrarian.Findings(e)
	require.ErrorContains(t, err, "no fact of the registry was located")
}

func TestTheReportKeepsTheCitationsOfOthers(t *testing.T) {
	e := pacer()
	s := staged.SynthesisResult{
		Summary:  "The goal follows GOGC [C1, C2]. It may be wrong [C77]; ask [C3; C1] first. See [here](https://example.invalid) <b>now</b>.",
		Findings: []staged.Finding{{Finding: "It is set by the pacer", Claims: []string{"C1", "C77", "x"}}, {Finding: "1. Not an item", Claims: nil}, {Finding: "It is never wrong.", Claims: []string{"C1", "C4"}}},
	}
	text := string(stagedlibrarian.Prose(e, s, staged.AdvocateResult{}))
	require.Empty(t, report.Staged.Lint([]byte(text), e.Registry.Entries))
	require.Contains(t, text, "The goal follows GOGC [C1, C2]. It may be wrong; ask [C3, C1] first. See")
	require.Contains(t, text, "- It is set by the pacer [C1].")
	require.Contains(t, text, "- It is never wrong [C1, C4] (unconfirmed: C4).")
	require.Contains(t, text, "Against: The pacer is never wrong [C4] (unconfirmed).", "where the advocate says nothing, the registry speaks")
	require.Contains(t, text, `- 1\. Not an item.`)
	require.NotContains(t, text, "C77")
	require.NotContains(t, text, "example.invalid")
	require.Contains(t, text, "has named no risk")
	s.Summary = strings.Repeat("A long sentence on the goal without a citation. ", 15) + "The end"
	require.Contains(t, string(stagedlibrarian.Prose(e, s, staged.AdvocateResult{})), "without a citation. The end.")
}

// evidence is any of it.
func evidence() *rapid.Generator[stagedlibrarian.Evidence] {
	return rapid.Custom(func(t *rapid.T) stagedlibrarian.Evidence {
		list := librariantest.Entries().Draw(t, "entries")
		e := stagedlibrarian.Evidence{Topic: foreign().Draw(t, "topic"), Registry: claim.Registry{Entries: list}, Revision: foreign().Draw(t, "revision")}
		e.Brief = staged.Brief{Goal: foreign().Draw(t, "goal"), SuccessCriteria: rapid.SliceOfN(foreign(), 0, 3).Draw(t, "criteria")}
		id := rapid.SampledFrom([]string{"C1", "C2", "C3", "C5", "C12", "C99", "C0", "", "C1]("})
		for _, one := range list {
			c := checked(one, rapid.SampledFrom([]string{"supports", "qualifies", "contradicts", "", "x"}).Draw(t, "support"), foreign().Draw(t, "reason"))
			c.Subtopic = rapid.SampledFrom([]string{"T1", "", "T100", "[C1]"}).Draw(t, "subtopic")
			if rapid.Bool().Draw(t, "verified") {
				e.Check.Verified = append(e.Check.Verified, c)
			} else {
				e.Check.Unverified = append(e.Check.Unverified, c)
			}
		}
		e.Registry.Conflicts = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) claim.Conflict {
			return claim.Conflict{A: id.Draw(t, "A"), B: id.Draw(t, "B"), Kind: claim.ConflictKind(foreign().Draw(t, "kind")), Detail: foreign().Draw(t, "detail")}
		}), 0, 3).Draw(t, "conflicts")
		return e
	})
}

func TestAnyEvidenceGivesAnswersThatFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := evidence().Draw(t, "evidence")
		known := func(id string) bool {
			_, ok := e.Registry.Entry(id)
			return ok
		}
		s, err := stagedlibrarian.Findings(e)
		if err == nil {
			object, problems := schema.Check(agent.Findings, []byte(mustJSON(t, s)))
			require.Empty(t, problems)
			require.Empty(t, staged.Lint(agent.Findings, object, known))
		}
		v := stagedlibrarian.Advocate(e, s)
		object, problems := schema.Check(agent.Advocate, []byte(mustJSON(t, v)))
		require.Empty(t, problems)
		require.Empty(t, staged.Lint(agent.Advocate, object, known))
		require.NotContains(t, mustJSON(t, []any{s, v}), "\\u001b")
	})
}

func TestAnyAnswersGiveAReportWithoutProblems(t *testing.T) {
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{"C1", "C2", "C7", "C88", "", "[C1]", "c1"}), 0, 4)
	text := rapid.Map(rapid.SliceOfN(rapid.OneOf(foreign(), rapid.SampledFrom([]string{"[C1]", "[C1, C2].", "[C88]", "Sources", "## Review", "[C1"})), 0, 5), func(l []string) string { return strings.Join(l, " ") })
	rapid.Check(t, func(t *rapid.T) {
		e := evidence().Draw(t, "evidence")
		s := staged.SynthesisResult{Summary: text.Draw(t, "summary")}
		for range rapid.IntRange(0, 3).Draw(t, "findings") {
			s.Findings = append(s.Findings, staged.Finding{Finding: text.Draw(t, "finding"), Claims: ids.Draw(t, "claims")})
			s.Recommendations = append(s.Recommendations, staged.Recommendation{Recommendation: text.Draw(t, "what"), Rationale: text.Draw(t, "why"), Claims: ids.Draw(t, "claims")})
		}
		v := staged.AdvocateResult{BlindSpots: rapid.SliceOfN(text, 0, 3).Draw(t, "blind spots")}
		for range rapid.IntRange(0, 3).Draw(t, "risks") {
			v.Risks = append(v.Risks, staged.Risk{Risk: text.Draw(t, "risk"), Mitigation: text.Draw(t, "mitigation"), Likelihood: foreign().Draw(t, "likelihood"), Claims: ids.Draw(t, "claims")})
			v.Counterarguments = append(v.Counterarguments, staged.Counterargument{Against: text.Draw(t, "against"), Argument: text.Draw(t, "argument"), Claims: ids.Draw(t, "claims")})
		}
		draft := stagedlibrarian.Prose(e, s, v)
		problems := report.Staged.Lint(draft, e.Registry.Entries)
		problems = slices.DeleteFunc(problems, func(p string) bool {
			return strings.HasPrefix(p, "No claim is cited") // nothing was verified and nothing cites a claim
		})
		require.Empty(t, problems, "%s", draft)
		for _, citation := range regexp.MustCompile(`\[(C\d+(?:, C\d+)*)\]`).FindAllStringSubmatch(string(draft), -1) {
			for id := range strings.SplitSeq(citation[1], ", ") {
				_, ok := e.Registry.Entry(id)
				require.True(t, ok, "%s in\n%s", id, draft)
			}
		}
		require.Equal(t, draft, stagedlibrarian.Prose(e, s, v))
	})
}

// many is evidence of n facts, half of them verified.
func many(n int) stagedlibrarian.Evidence {
	e := stagedlibrarian.Evidence{Topic: "How does the pacer set the heap goal?"}
	for i := range n {
		one := librariantest.Entry(i+1, fmt.Sprintf("The pacer of module%d sets heap goal number %d from part%d of the live heap.", i%97, i, i%13), "a")
		one.Key = fmt.Sprintf("file%d.go", i%50)
		e.Registry.Entries = append(e.Registry.Entries, one)
		if i%2 == 0 {
			e.Check.Verified = append(e.Check.Verified, checked(one, "supports", ""))
		} else {
			e.Check.Unverified = append(e.Check.Unverified, checked(one, "", fmt.Sprintf("reason %d", i)))
		}
	}
	return e
}

func TestThousandsOfFactsGiveAnAnswerThatFits(t *testing.T) {
	e := many(20_000)
	s, err := stagedlibrarian.Findings(e)
	require.NoError(t, err)
	_, problems := schema.Check(agent.Findings, []byte(mustJSON(t, s)))
	require.Empty(t, problems)
	v := stagedlibrarian.Advocate(e, s)
	_, problems = schema.Check(agent.Advocate, []byte(mustJSON(t, v)))
	require.Empty(t, problems)
	draft := stagedlibrarian.Prose(e, s, v)
	require.Empty(t, report.Staged.Lint(draft, e.Registry.Entries))
	require.Less(t, len(draft), 64<<10)
	require.Contains(t, string(draft), "Of 20000 facts, 10000 are verified: judges have voted that their passages support them. These come from 25 sources.")
}

func TestLongAnswersOfOthersGiveAReportThatIsRead(t *testing.T) {
	e := many(400)
	long := strings.Repeat("The pacer waits for what the heap goal says, and so on. ", 200)
	s := staged.SynthesisResult{Summary: long}
	var v staged.AdvocateResult
	for range 60 {
		s.Findings = append(s.Findings, staged.Finding{Finding: long, Claims: []string{"C1"}})
		s.Recommendations = append(s.Recommendations, staged.Recommendation{Recommendation: long, Rationale: long, Claims: []string{"C3"}})
		v.Risks = append(v.Risks, staged.Risk{Risk: long, Mitigation: long, Claims: []string{"C5"}})
		v.BlindSpots = append(v.BlindSpots, long)
	}
	draft := stagedlibrarian.Prose(e, s, v)
	require.Empty(t, report.Staged.Lint(draft, e.Registry.Entries))
	body, _, _ := strings.Cut(string(draft), "## Method and Limits")
	require.Less(t, len(strings.Fields(body)), report.MaxDraftWords-200)
}

func BenchmarkProse(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		e := many(n)
		s, err := stagedlibrarian.Findings(e)
		require.NoError(b, err)
		v := stagedlibrarian.Advocate(e, s)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				stagedlibrarian.Prose(e, s, v)
			}
		})
	}
}

// stage does a turn of any role with the texts handed to it, on a disk in
// memory.
func stage(role, topic string, inputs ...string) (string, error) {
	files := map[string]string{"/topic": topic}
	var paths []string
	for i, text := range inputs {
		path := fmt.Sprintf("/inputs/%d", i)
		files[path], paths = text, append(paths, path)
	}
	d := librarian.TurnIO{
		Read: func(path string) ([]byte, error) {
			text, ok := files[path]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		},
		Write: func(path string, data []byte) error {
			files[path] = string(data)
			return nil
		},
		Open: func(context.Context, string, string) (librarian.Library, error) {
			return librariantest.NewMemory(librariantest.Kettles), nil
		},
		Out: &strings.Builder{}, Roles: stagedlibrarian.Roles(),
	}
	turn := map[string]any{"role": role, "agent": "A1", "topic": "/topic", "scope": "/scope", "report": "/report", "inputs": paths, "max_iterations": 3}
	files["/turn"] = mustJSON(panics{}, turn)
	err := librarian.Main(context.Background(), "/turn", d)
	return files["/report"], err
}

// panics is a test that cannot go on.
type panics struct{}

func (panics) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (panics) FailNow()                          { panic("failed") }

func FuzzWhatIsHandedOver(f *testing.F) {
	e := pacer()
	s, err := stagedlibrarian.Findings(e)
	require.NoError(f, err)
	check, reg := mustJSON(f, e.Check), mustJSON(f, e.Registry)
	f.Add(uint8(0), mustJSON(f, stagedlibrarian.DiscoveryQuestions("coil")), `{"Q1":"x"}`, "", "", "")
	f.Add(uint8(1), `{"goal":"boil water","in_scope":["lids",""]}`, "", "", "", "")
	f.Add(uint8(2), `{}`, `{"subtopics":[{"id":"T1","title":"Lids"}],"agents":[{"id":"A1","focus":"lids","subtopics":["T1"]}]}`, "", "", "")
	f.Add(uint8(3), `{}`, check, reg, "- more [C1]", "")
	f.Add(uint8(4), check, mustJSON(f, s), reg, "", "")
	f.Add(uint8(5), `{"goal":1,"topic":{}}`, mustJSON(f, s), mustJSON(f, stagedlibrarian.Advocate(e, s)), check, reg)
	f.Add(uint8(5), "null", "[]", "{", "\xff", "")
	roles := []string{agent.Brief, agent.Planning, agent.Collection, agent.Findings, agent.Advocate, agent.Prose}
	f.Fuzz(func(t *testing.T, n uint8, a, b, c, d, e string) {
		role := roles[int(n)%len(roles)]
		text, err := stage(role, "What switches the coil off?", a, b, c, d, e)
		if err != nil {
			require.Empty(t, text, "it is refused or answered")
			return
		}
		require.True(t, strings.HasSuffix(text, "\n"+agent.Marker+"\n"))
		if role == agent.Prose {
			return
		}
		_, problems := schema.Check(role, []byte(text))
		require.Empty(t, problems, text)
	})
}
