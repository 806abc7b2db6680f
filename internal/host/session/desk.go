package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product/campaign/records"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/project/top"
)

// Desk finds the campaign that the session around a desk works on. The host
// starts the desk with the session, whatever the session is about, so nothing
// is looked at before a tool is called.
type Desk struct {
	program.Env
	Project string
	session string               // its id when the desk was started
	host    func() proc.Identity // its process; the zero one where that is not known
	seen    lookAtState
}

// lookAtState is what was seen of the project's state files the last time.
type lookAtState struct {
	at, changed time.Time
	campaign    bool // the session had one
}

// lookAgain is when the state files are looked through although nothing has changed
// among them: a run may have been told of another process.
const lookAgain = 15 * time.Second

var errNoIteration = errors.New("no iteration of a campaign is under way in this session; nothing was done")

// NewDesk is the desk of the session around this process.
func NewDesk(e program.Env) *Desk {
	s := &Desk{Env: e, Project: e.SessionProject(), session: e.Getenv("CLAUDE_CODE_SESSION_ID")}
	s.host = sync.OnceValue(func() proc.Identity {
		id, _ := proc.Identify(os.Getppid()) // unknown: it hosts nothing
		return id
	})
	if s.Project == "" {
		s.Project = top.Of(e.Dir)
	}
	return s
}

// HasCampaign reports whether the session has a campaign. It costs one look at a
// folder while nothing changes. It is for one goroutine.
func (s *Desk) HasCampaign() bool {
	info, err := os.Stat(filepath.Join(s.Project, hook.StateFolder))
	if err != nil {
		return false
	}
	if now := time.Now(); !info.ModTime().Equal(s.seen.changed) || now.Sub(s.seen.at) > lookAgain {
		st, err := workspace.ReadState(s.Project, s.run())
		s.seen = lookAtState{now, info.ModTime(), err == nil && st.Active && st.Campaign != ""}
	}
	return s.seen.campaign
}

// Find is where the session sits now.
func (s *Desk) Find() (desk.Options, error) {
	id := s.run()
	if id == "" {
		return desk.Options{}, errNoIteration
	}
	f, err := workspace.Open(s.Project, id)
	if err != nil {
		return desk.Options{}, errNoIteration
	}
	defer f.Close()
	turn, ok := records.Turn(f)
	if !ok {
		return desk.Options{}, errNoIteration
	}
	return desk.Options{
		Run: f.Path, Seat: flow.Host, Dir: turn.Folder, Open: filepath.Join(turn.Folder, "open.md"), Version: s.Version,
	}, nil
}

// run is the campaign's: the one the session owns by its id, or, where the id
// has changed since the desk was started, the one its process owns.
func (s *Desk) run() string {
	if id := workspace.SessionRun(s.Project, s.session); id != "" {
		return id
	}
	ids, err := workspace.List(s.Project)
	if err != nil {
		return ""
	}
	for _, id := range slices.Backward(ids) { // the newest first
		st, err := workspace.ReadState(s.Project, id)
		if err == nil && st.Active && st.Campaign != "" && s.isHostOf(id) {
			return id
		}
	}
	return ""
}

// isHostOf reports whether the process that started the desk is the one the
// campaign's session runs in.
func (s *Desk) isHostOf(id string) bool {
	r, err := supervisor.Read(s.Project, id)
	return err == nil && s.host().PID != 0 && caller.SessionProcess(s.Project, r) == s.host()
}

// SearchKinds are what of the web the campaign can search.
func (s *Desk) SearchKinds() []engine.Kind {
	r, err := supervisor.Read(s.Project, s.run())
	if err != nil {
		return nil
	}
	return engine.KindsOf(r.Setup.Network.Search)
}

// OpenArchive opens the archive of the campaign, to fetch as the campaign does.
func (s *Desk) OpenArchive(o desk.Options) (desk.Options, error) {
	r, err := supervisor.Read(s.Project, filepath.Base(o.Run))
	if err != nil {
		return o, fmt.Errorf("read the campaign: %w", err)
	}
	n := s.Env.AllowedNetwork(r.Setup.Network)
	kept, err := archive.Open(filepath.Join(o.Run, council.SourcesDir), s.Env.ArchiveOptions(n))
	if err != nil {
		return o, fmt.Errorf("open the archive: %w", err)
	}
	o.Archive, o.Private, o.Scope, o.Library = kept, len(n.Private) > 0, r.Setup.Scope, n.Library
	if o.Web, err = s.Env.DeskSearch(kept, o.Run, n); o.Web != nil {
		o.Web.Turn = func() string { return streamsFolder(s.Project, filepath.Base(o.Run)) }
	}
	return o, err
}

// streamsFolder is the folder of the turn that a session has now in a run; "" where it
// has none.
func streamsFolder(project, run string) string {
	f, err := workspace.Open(project, run)
	if err != nil {
		return ""
	}
	defer f.Close()
	turn, ok := records.Turn(f)
	if !ok {
		return ""
	}
	return f.Join(workspace.StreamsFolder(turn.Task, turn.Turn))
}
