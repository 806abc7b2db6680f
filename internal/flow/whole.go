package flow

import (
	"cmp"
	"fmt"
	"slices"
)

// kinds are all facts this program knows.
func kinds() []Kind {
	return []Kind{
		RunBegun, SupervisorOn, StageEntered, TurnStarted, TurnRunning, TurnEnded, TaskEnded, StageJudged, TimeUp, CancelAsked,
		FinishAsked, NoteGiven, ListEdited, SessionMoved, CompactionWas, InputGiven, IssueMet, RunEnded, RunReopened,
	}
}

// A Gap says that facts are not all that a run's journal has held, or are not
// all this run's.
type Gap struct {
	Line int // from 1: the first fact that does not follow
	What string
}

func (g *Gap) Error() string { return g.What }

// An Unknown fact is of a kind that this program does not know. A run that is
// only half understood is not folded at all; a field that is not known is passed
// over, and a release that adds a meaning adds a kind.
type Unknown struct {
	Line    int
	Kind    Kind
	Release string // that wrote it; "" where the journal does not tell
}

func (u *Unknown) Error() string {
	reads := "the release that wrote it"
	if u.Release != "" {
		reads = "release " + u.Release
	}
	return fmt.Sprintf("holds a fact that this release does not know (%.40q in line %d); use %s for it (nothing has been changed)", u.Kind, u.Line, reads)
}

// Whole says why facts are not the whole journal of a run, the one with that
// id: a [*Gap], or an [*Unknown] fact. An id of "" is any run's. That a journal
// was cut short it cannot see.
func Whole(id string, facts []Event) error {
	if len(facts) == 0 {
		return &Gap{Line: 1, What: "is empty: not even the run's first fact is left"}
	}
	if err := known(facts); err != nil {
		return err
	}
	if facts[0].Kind != RunBegun || facts[0].Setup == nil || facts[0].Seq != 1 {
		return &Gap{Line: 1, What: "does not begin with the run's first fact: its beginning is lost"}
	}
	for i, e := range facts {
		switch {
		case e.Seq != i+1:
			return &Gap{Line: i + 1, What: fmt.Sprintf("has a gap: fact %d stands in line %d", e.Seq, i+1)}
		case i > 0 && e.Kind == RunBegun:
			return &Gap{Line: i + 1, What: fmt.Sprintf("begins a second time, in line %d", i+1)}
		}
	}
	if run := facts[0].Setup.ID; id != "" && run != id {
		return &Gap{Line: 1, What: fmt.Sprintf("is the journal of another run, %.40q", run)}
	}
	return nil
}

// known is an [*Unknown] where there is one.
func known(facts []Event) error {
	all := kinds()
	release := ""
	for i, e := range facts {
		release = cmp.Or(e.wrote(), release)
		if !slices.Contains(all, e.Kind) {
			return &Unknown{Line: i + 1, Kind: e.Kind, Release: release}
		}
	}
	return nil
}

// wrote is the release that says of itself, by this fact, that it writes the
// journal from here on.
func (e Event) wrote() string {
	if e.Release == "" && e.Setup != nil && e.Kind == RunBegun {
		return e.Setup.Release
	}
	return e.Release
}
