package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
	"github.com/research-council/research-council/internal/product/panel"
)

// sessionWaiter is one hook process that waits for a run on behalf of its session.
type sessionWaiter struct {
	program.Env
	Owner
	folder        *workspace.Folder
	draftReported bool          // the draft's note has been dropped
	draft         string        // hash of that draft
	noStartBefore time.Time     // until then no supervisor is started
	startPause    time.Duration // the pause before the next one
	askedSince    time.Time     // since when the session has been seen asked, without a draft
}

const (
	waitPollInterval = 200 * time.Millisecond
	maxStartPause    = 10 * time.Minute // between two supervisors that do not live
)

// Wait waits for a run on behalf of its session, and wakes it when it is needed.
func Wait(ctx context.Context, e program.Env, o Owner) error {
	f, err := workspace.Open(o.Project, o.Run)
	if err != nil {
		return err
	}
	defer f.Close()
	w := sessionWaiter{Env: e, Owner: o, folder: f}
	words, err := w.wait(ctx)
	if err != nil {
		return err
	}
	return wake(e, words)
}

// wait waits until the run needs its session or has ended, and returns what
// the session is to be told; "" for nothing. One waiter a run is enough.
func (w *sessionWaiter) wait(ctx context.Context) (string, error) {
	lock := flock.New(w.folder.Join(workspace.Session, "waiter.lock"), flock.SetPermissions(0o600))
	first, err := lock.TryLock()
	if err != nil || !first {
		return "", err
	}
	defer lock.Unlock()
	host := w.Env.HostProcess()
	if err := w.recordSessionProcess(host); err != nil {
		return "", err
	}
	look := time.NewTicker(waitPollInterval)
	defer look.Stop()
	for {
		words, over, err := w.checkRun(ctx)
		if over || err != nil {
			return words, err
		}
		select {
		case <-ctx.Done():
			return "", nil
		case <-look.C:
		}
		if host.PID != 0 && !(proc.Identity{PID: host.PID, Start: host.Start}).Alive() {
			return "", nil
		}
	}
}

// recordSessionProcess tells the supervisor which process the session is now: it may have
// been closed and opened again since the run began.
func (w *sessionWaiter) recordSessionProcess(host flow.Process) error {
	if host.PID == 0 {
		return nil
	}
	data, err := json.Marshal(host)
	if err != nil {
		return fmt.Errorf("tell the session's process: %w", err)
	}
	return w.folder.Write(supervisor.HostFile, data)
}

// checkRun says whether the waiting is over, and with what words.
func (w *sessionWaiter) checkRun(ctx context.Context) (words string, over bool, err error) {
	st, err := runs.Read(w.Project, w.Run)
	if errors.Is(err, os.ErrNotExist) {
		return "", false, w.restartSupervisor()
	}
	if err != nil {
		return "", true, err
	}
	if !st.IsOpen() {
		words, err := w.endNotice(st)
		return words, true, errors.Join(err, workspace.Heard(w.folder, w.Project))
	}
	if st.Asking != nil {
		words, err := w.askOnce(ctx, st)
		return words, true, err
	}
	state, err := workspace.ReadState(w.Project, w.Run)
	if err != nil || state.SessionID != w.Session {
		return "", true, nil // deleted or handed on: none of ours any more
	}
	if !isSynthesisAsked(st) {
		w.askedSince = time.Time{}
		return "", false, w.restartSupervisor()
	}
	if w.folder.Filled(council.SynthesisFile) {
		return "", false, errors.Join(w.drafted(), w.restartSupervisor())
	}
	if w.folder.Filled(councilwork.SynthesisPrompt) {
		words, over, err = w.askSynthesis()
	}
	return words, over, errors.Join(err, w.restartSupervisor())
}

// drafted tells the supervisor that the session has stopped and its draft is
// there, once for every draft. The supervisor may be told twice, by another
// waiter: the draft says what it is told of.
func (w *sessionWaiter) drafted() error {
	text, err := w.folder.Read(council.SynthesisFile)
	if err != nil {
		return nil // it was set aside just now
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(text))
	if w.draftReported && hash == w.draft {
		return nil
	}
	w.draftReported, w.draft = true, hash
	return w.folder.DropNote(workspace.Note{Kind: workspace.SessionStopped, Session: w.Session, Detail: hash, At: time.Now().UTC()})
}

