package relation_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/relation"
)

func compare(a, b string) relation.Finding {
	return relation.Compare(relation.Read(a), relation.Read(b))
}

func TestTheSameIsSaid(t *testing.T) {
	for _, c := range [][2]string{
		{"The client retries 3 times.", "the client retries three times"},
		{"The client retries  3 of the calls.", "A client retries 3 of the calls."},
		{"By default, pre-vote is on.", "Pre-vote is on by default."},
		{"The limit is 1,000 requests per second.", "The limit is 1000 requests per second"},
		{"The cache isn’t safe for concurrent use.", "The cache is not safe for concurrent use."},
		{"The queue holds at least five items.", "The queue holds at least 5 items."},
		{"The rate of tax is 10 percent.", "The rate of tax is 10%."},
		{"The bridge was opened on 4 May 1998.", "The bridge was opened on May 4, 1998."},
	} {
		require.Equal(t, relation.Finding{Kind: relation.Same}, compare(c[0], c[1]), c)
		require.Equal(t, relation.Finding{Kind: relation.Same}, compare(c[1], c[0]), c)
		require.Equal(t, relation.Read(c[0]).Digest().Same, relation.Read(c[1]).Digest().Same, c)
	}
}

// A verb is denied by what stands behind it as well as by a "not": the two contradict neither
// each other nor in what they leave unsaid, and what denies nothing contradicts them.
func TestWhatStandsBehindAVerbDeniesIt(t *testing.T) {
	for _, c := range [][3]string{
		{"The manual recommends against two checkouts of a project.", "The manual does not recommend two checkouts of a project.", "The manual recommends two checkouts of a project."},
		{"The status showed nothing about the library change.", "The status did not show the library change.", "The status showed the library change."},
		{"The command prints nothing about the lost files.", "The command does not print the lost files.", "The command prints the lost files."},
	} {
		require.Empty(t, compare(c[0], c[1]), c)
		dispute, _ := relation.Veto(relation.Read(c[0]), relation.Read(c[1]))
		require.Empty(t, dispute, c)
		require.Equal(t, relation.Contradicts, compare(c[1], c[2]).Kind, c)
	}
	require.Equal(t, relation.Contradicts, compare("The manual recommends against two checkouts of a project.", "The manual recommends two checkouts of a project.").Kind)
	require.Empty(t, compare("The server log said nothing else about the crash.", "The server log said it about the crash."))
}

// A word, a sign, a capital or an order that may decide is enough: the program then does
// not say that two sentences are the same.
func TestTheSameIsNotSaidOfWhatMayDiffer(t *testing.T) {
	data, err := os.ReadFile("testdata/unlike.tsv")
	require.NoError(t, err)
	pairs := 0
	for line := range strings.Lines(string(data)) {
		one, other, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		pairs++
		for _, c := range [][2]string{{one, other}, {other, one}} {
			require.NotEqual(t, relation.Same, compare(c[0], c[1]).Kind, line)
			require.NotEqual(t, relation.Same, relation.Relate(c[0], c[1]).Kind, line)
			require.False(t, relation.SaySame(c[0], c[1]), line)
		}
		if d := relation.Read(one).Digest(); d != (relation.Digest{}) {
			require.NotEqual(t, d.Same, relation.Read(other).Digest().Same, line)
		}
	}
	require.Greater(t, pairs, 200)
}

// A number with its unit is the same however the unit is written, and never with another
// number, unit, sign or comparison, nor of another thing.
func TestUnitsInTwoWays(t *testing.T) {
	data, err := os.ReadFile("testdata/units.txt")
	require.NoError(t, err)
	count := map[string]int{}
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if line[0] == '#' || len(parts) != 3 {
			continue
		}
		count[parts[0]]++
		for _, c := range [][2]string{{parts[1], parts[2]}, {parts[2], parts[1]}} {
			said := compare(c[0], c[1]).Kind == relation.Same || relation.Relate(c[0], c[1]).Kind == relation.Same
			if (parts[0] == "same") != said {
				t.Errorf("%s: said to be the same: %t", strings.TrimSpace(line), said)
			}
			require.Equal(t, relation.Relate(c[0], c[1]).Kind == relation.Same, relation.SaySame(c[0], c[1]), line)
		}
		one, other := relation.Read(parts[1]).Digest(), relation.Read(parts[2]).Digest()
		if one.Same != 0 && other.Same != 0 && (one.Same == other.Same) != (parts[0] == "same") {
			t.Errorf("%s: the digests say otherwise", strings.TrimSpace(line))
		}
		if _, detail := relation.Veto(relation.Read(parts[1]), relation.Read(parts[2])); parts[0] == "same" && detail != "" {
			t.Errorf("%s: forbidden, %s", strings.TrimSpace(line), detail)
		}
	}
	require.Greater(t, count["same"], 20)
	require.Greater(t, count["not"], 80)
}

