package relation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/relation"
)

// What is said in other words is compared by the point on which it hangs.
func TestOtherWordsThatClash(t *testing.T) {
	for _, c := range [][2]string{
		{"A client whose call fails retries it 3 times before giving up.", "After a failed call the client makes 5 retries and then gives up."},
		{"The reviewers advise against pinning the library to version 4.", "The reviewers recommend pinning the library to version 4."},
		{"The Spring team brought out Spring Boot in 2012.", "In 2014, the Spring team released Spring Boot, which changed Java development."},
		{"Square Register is available for $799 and includes an integrated display (the fee is 2.6%).", "Square Register costs $899 and comes with a built-in display."},
		{"A2A was designed to take the place of the older protocol.", "A2A is designed to complement the older protocol."},
		{"Where the two differ, the plugin settings override the database settings.", "The database settings take priority over the plugin settings."},
		{"Europe is the largest market for editing software; Asia comes second.", "North America is the largest market for editing software."},
		{"The dose does not depend on age as the factors are averaged.", "The dose depends on age as it is a measure of harm."},
		{"Taking probiotics leaves the diversity of the microbiome unchanged.", "Probiotics enhance the diversity of the microbiome."},
		{"Terahertz radar works between 0.3 and 3 GHz.", "Terahertz radar operates between 0.3 and 3 THz."},
		{"Support ends on 31 December 2025.", "Support ends on 30 June 2026."},
		{"Append can fail.", "Append never fails."},
		{"Use Redis for session storage.", "Use Postgres for session storage."},
		{"2022年政府投资30亿美元。", "2022年政府投资3000万美元。"},
		{"The rate is 5%.", "The rate is 7%."},
	} {
		for _, f := range []relation.Finding{relation.Relate(c[0], c[1]), relation.Relate(c[1], c[0])} {
			require.Equal(t, relation.Contradicts, f.Kind, c)
			require.NotEmpty(t, f.Detail, c)
		}
	}
}

func TestOtherWordsThatSayTheSame(t *testing.T) {
	for _, c := range [][2]string{
		{"The client retries a failed request.", "A failed request is retried by the client."},
		{"Facebook acquired the company.", "The company was acquired by Facebook."},
	} {
		require.Equal(t, relation.Same, relation.Relate(c[0], c[1]).Kind, c)
		require.Equal(t, relation.Same, relation.Relate(c[1], c[0]).Kind, c)
		require.True(t, relation.SaySame(c[0], c[1]) && relation.SaySame(c[1], c[0]), c)
	}
}

// Another case, place, time or thing is no clash, and who does what to whom is not the
// same the other way round.
func TestOtherWordsOfOtherThings(t *testing.T) {
	for _, c := range [][2]string{
		{"Spring Boot 2 runs on Java 8 and later.", "Spring Boot 3 needs at least Java 17."},
		{"At 3.5 g a day it improved sleep.", "At 1.5 g a day it made no difference to sleep."},
		{"The read timeout is 30 seconds.", "The timeout is 60 seconds."},
		{"With TLS the port is 8443.", "Without TLS the port is 8080."},
		{"Version 2.0 was released in January 2024.", "Version 2.1 was released in May 2024."},
		{"The median income of towns is 47,122, or 90.9% of the mean.", "The median income of villages is 18,748, or 86.4% of the mean."},
		{"The rate is about 10 percent.", "The rate is between 8.7 and 10 percent."},
		{"The leader sends messages to followers.", "Followers send messages to the leader."},
		{"Norway is one of the largest funds in the world.", "China is the largest fund in the world."},
		{"In 2023 China was the largest market for cars.", "In 2010 America was the largest market for cars."},
		{"Use Redis for caching.", "Use Postgres for reporting."},
		{"The client retries 3 times.", "The client library retries 5 times."},
		{"The library may be slow.", "The library could be fast."},
	} {
		require.Empty(t, relation.Relate(c[0], c[1]).Kind, c)
		require.Empty(t, relation.Relate(c[1], c[0]).Kind, c)
	}
}

func FuzzRelate(f *testing.F) {
	f.Add("Where the two differ, X of 5% upwards is 31 December 2025; 3亿.", "2025-12-31 leaves it unchanged")
	f.Add("The best (", "The best is , which")
	f.Fuzz(func(t *testing.T, a, b string) {
		require.Equal(t, relation.Relate(a, b).Kind, relation.Relate(b, a).Kind)
		require.NotEqual(t, relation.Contradicts, relation.Relate(a, a).Kind)
	})
}
