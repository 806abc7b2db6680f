package sessionloop

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
)

const (
	format     = "research-loop 1"
	fileBytes  = 4 << 10 // of every file: it is written over in place, in one piece
	lockWait   = 50 * time.Millisecond
	keptAfter  = 30 * 24 * time.Hour // for how long a loop that is not heard of is kept
	doubleTime = 10 * time.Second    // within which the same begin is another copy of the hook
)

// ErrBusy says that a session has a loop already.
var ErrBusy = errors.New("a loop is on in this session")

// Folder holds the files of all loops of a user: below XDG_STATE_HOME, else the
// home.
func Folder(getenv func(string) string) (string, error) {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return "", errors.New("neither HOME nor XDG_STATE_HOME names a folder")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "research-council", "loops"), nil
}

// name is the file of a session's loop in the folder; "" for what is no session.
func name(host, session string) string {
	const most = 64
	for i := range len(session) {
		b := session[i]
		if (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && b != '-' && b != '_' {
			return ""
		}
	}
	if session == "" || len(session) > most || host != Claude && host != Codex && host != Gemini {
		return ""
	}
	return host + "-" + session
}

// Exists reports whether there is a loop of a session, on or ended.
func Exists(folder, host, session string) bool {
	file := name(host, session)
	if file == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(folder, file))
	return err == nil
}

// Held is a loop whose file is locked by this process.
type Held struct {
	Loop
	file *os.File
}

// Open reads and locks a session's loop; nil where there is none, or none that this
// release reads. A file that is broken is set aside.
func Open(folder, host, session string) (*Held, error) {
	file := name(host, session)
	if file == "" {
		return nil, nil
	}
	path := filepath.Join(folder, file)
	f, err := openFile(folder, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := read(f)
	if err == nil && (l.Host != host || l.Session != session) {
		err = errForeign
	}
	if errors.Is(err, errBroken) {
		_ = durable.MoveFile(path, path+".broken") // what stays is read again, and as broken
	}
	if err != nil {
		_ = f.Close()
		if errors.Is(err, errBroken) || errors.Is(err, errForeign) {
			return nil, nil
		}
		return nil, err
	}
	return &Held{Loop: l, file: f}, nil
}

// openFile opens a file below a folder as one that may be replaced and deleted
// meanwhile: a root does so on every system.
func openFile(folder, file string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(file, os.O_RDWR|disk.NoLink, 0)
}

var (
	errBroken  = errors.New("the loop's file is broken")
	errForeign = errors.New("the loop is another's, or of another release")
)

func read(f *os.File) (Loop, error) {
	info, err := f.Stat()
	if err != nil {
		return Loop{}, err
	}
	if !info.Mode().IsRegular() {
		return Loop{}, errForeign
	}
	if err := Lock(f, lockWait); err != nil {
		return Loop{}, err
	}
	data := make([]byte, fileBytes)
	n, err := f.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return Loop{}, err
	}
	return parse(data[:n])
}

// Lock takes the lock of an open file, or gives up: a hook that hangs holds its
// session.
func Lock(f *os.File, within time.Duration) error {
	const pause = 5 * time.Millisecond
	for waited := time.Duration(0); waited < within; waited += pause {
		if err := disk.TryLock(f); !errors.Is(err, disk.ErrBusy) {
			return err
		}
		time.Sleep(pause)
	}
	return disk.ErrBusy
}

// Save writes the loop over its file, which stays the same: one that was deleted
// meanwhile stays deleted.
func (h *Held) Save() error {
	data, err := h.encode()
	if err == nil {
		_, err = h.file.WriteAt(data, 0)
	}
	return err
}

// Close unlocks the loop.
func (h *Held) Close() { _ = h.file.Close() } // it was written before

// Begin lays a new loop down in the place of one that has ended, with the whole
// task beside it. The same begin once more, by another copy of the hook, is none;
// a loop that is on is [ErrBusy].
func Begin(folder string, l Loop, task string) error {
	file := name(l.Host, l.Session)
	if file == "" {
		return errors.New("the session has no id that a loop could be bound to")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	old, err := Open(folder, l.Host, l.Session)
	if err != nil {
		return err
	}
	if old != nil {
		defer old.Close()
		if old.Status == Active && old.Answers == 0 && old.Task == l.Task && old.Max == l.Max && old.Marker == l.Marker && l.Begun.Sub(old.Begun) < doubleTime {
			return nil
		}
		if old.Status == Active {
			return ErrBusy
		}
	}
	data, err := l.encode()
	if err != nil {
		return err
	}
	forget(folder, l.Begun)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := durable.Replace(root, file+taskSuffix, []byte(task), 0o600); err != nil {
		return err
	}
	return durable.Replace(root, file, data, 0o600)
}

const taskSuffix = ".task.md"

// TaskFile is where the whole task of a session's loop stands.
func TaskFile(folder, host, session string) string {
	return filepath.Join(folder, name(host, session)+taskSuffix)
}

// forget removes what has not been written for long.
func forget(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > keptAfter {
			_ = os.Remove(filepath.Join(folder, e.Name())) // it is tried again at the next begin
		}
	}
}

