package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/records"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// maxReminders is how often a session is asked to record an iteration it was given.
const maxReminders = 2

// DefaultBriefWait is for how long a stop waits for the next brief, within its time-out.
const DefaultBriefWait = 20 * time.Second

// turn is what the session is to do now and has not recorded.
func (h *campaignHook) turn() (campaignwork.SessionTurn, bool) {
	t, ok := records.Turn(h.folder)
	return t, ok && !h.folder.Filled(path.Join(hostFolder, path.Base(t.Record)))
}

func (h *campaignHook) isBegun(t campaignwork.SessionTurn) bool {
	return h.folder.Has(campaignwork.BegunFile(t.Task))
}

// stop answers whatever loop the session is in: it is asked for what only it
// can write, a bounded number of times, and given the next brief where the
// campaign runs by itself. Then it waits a little while the program measures:
// a session that goes on has its permissions still, one that is woken later
// may have to ask for them.
func (h *campaignHook) stop(ctx context.Context) error {
	if err := h.restoreFiles(); err != nil {
		fmt.Fprintln(h.Stderr, "council: "+view.ErrorLine(err)) // it stops nothing
	}
	t, ok := h.turn()
	if !ok && h.state.Loop && !h.call.Background {
		t, ok = h.awaitTurn(ctx)
	}
	if !ok || h.call.Background {
		return nil
	}
	reason, err := h.stopReason(t)
	if err != nil || reason == "" {
		return err
	}
	words := "Research Council: " + h.state.Campaign + ", " + plain.Line(t.Role, 40) + " " + strconv.Itoa(t.Visit)
	if other := h.otherRelease(); other != "" {
		words += " (" + other + ")"
	}
	_, err = h.Stdout.Write(hook.Block(reason, words))
	return err
}

// otherRelease says, once, that the campaign is worked on by another release
// than this one; "" where it is not, or was said before.
func (h *campaignHook) otherRelease() string {
	other := hook.ReleaseMismatch("the program that works on this campaign", h.state.Release, "this plugin", h.Release)
	if other == "" {
		return ""
	}
	if first, err := h.folder.CreateOnce(path.Join(workspace.Session, "release-"+h.Release), claimTimestamp()); err != nil || !first {
		return ""
	}
	return other
}

// awaitTurn waits for the session's next turn; false when it does not come at once.
func (h *campaignHook) awaitTurn(ctx context.Context) (t campaignwork.SessionTurn, ok bool) {
	look := time.NewTicker(waitPollInterval)
	defer look.Stop()
	for bound := time.After(h.briefWait); ; {
		if t, ok = h.turn(); ok {
			return t, true
		}
		if st, err := runs.Read(h.Project, h.Run); err == nil && st.Status != "running" || h.restartSupervisor() != nil {
			return t, false
		}
		select {
		case <-ctx.Done():
			return t, false
		case <-bound:
			return t, false
		case <-look.C:
		}
	}
}

// stopReason is what a session that stops is told; "" lets it go.
func (h *campaignHook) stopReason(t campaignwork.SessionTurn) (string, error) {
	if h.isBegun(t) {
		return h.remind(t)
	}
	if !h.state.Loop {
		return "", nil
	}
	return h.giveBrief(t)
}

// giveBrief hands the session its brief, if nobody else has.
func (h *campaignHook) giveBrief(t campaignwork.SessionTurn) (string, error) {
	first, err := recordBegun(h.folder, t)
	if err != nil || !first {
		return "", err
	}
	st, _ := h.readState()
	return fmt.Sprintf("Research Council: %s. The brief of this iteration is in %s. It is done when everything is recorded and `council campaign end` has been called.", h.title(st), t.Prompt), nil
}

// remind asks for the record of an iteration that was begun. When the session
// has been asked often enough it is let go, and the supervisor told.
func (h *campaignHook) remind(t campaignwork.SessionTurn) (string, error) {
	for n := 1; n <= maxReminders; n++ {
		first, err := h.folder.CreateOnce(reminderFile(t, n), claimTimestamp())
		if err != nil {
			return "", err
		}
		if first {
			return h.staleText(t), nil
		}
	}
	first, err := h.folder.CreateOnce(gaveUpFile(t), claimTimestamp())
	if err != nil || !first {
		return "", err
	}
	return "", h.dropNote(workspace.SessionGaveUp, t.Task)
}

