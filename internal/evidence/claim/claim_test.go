package claim_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/source"
)

func TestDecode(t *testing.T) {
	good := `{"text":"t","quote":"words of it","source":"a.go:1"}`
	for _, c := range []struct {
		name, in string
		good     int
		refused  []string // a part of each reason
	}{
		{"one", good, 1, nil},
		{"two and a blank line", good + "\n\n" + good + "\n", 2, nil},
		{"byte order mark and CRLF", "\ufeff" + good + "\r\n" + good + "\r\n", 2, nil},
		{"an array over lines, fenced", "```json\n[\n" + good + ",\n" + good + "\n]\n```", 2, nil},
		{"no quotation", `{"text":"t","source":"s"}`, 1, nil},
		{"null quotation, further fields", `{"text":"t","quote":null,"source":"s","confidence":0.9}`, 1, nil},
		{"nothing", "", 0, nil},
		{"garbage between", good + "\nhello\n" + good, 2, []string{"no JSON object"}},
		{"cut off", good + "\n" + good[:20], 1, []string{"can be read"}},
		{"two on a line", good + good, 0, []string{"can be read"}},
		{"wrong types", `{"text":5,"source":"s"}` + "\n" + `{"text":"t","source":["s"]}` + "\n" + `{"text":"t","source":"s","quote":{}}` + "\n[1]\nnull\n\"x\"", 0, []string{"text is no string", "source is no string", "quote is no string", "no JSON object", "no JSON object", "no JSON object"}},
		{"no text", `{"quote":"q","source":"s"}`, 0, []string{"no text"}},
		{"a word for a quotation", `{"text":"t","quote":"the","source":"s"}`, 0, []string{"too short to show anything"}},
		{"no source", `{"text":"t","quote":"q","source":" "}`, 0, []string{"no source"}},
		{"invisible text", `{"text":"\u0000\u202e","source":"s"}`, 0, []string{"no text"}},
		{"a field too long", `{"text":"` + strings.Repeat("x", claim.FieldLimit+1) + `","source":"s"}` + "\n" + good, 1, []string{"longer than 16 KiB"}},
		{"a line far too long", `{"text":"` + strings.Repeat("x", 1<<20) + `","source":"s"}` + "\n" + good, 1, []string{"longer than 256 KiB"}},
		{"deep", strings.Repeat(`{"text":`, 20000), 0, []string{"can be read"}},
	} {
		drafts, refused := claim.Decode(strings.NewReader(c.in), "codex", "research")
		require.Len(t, drafts, c.good, c.name)
		require.Len(t, refused, len(c.refused), "%s: %v", c.name, refused)
		for i, part := range c.refused {
			require.Contains(t, refused[i].Reason, part, c.name)
		}
		for _, d := range drafts {
			require.Equal(t, []string{"codex", "research"}, []string{d.Seat, d.Round}, c.name)
		}
	}
}

func TestDecodeTellsLines(t *testing.T) {
	_, refused := claim.Decode(strings.NewReader("\n\nx\n```\n\ny\n"), "s", "r")
	require.Equal(t, []int{3, 6}, []int{refused[0].Line, refused[1].Line})
}

func TestDecodeCleans(t *testing.T) {
	drafts, _ := claim.Decode(strings.NewReader(`{"text":" a\u0000\u001b[31mb ","quote":"words\n\tof it\u202e","source":"s\ud800"}`+"\n"), "s", "r")
	require.Equal(t, []claim.Draft{{Text: "a[31mb", Quote: "words\n\tof it", Source: "s\ufffd", Seat: "s", Round: "r"}}, drafts)
}

func TestDecodeBounds(t *testing.T) {
	_, refused := claim.Decode(strings.NewReader(strings.Repeat("x\n", claim.FileLimit)), "s", "r")
	require.Len(t, refused, claim.RefusalLimit+2)
	require.Contains(t, refused[claim.RefusalLimit].Reason, "more lines")
	require.Contains(t, refused[claim.RefusalLimit+1].Reason, "4 MiB")

	good := `{"text":"t","source":"s"}` + "\n"
	drafts, refused := claim.Decode(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(good))), "s", "r")
	require.Empty(t, drafts)
	require.Contains(t, refused[0].Reason, "reading stopped")
}

func draft(seat, text, quoted, src string) claim.Draft {
	return claim.Draft{Text: text, Quote: quoted, Source: src, Seat: seat, Round: "research"}
}