// askSynthesis claims the first request for the synthesis, or the next one after a
// draft was set aside. The reminders are the Stop hook's, which runs beside
// this one: a host that waits for both would never let the reminded session go
// on, so then the waiting is over. The next Stop starts it again.
func (w *sessionWaiter) askSynthesis() (words string, over bool, err error) {
	if w.folder.Has(workspace.Session+"/ask-1") && !w.draftReported {
		if w.askedSince.IsZero() {
			w.askedSince = time.Now()
		}
		return "", time.Since(w.askedSince) > remindTime, nil
	}
	w.draftReported = false
	for n := 1; n <= maxAsks; n++ {
		if claimAsk(w.folder, n) {
			return synthesisWords(w.folder, n), true, nil
		}
	}
	return "", false, w.folder.DropNote(workspace.Note{Kind: workspace.SessionGaveUp, Session: w.Session, At: time.Now().UTC()})
}

// endNotice tells the session once how its run has ended.
func (w *sessionWaiter) endNotice(st status.Status) (string, error) {
	if st.Status == string(flow.Cancelled) || w.folder.Has(workspace.Session+"/told") {
		return "", nil
	}
	if err := w.folder.Write(workspace.Session+"/told", []byte(st.Status)); err != nil {
		return "", err
	}
	if codereview.StatusOf(st) == nil {
		return lastAnswerWords(w.folder, st), nil
	}
	words := fmt.Sprintf("Research Council: run %s has ended: %s.", st.ID, st.Status)
	if st.Reason != "" {
		words += " " + st.Reason + "."
	}
	words += reviewEndText(w.Project, st)
	return words + " The report of what is known: " + w.folder.Join(flow.FinalReport) + ". Tell the user; nothing else is to be done.", nil
}

// restartSupervisor starts a supervisor where none lives.
func (w *sessionWaiter) restartSupervisor() error {
	_, alive := supervisor.Alive(w.Project, w.Run)
	if alive {
		w.startPause = 0
	}
	if alive || w.folder.Has(workspace.Tombstone) || time.Now().Before(w.noStartBefore) {
		return nil
	}
	w.startPause = min(max(2*w.startPause, waitPollInterval), maxStartPause) // one that cannot start is not started again at once
	w.noStartBefore = time.Now().Add(w.startPause)
	_, err := supervisor.Detach(w.Env.SupervisorOptions(w.Project, w.Run))
	return err
}

// askOnce tells the session, once for each time the run asks, what it waits for.
// Then the waiting is over: a run that waits for a person needs nobody to wait
// for it.
func (w *sessionWaiter) askOnce(ctx context.Context, st status.Status) (string, error) {
	told := fmt.Sprintf("%s/asked-%d", workspace.Session, st.Asking.Since.UnixNano())
	if w.folder.Has(told) || ctx.Err() != nil {
		return "", nil
	}
	r, err := supervisor.Read(w.Project, w.Run)
	if err != nil {
		return "", err
	}
	page, err := dialogue.Page(w.Project, r, 0)
	if err != nil {
		return "", err
	}
	return askWords(w.folder, st, page), w.folder.Write(told, []byte(st.Asking.Reason))
}

// isSynthesisAsked reports whether the synthesis is the session's to write.
func isSynthesisAsked(st status.Status) bool {
	return slices.ContainsFunc(st.Seats, func(s status.Seat) bool { return s.Name == flow.Host && s.State == "running" })
}

// remindTime is how long the Stop hook may take to remind the session, or to
// give it up and the supervisor to hear of that.
const remindTime = time.Second

// maxAsks is how often a session is asked for its synthesis: once, and two
// reminders.
const maxAsks = 3

func claimAsk(f *workspace.Folder, n int) bool {
	file, err := os.OpenFile(f.Join(workspace.Session, "ask-"+strconv.Itoa(n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	_, err = fmt.Fprintf(file, "%s wait\n", time.Now().UTC().Format(time.RFC3339))
	return errors.Join(err, file.Close()) == nil
}

func synthesisWords(f *workspace.Folder, n int) string {
	if f.Filled(panel.RevisionFile) {
		return fmt.Sprintf("Research Council: the reviewers have sent the report back. Read %s anew, which says what they want mended, and write the whole synthesis to %s.",
			f.Join(councilwork.SynthesisPrompt), f.Join(council.SynthesisFile))
	}
	if n > 1 {
		return fmt.Sprintf("Research Council: the draft needs mending before the report can be rendered. %s lists what; write it again to %s.",
			f.Join(workspace.Session, "open.md"), f.Join(council.SynthesisFile))
	}
	return fmt.Sprintf("Research Council: Phase 3/3 — Synthesis. All research phases are complete. Read %s and write the synthesis to %s.",
		f.Join(councilwork.SynthesisPrompt), f.Join(council.SynthesisFile))
}