func reminderFile(t campaignwork.SessionTurn, n int) string {
	return fmt.Sprintf("%s/ask-%s-%d", workspace.Session, flatTaskID(t.Task), n)
}

func gaveUpFile(t campaignwork.SessionTurn) string {
	return workspace.Session + "/gave-up-" + flatTaskID(t.Task)
}

// claimTimestamp is the moment, as files that claim something hold it.
func claimTimestamp() []byte { return []byte(time.Now().UTC().Format(time.RFC3339) + "\n") }

func flatTaskID(task string) string { return strings.ReplaceAll(task, "/", "-") }

// staleText says what of an iteration is missing.
func (h *campaignHook) staleText(t campaignwork.SessionTurn) string {
	text := fmt.Sprintf("State file is stale: iteration %d (%s) is not recorded.", t.Visit, plain.Line(t.Role, 40))
	if lacks := h.missingOutput(t); lacks != "" {
		text += " " + lacks
	}
	return text + fmt.Sprintf(" The record %s is missing: 200-500 words on what was done, also where nothing new was found. The brief is in %s. `council campaign end` writes the record and ends the iteration.", t.Record, t.Prompt)
}

// stopWait waits, where the campaign runs by itself, until it is the session's
// turn or the campaign has ended, and wakes it. One waiter a run is enough.
func (h *campaignHook) stopWait(ctx context.Context) error {
	if !h.state.Loop {
		return nil
	}
	lock := flock.New(h.folder.Join(workspace.Session, "waiter.lock"), flock.SetPermissions(0o600))
	first, err := lock.TryLock()
	if err != nil || !first {
		return err
	}
	defer lock.Unlock()
	host := h.Env.HostProcess()
	if err := h.recordSessionProcess(host); err != nil {
		return err
	}
	h.since = time.Now()
	look := time.NewTicker(waitPollInterval)
	defer look.Stop()
	for host.PID == 0 || (proc.Identity{PID: host.PID, Start: host.Start}).Alive() {
		text, over, err := h.checkCampaign()
		if over || err != nil {
			return errors.Join(err, wake(h.Env, text))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
	return nil
}

// checkCampaign says whether the waiting is over, and with what words. While the session
// is at work on an iteration there is nothing to wait for: a host that waits
// for this hook would hold it up. Its next stop begins another.
func (h *campaignHook) checkCampaign() (text string, over bool, err error) {
	st, err := runs.Read(h.Project, h.Run)
	if errors.Is(err, os.ErrNotExist) {
		return "", false, h.restartSupervisor()
	}
	if err != nil {
		return "", true, err
	}
	if st.Status != "running" {
		text, err := h.campaignEndNotice(st.Status)
		return text, true, err
	}
	if workspace.SessionRun(h.Project, h.Session) != h.Run {
		return "", true, nil // deleted or handed on: none of ours any more
	}
	t, ok := h.turn()
	switch {
	case !ok || h.folder.Has(gaveUpFile(t)):
		h.askedSince = time.Time{}
		return "", false, h.restartSupervisor()
	case !h.isBegun(t) && time.Since(h.since) < h.briefWait: // the stop beside this hook gives it
		return "", false, h.restartSupervisor()
	case !h.isBegun(t):
		text, err := h.giveBrief(t)
		return text, text != "", errors.Join(err, h.restartSupervisor())
	case h.askedSince.IsZero():
		h.askedSince = time.Now()
	}
	return "", time.Since(h.askedSince) > remindTime, h.restartSupervisor()
}

// campaignEndNotice tells the session once how its campaign has ended.
func (h *campaignHook) campaignEndNotice(status string) (string, error) {
	first, err := h.folder.CreateOnce(workspace.Session+"/told", []byte(status))
	if err != nil || !first || status == string(flow.Cancelled) {
		return "", err
	}
	r, err := supervisor.Read(h.Project, h.Run)
	if err != nil {
		return "", err
	}
	return "Research Council: " + steering.EndedText(r) + " Tell the user.", nil
}