func TestRegisterMergesWhatIsTheSame(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b claim.Draft
		same bool
	}{
		{"word for word", draft("a", "It grew.", "q", "x.go:1"), draft("b", "It grew.", "q", "x.go:1"), true},
		{"white space, capital, full stop", draft("a", "It  grew", "q", "x.go"), draft("b", "it\ngrew.", "q", "x.go"), true},
		{"the source in another form", draft("a", "It grew.", "q", "https://a.test/?utm_source=x"), draft("b", "It grew.", "q", "http://www.a.test/#y"), true},
		{"other lines of the file", draft("a", "It grew.", "q", "x.go:1"), draft("b", "It grew.", "q", "x.go:9"), true},
		{"one without a quotation", draft("a", "It grew.", "", "x.go"), draft("b", "It grew.", "q", "x.go"), true},
		{"another quotation", draft("a", "It grew.", "q", "x.go"), draft("b", "It grew.", "p", "x.go"), false},
		{"another number", draft("a", "It grew 5%.", "q", "x.go"), draft("b", "It grew 6%.", "q", "x.go"), false},
		{"another unit", draft("a", "It has 5 MW.", "q", "x.go"), draft("b", "It has 5 mW.", "q", "x.go"), false},
		{"another name", draft("a", "US law", "q", "x.go"), draft("b", "Us law", "q", "x.go"), false},
		{"a negation", draft("a", "It grew.", "q", "x.go"), draft("b", "It not grew.", "q", "x.go"), false},
		{"another source", draft("a", "It grew.", "q", "x.go"), draft("b", "It grew.", "q", "y.go"), false},
	} {
		got := claim.Register(nil, []claim.Draft{c.a, c.b})
		if !c.same {
			require.Len(t, got, 2, c.name)
			continue
		}
		require.Len(t, got, 1, c.name)
		require.Equal(t, []string{"a", "b"}, got[0].Seats, c.name)
		require.Equal(t, "q", got[0].Quote, c.name)
	}
}

func TestRegisterGoesOn(t *testing.T) {
	old := []claim.Entry{
		{ID: "C1", Text: "a", Quote: "located", Source: "x.go", Key: "file:x.go", Seats: []string{"s"}, Location: claim.Location{State: claim.Located}},
		{ID: "C7", Text: "b", Quote: "wrong", Source: "x.go:1", Key: "file:x.go", Seats: []string{"s"}, Location: claim.Location{State: claim.NotFound}},
	}
	got := claim.Register(old, []claim.Draft{
		{Text: "a", Quote: "other", Source: "x.go", Seat: "s", Round: "refinement"},
		{Text: "b", Quote: "right", Source: "x.go:2", Seat: "s", Round: "refinement"},
		{Text: "c", Source: "x.go", Seat: "s", Round: "refinement"},
	})
	require.Len(t, got, 4)
	require.Equal(t, old[0], got[0])
	require.Equal(t, []string{"C7", "right", "x.go:2"}, []string{got[1].ID, got[1].Quote, got[1].Source}, "a quotation that was not found is mended")
	require.Equal(t, claim.Unchecked, got[1].Location.State)
	require.Equal(t, []string{"C8", "C9"}, []string{got[2].ID, got[3].ID})
	require.Equal(t, "wrong", old[1].Quote, "the old registry is as it was")
}

// Whatever comes in whatever portions: every draft is in the registry, ids are
// given once and never change, and what is registered again adds nothing.
// A seat's records are read in every stage: what it has mended in one is not a claim of its
// own in the next.
func TestWhatWasMendedIsNoOtherClaim(t *testing.T) {
	more := []claim.Reference{{Quote: "and so", Source: "x.go"}}
	for name, row := range map[string]struct{ wrong, right claim.Draft }{
		"a quotation":      {claim.Draft{Quote: "wrong"}, claim.Draft{Quote: "right"}},
		"a second passage": {claim.Draft{Quote: "this", More: []claim.Reference{{Quote: "wrong", Source: "x.go"}}}, claim.Draft{Quote: "this", More: more}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range []*claim.Draft{&row.wrong, &row.right} {
				d.Text, d.Source, d.Seat = "It is so.", "x.go", "s"
			}
			entries := claim.Register(nil, []claim.Draft{row.wrong})
			entries[0].Location.State = claim.NotFound
			entries = claim.Register(entries, []claim.Draft{row.wrong, row.right})
			require.Len(t, entries, 1)
			entries[0].Location.State = claim.Located
			again := claim.Register(entries, []claim.Draft{row.wrong, row.right})
			require.Equal(t, entries, again)
			others := row.wrong
			others.Seat = "t"
			require.Len(t, claim.Register(again, []claim.Draft{others}), 2, "another seat answers for its own quotation")
			gone := claim.Register(again, []claim.Draft{{Seat: "s", Withdraws: "C1", Reason: "It is not."}})
			require.Equal(t, gone, claim.Register(gone, []claim.Draft{row.wrong, row.right}), "what is withdrawn does not come back by what it was")
		})
	}
}

