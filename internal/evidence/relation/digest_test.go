package relation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/relation"
)

func TestDigestsSayWhatIsTheSame(t *testing.T) {
	digest := func(s string) relation.Digest { return relation.Read(s).Digest() }
	for _, c := range []struct {
		a, b                 string
		same, subject, point bool
	}{
		{"Since 1.7.0 pre-vote is on by default.", "Pre-vote is on by default since 1.7.0.", false, true, true},
		{"The client retries 3 times.", "The client retries three times.", true, true, true},
		{"The client retries 3 times.", "The client retries 5 times.", false, true, false},
		{"Writes are enabled by default.", "Writes are disabled by default.", false, true, false},
		{"The queue persists by default.", "The queue does not persist by default.", false, true, false},
		{"The queue persists by default.", "The message queue persists by default.", false, false, true},
		{"Redis is faster than Memcached.", "Memcached is faster than Redis.", false, true, false},
		{"All tests pass.", "Some tests pass.", false, true, false},
	} {
		x, y := digest(c.a), digest(c.b)
		require.Equal(t, c.same, x.Same == y.Same, c)
		require.Equal(t, c.subject, x.Subject == y.Subject, c)
		require.Equal(t, c.point, x.Point == y.Point, c)
	}
}
