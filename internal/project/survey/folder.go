package survey

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// When a folder is significant.
const (
	FolderFiles = 3   // source files directly in it, or
	FolderLines = 300 // lines of source in them, or an entry point
	FolderDepth = 8   // levels below the top that are looked at
	MaxFolders  = 200 // of one repository; the smallest are left out
)

// Folder is what a significant folder holds, its own files alone.
type Folder struct {
	Path      string   `json:"path"`      // "." for the top
	Languages []string `json:"languages"` // of its source, the most lines first
	Files     []File   `json:"files"`     // reviewed, by path
	Lines     int      `json:"lines"`     // of these
	Entries   []File   `json:"entries,omitempty"`
	Children  []string `json:"children,omitempty"` // the nearest significant folders below
}

// Significant names the folders that deserve a document of their own, by path:
// those that hold at least three source files, 300 lines of source or an entry
// point of the program, at most eight levels deep, and the top if anything is
// reviewed. What is left out counts nothing, so vendored, generated and test
// data make no folder significant; nor do tests alone. more is how many folders
// beyond the 200 with the most lines would be.
func Significant(files []File) (folders []Folder, more int) {
	by := map[string][]File{}
	for _, f := range files {
		if f.Reviewed() {
			by[f.Folder()] = append(by[f.Folder()], f)
		}
	}
	if len(by) == 0 {
		return nil, 0
	}
	if _, is := by["."]; !is {
		by["."] = nil
	}
	for p, own := range by {
		if d := summariseFolder(p, own); d.significant() {
			folders = append(folders, d)
		}
	}
	slices.SortFunc(folders, func(a, b Folder) int {
		if a.Path == "." || b.Path == "." {
			return strings.Compare(a.Path, b.Path) // before all others: it always stays
		}
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), strings.Compare(a.Path, b.Path))
	})
	more = max(0, len(folders)-MaxFolders)
	folders = folders[:len(folders)-more]
	slices.SortFunc(folders, func(a, b Folder) int { return strings.Compare(a.Path, b.Path) })
	linkChildren(folders)
	return folders, more
}

// summariseFolder sums up a folder.
func summariseFolder(p string, own []File) Folder {
	d := Folder{Path: p, Files: slices.Clone(own)}
	slices.SortFunc(d.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var source []File
	for _, f := range d.Files {
		d.Lines += f.Lines
		if f.Kind == Source {
			source = append(source, f)
		}
		if f.Entry != "" {
			d.Entries = append(d.Entries, f)
		}
	}
	for _, t := range tableRows(source, func(f File) string { return f.Language }) {
		d.Languages = append(d.Languages, t.name)
	}
	return d
}

func (d Folder) significant() bool {
	if d.Path == "." {
		return true
	}
	files, lines, starts := 0, 0, false
	for _, f := range d.Files {
		if f.Kind == Source && !f.Test {
			files, lines = files+1, lines+f.Lines
			starts = starts || f.Entry != ""
		}
	}
	return strings.Count(d.Path, "/") < FolderDepth && (files >= FolderFiles || lines >= FolderLines || starts)
}

// linkChildren tells each folder which come next below it.
func linkChildren(folders []Folder) {
	at := map[string]int{}
	for i, d := range folders {
		at[d.Path] = i
	}
	for _, d := range folders {
		for up := d.Path; up != "."; {
			up = path.Dir(up)
			if i, is := at[up]; is {
				folders[i].Children = append(folders[i].Children, d.Path)
				break
			}
		}
	}
}
