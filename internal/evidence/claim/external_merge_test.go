package claim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// outcome is what a pile writes, read strictly.
type outcome struct {
	claim.Merged
	Conflict *claim.Conflict `json:"conflict"`
}

func pile(t require.TestingT, in string) (merged []claim.Merged, conflicts []claim.Conflict, refused []claim.Refusal) {
	var p claim.ExternalMerger
	require.NoError(t, p.Read(strings.NewReader(in), func(r claim.Refusal) error {
		refused = append(refused, r)
		return nil
	}))
	var out bytes.Buffer
	require.NoError(t, p.Merge(strings.NewReader(in), &out))
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	for dec.More() {
		var o outcome
		require.NoError(t, dec.Decode(&o))
		if o.Conflict != nil {
			conflicts = append(conflicts, *o.Conflict)
			continue
		}
		merged = append(merged, o.Merged)
	}
	return merged, conflicts, refused
}

func TestPile(t *testing.T) {
	merged, conflicts, refused := pile(t, strings.Join([]string{
		`{"text":"` + long + `12 seconds","source":"https://a.test/?utm_source=x","seat":"s","family":"f","confidence":"low","source_type":"community"}`,
		`no claim`,
		`{"claim":"` + reworded + `12 seconds.","evidence":"https://b.test/","agent":"t","confidence":"High","critical":true,"questions":["Q1"]}`,
		``,
		`  {"text":"` + long + `21 seconds", "source":"a.go:3", "seat":"s", "more":{"a":["}\"",1.5e3]}, "confidence":"Medium"}  `,
		`{"text":"Ein kurzer Satz über \u00c4pfel \ud83c\udf4f.","source":"a.go:3"}`,
	}, "\n"))
	require.Equal(t, []claim.Refusal{{Line: 2, Reason: "no JSON object"}}, refused)
	require.Equal(t, []claim.Merged{
		{
			ID: "C1", Text: long + "12 seconds", Source: "https://a.test/?utm_source=x", Key: "url:a.test/", Type: claim.Community, Confidence: claim.High, Critical: true,
			Seats: []string{"s", "t"}, Families: []string{"f"}, Members: []uint32{1, 3}, Sources: 2, Agreed: true, Conflicts: []string{"D1"},
		},
		{ID: "C2", Text: long + "21 seconds", Source: "a.go:3", Key: "file:a.go", Type: claim.Code, Confidence: claim.Medium, Seats: []string{"s"}, Members: []uint32{5}, Sources: 1, Conflicts: []string{"D1"}},
		{ID: "C3", Text: "Ein kurzer Satz über Äpfel 🍏.", Source: "a.go:3", Key: "file:a.go", Type: claim.Code, Members: []uint32{6}, Sources: 1},
	}, merged)
	require.Len(t, conflicts, 1)
	require.NotEmpty(t, conflicts[0].Detail)
	require.NotEmpty(t, conflicts[0].Resolution)
	conflicts[0].Detail, conflicts[0].Resolution = "", ""
	require.Equal(t, claim.Conflict{ID: "D1", A: "C1", B: "C2", Kind: claim.ByFact, Severity: claim.P0, Possible: true, Status: claim.ResolvedA}, conflicts[0])
}

