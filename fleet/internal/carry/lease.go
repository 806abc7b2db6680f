// Package carry works on one run on this machine, for a fleet: it lays the run's folder
// down, starts council as a child under a keeper, brings what comes of it into the
// store, and ends it when the run is somebody else's.
//
// It knows nothing of the server. Whoever carries a run is told by a context when to
// stop, and by its cause why.
package carry

import "time"

// Lease is how long a carrier may go on. The server gives a run to somebody else when it
// has heard nothing for Timeout; it counts from when a sign of life reached it. The
// carrier counts from when it sent the last one that was answered, which is earlier,
// and stops Margin before: what it started is gone when the run is begun elsewhere.
// No clock of one machine is compared with another's.
type Lease struct {
	Timeout time.Duration
	Margin  time.Duration // what it takes to end a child, at most half of Timeout
	since   time.Time
}

// NewLease is a lease that began when its run was handed out, at the latest.
func NewLease(timeout, margin time.Duration, began time.Time) *Lease {
	return &Lease{Timeout: timeout, Margin: min(margin, timeout/2), since: began}
}

// Answered takes in that a sign of life was answered that was sent at a time.
func (l *Lease) Answered(sent time.Time) {
	if sent.After(l.since) {
		l.since = sent
	}
}

// Left is how long the carrier may go on without an answer; 0 or less where it has to
// stop.
func (l *Lease) Left(now time.Time) time.Duration {
	return l.Timeout - l.Margin - now.Sub(l.since)
}

// Every is how often a sign of life is sent.
func (l *Lease) Every() time.Duration { return (l.Timeout - l.Margin) / 4 }
