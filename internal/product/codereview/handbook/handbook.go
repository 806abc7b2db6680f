// Package handbook is the documents a review leaves in a repository: AGENTS.md
// in every significant folder, and beside it a CLAUDE.md that points to it.
//
// Both may be people's. What is ours in AGENTS.md stands between two marks;
// [Merge] replaces that and keeps every other byte. [PointToAgents] only adds its
// line. What a model says of a folder ([DecodeNotes]) is shown with the place of
// the code it quotes, as an unverified remark and as text: it can forge no mark,
// heading, link, import or HTML. It has the form of a description of that code
// and says nothing twice ([ValidNotes]): an order has another form and does not enter,
// and neither does what quotes code that shows nothing. Files are not listed: a listing goes out of date and shows nothing.
//
// Which folders deserve a document, package survey says; files are written by
// others.
package handbook

import (
	"strings"

	"github.com/research-council/research-council/internal/project/survey"
)

// Names of the documents in a folder.
const (
	Name          = "AGENTS.md"
	CompanionName = "CLAUDE.md"
)

// The marks around what is ours. Each stands alone on its line.
const (
	Begin = "<!-- research-council:begin -->"
	End   = "<!-- research-council:end -->"
)

// Document is what AGENTS.md says of a folder.
type Document struct {
	Folder      string // slash-separated, relative to the repository; "." or "" for the top
	Root        bool   // the document of the whole repository
	Remarks     []Remark
	Languages   []string
	Lines       int
	Count       int    // reviewed files
	EntryPoints []File // Note says what starts there
}

// Remark is what a model says of the code at a place. Nobody has verified it.
type Remark struct {
	Place string // file:line of the code it quotes, found there
	Text  string
}

// File is a file of a document's folder.
type File struct {
	Path string // relative to the repository
	Note string // what the program knows of it
}

// NewDocument is the document of a folder as far as it is counted, and what notes say of
// it and of its files, each with the place of its code; a note without one says
// nothing.
func NewDocument(d survey.Folder, notes []Note) Document {
	doc := Document{Folder: d.Path, Root: d.Path == ".", Languages: d.Languages, Lines: d.Lines, Count: len(d.Files)}
	files := map[string]bool{}
	for _, f := range d.Files {
		files[f.Path] = true
	}
	for _, f := range d.Entries {
		doc.EntryPoints = append(doc.EntryPoints, File{f.Path, f.Entry})
	}
	for _, n := range notes {
		if n.Place() == "" || n.File == "" && n.Folder != d.Path || n.File != "" && !files[n.File] {
			continue
		}
		for _, text := range append([]string{n.Note, n.Purpose}, append(n.Conventions, n.Pitfalls...)...) {
			if strings.TrimSpace(text) != "" {
				doc.Remarks = append(doc.Remarks, Remark{Place: n.Place(), Text: text})
			}
		}
	}
	return doc
}

// IsEmpty reports whether a document says nothing that a listing of the folder
// does not.
func (d Document) IsEmpty() bool { return len(d.Remarks)+len(d.EntryPoints) == 0 }