func TestPileRefuses(t *testing.T) {
	for _, c := range []struct{ line, reason string }{
		{`[]`, "no JSON object"},
		{`{`, "can be read"},
		{`{"text":"t","source":"s"`, "can be read"},
		{`{"text":"t","source":"s"}}`, "can be read"},
		{`{"text":"t" "source":"s"}`, "can be read"},
		{`{"text":"t","source":"s",}`, "can be read"},
		{`{"text":"t","source":"s","x":nul}`, "can be read"},
		{`{"text":"t","source":"s","x":[1,}`, "can be read"},
		{`{"text":7,"source":"s"}`, "text is no string"},
		{`{"text":"t","source":["s"]}`, "source is no string"},
		{`{"text":"t","source":"s","seat":{}}`, "seat is no string"},
		{`{"text":"t"}`, "without evidence it does not count"},
		{`{"source":"s"}`, "no text"},
		{`{"text":" \u0000\u202e ","source":"s"}`, "no text"},
		{`{"text":"` + strings.Repeat("x", claim.FieldLimit+1) + `","source":"s"}`, "longer than 16 KiB"},
		{`{"text":"` + strings.Repeat("x", claim.LineLimit) + `","source":"s"}`, "longer than 256 KiB"},
	} {
		merged, _, refused := pile(t, c.line+"\n"+`{"text":"t","source":"s"}`+"\n")
		require.Len(t, refused, 1, "%.60s", c.line)
		require.Contains(t, refused[0].Reason, c.reason, "%.60s", c.line)
		require.Equal(t, []uint32{2}, merged[0].Members, "%.60s", c.line)
	}
}

func TestPileOfNothing(t *testing.T) {
	for _, in := range []string{"", "\n\n", "no\n"} {
		merged, conflicts, _ := pile(t, in)
		require.Empty(t, merged)
		require.Empty(t, conflicts)
	}
}

func TestPileThatCannotBeRead(t *testing.T) {
	in := `{"text":"` + long + `12","source":"s"}` + "\n" + `{"text":"` + long + `13","source":"s"}` + "\n"
	broken := errors.New("broken")
	none := func(claim.Refusal) error { return nil }
	var p claim.ExternalMerger
	require.ErrorIs(t, p.Read(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), none), broken)
	p = claim.ExternalMerger{}
	require.ErrorIs(t, p.Read(strings.NewReader("x\n"), func(claim.Refusal) error { return broken }), broken)
	p = claim.ExternalMerger{}
	require.NoError(t, p.Read(strings.NewReader(in), none))
	require.ErrorIs(t, p.Merge(unreadable{broken}, io.Discard), broken)
	p = claim.ExternalMerger{}
	require.NoError(t, p.Read(strings.NewReader(in), none))
	require.ErrorIs(t, p.Merge(strings.NewReader(in), unwritable{broken}), broken)
}

type (
	unreadable struct{ error }
	unwritable struct{ error }
)

func (u unreadable) ReadAt([]byte, int64) (int, error) { return 0, u.error }
func (u unwritable) Write([]byte) (int, error)         { return 0, u.error }

// A pile comes to what Merge comes to, of the same claims.
func TestPileIsMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := entries().Draw(t, "entries")
		var in strings.Builder
		for _, e := range list {
			line, err := json.Marshal(map[string]any{"text": e.Text, "source": "https://" + e.Source, "seat": e.Seats[0], "confidence": e.Confidence, "critical": e.Critical})
			require.NoError(t, err)
			in.Write(append(line, '\n'))
		}
		merged, conflicts, refused := pile(t, in.String())
		require.Empty(t, refused)
		want := claim.Merge(claim.Registry{Entries: list})

		together, got := map[string]string{}, map[string]string{} // each entry's first of its group
		for _, g := range want.Groups {
			for _, id := range g.Members {
				together[id] = g.ID
			}
		}
		sides := map[string]string{}
		for _, m := range merged {
			first := fmt.Sprint("C", m.Members[0])
			sides[m.ID] = first
			for _, line := range m.Members {
				if len(m.Members) > 1 {
					got[fmt.Sprint("C", line)] = first
				}
			}
		}
		require.Equal(t, together, got)
		first := func(id string) string {
			if g, ok := together[id]; ok {
				return g
			}
			return id
		}
		between := func(a, b string, c claim.Conflict) string { return fmt.Sprint(min(a, b), max(a, b), c.Severity) }
		var here, there []string
		for _, c := range want.Conflicts {
			here = append(here, between(first(c.A), first(c.B), c))
		}
		for _, c := range conflicts {
			there = append(there, between(sides[c.A], sides[c.B], c))
		}
		require.ElementsMatch(t, here, there)
	})
}
