package scope_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/scope"
)

func TestATopicHasATitleOfOneLine(t *testing.T) {
	material := strings.Repeat("The plant was built in 1987 and has two turbines of 40 MW each. ", 300)
	for _, c := range []struct{ name, topic, planned, want string }{
		{"a short question is its own", "Do trams pay for themselves?", "Trams", "Do trams pay for themselves?"},
		{"of several lines too", "Do trams pay\nfor themselves?", "", "Do trams pay for themselves?"},
		{"a long one has the planned one", "We run a plant. " + material + "Should we replace it?", "Replace or repair the plant at Weir 4?", "Replace or repair the plant at Weir 4?"},
		{"without one, the first sentence", "Should we replace the plant at Weir 4? " + material, "", "Should we replace the plant at Weir 4?"},
		{"what is asked, and not what is told before", "Our service logs 50,000 records a second from hundreds of goroutines. Should it use slog or the older log package? What does each do about locking? " + material, "", "Should it use slog or the older log package?"},
		{"a heading is one, whatever is asked below", "# The plant at Weir 4\n\nIt is old. Who knows it? " + material, "", "The plant at Weir 4"},
		{"a heading is one", "# The plant at Weir 4\n\n" + material, "", "The plant at Weir 4"},
		{"one that goes on is cut between words", strings.Repeat("consider all of this ", 1000), "", strings.TrimRight(strings.Repeat("consider all of this ", 7), " ") + " consider all…"},
		{"a planned one that is too long is cut between words", material, strings.Repeat("Plants, ", 40), strings.Repeat("Plants, ", 10) + "Plants…"},
		{"a planned one is one plain line", material, "Replace\n\x1b[31mor repair?", "Replace or repair?"},
		{"without blanks it is cut where it must", strings.Repeat("水力发电厂", 100), "", strings.Repeat("水力发电厂", 31) + "水力发电…"},
		{"nothing has none", " \n", "", ""},
	} {
		require.Equal(t, c.want, scope.Title(c.topic, c.planned), c.name)
	}
	rapid.Check(t, func(t *rapid.T) {
		got := scope.Title(rapid.String().Draw(t, "topic"), rapid.String().Draw(t, "planned"))
		require.NotContains(t, got, "\n")
		require.LessOrEqual(t, utf8.RuneCountInString(got), 160)
	})
}
