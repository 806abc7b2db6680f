package driver

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"research-council/internal/agent"
	"research-council/internal/flow"
	"research-council/internal/journal"
	"research-council/internal/workspace"
)

// A disk that takes nothing more pauses a run, whoever meets it first. The turns
// under way are ended and count for nothing; why is said in a file that was laid
// down for it. When there is room again, the journal is read anew and the run
// goes on.

const (
	leastRoom  = 1 << 20 // bytes; a disk with less is full
	enoughRoom = 4 << 20 // bytes; with so much a paused run goes on

	roomLook  = 2 * time.Second  // how often is looked for room
	roomAgain = 30 * time.Second // how long at least, where the last pause has just ended
)

// full reports whether a disk has no room for what is to be written.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// passes reports whether it is a disk that takes nothing more for now. A bound
// of the process itself stays while it lives, and is none.
func passes(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

// disk is what a supervisor knows of the disks it and its seats write to.
type disk struct {
	places []string     // that had room when it began; one that never has is none of its business
	owed   []flow.Event // turns that have ended and could not be journaled
	wentOn time.Time    // when the last pause ended
}

// places are where seats write: the project, and what the environment names.
func (s *supervisor) places() []string {
	dirs := []string{s.folder.Path, "/tmp"}
	for _, v := range s.Environ {
		if name, dir, _ := strings.Cut(v, "="); dir != "" && (name == "HOME" || name == "TMPDIR") {
			dirs = append(dirs, dir)
		}
	}
	var roomy []string
	for _, dir := range dirs {
		if workspace.Room(dir, enoughRoom) == nil {
			roomy = append(roomy, dir)
		}
	}
	return roomy
}

// crowded says which disk takes nothing more; nil where all do.
func (s *supervisor) crowded(least uint64) error {
	for _, dir := range s.disk.places {
		if err := workspace.Room(dir, least); passes(err) {
			return err
		}
	}
	if err := s.folder.Probe(); passes(err) {
		return err
	}
	return nil
}

// excuse makes a turn that came to nothing while a disk was full one that says
// nothing about its seat, and returns what was wrong with the disk.
func (s *supervisor) excuse(res *flow.Result) error {
	if res.Stopped || res.Fault == nil && res.Artefact.Complete {
		return nil
	}
	err := s.crowded(leastRoom)
	if err != nil {
		res.Stopped, res.Fault = true, nil
	}
	return err
}

// told makes a fact of a turn's end, or keeps it until there is room.
func (s *supervisor) told(e flow.Event) error {
	err := s.tell(e)
	if passes(err) {
		s.disk.owed = append(s.disk.owed, e)
	}
	return err
}

// pause ends the turns under way, says why nothing goes on, and waits until
// there is room. It returns what ctx says when that ends first.
func (s *supervisor) pause(ctx context.Context, why error) error {
	began := time.Now()
	s.halt()
	s.sayPaused(why)
	least := roomLook
	if !s.disk.wentOn.IsZero() && time.Since(s.disk.wentOn) < time.Minute {
		least = roomAgain
	}
	look := time.NewTicker(roomLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
		_ = s.lease.Beat(time.Now()) // it needs no room where it was written before
		if time.Since(began) < least {
			continue
		}
		if s.crowded(enoughRoom) == nil || s.folder.Has(workspace.Tombstone) {
			break
		}
	}
	s.disk.wentOn = time.Now()
	if err := s.reread(); err != nil {
		return err
	}
	s.log("The run was paused for " + time.Since(began).Round(time.Second).String() + ": " + agent.Plain(why.Error(), mostWords))
	return s.folder.KeepPaused()
}

// sayPaused tells people why nothing goes on. Where even that cannot be written
// the error itself is all there is.
func (s *supervisor) sayPaused(why error) {
	again := "the run goes on when there is room, or with `council resume " + s.ID + "`"
	if errors.Is(why, fs.ErrPermission) {
		again = "once it may be written, `council resume " + s.ID + "` goes on"
	}
	_ = s.folder.SayPaused(agent.Plain(why.Error(), mostWords) + "; " + again)
}

// reread takes the run up from what has reached the disk, and tells what could
// not be told.
func (s *supervisor) reread() error {
	_ = s.journal.Close() // what it could not write is not acknowledged
	j, facts, err := journal.Open(s.folder.Path)
	if err != nil {
		return err
	}
	s.journal = j
	events, err := understood(s.folder, facts)
	if err != nil {
		return err
	}
	s.run = flow.Fold(events)
	clear(s.notes)
	clear(s.underway)
	for len(s.disk.owed) > 0 {
		e := s.disk.owed[0]
		if t, ok := s.run.Task(e.Task); ok && t.Running != nil && t.Turn == e.Turn {
			if err := s.tell(e); err != nil {
				return err
			}
		}
		s.disk.owed = s.disk.owed[1:]
	}
	return nil
}