// Of more than a sentence the rules say nothing, and looking at it costs no more the
// longer it is.
func TestMoreThanASentenceIsNotJudged(t *testing.T) {
	work := func(n int) float64 {
		one := strings.Repeat("The queue of firm x holds 5 items, sent by bob. ", n)
		other := strings.Replace(one, "5", "6", 1)
		require.Empty(t, relation.Relate(one, other).Kind)
		require.Empty(t, relation.Relate(one, strings.TrimSpace(one)).Kind)
		require.Equal(t, relation.Digest{}, relation.Read(one).Digest())
		return testing.AllocsPerRun(3, func() { relation.Relate(one, other) })
	}
	require.Equal(t, work(9), work(900))
	require.Equal(t, relation.Contradicts, relation.Relate("The queue of the firm holds 5 items.", "The queue of the firm holds 6 items.").Kind)
}

func TestWhatPossiblyContradicts(t *testing.T) {
	for _, c := range []struct {
		a, b    string
		dispute relation.Dispute
	}{
		{"The client retries 3 times.", "The client retries 5 times.", relation.Fact},
		{"Retries 3 times.", "Retries five times.", relation.Fact},
		{"The queue persists by default.", "The queue does not persist by default.", relation.Fact},
		{"The cache persists its entries.", "The cache never persists its entries.", relation.Fact},
		{"The timeout is 50 ms.", "The timeout is 0.5 s.", relation.Fact},
		{"Compression is enabled by default.", "Compression is disabled by default.", relation.Fact},
		{"The map is safe for concurrent use.", "The map is unsafe for concurrent use.", relation.Fact},
		{"The new parser is faster than the old parser of the compiler.", "The new parser is slower than the old parser of the compiler.", relation.Fact},
		{"Redis is faster than Memcached.", "Memcached is faster than Redis.", relation.Fact},
		{"The company was founded in 1998.", "The company was founded in 2001.", relation.Date},
		{"Generics are supported since version 1.18.", "Generics are supported since version 1.20.", relation.Date},
		{"The cluster needs at least 3 nodes.", "The cluster needs at most 2 nodes.", relation.Fact},
		{"The backlog holds more than 100 items.", "The backlog holds fewer than 50 items.", relation.Fact},
		{"Prices increased by 5 percent.", "Prices decreased by 5 percent.", relation.Fact},
		{"The client retries 3 times before giving up.", "The client retries 5 times.", relation.Fact},
		{"The low dose did not improve sleep.", "The low dose improved sleep, appetite and mood.", relation.Fact},
		{"The writes fail to reach the disk.", "The writes reach the disk.", relation.Fact},
	} {
		for _, f := range []relation.Finding{compare(c.a, c.b), compare(c.b, c.a)} {
			require.Equal(t, relation.Contradicts, f.Kind, c)
			require.Equal(t, c.dispute, f.Dispute, c)
			require.NotEmpty(t, f.Detail, c)
		}
	}
}

