package carry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A comparison that failed is no change.
func TestOnlyWhatDiffersIsTold(t *testing.T) {
	for _, row := range []struct {
		said   string
		code   int
		differ bool
		failed bool
	}{
		{"Nothing has changed.\n", 0, false, false},
		{"1 gained, 0 lost, 0 changed, 0 sources drifted\n", 1, true, false},
		{"", 1, false, true},
		{"", 2, false, true},
		{"", -1, false, true},
	} {
		differ, err := saysDifferent(row.said, row.code)
		require.Equal(t, row.differ, differ, row)
		require.Equal(t, row.failed, err != nil, row)
	}
}

// A notice that one channel took is told: it is not sent to that one again for the others' sake.
func TestANoticeIsSentOnceAChannelTookIt(t *testing.T) {
	for _, row := range []struct {
		said   string
		code   int
		failed string
	}{
		{`{"channels":[{"channel":"ntfy","sent":true}]}`, 0, ""},
		{`{"channels":[{"channel":"ntfy","sent":false,"error":"ntfy: 503"},{"channel":"webhook","sent":true}]}`, 1, ""},
		{`{"channels":[]}`, 0, ""},
		{`{"channels":[{"channel":"ntfy","sent":false,"error":"ntfy: 503"}]}`, 1, "ntfy: 503"},
		{"", 2, "council notify ends with code 2"},
		{"", -1, "council notify ends with code -1"},
	} {
		err := saysSent(row.said, row.code)
		if row.failed == "" {
			require.NoError(t, err, row)
		} else {
			require.ErrorContains(t, err, row.failed)
		}
	}
}
