package supervisor

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// A disk that takes nothing more pauses a run, whoever meets it first. The turns
// under way are ended and count for nothing; why is said in a file that was laid
// down for it. When there is room again, the journal is read anew and the run
// goes on.

const (
	fullBelow  = 1 << 20 // bytes; a disk with less is full
	resumeRoom = 4 << 20 // bytes; with so much a paused run goes on

	roomPollInterval = 2 * time.Second  // how often is looked for room
	minRepeatedPause = 30 * time.Second // how long at least, where the last pause has just ended
)

// full reports whether a disk has no room for what is to be written.
func full(err error) bool {
	return disk.IsFull(err) || errors.Is(err, syscall.EFBIG)
}

// isTemporaryDiskError reports whether it is a disk that takes nothing more for now. A bound
// of the process itself stays while it lives, and is none.
func isTemporaryDiskError(err error) bool {
	return disk.IsFull(err) || errors.Is(err, disk.ReadOnly)
}

// diskState is what a supervisor knows of the disks it and its seats write to.
type diskState struct {
	places     []string     // that had room when it began; one that never has is none of its business
	unrecorded []flow.Event // turns that have ended and could not be journaled
	resumedAt  time.Time    // when the last pause ended
}

// writableFolders are where seats write: the project, and what the environment names.
func (s *ledger) writableFolders() []string {
	dirs := []string{s.Folder.Path, "/tmp"}
	for _, v := range s.Environ {
		if name, dir, _ := strings.Cut(v, "="); dir != "" && slices.Contains([]string{"HOME", "TMPDIR", "USERPROFILE", "TEMP"}, name) {
			dirs = append(dirs, dir)
		}
	}
	var roomy []string
	for _, dir := range dirs {
		if workspace.Room(dir, resumeRoom) == nil {
			roomy = append(roomy, dir)
		}
	}
	return roomy
}

// crowded says which disk takes nothing more; nil where all do.
func (s *ledger) crowded(least uint64) error {
	for _, dir := range s.disk.places {
		if err := workspace.Room(dir, least); isTemporaryDiskError(err) {
			return err
		}
	}
	if err := s.Folder.Probe(); isTemporaryDiskError(err) {
		return err
	}
	return nil
}

// excuseFullDisk makes a turn that came to nothing while a disk was full one that says
// nothing about its seat, and returns what was wrong with the disk.
func (s *ledger) excuseFullDisk(res *flow.Result) error {
	if res.Stopped || res.Fault == nil && res.Artefact.Complete {
		return nil
	}
	err := s.crowded(fullBelow)
	if err != nil {
		res.Stopped, res.Fault = true, nil
	}
	return err
}

// recordTurnEnd makes a fact of a turn's end, or keeps it until there is room.
func (s *ledger) recordTurnEnd(e flow.Event) error {
	err := s.recordFacts(e)
	if isTemporaryDiskError(err) {
		s.disk.unrecorded = append(s.disk.unrecorded, e)
	}
	return err
}

// pause ends the turns under way, says why nothing goes on, and waits until
// there is room. It returns what ctx says when that ends first.
func (s *supervisor) pause(ctx context.Context, why error) error {
	began := time.Now()
	s.haltTurns()
	s.writePauseReason(why)
	least := roomPollInterval
	if !s.disk.resumedAt.IsZero() && time.Since(s.disk.resumedAt) < time.Minute {
		least = minRepeatedPause
	}
	look := time.NewTicker(roomPollInterval)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
		_ = s.lease.Heartbeat(time.Now()) // it needs no room where it was written before
		if time.Since(began) < least {
			continue
		}
		if s.crowded(resumeRoom) == nil || s.Folder.Has(workspace.Tombstone) {
			break
		}
	}
	s.disk.resumedAt = time.Now()
	if err := s.reloadJournal(); err != nil {
		return err
	}
	s.Log("The run was paused for " + time.Since(began).Round(time.Second).String() + ": " + plain.Line(why.Error(), MaxForeignRunes))
	return s.Folder.ClearPaused()
}

// writePauseReason tells people why nothing goes on. Where even that cannot be written
// the error itself is all there is.
func (s *ledger) writePauseReason(why error) {
	again := "the run goes on when there is room, or with `council resume " + s.ID + "`"
	if errors.Is(why, fs.ErrPermission) {
		again = "once it may be written, `council resume " + s.ID + "` goes on"
	}
	_ = s.Folder.WritePaused(plain.Line(why.Error(), MaxForeignRunes) + "; " + again)
}

// reloadJournal takes the run up from what has reached the disk, and tells what could
// not be told.
func (s *ledger) reloadJournal() error {
	_ = s.journal.Close() // what it could not write is not acknowledged
	j, facts, err := journal.Open(s.Folder.Path)
	if err != nil {
		return err
	}
	s.journal = j
	events, err := decodeJournal(s.Folder, facts)
	if err != nil {
		return err
	}
	s.Now = flow.Replay(events)
	clear(s.notes)
	clear(s.underway)
	for len(s.disk.unrecorded) > 0 {
		e := s.disk.unrecorded[0]
		if t, ok := s.Now.Task(e.Task); ok && t.Running != nil && t.Turn == e.Turn {
			if err := s.recordFacts(e); err != nil {
				return err
			}
		}
		s.disk.unrecorded = s.disk.unrecorded[1:]
	}
	return nil
}