func TestRegisterLosesNothing(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) claim.Draft {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
		return claim.Draft{
			Text: pick("text", "It grew 5%.", "it grew 5%", "It grew 6%.", "It fell."), Quote: pick("quote", "", "q", "q ", "p"),
			Source: pick("source", "x.go:1", "x.go:2", "https://a.test/", "http://a.test"), Seat: pick("seat", "a", "b"), Round: pick("round", "research", "refinement"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		first, second := rapid.SliceOfN(gen, 0, 12).Draw(t, "first"), rapid.SliceOfN(gen, 0, 12).Draw(t, "second")
		before := claim.Locate(claim.Register(nil, first), library{"x.go": "p and q"})
		after := claim.Register(before, second)
		seen := map[string]bool{}
		for i, e := range after {
			require.False(t, seen[e.ID])
			seen[e.ID] = true
			if i < len(before) {
				require.Equal(t, before[i].ID, e.ID)
				require.Equal(t, before[i].Key, e.Key)
			}
		}
		for _, d := range append(first, second...) {
			require.True(t, holds(after, d), "%+v is not in %+v", d, after)
		}
		require.Equal(t, after, claim.Register(after, append(first, second...)), "registered again")
	})
}

func holds(entries []claim.Entry, d claim.Draft) bool {
	number := func(s string) string { return strings.Trim(s, " .Itigrewfl") }
	for _, e := range entries {
		quoted := d.Quote == "" || strings.TrimSpace(d.Quote) == strings.TrimSpace(e.Quote)
		if quoted && number(e.Text) == number(d.Text) && strings.Contains(fmt.Sprint(e.Seats), d.Seat) && strings.Contains(fmt.Sprint(e.Rounds), d.Round) {
			return true
		}
	}
	return false
}

// library is a fake: texts by path.
type library map[string]string

func (l library) Text(ref string) (claim.Text, error) {
	switch text, ok := l[ref]; {
	case ok:
		return claim.Text{Body: text, Snapshot: "raw", Hash: "text"}, nil
	case strings.Contains(ref, "blocked.test"):
		return claim.Text{}, errors.New("blocked: the server says 403")
	case strings.Contains(ref, "://"):
		return claim.Text{}, claim.ErrRemote
	case ref == "locked":
		return claim.Text{}, errors.New("permission denied")
	case ref == "gone.md":
		return claim.Text{}, fmt.Errorf("look it up: %w", claim.Absent{Reason: "gone: the server says 410"})
	}
	return claim.Text{}, fmt.Errorf("open %s: %w", ref, fs.ErrNotExist)
}

