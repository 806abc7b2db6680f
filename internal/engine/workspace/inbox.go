package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Note is what a hook tells the supervisor through the inbox.
type Note struct {
	Kind    string    `json:"kind"`
	Session string    `json:"session"`
	Detail  string    `json:"detail,omitempty"`
	Release string    `json:"release,omitempty"` // of the hook that left it; "" where it does not tell
	At      time.Time `json:"at"`
	name    string
}

// Kinds of notes.
const (
	PersonSaid     = "person-said"     // Detail is what a person says to those who work on the run
	SessionSaid    = "session-said"    // the same, typed at the session that owns it
	FinishAsked    = "finish"          // the run is to end with what there is
	SessionGaveUp  = "session-gave-up" // asked and reminded, it wrote nothing
	SessionStopped = "session-stopped" // its turn has ended with a draft there, whose SHA-256 is Detail
	SessionEnded   = "session-ended"
	BuildPapers    = "build"         // somebody wants to see the campaign's papers as they stand
	SessionMoved   = "session-moved" // Detail is the session that has taken its place
	StopFailure    = "stop-failure"
	PreCompact     = "pre-compact"
)

// maxNoteBytes bounds what a note may weigh, in bytes.
const maxNoteBytes = 64 << 10

// Notes reads the inbox, the oldest note first. What cannot be read as a note
// is removed and left out.
func (f *Folder) Notes() ([]Note, error) {
	entries, err := fs.ReadDir(f.root.FS(), Inbox)
	if err != nil {
		return nil, fmt.Errorf("read inbox: %w", err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var notes []Note
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		name := path.Join(Inbox, e.Name())
		n, err := f.readNote(name)
		if err != nil {
			err = f.root.RemoveAll(name)
			if err != nil {
				return notes, fmt.Errorf("clear inbox: %w", err)
			}
			continue
		}
		notes = append(notes, n)
	}
	return notes, nil
}

func (f *Folder) readNote(name string) (Note, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return Note{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxNoteBytes {
		return Note{}, errors.New("not a note")
	}
	data, err := f.root.ReadFile(name)
	if err != nil {
		return Note{}, err
	}
	n := Note{name: name}
	return n, json.Unmarshal(data, &n)
}

// ID tells a note from every other of its run.
func (n Note) ID() string { return strings.TrimSuffix(path.Base(n.name), ".json") }

// RemoveNote removes a note that has been acted on.
func (f *Folder) RemoveNote(n Note) error { return f.Remove(n.name) }

// DropNote leaves a note in the inbox.
func (f *Folder) DropNote(n Note) error {
	data, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("drop note: %w", err)
	}
	return f.Write(path.Join(Inbox, fmt.Sprintf("%d-%d.json", n.At.UnixNano(), os.Getpid())), data)
}
