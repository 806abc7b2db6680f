// Package handbook is the documents a review leaves in a repository: AGENTS.md
// in every significant folder, and beside it a CLAUDE.md that points to it.
//
// Both may be people's. What is ours in AGENTS.md stands between two marks;
// [Merge] replaces that and keeps every other byte. [Companion] only adds its
// line. What a model says of a folder ([DecodeNotes]) is shown as text: it can
// forge no mark, heading, link, import or HTML.
//
// Which folders deserve a document, package survey says; files are written by
// others.
package handbook

import "research-council/internal/survey"

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
	Purpose     string // a model's words, as are notes, conventions and pitfalls
	Languages   []string
	Lines       int
	Files       []File
	EntryPoints []File // Note says what starts there
	Conventions []string
	Pitfalls    []string
	Children    []Child
}

// File is a file of a document's folder.
type File struct {
	Path string // relative to the repository
	Note string
}

// Child is a folder below that has a document of its own.
type Child struct {
	Folder  string // relative to the repository
	Purpose string
}

// Of is the document of a folder as far as it is counted, and what notes say of
// it, of its files and of the folders below. Of several notes on one thing the
// last counts.
func Of(d survey.Folder, notes []Note) Document {
	folders, files := map[string]Note{}, map[string]string{}
	for _, n := range notes {
		if n.File != "" {
			files[n.File] = n.Note
		} else {
			folders[n.Folder] = n
		}
	}
	own := folders[d.Path]
	doc := Document{
		Folder: d.Path, Root: d.Path == ".", Purpose: own.Purpose, Languages: d.Languages, Lines: d.Lines,
		Conventions: own.Conventions, Pitfalls: own.Pitfalls,
	}
	for _, f := range d.Files {
		doc.Files = append(doc.Files, File{f.Path, files[f.Path]})
	}
	for _, f := range d.Entries {
		doc.EntryPoints = append(doc.EntryPoints, File{f.Path, f.Entry})
	}
	for _, c := range d.Children {
		doc.Children = append(doc.Children, Child{c, folders[c].Purpose})
	}
	return doc
}
