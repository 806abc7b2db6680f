package handbook

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/project/survey"
)

// Bounds of what a model may write of a repository, far above what an honest
// one does.
const (
	NoteLimit    = 64 << 10 // bytes of a line
	NotesLimit   = 16 << 20 // bytes of all
	RefusalLimit = jsonl.MaxTold
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
	At          string   `json:"at,omitempty"`   // the file its code stands in; of a note on a file that file
	Line        int      `json:"line,omitempty"` // of that code
	Code        string   `json:"code,omitempty"` // what shows that it is so, word for word
}

// Place is where the code of a note stands, as a document names it; "" for a
// note without any.
func (n Note) Place() string {
	if n.At == "" || n.Line < 1 {
		return ""
	}
	return n.At + ":" + strconv.Itoa(n.Line)
}

// Refusal is a line that is no note.
type Refusal = jsonl.Refusal

// DecodeNotes reads notes as JSON Lines, one object a line: of a folder
//
//	{"folder":"internal/x","purpose":"…","conventions":["…"],"pitfalls":["…"],"at":"internal/x/y.go","line":3,"code":"…"}
//
// or of a file
//
//	{"file":"internal/x/y.go","note":"…","line":3,"code":"…"}
//
// Names may be quoted as [survey.Quote] does. What stands around the lines is
// passed over, as [jsonl] says. A line that is no note is refused and the next
// one read: any bytes may come. Whether the folders and files exist is left to
// the caller.
func DecodeNotes(r io.Reader) ([]Note, []Refusal) {
	form := jsonl.Format{File: NotesLimit, Line: NoteLimit, None: "no JSON object; write one object a line", Rest: jsonl.RemainderRefusal("are no notes either")}
	return jsonl.Decode(r, form, decodeNote)
}

// decodeNote reads one object, or says what is wrong with it.
func decodeNote(line []byte) (Note, string) {
	var n Note
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(line, &n); {
	case errors.As(err, &wrong):
		return Note{}, "folder, purpose, file and note are strings, conventions and pitfalls lists of strings"
	case err != nil:
		return Note{}, "no JSON object that can be read; write it on one line, with quotes and line breaks inside strings escaped"
	}
	return n.validated()
}

// validated holds a note to its form.
func (n Note) validated() (Note, string) {
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
	name, ok := cleanPath(n.File + n.Folder)
	if !ok || n.File != "" && name == "." {
		return Note{}, "its path is not one inside the repository, relative to its top"
	}
	if n.File != "" {
		return Note{File: name, Note: n.Note, At: codeFile(name, n), Line: n.Line, Code: n.Code}, ""
	}
	return Note{Folder: name, Purpose: n.Purpose, Conventions: n.Conventions, Pitfalls: n.Pitfalls, At: codeFile(n.At, n), Line: n.Line, Code: n.Code}, ""
}

// codeFile is the file a note's code stands in; "" where it quotes none that could be
// looked up.
func codeFile(name string, n Note) string {
	name, ok := cleanPath(name)
	if !ok || strings.TrimSpace(n.Code) == "" || n.Line < 1 {
		return ""
	}
	return name
}

// cleanPath is a path in its shortest form, and whether it stays in the
// repository.
func cleanPath(p string) (string, bool) {
	p, err := survey.Unquote(p)
	if err != nil || p == "" || strings.HasPrefix(p, "/") || strings.IndexByte(p, 0) >= 0 {
		return "", false
	}
	p = path.Clean(p)
	return p, p != ".." && !strings.HasPrefix(p, "../")
}
