// Package survey is what a repository is made of, and how it is cut into
// batches for reviewers.
//
// Everything here is counted from the files: [Classify] says what a file is and
// why it is left out, [Rank] orders what is reviewed by risk, [Batches] cuts it
// so that every reviewed file is in exactly one batch, and [Significant] names
// the folders worth a document of their own. A model may annotate the result;
// it does not change it. The same files give the same bytes.
//
// Names and text of a repository are data. A name may hold any byte but NUL;
// what is written for people and agents shows it as [Quote] does, so it breaks
// neither a line, nor Markdown, nor a terminal.
//
// Finding and reading the files is left to package repo.
package survey

import (
	"encoding/json"
	"path"
	"strings"
)

// Kind is what a file holds.
type Kind string

// Kinds of files. Source and configuration are reviewed; prose and data are
// listed.
const (
	Source Kind = "source"
	Config Kind = "configuration"
	Prose  Kind = "prose"
	Data   Kind = "data"
)

// Why a file is left out, as [File.Skip] has it. The details stand in
// [File.Reasons].
const (
	SkipBinary    = "binary"
	SkipGenerated = "generated"
	SkipVendored  = "vendored"
	SkipLarge     = "too large"
	SkipLines     = "long lines"
	SkipEncoding  = "encoding"
	SkipProse     = "prose"
	SkipData      = "data"
	SkipTestData  = "test data"
	SkipEmpty     = "empty"
	SkipName      = "name" // it leads out of the tree
	SkipLink      = "symbolic link"
	SkipModule    = "submodule"
	SkipUnread    = "unreadable"
	SkipOwn       = "a review's own" // it lies where reviews and runs keep theirs
)

// Bounds of a file that is reviewed.
const (
	MaxSize  = 1 << 20 // bytes
	MaxLines = 20_000
	LongLine = 10_000 // bytes; more than half of a file in such lines is no text to review
)

// File is a file of a repository.
type File struct {
	Path       string     `json:"path"` // slash-separated, relative to what is reviewed; any bytes but NUL
	Size       int64      `json:"size"` // bytes
	Lines      int        `json:"lines,omitempty"`
	Executable bool       `json:"executable,omitempty"`
	Language   string     `json:"language,omitempty"`
	Kind       Kind       `json:"kind,omitempty"`
	Test       bool       `json:"test,omitempty"`
	Entry      string     `json:"entry,omitempty"`      // what starts here: "main package", "container image", …
	Churn      int        `json:"churn,omitempty"`      // commits of about the last year that touched it
	Complexity int        `json:"complexity,omitempty"` // signs of it in the text, see [Classify]
	Sensitive  []string   `json:"sensitive,omitempty"`  // security-relevant subjects of its name
	Uses       []string   `json:"uses,omitempty"`       // the same of its text
	Skip       string     `json:"skip,omitempty"`       // why it is left out; "" when it is reviewed
	Risk       float64    `json:"risk,omitempty"`       // 0 to 100, see [Rank]
	Reasons    []string   `json:"reasons,omitempty"`    // of the risk, or of being left out
	Attributes Attributes `json:"-"`                    // what .gitattributes says, before [Classify]
	Starts     []string   `json:"-"`                    // paths a manifest names as entry points, for [Link]
}

// Attributes are what a repository says of a file itself. "" is nothing said,
// "set" and "unset" are the two answers.
type Attributes struct {
	Vendored      string // linguist-vendored
	Generated     string // linguist-generated
	Documentation string // linguist-documentation
	Language      string // linguist-language
}

// Reviewed reports whether a file is read by reviewers.
func (f File) Reviewed() bool { return f.Skip == "" }

// Folder is the folder a file lies in, "." at the top.
func (f File) Folder() string { return path.Dir(f.Path) }

// MarshalJSON writes the path as [Quote] does: JSON itself cannot hold every
// byte of a name.
func (f File) MarshalJSON() ([]byte, error) {
	type plain File
	return json.Marshal(struct {
		Path string `json:"path"`
		plain
	}{Quote(f.Path), plain(f)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *File) UnmarshalJSON(data []byte) error {
	type plain File
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	p, err := Unquote(f.Path)
	f.Path = p
	return err
}

// Map is a surveyed repository.
type Map struct {
	Name    string   `json:"name"`              // of the project, for people
	Commit  string   `json:"commit,omitempty"`  // "" without git or commits
	Branch  string   `json:"branch,omitempty"`  // "" when detached
	Dirty   bool     `json:"dirty,omitempty"`   // there are changes that are not committed
	Since   string   `json:"since,omitempty"`   // only files changed since this are reviewed
	History string   `json:"history,omitempty"` // what churn was counted over, or why it is unknown
	Notes   []string `json:"notes,omitempty"`   // what the listing left out
	Files   []File   `json:"files"`
}

// isOutside reports whether a path leads out of the tree, or is not in its
// shortest form.
func isOutside(p string) bool {
	return p == "" || p == "." || p == ".." || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "../") ||
		strings.IndexByte(p, 0) >= 0 || path.Clean(p) != p
}
