package retryafter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/retryafter"
)

func asked(after, ms string) (time.Duration, bool) {
	headers := map[string]string{"Retry-After": after, "Retry-After-Ms": ms}
	return retryafter.FromHeaders(func(name string) string { return headers[name] }, time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC))
}

func TestWhatAServerAsksFor(t *testing.T) {
	const most = 1 << 20 * time.Second
	for _, c := range []struct {
		after, ms string
		want      time.Duration // 0: nothing that can be read
	}{
		{"2", "", 2 * time.Second},
		{"", "1500", 1500 * time.Millisecond},
		{"60", "1500", 1500 * time.Millisecond},
		{"1", "90000", 90 * time.Second},
		{"60", "", time.Minute},
		{"60", "abc", time.Minute},
		{"60", "-1", time.Minute},
		{"0.5", "", 500 * time.Millisecond},
		{"", "1500.7", 1500*time.Millisecond + 700*time.Microsecond},
		{"999999999999", "", most},
		{"99999999999999999999", "", most},
		{"Sun, 22 Nov 2026 03:00:30 GMT", "", 30 * time.Second},
		{"Sunday, 22-Nov-26 03:00:30 GMT", "", 30 * time.Second},
		{"Sun Nov 22 03:00:30 2026", "", 30 * time.Second},
		{"Sun, 22 Nov 2999 03:00:30 GMT", "", most},
		{"Sun, 22 Nov 2026 03:00:30 GMT", "500", 500 * time.Millisecond},
		{" 2 ", "", 2 * time.Second},
		{"0", "", 0},
		{"", "0", 0},
		{"-5", "", 0},
		{"Sun, 22 Nov 2020 03:00:30 GMT", "", 0},
		{"", "", 0},
		{"abc", "", 0},
		{"", "NaN", 0},
		{"", "Inf", 0},
		{"", "1e300", 0},
		{"", "0x10", 0},
		{"2, 60", "", 0},
		{"2s", "", 0},
		{"١٢", "", 0},
		{"2026-05-06", "", 0},
	} {
		got, ok := asked(c.after, c.ms)
		require.Equal(t, c.want, got, "%q %q", c.after, c.ms)
		require.Equal(t, c.want > 0, ok, "%q %q", c.after, c.ms)
	}
}

func FuzzAsked(f *testing.F) {
	f.Add("3", "")
	f.Add("Wed, 06 May 2026 07:09:09 GMT", "1500.7")
	f.Fuzz(func(t *testing.T, after, ms string) {
		got, ok := asked(after, ms)
		require.True(t, got >= 0 && got <= 1<<20*time.Second)
		require.True(t, ok || got == 0)
	})
}
