package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

func TestSlipsOfThePen(t *testing.T) {
	for _, c := range []struct {
		written, meant string
		slip           bool
	}{
		{"recieve", "receive", true},
		{"goverment", "government", true},
		{"acomodation", "accommodation", true},
		{"cat", "cats", false}, // too short to tell
		{"house", "house", false},
		{"legal", "illegal", false},
		{"known", "unknown", false},
		{"hypertension", "hypotension", false},
		{"import", "export", false},
		{"gidiyor", "gitmiyor", false},
		{"бесплатный", "платный", false},
		{"v1", "v2", false},
	} {
		require.Equal(t, c.slip, spelling.Misspells(c.written, c.meant), "%s for %s", c.written, c.meant)
	}
}

func TestCommonEnglish(t *testing.T) {
	for _, w := range []string{"house", "houses", "dragging", "happier", "of", "written"} {
		require.True(t, spelling.IsEnglish(w), w)
	}
	for _, w := range []string{"", "xq", "haus", "bbolt", "dragg"} {
		require.False(t, spelling.IsEnglish(w), w)
	}
}
