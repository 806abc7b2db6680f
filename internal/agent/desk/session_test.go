package desk_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"research-council/internal/agent/desk"
)

// visit connects a client to the desk of a session.
func visit(t *testing.T, s *desk.Session) *mcp.ClientSession {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.Serve(context.Background(), toServer, fromServer)
		_ = fromServer.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close() // it may be closed
		require.NoError(t, <-done)
	})
	return session
}

func TestADeskOfASessionServesWhereItSits(t *testing.T) {
	first, second := options(t, fakeWeb()), options(t, fakeWeb())
	var now atomic.Pointer[desk.Options]
	var equipped atomic.Int32
	s := visit(t, &desk.Session{
		Find: func() (desk.Options, error) {
			o := now.Load()
			if o == nil {
				return desk.Options{}, errors.New("no iteration of a campaign is under way in this session")
			}
			return desk.Options{Run: o.Run, Seat: o.Seat, Dir: o.Dir}, nil
		},
		Equip: func(o desk.Options) (desk.Options, error) {
			equipped.Add(1)
			for _, whole := range []desk.Options{first, second} {
				if whole.Dir == o.Dir {
					return whole, nil
				}
			}
			return o, errors.New("nobody sits there")
		},
	})
	tools, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, 5, "they are offered before there is a campaign")
	require.Zero(t, equipped.Load())

	claim := object{"text": "Water boils at 100 °C.", "quote": quoted, "source": kettle}
	idle := table{ClientSession: s, dir: first.Dir, run: first.Run}
	for _, tool := range tools.Tools {
		args := object{}
		switch tool.Name {
		case "record_claim":
			args = claim
		case "fetch_source":
			args = object{"url": kettle}
		case "search_sources":
			args = object{"query": "kettle"}
		}
		a := idle.call(t, tool.Name, args)
		require.True(t, a.failed, tool.Name)
		require.Equal(t, "no iteration of a campaign is under way in this session", a.text)
	}
	require.Zero(t, equipped.Load(), "nothing is opened while nothing is under way")

	for i, o := range []*desk.Options{&first, &second, &first} {
		now.Store(o)
		at := table{ClientSession: s, dir: o.Dir, run: o.Run}
		require.False(t, at.call(t, "record_claim", claim).failed)
		require.Len(t, at.claims(t), 1, "visit %d writes to its own folder, and nothing twice", i)
	}
	require.EqualValues(t, 2, equipped.Load(), "each place is opened once")

	now.Store(&desk.Options{Run: first.Run, Seat: "x", Dir: filepath.Join(first.Run, "nowhere")})
	a := idle.call(t, "list_claims", object{})
	require.True(t, a.failed)
	require.Equal(t, "nobody sits there", a.text)
}
