package session

import (
	"context"
	"errors"
	"time"

	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
)

// Clear lays down that a session was cleared, if it owns the run.
func Clear(e program.Env, o Owner) error {
	if !hook.ValidSession(o.Session) || workspace.SessionRun(o.Project, o.Session) != o.Run {
		return nil
	}
	f, err := workspace.Open(o.Project, o.Run)
	if err != nil {
		return err
	}
	defer f.Close()
	return recordCleared(e, f, o.Project, o.Session)
}

// recordCleared lays down that the next session of this process takes the run over.
// Where the process cannot be told, the session has ended.
func recordCleared(e program.Env, f *workspace.Folder, project, session string) error {
	host := e.HostProcess()
	now := time.Now().UTC()
	if host.PID == 0 {
		return f.DropNote(workspace.Note{Kind: workspace.SessionEnded, Session: session, Detail: "clear", At: now})
	}
	return workspace.WriteHandOver(project, workspace.HandOver{Run: f.ID, Session: session, PID: host.PID, Start: host.Start, At: now})
}

// maxClearGap is how long after a session was cleared the next one may take
// its place: the host begins it at once.
const maxClearGap = time.Minute

// Adopt hands the run of a session that was cleared to the one that has begun in
// its place, and tells that one where the run stands.
func Adopt(ctx context.Context, e program.Env, o Owner) error {
	run, err := adoptRun(e, o.Project, o.Session)
	if err != nil || run == "" {
		return err
	}
	st, err := workspace.ReadState(o.Project, run)
	if err != nil {
		return err
	}
	o.Run = run
	if st.Campaign == "" {
		return Start(e, o, "", "")
	}
	return HandleCampaign(ctx, e, Event{Owner: o, Name: "session-start", Call: hook.Call{Source: "clear"}})
}

// adoptRun hands the run of a session that was cleared to the one that has begun
// in its place, in the same process and at once, and names the run. Nothing
// else is adopted: "".
func adoptRun(e program.Env, project, session string) (string, error) {
	host := e.HostProcess()
	if host.PID == 0 || !hook.ValidSession(session) {
		return "", nil
	}
	c, ok := workspace.ReadHandOver(project, host.PID)
	age := time.Since(c.At)
	if !ok || c.Start != host.Start || c.Session == session || age < -maxClearGap || age > maxClearGap {
		return "", nil
	}
	err := workspace.MoveState(project, c.Run, c.Session, session)
	if errors.Is(err, workspace.ErrNoState) {
		return workspace.SessionRun(project, session), nil // another copy of the hook was faster, or it is none of ours
	}
	if err != nil {
		return "", err
	}
	f, err := workspace.Open(project, c.Run)
	if err != nil {
		return "", err
	}
	defer f.Close()
	moved := workspace.Note{Kind: workspace.SessionMoved, Session: c.Session, Detail: session, At: time.Now().UTC()}
	return c.Run, errors.Join(f.DropNote(moved), workspace.RemoveHandOver(project, host.PID))
}
