package trial

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/bucket"
	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/temporal"
)

// world is a fleet: a server, a store, a model server, workers, and a repository that
// runs are about.
type world struct {
	*testing.T
	dir     string
	server  *server
	shaky   *shaky
	s3      string // address of the store
	model   *model
	config  string
	key     string // its file
	git     string
	commit  string
	environ []string
}

func newWorld(t *testing.T, hold time.Duration) *world {
	needsServer(t)
	w := &world{T: t, dir: t.TempDir(), shaky: newShaky(t)}
	t.Cleanup(w.noOrphan) // after all the rest has been ended
	w.model = newModel(t, hold)
	w.server = &server{T: t, address: free(t), file: filepath.Join(w.dir, "temporal.db"), log: filepath.Join(w.dir, "temporal.log")}
	w.server.start()
	t.Cleanup(w.server.kill)
	w.s3 = s3Address(w.shaky.url)
	w.config, w.key, w.git = filepath.Join(w.dir, "config.yaml"), filepath.Join(w.dir, "key"), filepath.Join(w.dir, "notes")
	temp, err := os.MkdirTemp("", "w") // short, for the sockets in it; a worker that is killed leaves its own there
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	w.environ = []string{"TMPDIR=" + temp, "PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "COUNCIL_CONFIG=" + w.config, "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"}
	seat := fmt.Sprintf("{program: %q, args: [seat, %q], brand: %%s}", os.Args[0], w.model.url)
	w.write(w.config, "commands:\n  one: "+fmt.Sprintf(seat, "a")+"\n  two: "+fmt.Sprintf(seat, "b")+"\n")
	w.write(w.key, w.must("key"))
	require.NoError(t, os.MkdirAll(w.git, 0o700))
	w.write(filepath.Join(w.git, "notes.md"), "The kettle rests while it is empty.\n\nThe heater starts at five in the morning and stops at seven.\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "notes"}} {
		out, err := exec.Command("git", append([]string{"-C", w.git}, args...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	head, err := exec.Command("git", "-C", w.git, "rev-parse", "HEAD").Output()
	require.NoError(t, err)
	w.commit = strings.TrimSpace(string(head))
	return w
}

func (w *world) write(path, text string) {
	require.NoError(w, os.WriteFile(path, []byte(text), 0o600))
}

// fleet runs council-fleet, as people do.
func (w *world) fleet(args ...string) (string, error) {
	c := exec.Command(filepath.Join(programs, "council-fleet"), append(args, "--address", w.server.address, "--store", w.s3, "--key", w.key)...)
	c.Env = w.environ
	var out, bad bytes.Buffer
	c.Stdout, c.Stderr = &out, &bad
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, bad.String())
	}
	return out.String(), nil
}

func (w *world) must(args ...string) string {
	out, err := w.fleet(args...)
	require.NoError(w, err)
	return out
}

// submit begins a batch.
func (w *world) submit(lines []string, more ...string) (out temporal.Submitted) {
	path := filepath.Join(w.dir, "batch.jsonl")
	w.write(path, strings.Join(lines, "\n")+"\n")
	require.NoError(w, json.Unmarshal([]byte(w.must(append([]string{"submit", path}, more...)...)), &out))
	return out
}

func (w *world) status() (s temporal.Status, err error) {
	out, err := w.fleet("status")
	if err == nil {
		err = json.Unmarshal([]byte(out), &s)
	}
	return s, err
}

// awaitAll waits until no run is under way any more.
func (w *world) awaitAll(within time.Duration) {
	await(w.T, "all runs are over", within, func() bool {
		s, err := w.status()
		return err == nil && s.Runs["Running"] == 0 && len(s.Runs) > 0
	})
}

// scripted is a line of two seats that call the model, librarian one of none.
func (w *world) scripted(i int) string {
	return fmt.Sprintf(`{"id":"s%d","question":"When does the kettle rest?","seats":["one","two"],"no_plan":true,"max_iterations":2,"scope":{"git":"file://%s","commit":"%s"}}`, i, w.git, w.commit)
}

func (w *world) librarian(i int) string {
	return fmt.Sprintf(`{"id":"l%d","question":"When does the heater start?","seats":["librarian"],"scope":{"git":"file://%s","commit":"%s"}}`, i, w.git, w.commit)
}

// store opens the store beside the workers.
func (w *world) store() *store.Store {
	w.Setenv("AWS_ACCESS_KEY_ID", "a")
	w.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	b, err := bucket.Open(context.Background(), w.s3)
	require.NoError(w, err)
	w.Cleanup(func() { _ = b.Close() })
	text, err := os.ReadFile(w.key)
	require.NoError(w, err)
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	require.NoError(w, err)
	return store.New(b, key)
}

// collected fetches what is over, and has council itself verify each run.
func (w *world) collected(runs []string) map[string]ledger.Ledger {
	w.shaky.fail.Store(0)
	to := filepath.Join(w.dir, "collected")
	w.must("collect", "--to", to)
	s := w.store()
	all := map[string]ledger.Ledger{}
	for _, run := range runs {
		l, err := s.Ledger(context.Background(), run)
		require.NoError(w, err)
		require.NotNil(w, l.End, run)
		require.Equal(w, "completed", l.End.Status, "%s: %s", run, l.End.Reason)
		verify := exec.Command(filepath.Join(programs, "council"), "verify", filepath.Join(to, run))
		verify.Env = w.environ
		out, err := verify.CombinedOutput()
		require.NoError(w, err, "%s: %s", run, out)
		all[run] = l
	}
	return all
}

// noOrphan finds no process that a worker has left behind.
func (w *world) noOrphan() {
	left := ""
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if left = processesOf(w.dir); left == "" {
			return
		}
	}
	require.Empty(w, left, "processes that were left behind")
}

// processesOf are the processes that speak of a folder in their arguments, by /proc.
func processesOf(dir string) string {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, path := range lines {
		data, err := os.ReadFile(path)
		if text := strings.ReplaceAll(string(data), "\x00", " "); err == nil && strings.Contains(text, dir) {
			found = append(found, path+": "+text)
		}
	}
	return strings.Join(found, "\n")
}

// process is a program that is killed and started again.
type process struct {
	mu  sync.Mutex
	cmd *exec.Cmd
}

func (p *process) start(t *testing.T, log string, environ []string, name string, args ...string) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer out.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = exec.Command(name, args...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = environ, out, out
	require.NoError(t, p.cmd.Start())
}

// end sends a signal and waits.
func (p *process) end(s os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(s)
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

// server is Temporal's development server, its state in a file.
type server struct {
	*testing.T
	process
	address, file, log string
}

func (s *server) start() {
	host, port, err := net.SplitHostPort(s.address)
	require.NoError(s, err)
	s.process.start(s.T, s.log, os.Environ(), program, "server", "start-dev", "--headless", "--ip", host, "--port", port, "--db-filename", s.file, "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=1", "--log-level", "error")
	await(s.T, "the server answers", 2*time.Minute, func() bool {
		c := exec.Command(program, "operator", "namespace", "describe", "default", "--address", s.address)
		return c.Run() == nil
	})
}

func (s *server) kill() { s.end(os.Kill) }

// free is an address of the loopback interface that nobody has.
func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// worker is a worker process with a folder of its own.
type worker struct {
	process
	w          *world
	name, dir  string
	address    string // of the server, as this worker reaches it
	s3         string // likewise the store
	atOnce     int
	killed     []time.Time
	killedLock sync.Mutex
}

func (w *world) worker(name string, atOnce int) *worker {
	return &worker{w: w, name: name, dir: filepath.Join(w.dir, "workers", name), address: w.server.address, s3: w.s3, atOnce: atOnce}
}

func (k *worker) run() {
	k.process.start(k.w.T, filepath.Join(k.w.dir, k.name+".log"), k.w.environ, filepath.Join(programs, "council-fleet"), "worker",
		"--address", k.address, "--store", k.s3, "--key", k.w.key, "--name", k.name, "--dir", k.dir,
		"--council", filepath.Join(programs, "council"), "--seats", "one,two,librarian", "--at-once", fmt.Sprint(k.atOnce))
	k.w.Cleanup(func() { k.end(os.Kill) })
}

// kill kills the worker, and notes when.
func (k *worker) kill() {
	k.killedLock.Lock()
	k.killed = append(k.killed, time.Now())
	k.killedLock.Unlock()
	k.end(os.Kill)
}

// shaky is a store in S3's wire format that fails as often as it is told, half of the
// time before it has done what was asked and half of the time after.
type shaky struct {
	url  string
	fail atomic.Int64 // of a thousand
	puts sync.Mutex   // a conditional write is one step, as it is in S3
	next http.Handler

	mu    sync.Mutex
	asked int
	kinds map[string]int       // of what was asked: put, get, list, delete
	bytes int64                // that were put
	done  int                  // failures
	kept  map[string]time.Time // commits, by their names, and when they had been written
}

func newShaky(t *testing.T) *shaky {
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("fleet"))
	s := &shaky{next: gofakes3.New(backend).Server(), kept: map[string]time.Time{}, kinds: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func s3Address(endpoint string) string {
	return "s3://fleet?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(endpoint)
}

// kindOf is what a request asks of the store.
func kindOf(r *http.Request) string {
	if r.Method == http.MethodGet && r.URL.Query().Has("list-type") {
		return "list"
	}
	return strings.ToLower(r.Method)
}

func (s *shaky) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	fails := rand.Int64N(1000) < s.fail.Load()
	s.mu.Lock()
	s.asked++
	s.kinds[kindOf(r)]++
	if r.Method == http.MethodPut {
		s.bytes += r.ContentLength
	}
	if fails {
		s.done++
	}
	s.mu.Unlock()
	if fails && rand.IntN(2) == 0 {
		http.Error(out, "not now", http.StatusServiceUnavailable)
		return
	}
	answer := httptest.NewRecorder()
	if r.Method == http.MethodPut {
		s.puts.Lock()
		s.next.ServeHTTP(answer, r)
		s.puts.Unlock()
	} else {
		s.next.ServeHTTP(answer, r)
	}
	if _, name, is := strings.Cut(r.URL.Path, "/runs/"); is && r.Method == http.MethodPut && answer.Code == http.StatusOK && strings.Contains(name, "/log/") {
		s.mu.Lock()
		s.kept[name] = time.Now()
		s.mu.Unlock()
	}
	if fails {
		http.Error(out, "not now", http.StatusServiceUnavailable)
		return
	}
	for name, values := range answer.Header() {
		out.Header()[name] = values
	}
	out.WriteHeader(answer.Code)
	_, _ = io.Copy(out, answer.Body)
}

// call is one call of the model.
type call struct {
	Worker, Run, Turn string    // Turn without the id of the run
	Began, Ended      time.Time // Ended is when it was answered, or whoever asked was gone
}

// model is a model server that counts.
type model struct {
	url   string
	hold  time.Duration
	mu    sync.Mutex
	calls []*call
}

func newModel(t *testing.T, hold time.Duration) *model {
	m := &model{hold: hold}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *model) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	report, turn, _ := strings.Cut(string(text), "\n")
	_, turn, _ = strings.Cut(turn, "/")
	c := &call{Turn: turn, Began: time.Now()}
	if _, rest, is := strings.Cut(report, "/workers/"); is { // workers/<name>/<run>/project/…
		parts := strings.SplitN(rest, "/", 3)
		c.Worker, c.Run = parts[0], parts[1]
	}
	m.mu.Lock()
	m.calls = append(m.calls, c)
	m.mu.Unlock()
	select {
	case <-r.Context().Done():
	case <-time.After(m.hold):
		_, _ = io.WriteString(out, "done")
	}
	m.mu.Lock()
	c.Ended = time.Now()
	m.mu.Unlock()
}

// all are the calls so far.
func (m *model) all() (list []call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.calls {
		list = append(list, *c)
	}
	return list
}

// over reports whether the store knows of a run's end.
func (w *world) over(run string) bool {
	l, err := w.store().Ledger(w.Context(), run)
	return err == nil && l.End != nil && l.End.Final
}

// wait waits until the process has ended by itself.
func (p *process) wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.cmd.Wait()
	p.cmd = nil
	return err
}
