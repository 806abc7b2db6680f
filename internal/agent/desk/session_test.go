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

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// visit connects a client to the desk of a session.
func visit(t *testing.T, s *desk.Session) *mcp.ClientSession {
	return visitTold(t, s, func() {})
}

// visitTold is the same with a client that hears of other tools.
func visitTold(t *testing.T, s *desk.Session, changed func()) *mcp.ClientSession {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.Serve(context.Background(), toServer, fromServer)
		_ = fromServer.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed() }})
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()                                                      // it may be closed
		if err := <-done; s.Needed == nil || !errors.Is(err, io.ErrClosedPipe) { // news of tools may be under way
			require.NoError(t, err)
		}
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
	require.Len(t, tools.Tools, 6, "they are offered before there is a campaign")
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
		case "withdraw_claim":
			args = object{"id": "own-1", "reason": "It is wrong."}
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

// A session without a campaign is shown no tools, and is told when that changes.
func TestToolsAreListedWhileTheyAreNeeded(t *testing.T) {
	var needed atomic.Bool
	var kinds atomic.Pointer[[]engine.Kind]
	s := &desk.Session{
		Find: func() (desk.Options, error) { return desk.Options{}, errors.New("it is not your turn") }, Needed: needed.Load,
		Kinds: func() []engine.Kind { return *kinds.Load() },
	}
	told := make(chan struct{}, 64)
	session := visitTold(t, s, func() { told <- struct{}{} })
	names := func() (list []string) {
		tools, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		for _, tool := range tools.Tools {
			list = append(list, tool.Name)
		}
		return list
	}
	require.Empty(t, names())
	_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_claims"})
	require.NoError(t, err, "a call never breaks the protocol")
	usual := []string{"fetch_source", "search_sources", "record_claim", "withdraw_claim", "list_claims", "open_questions"}
	for _, c := range []struct {
		kinds []engine.Kind
		tools []string
	}{{nil, usual}, {[]engine.Kind{engine.Web}, append(usual, "search_web")}, {nil, usual}} {
		kinds.Store(&c.kinds)
		needed.Store(true)
		for len(names()) < len(c.tools) { // the client may be told while some are still to come
			<-told
		}
		require.ElementsMatch(t, c.tools, names())
		answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_claims", Arguments: object{}})
		require.NoError(t, err)
		require.Equal(t, "it is not your turn", answer.Content[0].(*mcp.TextContent).Text)
		needed.Store(false)
		for len(names()) > 0 {
			<-told
		}
	}
}
