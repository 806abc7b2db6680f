package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"research-council/internal/hook"
)

const (
	mostState = 4 << 10 // bytes of a state file that are looked at: its front matter
	asks      = 3       // a session is asked for its synthesis once and reminded twice
)

// stateFiles lists the state files of a project.
func stateFiles(root string) []string {
	dir := root + "/.claude"
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var files []string
	for _, name := range names {
		id, ok := strings.CutPrefix(name, "deep-research.")
		if ok && (id == "local.md" || hook.ValidRun(strings.TrimSuffix(id, ".local.md"))) {
			files = append(files, dir+"/"+name)
		}
	}
	return files
}

// owned finds the run that a session owns.
func owned(root, id string) (session, bool) {
	if root == "" || id == "" {
		return session{}, false
	}
	for _, file := range stateFiles(root) {
		if st, ok := readState(file); ok && st.Owns(id) {
			return session{State: st, root: root, file: file, dir: root + "/research/" + st.Run}, true
		}
	}
	return session{}, false
}

func readState(file string) (hook.State, bool) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return hook.State{}, false
	}
	defer f.Close()
	buf := make([]byte, mostState)
	n, err := io.ReadFull(f, buf)
	if err != nil && err != io.ErrUnexpectedEOF {
		return hook.State{}, false
	}
	return hook.ParseState(buf[:n])
}

func filled(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// stop answers at once. While the seats work there is nothing to say; when it
// is the session's turn it is asked, and reminded, and then let go.
func (s session) stop(call hook.Call) {
	if s.Phase != "synthesis" {
		return
	}
	if filled(s.dir + "/final-report.md") {
		s.removeState()
		return
	}
	if filled(s.dir+"/synthesis.md") || call.Background {
		return
	}
	for n := 1; n <= asks; n++ {
		claimed, err := s.claim(n)
		if err != nil {
			return
		}
		if claimed {
			_, _ = s.stdout.Write(hook.Block(s.reason(n), "Research Council: Phase 3/3 — Synthesis"))
			return
		}
	}
	s.note("session-gave-up", "")
}

func (s session) reason(n int) string {
	what := "read research/" + s.Run + "/prompts/synthesis.md and write the synthesis to research/" + s.Run + "/synthesis.md."
	if n == 1 {
		return "All research phases are complete: " + what
	}
	return "Please write the synthesis report: " + what
}

// claim makes the n-th request this hook's own; false when it was made before.
func (s session) claim(n int) (bool, error) {
	f, err := os.OpenFile(s.dir+"/session/ask-"+strconv.Itoa(n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(time.Now().UTC().Format(time.RFC3339) + " stop\n")
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err == nil, err
}

// removeState removes the state file if it still names this run and session.
func (s session) removeState() {
	if now, ok := readState(s.file); ok && now.Run == s.Run && now.Session == s.Session {
		_ = os.Remove(s.file) // the supervisor removes it too
	}
}

// note leaves a note in the run's inbox.
func (s session) note(kind, detail string) {
	now := time.Now()
	out := hook.Object("kind", kind, "session", s.Session, "detail", detail, "at", now.UTC().Format(time.RFC3339Nano))
	name := s.dir + "/inbox/" + strconv.FormatInt(now.UnixNano(), 10) + "-" + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(name+".new", out, 0o600); err != nil {
		complain(s.stderr, "the inbox of run "+s.Run+" cannot be written")
		return
	}
	if err := os.Rename(name+".new", name+".json"); err != nil {
		complain(s.stderr, "the inbox of run "+s.Run+" cannot be written")
	}
}

// handOver becomes the council program, which stands beside this one. It
// returns only when that cannot be.
func handOver(_, stderr io.Writer, args ...string) {
	path := os.Getenv("RESEARCH_COUNCIL_BIN")
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			complain(stderr, "the council program is not found")
			return
		}
		path = filepath.Join(filepath.Dir(self), "council")
	}
	if err := syscall.Exec(path, append([]string{path}, args...), os.Environ()); err != nil {
		complain(stderr, "the council program cannot be started; run make build in the plugin's folder")
	}
}