// List reads all loops, in the order of their names; what is none is left out.
func List(folder string) ([]Loop, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Loop
	for _, e := range entries {
		host, session, ok := strings.Cut(e.Name(), "-")
		if !ok || strings.Contains(session, ".") {
			continue
		}
		h, err := Open(folder, host, session)
		if err != nil || h == nil {
			continue
		}
		all = append(all, h.Loop)
		h.Close()
	}
	return all, nil
}

// Parts of the file are lines of a name and a value; texts are quoted as Go quotes
// them. The rest of the file is line breaks.
func (l Loop) encode() ([]byte, error) {
	var b strings.Builder
	line := func(key, value string) { b.WriteString(key + ": " + value + "\n") }
	number := func(key string, n int64) { line(key, strconv.FormatInt(n, 10)) }
	b.WriteString(format + "\n")
	line("host", l.Host)
	line("session", l.Session)
	line("status", string(l.Status))
	line("task", strconv.Quote(l.Task))
	line("file", strconv.Quote(l.File))
	line("marker", strconv.Quote(l.Marker))
	number("max", int64(l.Max))
	number("answers", int64(l.Answers))
	number("begun", l.Begun.UnixMilli())
	if !l.Last.IsZero() {
		number("last", l.Last.UnixMilli())
	}
	number("empty", int64(l.empty))
	number("same", int64(l.same))
	line("words", strconv.FormatUint(l.words, 10))
	line("call", strconv.FormatUint(l.call, 10))
	line("rests", strconv.FormatBool(l.rests))
	line("prompt", strconv.FormatUint(l.prompt, 10))
	number("seen", int64(l.seen))
	line("sum", strconv.FormatUint(l.sum, 10))
	b.WriteString("end\n")
	if b.Len() > fileBytes {
		return nil, errors.New("the task or the marker is too long for the loop's file")
	}
	b.WriteString(strings.Repeat("\n", fileBytes-b.Len()))
	return []byte(b.String()), nil
}

func parse(data []byte) (Loop, error) {
	var l Loop
	head, rest, ok := bytes.Cut(data, []byte("\n"))
	if !ok || string(head) != format {
		if strings.HasPrefix(string(head), "research-loop ") {
			return l, errForeign
		}
		return l, errBroken
	}
	values := map[string]string{}
	for line := range bytes.Lines(rest) {
		key, value, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), ": ")
		if key == "end" {
			return fromValues(values)
		}
		if !found {
			break
		}
		values[key] = value
	}
	return l, errBroken
}

// fromValues takes a loop whose numbers are such as it could have counted itself.
func fromValues(values map[string]string) (Loop, error) {
	bad := false
	text := func(key string) string {
		s, err := strconv.Unquote(values[key])
		bad = bad || err != nil
		return s
	}
	number := func(key string) int {
		n, err := strconv.ParseInt(values[key], 10, 64)
		bad = bad || err != nil || n < 0
		return int(n)
	}
	sum := func(key string) uint64 {
		n, err := strconv.ParseUint(values[key], 10, 64)
		bad = bad || err != nil
		return n
	}
	l := Loop{
		Host: values["host"], Session: values["session"], Status: Status(values["status"]),
		Task: text("task"), File: text("file"), Marker: text("marker"), Max: number("max"), Answers: number("answers"),
		Begun: time.UnixMilli(int64(number("begun"))), empty: number("empty"), same: number("same"), words: sum("words"), call: sum("call"),
		rests: values["rests"] == "true", prompt: sum("prompt"), seen: number("seen"), sum: sum("sum"),
	}
	if values["last"] != "" {
		l.Last = time.UnixMilli(int64(number("last")))
	}
	if bad || l.Max < 1 || l.Max > CeilingOf(l.Host) || l.Answers > l.Max || l.Status == Active && l.Answers == l.Max {
		return Loop{}, errBroken
	}
	return l, nil
}