func TestLocate(t *testing.T) {
	lib := library{
		"a.md":                 "one\ntwo “words”\nthree 1,204 patients\nfour\ntwo \"words\"\n",
		"https://kept.test/pg": "archived text",
		"experiment:E1":        "With a policy, runs at: 02:30; 03:30;\nWith no policy, runs at: 02:30 unless skipped;\n",
		"experiment:E2": "attacker: put in one archive more, deleted and overwrote nothing\nOf 7 files of the repository from before, 0 were altered\n" +
			"laptop A runs borg serve --append-only\nexit code of its borg compact: 0\nbytes of the repository: 2635\nnot one is lost\n",
	}
	for _, c := range []struct {
		name, quoted, source string
		want                 claim.Location
	}{
		{"in its lines", "three 1,204 patients", "a.md:3", claim.Location{State: claim.Located, Tier: "exact", First: 3, Last: 3}},
		{"folded, over two lines", `"words" three`, "a.md:2-3", claim.Location{State: claim.Located, Tier: "normalised", First: 2, Last: 3, LeftOut: []string{"1,204 patients"}}},
		{"the place cited, though an earlier one fits", `two "words"`, "a.md:5", claim.Location{State: claim.Located, Tier: "exact", First: 5, Last: 5}},
		{"the place cited, though a later one fits better", `two "words"`, "a.md:2", claim.Location{State: claim.Located, Tier: "normalised", First: 2, Last: 2}},
		{"no lines cited", "four", "a.md", claim.Location{State: claim.Located, Tier: "exact", First: 4, Last: 4}},
		{"wrong lines", "four", "a.md:1-2", claim.Location{State: claim.Located, Tier: "exact", First: 4, Last: 4, Reason: "the lines cited were 1-2"}},
		{"lines beyond the end", "four", "a.md:90", claim.Location{State: claim.Located, Tier: "exact", First: 4, Last: 4, Reason: "the lines cited were 90"}},
		{"an altered number", "three 1,402 patients", "a.md:3", claim.Location{State: claim.NotFound, Reason: "the source does not hold these words", Nearest: "three 1,204 patients", Findings: []guard.Finding{{Kind: guard.Number, Quote: "1,402", Text: "1,204"}}}},
		{"a page that is blocked", "four", "https://blocked.test/", claim.Location{State: claim.Unchecked, Reason: "blocked: the server says 403"}},
		{"a source that is gone", "four", "gone.md", claim.Location{State: claim.NotFound, Reason: "gone: the server says 410"}},
		{"no such file", "four", "b.md", claim.Location{State: claim.NotFound, Reason: "there is no such source"}},
		{"a file that cannot be read", "four", "locked", claim.Location{State: claim.Unchecked, Reason: "permission denied"}},
		{"a page", "four", "https://a.test/", claim.Location{State: claim.Unchecked, Reason: "the source was not fetched"}},
		{"a page the library has", "archived text", "https://kept.test/pg", claim.Location{State: claim.Located, Tier: "exact", First: 1, Last: 1}},
		{"a line that a program printed", "With a policy, runs at: 02:30; 03:30;", "experiment:E1", claim.Location{State: claim.Located, Tier: "exact", First: 1, Last: 1}},
		{"what a program printed behind a line that denies", "Of 7 files of the repository from before, 0 were altered", "experiment:E2", claim.Location{State: claim.Located, Tier: "exact", First: 2, Last: 2}},
		{"behind an option, before a unit", "exit code of its borg compact: 0", "experiment:E2", claim.Location{State: claim.Located, Tier: "exact", First: 4, Last: 4}},
		{"a line cut behind what denies it", "one is lost", "experiment:E2", claim.Location{State: claim.NotFound, Reason: "the source does not hold these words", Nearest: "not one is lost", Findings: []guard.Finding{{Kind: guard.Negation, Text: "not"}}}},
		{"no quotation", "", "a.md:1", claim.Location{State: claim.Unchecked, Reason: "no quotation was given"}},
		{"no source", "four", "general knowledge", claim.Location{State: claim.Unchecked, Reason: "the source is neither an address nor a file"}},
	} {
		got := claim.Locate([]claim.Entry{{ID: "C1", Quote: c.quoted, Source: c.source}}, lib)[0].Location
		want := c.want
		if want.State == claim.Located {
			want.Start, want.End, want.Passage, want.Context = got.Start, got.End, got.Passage, got.Context
			require.Contains(t, lib[source.Identify(c.source).Path]+lib[c.source], got.Context, c.name)
			require.Contains(t, got.Context, strings.TrimSpace(got.Passage), c.name)
			require.Equal(t, got.Passage, (lib[source.Identify(c.source).Path] + lib[c.source])[got.Start:got.End], c.name)
		}
		if want.Tier != "" || want.Nearest != "" {
			want.Snapshot, want.Text = "raw", "text"
		}
		require.Equal(t, want, got, c.name)
	}
	none := claim.Locate([]claim.Entry{{Quote: "four", Source: "a.md"}}, nil)
	require.Equal(t, claim.Unchecked, none[0].Location.State)
}

func TestFailed(t *testing.T) {
	entries := []claim.Entry{
		{ID: "C1", Seats: []string{"a", "b"}, Location: claim.Location{State: claim.NotFound}},
		{ID: "C2", Seats: []string{"a"}, Location: claim.Location{State: claim.NotFound}},
		{ID: "C3", Seats: []string{"b"}, Location: claim.Location{State: claim.Unchecked}},
	}
	require.Equal(t, entries[:1], claim.NotFoundClaims(entries, "b"))
	require.Empty(t, claim.NotFoundClaims(entries, "c"))
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"text":"t","quote":"q","source":"a.go:1-2"}` + "\n" + `{"text":1}`))
	f.Add([]byte("\xef\xbb\xbf[\n{\"text\":\"\\u0000\",\"source\":\"\\ud800\"},\n]"))
	f.Add([]byte("\x00\xff\n```\n{"))
	f.Fuzz(func(t *testing.T, in []byte) {
		drafts, refused := claim.Decode(strings.NewReader(string(in)), "s", "r")
		if len(refused) > claim.RefusalLimit+2 || len(drafts) > strings.Count(string(in), "\n")+1 {
			t.Fatalf("%d claims, %d refusals", len(drafts), len(refused))
		}
		for _, d := range drafts {
			for _, s := range []string{d.Text, d.Quote, d.Source} {
				if len(s) > claim.FieldLimit || !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b\r") {
					t.Fatalf("field %q", s)
				}
			}
			if d.Text == "" || d.Source == "" {
				t.Fatalf("claim without text or source: %+v", d)
			}
		}
		entries := claim.Locate(claim.Register(nil, drafts), library{"a.go": "q"})
		if len(entries) > len(drafts) {
			t.Fatalf("%d entries of %d claims", len(entries), len(drafts))
		}
	})
}
