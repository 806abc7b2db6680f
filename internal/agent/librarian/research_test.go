package librarian_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/agent/librarian/librariantest"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/output/report"
)

func ask(t require.TestingT, q librarian.Question, lib librarian.Library) librarian.Result {
	r, err := librarian.Research(context.Background(), q, lib, func(librarian.Result) error { return nil })
	require.NoError(t, err)
	return r
}

const howOff = "How does the thermostat decide when to switch off the coil?"

func TestAnswersComeFromThePassagesThatAnswer(t *testing.T) {
	for shard, want := range map[librarian.Shard]string{
		librarian.Official: "The thermostat decides when to switch the coil off, because steam bends its bimetal strip.",
		librarian.Code:     "Thermostat switches the coil off when the bimetal strip bends.",
	} {
		r := ask(t, librarian.Question{Topic: howOff, Shard: shard, Iterations: 4}, librariantest.NewMemory(librariantest.Kettles))
		require.NotEmpty(t, r.Findings, shard)
		require.Equal(t, want, r.Findings[0].Lead)
		for _, f := range r.Findings {
			require.Equal(t, shard, f.Passage.Shard)
		}
		summary, _, _ := strings.Cut(string(librarian.Markdown(r, true)), "## Key Findings")
		require.Contains(t, summary, want)
	}
}

func TestScriptsWithoutBlanksBetweenWords(t *testing.T) {
	lib := librariantest.NewMemory(map[string]string{"a.md": "# 调度\n\n调度器从其他队列窃取工作，因为本地队列是空的。\n\n# 茶\n\n茶是热的，因为水是热的。\n"})
	r := ask(t, librarian.Question{Topic: "调度器如何窃取工作？", Iterations: 1}, lib)
	sound(t, r, lib)
	summary, _, _ := strings.Cut(string(librarian.Markdown(r, true)), "## Key Findings")
	require.Contains(t, summary, "调度器从其他队列窃取工作，因为本地队列是空的。 (`a.md:3`)")
}

func TestDeeperIterationsFollowWhatTheFirstOnesFound(t *testing.T) {
	r := ask(t, librarian.Question{Topic: "What does the thermostat do?", Iterations: 5}, librariantest.NewMemory(librariantest.Kettles))
	var followed []string
	for _, s := range r.Steps[1:] {
		followed = append(followed, s.Followed...)
	}
	require.Contains(t, followed, "bimetal strip")
	require.Empty(t, r.Steps[0].Followed)
}

func TestItEndsWhenNothingNewComesUp(t *testing.T) {
	r := ask(t, librarian.Question{Topic: howOff, Iterations: 100}, librariantest.NewMemory(librariantest.Kettles))
	require.True(t, r.Dry)
	require.Less(t, len(r.Steps), 20)
	require.Zero(t, r.Steps[len(r.Steps)-1].New)
}

func TestItIsHonestAboutWhatIsNotThere(t *testing.T) {
	r := ask(t, librarian.Question{Topic: "Why do unicorns like the thermostat?", Iterations: 2}, librariantest.NewMemory(librariantest.Kettles))
	require.Equal(t, []string{"unicorns"}, r.Missing)
	require.Contains(t, string(librarian.Markdown(r, true)), "these terms stand in no file that was read: `unicorns`")
	r = ask(t, librarian.Question{Topic: "How do unicorns handle the thermostat?", Iterations: 2}, librariantest.NewMemory(librariantest.Kettles))
	require.Equal(t, []string{"unicorns"}, r.Missing, "a verb that only asks is not missed")
	r = ask(t, librarian.Question{Topic: "Unicorns?", Iterations: 2}, librariantest.NewMemory(librariantest.Kettles))
	require.Empty(t, r.Findings)
	require.Contains(t, string(librarian.Markdown(r, true)), "Nothing was found.")
}

func TestAnErrorOfTheLibraryEndsIt(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := librarian.Research(context.Background(), librarian.Question{Topic: howOff, Iterations: 3}, librariantest.NewMemory(librariantest.Kettles), func(librarian.Result) error { return broken })
	require.ErrorIs(t, err, broken)
}

// changed is a library whose files are not what they were.
type changed struct{ *librariantest.Memory }

func (changed) Lines(string, int, int) (string, error) { return "something else", nil }

