package flow

import (
	"cmp"
	"fmt"
	"slices"
)

// knownKinds are all facts this program knows.
func knownKinds() []Kind {
	return []Kind{
		RunBegun, SupervisorStarted, StageEntered, TurnStarted, TurnRunning, TurnEnded, TaskEnded, StageJudged, TimeUp, CancelAsked,
		FinishAsked, NoteGiven, Edited, SessionMoved, SessionCompacted, InputGiven, IssueMet, RunEnded, RunReopened,
	}
}

// A JournalGap says that facts are not all that a run's journal has held, or are not
// all this run's.
type JournalGap struct {
	Line int // from 1: the first fact that does not follow
	What string
}

func (g *JournalGap) Error() string { return g.What }

// An UnknownFact fact is of a kind that this program does not know. A run that is
// only half understood is not folded at all; a field that is not known is passed
// over, and a release that adds a meaning adds a kind.
type UnknownFact struct {
	Line    int
	Kind    Kind
	Release string // that wrote it; "" where the journal does not tell
}

func (u *UnknownFact) Error() string {
	reads := "the release that wrote it"
	if u.Release != "" {
		reads = "release " + u.Release
	}
	return fmt.Sprintf("holds a fact that this release does not know (%.40q in line %d); use %s for it (nothing has been changed)", u.Kind, u.Line, reads)
}

// CheckWhole says why facts are not the whole journal of a run, the one with that
// id: a [*JournalGap], or an [*UnknownFact] fact. An id of "" is any run's. That a journal
// was cut short it cannot see.
func CheckWhole(id string, facts []Event) error {
	if len(facts) == 0 {
		return &JournalGap{Line: 1, What: "is empty: not even the run's first fact is left"}
	}
	if err := checkKinds(facts); err != nil {
		return err
	}
	if facts[0].Kind != RunBegun || facts[0].Setup == nil || facts[0].Seq != 1 {
		return &JournalGap{Line: 1, What: "does not begin with the run's first fact: its beginning is lost"}
	}
	for i, e := range facts {
		switch {
		case e.Seq != i+1:
			return &JournalGap{Line: i + 1, What: fmt.Sprintf("has a gap: fact %d stands in line %d", e.Seq, i+1)}
		case i > 0 && e.Kind == RunBegun:
			return &JournalGap{Line: i + 1, What: fmt.Sprintf("begins a second time, in line %d", i+1)}
		}
	}
	if run := facts[0].Setup.ID; id != "" && run != id {
		return &JournalGap{Line: 1, What: fmt.Sprintf("is the journal of another run, %.40q", run)}
	}
	return nil
}

// checkKinds is an [*UnknownFact] where there is one.
func checkKinds(facts []Event) error {
	all := knownKinds()
	release := ""
	for i, e := range facts {
		release = cmp.Or(e.writerRelease(), release)
		if !slices.Contains(all, e.Kind) {
			return &UnknownFact{Line: i + 1, Kind: e.Kind, Release: release}
		}
	}
	return nil
}

// writerRelease is the release that says of itself, by this fact, that it writes the
// journal from here on.
func (e Event) writerRelease() string {
	if e.Release == "" && e.Setup != nil && e.Kind == RunBegun {
		return e.Setup.Release
	}
	return e.Release
}
