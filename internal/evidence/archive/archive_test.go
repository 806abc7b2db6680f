package archive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/test/web"
)

func open(t testing.TB, w *web.Web, change ...func(*archive.Options)) *archive.Archive {
	t.Helper()
	o := w.Options()
	for _, c := range change {
		c(&o)
	}
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func fetch(t testing.TB, a *archive.Archive, ref string) archive.Snapshot {
	t.Helper()
	s, err := a.Fetch(t.Context(), ref)
	require.NoError(t, err)
	return s
}

func TestEachFaultOfASourceHasItsState(t *testing.T) {
	for _, p := range web.Catalogue() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			w := web.Start(t)
			require.NoError(t, w.Plant(p))
			a := open(t, w, func(o *archive.Options) {
				if p.Slow {
					o.Timeout = 200 * time.Millisecond
				}
			})
			s := fetch(t, a, p.Ref)
			require.Equal(t, p.State, string(s.State), "%+v", s)
			require.Contains(t, s.Reason, p.Reason)
			if p.Warn != "" {
				require.Contains(t, strings.Join(s.Warnings, "\n"), p.Warn)
			} else {
				require.Empty(t, s.Warnings)
			}
			require.Equal(t, s.State.Readable(), s.Text != "")
			if !s.State.Readable() {
				require.NotEmpty(t, s.Reason)
				return
			}
			text, err := a.Text(s)
			require.NoError(t, err)
			require.Equal(t, p.Found, strings.Contains(strings.Join(strings.Fields(text), " "), p.Quote), text)
			require.Empty(t, a.Check())
		})
	}
}

func TestAByteOfATextStandsOnAPage(t *testing.T) {
	s := archive.Snapshot{Pages: []int{0, 10, 10, 25}} // the second is blank
	for at, page := range map[int]int{0: 1, 9: 1, 10: 3, 24: 3, 25: 4, 99: 4} {
		require.Equal(t, page, s.Page(at), at)
	}
	require.Zero(t, archive.Snapshot{}.Page(3))
}
