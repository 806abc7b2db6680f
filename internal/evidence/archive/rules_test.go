package archive

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/robots"
)

// However much a host sends, and however many hosts there are, the rules held in
// memory are bounded.
func TestRulesTakeLittleMemory(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("User-agent: *\nDisallow: /a\n" + strings.Repeat("# and so on\n", 1<<18))) // a reader that leaves is no fault of the host
	}))
	defer host.Close()
	a, err := Open(t.TempDir(), Options{AllowPrivate: []string{"127.0.0.1"}})
	require.NoError(t, err)
	defer a.Close()
	_, err = a.web.robotsOf(t.Context(), host.URL)
	require.NoError(t, err)
	kept, ok := a.web.hosts.cachedRobots(host.URL)
	require.True(t, ok)
	require.Len(t, kept.File, robots.Limit)
	require.LessOrEqual(t, cap(kept.File), robots.Limit+robots.Limit/4)

	for i := range 3 * maxRobots {
		kept.Origin = fmt.Sprint("http://host", i, ".invalid")
		a.web.hosts.cacheRobots(kept)
		_, ok := a.web.hosts.cachedRobots(kept.Origin)
		require.True(t, ok)
	}
	require.LessOrEqual(t, len(a.web.hosts.robotsCache), maxRobots)
}
