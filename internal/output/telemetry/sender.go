package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// sender posts what stands in a run's file, and what its meter says, to a
// collector. It reads the file itself, so nothing piles up in memory while the
// collector is away.
type sender struct {
	settings
	file            *spanFile
	traces, metrics *endpoint // nil where they go nowhere
	told            *problems
	pace            *backoff.ExponentialBackOff

	size    atomic.Int64 // of the file's whole lines
	from    int64        // what is before it has been taken in
	retryAt time.Time    // before which nothing is tried
	away    bool         // the last request got no answer, or one to come again
	lost    error        // what a collector has refused for good; it is not offered again

	mu      sync.Mutex
	reading meterReading

	life context.Context
	die  context.CancelFunc
	last chan struct{} // closed: send what is left, and end
	done chan struct{}
}

// newSender is a sender that is not at work yet; nil where nothing is to be sent.
func newSender(s settings, f *spanFile, told *problems) *sender {
	x := &sender{settings: s, file: f, told: told, last: make(chan struct{}), done: make(chan struct{})}
	var err error
	if x.traces, err = s.target(tracesSignal); err != nil {
		told.report("traces", err.Error())
	}
	if x.metrics, err = s.target(metricsSignal); err != nil {
		told.report("metrics", err.Error())
	}
	if x.traces == nil && x.metrics == nil {
		return nil
	}
	x.pace = backoff.NewExponentialBackOff()
	x.pace.InitialInterval, x.pace.MaxInterval = 100*time.Millisecond, 30*time.Second
	x.life, x.die = context.WithCancel(context.Background())
	x.from = f.sentBytes()
	x.size.Store(f.size)
	return x
}

// setReading hands over what the meter says now.
func (x *sender) setReading(r meterReading) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reading = r
}

// run sends until it is told to end.
func (x *sender) run() {
	defer close(x.done)
	spans, metrics := time.NewTicker(x.delay()), time.NewTicker(x.interval())
	defer spans.Stop()
	defer metrics.Stop()
	for {
		select {
		case <-x.last:
			x.sendRemaining()
			return
		case <-metrics.C:
			x.sendUnlessPaused(x.sendMetrics)
		case <-spans.C:
			x.sendUnlessPaused(x.sendTraces)
		}
	}
}

// sendUnlessPaused sends unless the collector is to be left alone for a while.
func (x *sender) sendUnlessPaused(send func() bool) {
	if !time.Now().Before(x.retryAt) {
		send() // what it leaves comes again
	}
}

// sendRemaining sends what is left, again and again until it is taken in, refused or
// the sender's life is over. A collector that has been away is tried once: a run
// that has ended does not wait for it.
func (x *sender) sendRemaining() {
	for _, send := range []func() bool{x.sendTraces, x.sendMetrics} {
		patient := !x.away
		for !send() && patient && x.waitForRetry() {
		}
	}
}

// waitForRetry waits until the collector may be tried again; false at the end of life.
func (x *sender) waitForRetry() bool {
	wait := time.NewTimer(time.Until(x.retryAt))
	defer wait.Stop()
	select {
	case <-wait.C:
		return x.life.Err() == nil
	case <-x.life.Done():
		return false
	}
}

// sendTraces posts the spans of the file that have not been taken in; false
// where some are to be sent again. What a collector refuses for good is passed
// over; where it refuses everything it is not asked again.
func (x *sender) sendTraces() bool {
	for x.traces != nil {
		spans, next := x.file.readBatch(x.from, x.size.Load())
		if next == x.from {
			return true
		}
		if len(spans) > 0 && !x.deliver(x.traces, traces(x.resourceAttributes(spans[0].Attributes.stringValue("research_council.run.id")), spans)) {
			return false
		}
		if x.traces != nil {
			x.from = next
			x.file.storeSent(next)
		}
	}
	return true
}

// deliver posts one message; false where it is to be sent again.
func (x *sender) deliver(t *endpoint, m otlpObject) bool {
	rejected, err := t.post(x.life, m)
	if rejected > 0 {
		x.told.report(t.what+" rejected", fmt.Sprintf("the collector has rejected a part of the %s: %d", t.what, rejected))
	}
	if err != nil && x.life.Err() == nil { // else it was cut off by us
		x.told.report(t.what, fmt.Sprintf("%s cannot be sent to %s: %s", t.what, t.host(), err))
	}
	var r *exportError
	x.away = errors.As(err, &r) && r.again
	if x.away {
		x.retryAt = time.Now().Add(max(x.pace.NextBackOff(), r.after))
		return false
	}
	x.pace.Reset()
	if err != nil && x.life.Err() == nil {
		x.lost = fmt.Errorf("a collector has refused a part of the %s: %w", t.what, err)
	}
	if r != nil && r.isMisconfigured() {
		x.stopSignal(t)
	}
	return true
}

// stopSignal sends no more of a signal.
func (x *sender) stopSignal(t *endpoint) {
	if t == x.traces {
		x.traces = nil
	} else {
		x.metrics = nil
	}
}

func (t *endpoint) host() string {
	u, err := url.Parse(t.url)
	if err != nil {
		return "the collector"
	}
	return u.Host
}

// sendMetrics posts what the meter says, also when that is as it was: a series
// that falls silent looks as if it had ended. It is false where they are to be
// sent again.
func (x *sender) sendMetrics() bool {
	x.mu.Lock()
	r := x.reading
	x.mu.Unlock()
	if x.metrics == nil || len(r.metrics) == 0 {
		return true
	}
	r.at = time.Now()
	return x.deliver(x.metrics, r.toOTLP(x.resourceAttributes(r.run)))
}

// close sends what is left until ctx is done, and ends the sender.
func (x *sender) close(ctx context.Context) error {
	stop := context.AfterFunc(ctx, x.die)
	defer stop()
	defer x.die()
	close(x.last)
	<-x.done // requests and pauses end with its life
	if left := x.size.Load() - x.from; left > 0 {
		return errors.Join(errors.New("a part of the traces has not been sent"), x.lost)
	}
	return x.lost
}