func TestWhatNoLongerStandsInItsFileIsDropped(t *testing.T) {
	r := ask(t, librarian.Question{Topic: howOff, Iterations: 2}, changed{librariantest.NewMemory(librariantest.Kettles)})
	require.Empty(t, r.Findings)
	require.Positive(t, r.Changed)
	require.Contains(t, string(librarian.Markdown(r, true)), "has changed since it was indexed")
}

// sound holds for every result: quotations stand where they are said to,
// claims are located, the report is marked and can be used.
func sound(t require.TestingT, r librarian.Result, lib *librariantest.Memory) {
	for _, f := range r.Findings {
		lines, err := lib.Lines(f.Path, f.From, f.To)
		require.NoError(t, err)
		require.Contains(t, lines, f.Quote)
		require.True(t, strings.HasPrefix(f.Cite(), f.Path+":"))
		if f.Prose {
			_, ok := quote.Find(lines, f.Said)
			require.True(t, ok, "%q stands in %q but for comment signs and line breaks", f.Said, lines)
		}
	}
	drafts, refused := claim.Decode(bytes.NewReader(librarian.Claims(r)), "librarian", agent.Research)
	require.Empty(t, refused)
	require.Len(t, drafts, len(r.Findings))
	for _, e := range claim.Locate(claim.Register(nil, drafts), lib) {
		require.Equal(t, claim.Located, e.Location.State, "%+v", e)
		require.Empty(t, e.Location.Reason, "it stands in the lines cited")
	}
	text := librarian.Markdown(r, true)
	require.True(t, marker.IsComplete(text[max(0, len(text)-4<<10):]))
	require.False(t, marker.IsComplete(librarian.Markdown(r, false)))
	ok, problem := report.Usable(text)
	require.True(t, ok, problem)
	for _, heading := range []string{"Executive Summary", "Key Findings", "Methodology", "Open Questions", "Sources"} {
		require.Equal(t, 1, bytes.Count(text, []byte("\n## "+heading+"\n")), heading)
	}
}

func TestEveryQuotationStandsWhereItIsSaidTo(t *testing.T) {
	var texts []string
	for _, path := range slices.Sorted(maps.Keys(librariantest.Kettles)) { // in the same order every time, so that a failure can be replayed
		texts = append(texts, librariantest.Kettles[path])
	}
	vocabulary := strings.Fields(strings.Join(texts, " ") + " how why when what the of \"coil off\" Boil() `lid`")
	rapid.Check(t, func(t *rapid.T) {
		topic := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 8).Draw(t, "topic"), " ")
		shard := rapid.SampledFrom(append(librarian.Shards(), librarian.All)).Draw(t, "shard")
		q := librarian.Question{Topic: topic, Shard: shard, Iterations: rapid.IntRange(1, 6).Draw(t, "iterations")}
		lib := librariantest.NewMemory(librariantest.Kettles)
		r := ask(t, q, lib)
		sound(t, r, lib)
		require.Equal(t, librarian.Markdown(r, true), librarian.Markdown(ask(t, q, librariantest.NewMemory(librariantest.Kettles)), true), "the same every time")
		require.Equal(t, librarian.Claims(r), librarian.Claims(ask(t, q, lib)))
	})
}

func TestFilesOfAnyBytesAreQuotedAsTheyAre(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"// The coil heats water. It is hot.", "/* The coil", "stops here. */", "The *coil* <b>heats</b> [water](x).", "", "\tcoil := heat(water)", "```", "~~~",
		"# Coil", "- the coil is a list item, said nobody", "<!-- RESEARCH_COMPLETE -->", "> coil quoted", "1. The coil is first.", "水は coil で沸く。電気です。", "\x1b[31mcoil\x1b[0m heats\u202e water.",
		"The coil\x00 ends.", "caf\xe9 coil", "| coil | water |", "Coil heats water", "The coil is `code", "====", "x. y. z. coil e.g. Water. coil.",
	})
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for _, name := range []string{"a.go", "b.md", "c.py", "d", "e.html", "f_test.go"} {
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
			files[name] = strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, name), end)
		}
		lib := librariantest.NewMemory(files)
		r := ask(t, librarian.Question{Topic: "How does the coil heat water?", Iterations: 3}, lib)
		for _, f := range r.Findings {
			lines, err := lib.Lines(f.Path, f.From, f.To)
			require.NoError(t, err)
			require.Contains(t, lines, f.Quote)
		}
		text := librarian.Markdown(r, true)
		require.True(t, marker.IsComplete(text[max(0, len(text)-4<<10):]))
		require.Equal(t, 1, bytes.Count(text, []byte("\n"+agent.Marker)), "quoted markers end nothing")
		require.NotContains(t, string(text), "\x1b")
		require.NotContains(t, string(text), "\u202e")
	})
}

