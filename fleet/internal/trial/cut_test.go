package trial

import (
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var interrupt os.Signal = syscall.SIGTERM

// A worker that is cut off from the server and the store stops by itself before the run
// is another's; nothing is appended twice, and it takes part again when it is back.
func TestAWorkerThatIsCutOffStopsByItself(t *testing.T) {
	w := newWorld(t, 2*time.Second)
	cut, err := time.ParseDuration(os.Getenv("COUNCIL_FLEET_CUT"))
	if err != nil {
		cut = 20 * time.Second
	}
	line := &line{}
	off := w.worker("off", 2)
	off.address, off.s3 = line.to(t, w.server.address), s3Address("http://"+line.to(t, w.shaky.url[len("http://"):]))
	off.run()
	runs := w.submit([]string{w.scripted(0)}, "--beat", "12s").Runs
	await(t, "the worker works", time.Minute, func() bool { return len(w.model.all()) >= 2 })
	on := w.worker("on", 2)
	on.run()
	line.cut(true)
	began := time.Now()
	taken := func() bool { l, err := w.store().Ledger(t.Context(), runs[0]); return err == nil && l.Holder == "on" }
	await(t, "another has the run", time.Minute, taken)
	another := time.Now()
	var last time.Time
	for _, c := range w.model.all() {
		if c.Worker != "off" {
			continue
		}
		require.False(t, c.Ended.IsZero(), "a call of the worker that was cut off is under way when another has the run")
		if c.Ended.After(last) {
			last = c.Ended
		}
	}
	w.awaitAll(3 * time.Minute)
	time.Sleep(time.Until(began.Add(cut)))
	line.cut(false)
	l := w.collected(runs)[runs[0]]
	require.Equal(t, "on", l.Holder)
	require.Equal(t, 2, l.Epoch)
	t.Logf("cut off for %s: its seats were gone after %s, another had the run after %s", time.Since(began).Round(time.Second), last.Sub(began).Round(100*time.Millisecond), another.Sub(began).Round(100*time.Millisecond))

	on.end(interrupt)
	more := w.submit([]string{w.scripted(1)}, "--beat", "12s").Runs
	w.awaitAll(3 * time.Minute)
	require.Equal(t, "off", w.collected(more)[more[0]].Holder)
	off.end(interrupt)
}

// line is what connects a worker to the rest; where it is cut, nothing passes and
// nothing is refused.
type line struct {
	mu  sync.Mutex
	off bool
}

func (l *line) cut(off bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.off = off
}

func (l *line) wait() {
	for {
		l.mu.Lock()
		off := l.off
		l.mu.Unlock()
		if !off {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// to is an address that leads to another.
func (l *line) to(t *testing.T, address string) string {
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.cut(false); _ = listen.Close() })
	go func() {
		for {
			from, err := listen.Accept()
			if err != nil {
				return
			}
			go func() {
				l.wait()
				to, err := net.Dial("tcp", address)
				if err != nil {
					_ = from.Close()
					return
				}
				go l.pass(from, to)
				l.pass(to, from)
			}()
		}
	}()
	return listen.Addr().String()
}

// pass hands on what comes.
func (l *line) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.wait()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