// What speaks of another thing, another time or another case is neither.
func TestNothingIsSaidOfOtherThings(t *testing.T) {
	for _, c := range [][2]string{
		{"Region Alpha has 5 schools.", "Region Beta has 6 schools."},
		{"Table 3 shows the results.", "Table 5 shows the results."},
		{"In 2019 sales were 5 million.", "In 2020 sales were 6 million."},
		{"Sales grew in 2019.", "Sales grew in 2020."},
		{"Some users see the banner.", "Some users do not see the banner."},
		{"The request may take 3 seconds.", "The request may take 5 seconds."},
		{"The leader sends heartbeats to followers.", "Followers send heartbeats to the leader."},
		{"Packet loss is causing the timeout.", "Packet loss is delaying the timeout."},
		{"HTTP 1 has no multiplexing.", "HTTP 2 has no multiplexing."},
		{"About 3 million people live there.", "3.1 million people live there."},
		{"The rate is 12.3 percent.", "The rate is 12 percent."},
		{"At 3 g a day it improved sleep.", "At 7 g a day it improved sleep."},
		{"The upper limit is 5 MB.", "The lower limit is 5 MB."},
		{"Safe code is checked by the compiler.", "Unsafe code is checked by the compiler."},
		{"Python is slow.", "Rust is slow."},
		{"The client retries 3 times in batch mode.", "The client retries 5 times."},
		{"If the disk is full the client retries 3 times.", "The client retries 5 times."},
		{"Prices of small flats rose by 3 percent.", "Prices of large flats rose by 5 percent."},
		{"单人家庭的支出增长了3%。", "老年家庭的支出增长了5%。"},
		{"", ""},
		{"5", "6"},
	} {
		require.Equal(t, relation.Finding{}, compare(c[0], c[1]), c)
	}
}

func TestVetoes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		veto bool
	}{
		{"Packet loss is causing the timeout.", "Packet loss is delaying the timeout.", true},
		{"The client retries a failed request 3 times before it gives up.", "After a failure the client retries the request 5 times.", true},
		{"The broker persists messages by default.", "By default, messages are not persisted by the broker.", true},
		{"The rule took effect in 2019.", "The rule has been in effect since 2021.", true},
		{"The default timeout of a request is 30 seconds.", "Requests time out after half a minute, 30 s, by default.", false},
		{"Pre-vote is on by default.", "Pre-vote is switched on by default since 1.7.0.", false},
		{"If the report is not sent, the follower may be stuck.", "The application must send the report or the follower may be stuck.", false},
		{"Membership changes go one at a time.", "Only one membership change is allowed at a time.", false},
		{"Writes increase latency under load.", "Under load, writes decrease latency.", true},
	} {
		_, words := relation.Veto(relation.Read(c.a), relation.Read(c.b))
		require.Equal(t, c.veto, words != "", "%s | %s: %s", c.a, c.b, words)
		_, words = relation.Veto(relation.Read(c.b), relation.Read(c.a))
		require.Equal(t, c.veto, words != "", "%s | %s: %s", c.b, c.a, words)
	}
}

func TestNegationsAndScopesThatExcludeEachOther(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want relation.Kind
	}{
		{"Die Bibliothek unterstützt Windows.", "Die Bibliothek unterstützt Windows nicht.", relation.Contradicts},
		{"Every request is logged.", "No request is logged.", relation.Contradicts},
		{"The file is always encrypted.", "The file is never encrypted.", relation.Contradicts},
		{"Compression is on by default.", "Compression is off by default.", relation.Contradicts},
		{"The vendor raised the price by 10 percent.", "The vendor increased the price by 10 percent.", ""},
		{"Some requests are logged.", "Some requests are not logged.", ""},
		{"Not all requests are logged.", "No request is logged.", ""},
		{"Compression is on for responses.", "Compression is off for requests.", ""},
	} {
		got := relation.Compare(relation.Read(c.a), relation.Read(c.b))
		require.Equal(t, c.want, got.Kind, "%s / %s: %s", c.a, c.b, got.Detail)
	}
}

// Ranges, bounds behind a number, units of two systems and dates of which one says less
// are no conflict where both may be; and are one where they cannot.
func TestNumbersThatMayBothBeTrue(t *testing.T) {
	data, err := os.ReadFile("testdata/both.txt")
	require.NoError(t, err)
	count := 0
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if line[0] == '#' || len(parts) != 3 {
			continue
		}
		count++
		for _, c := range [][2]string{{parts[1], parts[2]}, {parts[2], parts[1]}} {
			found := compare(c[0], c[1]).Kind == relation.Contradicts || relation.Relate(c[0], c[1]).Kind == relation.Contradicts
			if found != (parts[0] == "apart") {
				t.Errorf("%s: found to be a conflict: %t", strings.TrimSpace(line), found)
			}
		}
	}
	require.Greater(t, count, 40)
	_, detail := relation.Veto(relation.Read("The response takes 5 ± 2 s."), relation.Read("The response takes 5 ± 3 s."))
	require.NotEmpty(t, detail, "and are not the same for it")
}
