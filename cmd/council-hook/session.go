package main

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/engine/hook"
)

const (
	maxStateBytes = 4 << 10 // bytes of a state file that are looked at: its front matter
	maxAsks       = 3       // a session is asked for its synthesis once and reminded twice
)

// session is the session of a run's owner, in one hook. What it touches is
// opened through [os.Root], so that no link leads out of the project.
type session struct {
	hook.State
	project        string // its path, as the host names it
	root           *os.Root
	file           string // the state file, from the project
	stdout, stderr io.Writer
	loop           loopSaid // what the session's own loop has to say
}

// find follows the pointer of a session to the run it owns. The state file it
// leads to decides; one that is another session's is none of our business, and
// one that cannot be read is left as it is.
func find(project, id string, stderr io.Writer) (session, bool) {
	if project == "" || !hook.ValidSession(id) {
		return session{}, false
	}
	run := pointed(project, id)
	if run == "" {
		return session{}, false
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		warn(stderr, "the project cannot be opened")
		return session{}, false
	}
	for _, file := range hook.StateFiles(run) {
		st, ok := readState(root, file)
		if ok && st.Run == run && st.Owns(id) {
			return session{State: st, project: project, root: root, file: file}, true
		}
		if _, err := root.Lstat(file); err == nil && !ok {
			warn(stderr, file+" is no state file that can be read from within the project; it is left alone")
		}
	}
	_ = root.Close() // nothing was done with it
	return session{}, false
}