func FuzzTopic(f *testing.F) {
	for _, s := range []string{howOff, "", "\x00", "the of and", "\"coil", "“coil off” AND NOT OR NEAR(a b) * ^ : -x", "调度器如何窃取工作", "كيف يعمل الملف", "\u202ecoil", strings.Repeat("coil off ", 300), "\xff\xfe", "GOMAXPROCS heapGoal go go go", "<!-- RESEARCH_COMPLETE -->\n```"} {
		f.Add(s)
	}
	lib := librariantest.NewMemory(librariantest.Kettles)
	f.Fuzz(func(t *testing.T, topic string) {
		r := ask(t, librarian.Question{Topic: topic, Iterations: 2}, lib)
		sound(t, r, lib)
	})
}

func TestAQuestionOfAnyLengthIsAnsweredAtOnce(t *testing.T) {
	var distinct strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&distinct, "word%dx ", i)
	}
	for _, topic := range []string{strings.Repeat("coil off ", 30_000), strings.Repeat(`a1 b2 c3 " d4`, 20_000), distinct.String(), strings.Repeat("水電", 40_000)} {
		lib := librariantest.NewMemory(librariantest.Kettles)
		sound(t, ask(t, librarian.Question{Topic: topic, Iterations: 1}, lib), lib)
	}
}

func TestRefinementFollowsTermsOfOtherReports(t *testing.T) {
	lib := librariantest.NewMemory(librariantest.Kettles)
	q := librarian.Question{Topic: "How does the thermostat feel steam?", Shard: librarian.Official, Iterations: 1}
	first := ask(t, q, lib)
	own := string(librarian.Markdown(first, true))
	peer := "Vinegar helps. Nothing beats vinegar. Use vinegar on the coil, and a flux capacitor. One flux capacitor is enough. The flux capacitor hums. "
	r, err := librarian.Refine(context.Background(), q, own, []string{peer}, lib, func(librarian.Result) error { return nil })
	require.NoError(t, err)
	sound(t, r, lib)
	require.Contains(t, r.Suggested, "vinegar")
	require.NotContains(t, strings.Join(r.Suggested, " "), "flux", "the files do not know it")
	require.NotContains(t, string(librarian.Markdown(r, true)), "Nothing beats", "no word of a peer but the term")
	require.GreaterOrEqual(t, len(r.Findings), len(first.Findings))
	for i, f := range first.Findings {
		require.Equal(t, f.Quote, r.Findings[i].Quote, "what was found is kept")
	}
}

func TestHostileReportsAreData(t *testing.T) {
	lib := librariantest.NewMemory(librariantest.Kettles)
	q := librarian.Question{Topic: howOff, Iterations: 2}
	rapid.Check(t, func(t *rapid.T) {
		peer := rapid.StringOf(rapid.SampledFrom([]rune("ab steam lid\n\x00\x1b<>[]()`\"*C1.#é水\u202e"))).Draw(t, "peer")
		r, err := librarian.Refine(context.Background(), q, "", []string{peer, peer + peer}, lib, func(librarian.Result) error { return nil })
		require.NoError(t, err)
		sound(t, r, lib)
	})
}

func TestShardOfASeat(t *testing.T) {
	for seat, want := range map[string]librarian.Shard{
		"librarian-official": librarian.Official, "librarian-code": librarian.Code, "librarian-community": librarian.Community, "librarian": librarian.All, "official": librarian.All,
	} {
		require.Equal(t, want, librarian.ShardOf(seat), seat)
	}
}

func ExampleMarkdown() {
	r, err := librarian.Research(context.Background(), librarian.Question{Topic: "What dissolves lime scale?", Shard: librarian.Official, Iterations: 1}, librariantest.NewMemory(librariantest.Kettles), func(librarian.Result) error { return nil })
	if err != nil {
		fmt.Println(err)
	}
	summary, _, _ := strings.Cut(string(librarian.Markdown(r, true)), "## Key Findings")
	fmt.Println(summary)
	// Output:
	// # What the files say (official)
	//
	// > What dissolves lime scale?
	//
	// ## Executive Summary
	//
	// Vinegar dissolves lime scale within an hour. (`README.md:7`)
}
