package plant

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var small = Size{Seed: 7, Each: 6, Sources: 4, Hosts: 11, Seats: 3, PerPage: 5}

func TestEqualSizesGiveEqualPlans(t *testing.T) {
	a, err := New(small)
	require.NoError(t, err)
	b, err := New(small)
	require.NoError(t, err)
	require.Equal(t, a, b)
	other := small
	other.Seed++
	c, err := New(other)
	require.NoError(t, err)
	require.NotEqual(t, a.Claims, c.Claims)
}

func TestAPlanHasWhatWasAskedFor(t *testing.T) {
	p, err := New(small)
	require.NoError(t, err)
	planted, twins, seats := map[Fault]int{}, map[Fault]int{}, map[int]int{}
	for _, c := range p.Claims {
		seats[c.Seat]++
		if c.Fault == None {
			twins[c.Twin]++
			continue
		}
		planted[c.Fault]++
	}
	for _, s := range Faults() {
		n := small.Each
		if s.Place == InSource {
			n = small.Sources
		}
		require.Equal(t, n, planted[s.Fault], s.Fault)
		require.Equal(t, n, twins[s.Fault], s.Fault)
	}
	require.Len(t, seats, small.Seats)
	require.Greater(t, seats[0], seats[1])
}

func TestAnHonestVerbatimQuotationStandsOnItsPageAndAFalseOneDoesNot(t *testing.T) {
	p, err := New(small)
	require.NoError(t, err)
	pages := map[string]*Page{}
	for _, page := range p.Pages {
		pages[page.Path] = page
	}
	for _, c := range p.Claims {
		holds := strings.Contains(flat(pages[c.Path].Text()), flat(c.Quote))
		switch {
		case c.Fault == None && c.Writing == Verbatim:
			require.True(t, holds, "%v", c)
		case sortOf(c.Fault).Place == InQuote:
			require.False(t, holds, "%v", c)
		}
	}
}

func sortOf(f Fault) Sort {
	for _, s := range Faults() {
		if s.Fault == f {
			return s
		}
	}
	return Sort{}
}

func TestEveryPageIsServedInItsManner(t *testing.T) {
	p, err := New(small)
	require.NoError(t, err)
	seen := map[Manner]bool{}
	for _, page := range p.Pages {
		seen[page.Manner] = true
		w := httptest.NewRecorder()
		p.Handler(page.Host).ServeHTTP(w, httptest.NewRequest(http.MethodGet, page.Path, http.NoBody))
		switch page.Manner {
		case Manner(Dead), Manner(NeverWas):
			require.Contains(t, []int{404, 410}, w.Code)
		case Manner(Block):
			require.Equal(t, 403, w.Code)
		case Manner(Outage):
			require.Equal(t, 503, w.Code)
		case Relocated:
			require.Equal(t, 301, w.Code)
			require.Equal(t, moved(page.Path), w.Header().Get("Location"))
		case Manner(Loop), Manner(Entrance):
			require.Equal(t, 302, w.Code)
		default:
			require.Equal(t, 200, w.Code)
			require.NotEmpty(t, w.Body.Bytes())
		}
	}
	for _, m := range Harmless() {
		require.True(t, seen[m], m)
	}
	for _, s := range sourceFaults() {
		require.True(t, seen[Manner(s.Fault)], s.Fault)
	}
}

func TestAClaimCanBeWrittenDown(t *testing.T) {
	p, err := New(small)
	require.NoError(t, err)
	for _, c := range p.Claims {
		data, err := json.Marshal(c)
		require.NoError(t, err)
		var back Claim
		require.NoError(t, json.Unmarshal(data, &back))
		require.Equal(t, c, back)
	}
}
