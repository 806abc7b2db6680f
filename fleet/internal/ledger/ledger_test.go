package ledger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/fleet/internal/ledger"
)

var key = []byte("a key of thirty-two bytes, really")

func TestACommitIsReadAsItWasSealed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := ledger.Commit{
			N: rapid.IntRange(1, 1e6).Draw(t, "n"), Run: rapid.String().Draw(t, "run"), Epoch: 1, Kind: ledger.Facts,
			Holder: rapid.String().Draw(t, "holder"), Journal: rapid.StringMatching(`([a-z"\\{}é]{0,9}\n){0,3}`).Draw(t, "journal"),
		}
		data, err := ledger.Seal(key, c)
		require.NoError(t, err)
		again, err := ledger.Unseal(key, data)
		require.NoError(t, err)
		require.Equal(t, c, again)

		_, err = ledger.Unseal([]byte("another key"), data)
		require.ErrorIs(t, err, ledger.ErrForged)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		changed := []byte(string(data))
		changed[at] ^= 1 << rapid.IntRange(0, 4).Draw(t, "bit")
		if again, err := ledger.Unseal(key, changed); err == nil { // a bit of a letter's case may mean nothing to JSON, and then nothing has changed
			require.Equal(t, c, again)
		}
	})
}

func TestACommitThatDoesNotFollowIsRefused(t *testing.T) {
	held, err := ledger.New("r").Next(ledger.Commit{N: 1, Run: "r", Epoch: 1, Holder: "a", Kind: ledger.Taken}, "h1")
	require.NoError(t, err)
	good := func() ledger.Commit {
		return ledger.Commit{N: 2, Before: "h1", Run: "r", Epoch: 1, Holder: "a", Kind: ledger.Facts, Journal: "{}\n"}
	}
	_, err = held.Next(good(), "h2")
	require.NoError(t, err)
	for _, c := range []struct {
		says   string
		change func(*ledger.Commit)
	}{
		{"of another run", func(c *ledger.Commit) { c.Run = "s" }},
		{"a number is left out", func(c *ledger.Commit) { c.N = 3 }},
		{"of another past", func(c *ledger.Commit) { c.Before = "h0" }},
		{"by somebody who does not hold it", func(c *ledger.Commit) { c.Holder = "b" }},
		{"with a later epoch that nobody took", func(c *ledger.Commit) { c.Epoch = 2 }},
		{"taken without a later epoch", func(c *ledger.Commit) { c.Kind = ledger.Taken }},
		{"half a line", func(c *ledger.Commit) { c.Journal = "{" }},
		{"a file outside", func(c *ledger.Commit) { c.Put = map[string]ledger.File{"../x": {}} }},
		{"an absolute file", func(c *ledger.Commit) { c.Put = map[string]ledger.File{"/etc/passwd": {}} }},
		{"the journal as a file", func(c *ledger.Commit) { c.Put = map[string]ledger.File{"journal.jsonl": {}} }},
	} {
		t.Run(c.says, func(t *testing.T) {
			one := good()
			c.change(&one)
			after, err := held.Next(one, "h2")
			require.Error(t, err)
			require.Equal(t, held, after)
		})
	}
}

func TestNothingFollowsTheEnd(t *testing.T) {
	l, err := ledger.New("r").Next(ledger.Commit{N: 1, Run: "r", Epoch: 1, Holder: "a", Kind: ledger.Taken}, "h1")
	require.NoError(t, err)
	rest := ledger.Commit{N: 2, Before: "h1", Run: "r", Epoch: 1, Holder: "a", Kind: ledger.Rested, End: &ledger.End{Status: "paused_for_input"}}
	waits, err := l.Next(rest, "h2")
	require.NoError(t, err)
	_, err = waits.Next(ledger.Commit{N: 3, Before: "h2", Run: "r", Epoch: 2, Holder: "b", Kind: ledger.Taken}, "h3")
	require.NoError(t, err, "one that waits is taken again")
	rest.End = &ledger.End{Status: "completed", Final: true}
	over, err := l.Next(rest, "h2")
	require.NoError(t, err)
	_, err = over.Next(ledger.Commit{N: 3, Before: "h2", Run: "r", Epoch: 2, Holder: "b", Kind: ledger.Taken}, "h3")
	require.ErrorContains(t, err, "has ended")
}

func TestADiffMakesOneFolderOfTheOther(t *testing.T) {
	file := rapid.Custom(func(t *rapid.T) ledger.File {
		return ledger.File{Exec: rapid.Bool().Draw(t, "exec"), Parts: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ledger.Part {
			return ledger.Part{Hash: rapid.StringMatching(`[ab]`).Draw(t, "hash"), Size: 1}
		}), 0, 2).Draw(t, "parts")}
	})
	files := rapid.MapOf(rapid.StringMatching(`[a-c](/[a-c])?`), file)
	rapid.Check(t, func(t *rapid.T) {
		l := ledger.New("r")
		for n := 1; n <= 3; n++ {
			now := files.Draw(t, "now")
			put, gone := l.Diff(now)
			kind := ledger.Facts
			if n == 1 {
				kind = ledger.Taken
			}
			next, err := l.Next(ledger.Commit{N: n, Before: l.Last, Run: "r", Epoch: 1, Kind: kind, Put: put, Gone: gone}, strings.Repeat("h", n))
			require.NoError(t, err)
			require.Len(t, next.Files, len(now))
			for name, f := range now {
				require.True(t, f.Equal(next.Files[name]))
			}
			l = next
		}
	})
}

func TestNamesThatAreKept(t *testing.T) {
	for name, kept := range map[string]bool{
		"final-report.md": true, "seats/one/claims.jsonl": true, "a b/ü.txt": true,
		"lease.json": false, "journal.jsonl": false, "status.json.123.new": false, ".": false, "": false,
		"..": false, "../x": false, "a/../b": false, "a//b": false, "/a": false, "a\x00b": false, `a\b`: false,
	} {
		require.Equal(t, kept, ledger.Kept(name), "%q", name)
	}
}
