package respite_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research-council/internal/respite"
)

func TestWhatAServerAsksFor(t *testing.T) {
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"0": 0, "3": 3 * time.Second, " 120 ": 2 * time.Minute, "-5": 0,
		"999999999999":                      1 << 20 * time.Second,
		"Wed, 06 May 2026 07:09:09 GMT":     time.Minute,
		"Wed, 06 May 2026 07:00:00 GMT":     0,
		"Wednesday, 06-May-26 07:08:19 GMT": 10 * time.Second,
		"Thu, 06 May 2999 07:00:00 GMT":     1 << 20 * time.Second,
	} {
		got, ok := respite.Asked(header, now)
		require.True(t, ok, header)
		require.Equal(t, want, got, header)
	}
	for _, header := range []string{"", "soon", "1.5", "99999999999999999999", "2026-05-06"} {
		got, ok := respite.Asked(header, now)
		require.False(t, ok, header)
		require.Zero(t, got)
	}
}

func FuzzAsked(f *testing.F) {
	f.Add("3")
	f.Add("Wed, 06 May 2026 07:09:09 GMT")
	f.Fuzz(func(t *testing.T, header string) {
		got, ok := respite.Asked(header, time.Unix(0, 0))
		require.True(t, got >= 0 && got <= 1<<20*time.Second)
		require.True(t, ok || got == 0)
	})
}
