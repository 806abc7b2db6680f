package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
)

// Config is what a person has set; see [config.Telemetry].
type Config = config.Telemetry

// Recorder keeps the spans of one run in its file and sends them where the
// configuration says. A nil Recorder does nothing. Its methods may be called
// from any goroutine, but facts are told in their order.
type Recorder struct {
	file   *spanFile
	sender *sender // nil where nothing is sent
	sends  bool    // spans
	told   problems

	patience time.Duration // of a close

	mu     sync.Mutex
	queue  []flow.Event
	room   int // how many more facts may be told before some are kept
	lost   int
	closed bool
	wake   chan struct{}
	done   chan struct{}

	tracer tracer // these two belong to the recorder's goroutine
	meter  meter
}

// maxQueue bounds the facts that wait to be kept: a run has some in a
// minute, so they wait only while its disk hangs.
const maxQueue = 8192

// New opens the file of spans in a run's folder and begins to record. getenv
// gives the variables of the environment. An endpoint that cannot be used is no
// error but a trouble; a file that cannot be written is one.
func New(c Config, folder string, getenv func(string) string) (*Recorder, error) {
	f, err := openSpanFile(folder)
	if err != nil {
		return nil, err
	}
	s := settings{c, getenv}
	r := &Recorder{file: f, room: maxQueue, wake: make(chan struct{}, 1), done: make(chan struct{}), tracer: tracer{content: c.Content}, patience: s.exportTimeout()}
	if x := newSender(s, f, &r.told); x != nil {
		r.sender, r.sends = x, x.traces != nil
		go x.run()
	}
	go r.run()
	return r, nil
}

// Replay takes in the facts of a run that is taken up, its first one first.
// Spans they ended that are not in the file are written now; those they left
// open are ended by the facts that follow.
func (r *Recorder) Replay(events []flow.Event) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.room += len(events) // they are in memory already
	r.enqueue(events...)
}

// Record takes in a fact of the run that has just been journaled. It never waits:
// a fact that finds no room is dropped and counted, and is in the file once the
// run is taken up again.
func (r *Recorder) Record(e flow.Event) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enqueue(e)
}

// enqueue queues facts as far as there is room. The caller holds the lock.
func (r *Recorder) enqueue(events ...flow.Event) {
	if r.closed {
		return
	}
	if len(events) > r.room {
		r.lost += len(events)
		return
	}
	r.room -= len(events)
	r.queue = append(r.queue, events...)
	select {
	case r.wake <- struct{}{}:
	default: // it has been woken already
	}
}

// TakeProblems are what has gone wrong since they were last asked for, a line each
// without any secret; each kind is told once.
func (r *Recorder) TakeProblems() []string {
	if r == nil {
		return nil
	}
	return r.told.takeNew()
}

// IsExporting reports whether spans go to a collector.
func (r *Recorder) IsExporting() bool { return r != nil && r.sends }

// Close keeps what is left and sends it until ctx is done or the configured
// time is over, and ends the recorder. What could not be sent is an error; it is
// in the file.
func (r *Recorder) Close(ctx context.Context) error {
	if r == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	if !r.closeQueue() {
		return nil // it has been closed before
	}
	if !r.waitWritten() {
		return errors.New("the last spans could not be written in time")
	}
	var err error
	if r.sender != nil {
		err = r.sender.close(ctx)
	}
	return errors.Join(err, r.file.close())
}

// closeQueue lets no more facts in; false when that was so already.
func (r *Recorder) closeQueue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.closed = true
	close(r.wake)
	return true
}

// waitWritten waits until all that was let in stands in the file; false when the disk
// takes too long.
func (r *Recorder) waitWritten() bool {
	late := time.NewTimer(r.patience)
	defer late.Stop()
	select {
	case <-r.done:
		return true
	case <-late.C:
		return false
	}
}

// run keeps facts until the recorder is closed.
func (r *Recorder) run() {
	defer close(r.done)
	for range r.wake {
		r.processEvents(r.takeQueue())
	}
	r.processEvents(r.takeQueue())
}

// takeQueue takes the facts that wait.
func (r *Recorder) takeQueue() []flow.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.queue
	r.queue, r.room = nil, maxQueue
	if r.lost > 0 {
		r.told.report("lost", fmt.Sprintf("%d facts came faster than they could be kept; %s has gaps until the run is taken up", r.lost, Name))
	}
	return events
}

// processEvents folds facts, writes the spans they end and tells the sender.
func (r *Recorder) processEvents(events []flow.Event) {
	ended := false
	for _, e := range events {
		for _, s := range r.tracer.apply(e) {
			r.writeSpan(s)
			ended = true
		}
	}
	if r.file.err != nil {
		r.told.report("file", r.file.err.Error())
	}
	if ended && r.sender != nil {
		r.sender.size.Store(r.file.size)
		r.sender.setReading(meterReading{run: r.tracer.setup.ID, began: r.meter.began, metrics: r.meter.snapshot()})
	}
}

// writeSpan counts a span and writes it after its parts.
func (r *Recorder) writeSpan(s Span) {
	r.meter.countSpan(s)
	if r.file.known[s.ID] {
		return
	}
	for _, tool := range tools(r.file.root, s) {
		r.file.appendSpan(tool)
	}
	r.file.appendSpan(s)
}
