package supervisor

import "github.com/research-council/research-council/internal/engine/flow"

// Amendment is a run that nobody works on, while somebody changes what it is to
// go on with.
type Amendment struct{ s *supervisor }

// Amend opens a run that nobody works on for somebody to amend. Another process
// at work on it is a [*journal.LeaseHeld].
func Amend(o Options, do func(Amendment) error) error {
	o.Record = nil // told by whoever goes on: nobody waits for a collector
	if err := CheckNotMirrored(o.Project, o.ID); err != nil {
		return err
	}
	s, err := open(o, true)
	if err != nil {
		return err
	}
	defer s.close()
	return do(Amendment{s})
}

// Work is what its product does in it.
func (a Amendment) Work() Work { return a.s.work }

// Now is the run as it is.
func (a Amendment) Now() flow.Run { return a.s.Now }

// Settle settles the turns that were under way when its supervisor ended.
func (a Amendment) Settle() error {
	if a.s.Now.Status != "" {
		return nil
	}
	return a.s.recover()
}

// Record makes facts.
func (a Amendment) Record(facts ...flow.Event) error { return a.s.recordFacts(facts...) }

// WriteStatus writes status.json.
func (a Amendment) WriteStatus() error { return a.s.writeStatus() }
