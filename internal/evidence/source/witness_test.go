package source_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/source"
)

// Each row of the table names what is claimed, about what, and by which source;
// what a seat says of it is not asked for.
func TestWhatSortOfWitnessASourceIs(t *testing.T) {
	file, err := os.Open("testdata/witnesses.tsv")
	require.NoError(t, err)
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 60)
	for _, row := range rows[1:] {
		subject, text, ref, want, why := row[0], row[1], row[2], row[3], row[4]
		standing, reason := source.Classify(ref, subject, text)
		require.True(t, slices.Contains(strings.Split(want, " or "), string(standing)), "%s, on %s: %s, because %s; wanted %s: %s", ref, subject, standing, reason, want, why)
		require.NotEmpty(t, reason, ref)
	}
}

func TestWhatTheClaimIsAboutDecidesWhoIsOfficial(t *testing.T) {
	for _, c := range []struct {
		topic, text, ref string
		want             source.Standing
	}{
		{"Redis or PostgreSQL?", "PostgreSQL uses MVCC.", "https://redis.io/docs/", source.StandingCommunity},
		{"Redis or PostgreSQL?", "PostgreSQL uses MVCC.", "https://www.postgresql.org/docs/", source.StandingOfficial},
		{"Redis or PostgreSQL?", "It needs no vacuum.", "https://redis.io/docs/", source.StandingOfficial},
		{"Which studies can be trusted?", "Independent studies show it.", "https://www.independent.co.uk/a", source.StandingCommunity},
		{"Which brokers keep order?", "In a test Pulsify kept order.", "https://pulsify.dev/docs", source.StandingOfficial},
		{"Which brokers keep order?", "Messages keep their order.", "https://pulsify.dev/docs", source.StandingCommunity},
		{"Which brokers keep order?", "In a test Pulsify kept order.", "https://learn-pulsify.dev/docs", source.StandingCommunity},
		{"How does Python hash?", "Strings are salted.", "https://python.tips/hash", source.StandingCommunity},
		{"How does Node.js read files?", "A pool of four threads reads.", "https://nodejs.org/api/fs.html", source.StandingOfficial},
		{"serde", "Fields can be renamed.", "https://docs.rs/serde/latest/serde/", source.StandingOfficial},
		{"serde", "Fields can be renamed.", "https://docs.rs/other/latest/other/", source.StandingCommunity},
	} {
		got, why := source.Classify(c.ref, c.topic, c.text)
		require.Equal(t, c.want, got, "%s on %q: %s", c.ref, c.topic+" "+c.text, why)
	}
}

func FuzzWitness(f *testing.F) {
	f.Add("https://go.dev@example.com/doc", "Go", "Go is.")
	f.Add("https://web.archive.org/web/2024/https://web.archive.org/web/1/x", "", ".")
	f.Fuzz(func(t *testing.T, ref, topic, text string) {
		standing, why := source.Classify(ref, topic, text)
		require.NotEmpty(t, why)
		require.NotEmpty(t, standing)
	})
}
