package plant

import (
	"encoding/json"
	"io"
	"net/http"
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
		if s.Fault == Copy {
			n *= 2 // the original and the twin
		}
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
		pages[page.Source()] = page
	}
	for _, c := range p.Claims {
		holds := strings.Contains(flat(pages[c.Source].Text()), flat(c.Quote))
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
	w, err := p.Serve()
	require.NoError(t, err)
	defer w.Close()
	seen := map[Manner]bool{}
	once := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, page := range p.Pages {
		seen[page.Manner] = true
		answer, err := once.Get(w.Direct(page.URL()))
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, answer.Body.Close())
		if page.Manner == Manner(Cut) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			continue
		}
		require.NoError(t, err)
		require.Contains(t, statuses[page.Manner], answer.StatusCode, page.Manner)
		if answer.StatusCode == 200 {
			require.NotEmpty(t, body)
		}
	}
	for _, m := range Harmless() {
		require.True(t, seen[m], m)
	}
	for _, s := range sourceFaults() {
		require.True(t, seen[Manner(s.Fault)], s.Fault)
	}
}

var statuses = func() map[Manner][]int {
	special := map[Manner][]int{
		Manner(Dead): {404, 410}, Manner(NeverWas): {404}, Manner(Block): {403}, Manner(Outage): {503},
		Relocated: {301}, Manner(Loop): {302}, Manner(Entrance): {302}, Archived: {410},
	}
	for _, m := range append(Harmless(), SameTopic) {
		if special[m] == nil {
			special[m] = []int{200}
		}
	}
	for _, s := range sourceFaults() {
		if special[Manner(s.Fault)] == nil {
			special[Manner(s.Fault)] = []int{200}
		}
	}
	return special
}()

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
