package handbook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"research-council/internal/mark"
	"research-council/internal/survey"
)

// Bounds of what a model may write of a repository, far above what an honest
// one does.
const (
	NoteLimit    = 64 << 10 // bytes of a line
	NotesLimit   = 16 << 20 // bytes of all
	RefusalLimit = 20       // refusals told one by one
)

// Note is what a model says of a folder or of a file; one of the two names is
// set. All else is its words.
type Note struct {
	Folder      string   `json:"folder,omitempty"` // "." for the top
	Purpose     string   `json:"purpose,omitempty"`
	Conventions []string `json:"conventions,omitempty"`
	Pitfalls    []string `json:"pitfalls,omitempty"`
	File        string   `json:"file,omitempty"`
	Note        string   `json:"note,omitempty"`
}

// Refusal is a line that is no note.
type Refusal struct {
	Line   int    // counted from 1; that of the first when several are told as one
	Reason string // for its writer, without anything from the line itself
}

// DecodeNotes reads notes as JSON Lines, one object a line: of a folder
//
//	{"folder":"internal/x","purpose":"…","conventions":["…"],"pitfalls":["…"]}
//
// or of a file
//
//	{"file":"internal/x/y.go","note":"…"}
//
// Names may be quoted as [survey.Quote] does. Blank lines, the fences of a code
// block and the mark that ends a report are passed over. A line that is no note
// is refused and the next one read: any bytes may come. Whether the folders and
// files exist is left to the caller.
func DecodeNotes(r io.Reader) ([]Note, []Refusal) {
	d := decoder{in: bufio.NewReader(io.LimitReader(r, NotesLimit))}
	for d.next() {
	}
	if d.more > 0 {
		d.refusals = append(d.refusals, Refusal{d.firstMore, fmt.Sprintf("this and %d more lines are no notes either", d.more-1)})
	}
	var beyond [1]byte
	if n, _ := io.ReadFull(r, beyond[:]); n > 0 {
		d.refusals = append(d.refusals, Refusal{d.line, fmt.Sprintf("the file is longer than %d MiB; the rest was not read", NotesLimit>>20)})
	}
	return d.notes, d.refusals
}

type decoder struct {
	in        *bufio.Reader
	line      int
	notes     []Note
	refusals  []Refusal
	more      int
	firstMore int
}

// next reads one line.
func (d *decoder) next() bool {
	line, long, err := readLine(d.in)
	if err != nil && !errors.Is(err, io.EOF) {
		d.line++
		d.refuse("reading stopped: " + err.Error())
		return false
	}
	if err != nil && len(line) == 0 && !long {
		return false
	}
	d.line++
	if long {
		d.refuse(fmt.Sprintf("longer than %d KiB", NoteLimit>>10))
		return true
	}
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(bom)))
	if len(line) == 0 || bytes.HasPrefix(line, []byte("```")) || string(line) == mark.Complete {
		return true
	}
	note, problem := decodeNote(line)
	if problem != "" {
		d.refuse(problem)
		return true
	}
	d.notes = append(d.notes, note)
	return true
}

func (d *decoder) refuse(reason string) {
	if len(d.refusals) < RefusalLimit {
		d.refusals = append(d.refusals, Refusal{d.line, reason})
		return
	}
	if d.more == 0 {
		d.firstMore = d.line
	}
	d.more++
}

// readLine reads a line, of one that is too long nothing but its end.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > NoteLimit {
			line, long = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// decodeNote reads one object, or says what is wrong with it.
func decodeNote(line []byte) (Note, string) {
	if line[0] != '{' {
		return Note{}, "no JSON object; write one object a line"
	}
	var n Note
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(line, &n); {
	case errors.As(err, &wrong):
		return Note{}, "folder, purpose, file and note are strings, conventions and pitfalls lists of strings"
	case err != nil:
		return Note{}, "no JSON object that can be read; write it on one line, with quotes and line breaks inside strings escaped"
	}
	return n.checked()
}

// checked holds a note to its form.
func (n Note) checked() (Note, string) {
	switch {
	case n.File == "" && n.Folder == "":
		return Note{}, `it names neither a "folder" nor a "file"`
	case n.File != "" && n.Folder != "":
		return Note{}, `it names a "folder" and a "file": write one line of each`
	case n.File != "" && strings.TrimSpace(n.Note) == "":
		return Note{}, `its "note" is empty`
	case n.Folder != "" && strings.TrimSpace(n.Purpose) == "" && len(n.Conventions)+len(n.Pitfalls) == 0:
		return Note{}, `it has none of "purpose", "conventions" and "pitfalls"`
	}
	name, ok := inside(n.File + n.Folder)
	if !ok || n.File != "" && name == "." {
		return Note{}, "its path is not one inside the repository, relative to its top"
	}
	if n.File != "" {
		return Note{File: name, Note: n.Note}, ""
	}
	return Note{Folder: name, Purpose: n.Purpose, Conventions: n.Conventions, Pitfalls: n.Pitfalls}, ""
}

// inside is a path in its shortest form, and whether it stays in the
// repository.
func inside(p string) (string, bool) {
	p, err := survey.Unquote(p)
	if err != nil || p == "" || strings.HasPrefix(p, "/") || strings.IndexByte(p, 0) >= 0 {
		return "", false
	}
	p = path.Clean(p)
	return p, p != ".." && !strings.HasPrefix(p, "../")
}