// pointed is the run to which a session's pointer leads, by bare system calls:
// every turn of every session asks, and most are told that there is none. What
// is found is only a hint, so it may lie behind a link.
func pointed(project, id string) string {
	fd, err := syscall.Open(project+"/"+hook.PointerFile(id), syscall.O_RDONLY|disk.NoLink|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	var buf [hook.MaxPointerBytes + 1]byte
	n, err := syscall.Read(fd, buf[:])
	_ = syscall.Close(fd) // it was only read
	if err != nil {
		return ""
	}
	return hook.ParsePointer(buf[:n])
}

// readState reads a state file that lies within the project.
func readState(root *os.Root, file string) (hook.State, bool) {
	f, err := root.OpenFile(file, os.O_RDONLY|disk.NoWait, 0)
	if err != nil {
		return hook.State{}, false
	}
	defer f.Close()
	buf := make([]byte, maxStateBytes)
	n, err := io.ReadFull(f, buf)
	if err != nil && err != io.ErrUnexpectedEOF {
		return hook.State{}, false
	}
	return hook.ParseState(buf[:n])
}

func (s session) serve(name string, call hook.Call) {
	if s.Campaign != "" {
		s.campaign(name, call)
		return
	}
	switch name {
	case "stop":
		s.stop(call)
	case "stop-wait":
		s.execCouncil("wait")
	case "session-start":
		more := []string{"--source", call.Source}
		if s.loop.context != "" {
			more = append(more, "--also", s.loop.context)
		}
		if other := s.otherRelease(); other != "" {
			more = append(more, "--words", "Research Council: "+other+"; it goes on under its own, and this session's part may wait for that")
		}
		s.execCouncil("session-start", more...)
	case "user-prompt-submit":
		s.loop.answer(name, s.stdout)
	case "pre-compact":
		s.dropNote("pre-compact", call.Trigger)
		s.loop.answer(name, s.stdout)
	case "session-end":
		if call.Reason == "clear" {
			s.execCouncil("cleared")
		}
		s.dropNote("session-ended", call.Reason)
	case "stop-failure":
		s.dropNote("stop-failure", call.Fault)
	}
}

// campaign hands every event of a campaign's session over, with what it brought.
// What the session asks for is answered here: it asks often.
func (s session) campaign(name string, call hook.Call) {
	if name == "permission-request" {
		s.answerPermission(call)
		return
	}
	if name == "user-prompt-submit" {
		if text, ok := call.TypedText(); ok {
			s.dropNote("session-said", text)
		}
		return
	}
	more := []string{"--event", name}
	for _, f := range [][2]string{{"--source", call.Source}, {"--trigger", call.Trigger}, {"--reason", call.Reason}, {"--fault", call.Fault}, {"--transcript", call.Transcript}} {
		if f[1] != "" {
			more = append(more, f[0], f[1])
		}
	}
	if call.Background {
		more = append(more, "--background")
	}
	s.execCouncil("campaign", more...)
}

func (s session) execCouncil(name string, more ...string) {
	args := append([]string{"hook", name, "--root", s.project, "--run", s.Run, "--session", s.Session}, more...)
	execCouncil(s.stderr, args...)
}

// inRun is the name of something in the run's folder, from the project's.
func (s session) inRun(name string) string { return "research/" + s.Run + "/" + name }

func (s session) isFilled(name string) bool {
	info, err := s.root.Lstat(s.inRun(name))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// stop answers at once. While the seats work there is nothing to say; when it
// is the session's turn it is asked, and reminded, and then let go.
func (s session) stop(call hook.Call) {
	reason, other := s.askReason(call), s.otherRelease()
	words := ""
	switch {
	case reason != "":
		words = "Research Council: Phase 3/3 — Synthesis"
		if other != "" {
			words += " (" + other + ")"
		}
	case other != "":
		words = "Research Council: " + other
	}
	loopSaid{reason: join(reason, s.loop.reason), words: join(words, s.loop.words)}.answer("stop", s.stdout)
}

// otherRelease says, once, that the run is worked on by another release than
// this hook's; "" where it is not, or was said before.
func (s session) otherRelease() string {
	other := hook.ReleaseMismatch("the program that works on this run", s.Release, "this plugin", release)
	if other == "" {
		return ""
	}
	if first, err := s.claim("release-" + release); err != nil || !first {
		return ""
	}
	return other
}

// askReason is what the session is asked for; "" for nothing.
func (s session) askReason(call hook.Call) string {
	if s.Phase != "synthesis" || !s.isFilled("prompts/synthesis.md") { // other research has a stage of that name too
		return ""
	}
	if s.isFilled("final-report.md") && !s.isFilled("review.json") { // one that was reviewed may have been sent back
		s.removeState()
		return ""
	}
	if s.isFilled("synthesis.md") || call.Background {
		return ""
	}
	if !s.canReadJournal() {
		warn(s.stderr, "the journal of run "+s.Run+" is none this release reads; the session is let go")
		return ""
	}
	for n := 1; n <= maxAsks; n++ {
		claimed, err := s.claim("ask-" + strconv.Itoa(n))
		if err != nil {
			warn(s.stderr, "that the session is asked cannot be noted; it is let go")
			return ""
		}
		if claimed {
			return s.reason(n)
		}
	}
	s.dropNote("session-gave-up", "")
	return ""
}

// canReadJournal reports whether the run's journal begins as this release's do.
func (s session) canReadJournal() bool {
	f, err := s.root.OpenFile(s.inRun("journal.jsonl"), os.O_RDONLY|disk.NoLink, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	var head [len(hook.JournalHead)]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == hook.JournalHead
}

func (s session) reason(n int) string {
	prompt, draft := filepath.Join(s.project, s.inRun("prompts/synthesis.md")), filepath.Join(s.project, s.inRun("synthesis.md"))
	what := "read " + prompt + " and write the synthesis to " + draft + "."
	if n == 1 {
		return "All research phases are complete: " + what
	}
	return "Please write the synthesis report: " + what
}

// claim makes something that is said once this hook's own; false when it was said
// before.
func (s session) claim(name string) (bool, error) {
	f, err := s.root.OpenFile(s.inRun("session/"+name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(time.Now().UTC().Format(time.RFC3339) + " stop\n")
	return true, errors.Join(err, f.Close())
}

// removeState removes the state file if it still names this run and session.
func (s session) removeState() {
	if now, ok := readState(s.root, s.file); ok && now.Run == s.Run && now.Session == s.Session {
		_, _ = s.root.Remove(s.file), s.root.Remove(hook.PointerFile(s.Session)) // the supervisor removes them too
	}
}

// dropNote leaves a note in the run's inbox, whole or not at all.
func (s session) dropNote(kind, detail string) {
	now := time.Now()
	out := hook.Object("kind", kind, "session", s.Session, "detail", detail, "release", release, "at", now.UTC().Format(time.RFC3339Nano))
	name := s.inRun("inbox/" + strconv.FormatInt(now.UnixNano(), 10) + "-" + strconv.FormatUint(rand.Uint64(), 36) + ".json")
	if err := durable.Replace(s.root, name, out, 0o600); err != nil {
		warn(s.stderr, "the inbox of run "+s.Run+" cannot be written")
	}
}
