// Package provenance is how what this program has written is known again, so that
// none of it ever becomes a source: a report that rests on an earlier one proves
// itself.
//
// It is known in three ways. A text of ours carries a line that says so, which
// goes along with every copy; a folder of ours holds a file that says so; and
// [RunFiles] compares bytes with what lies in the folders of runs, for copies of
// what agents wrote there. The names of our folders are known as well, for what
// has lost its line.
//
// Which files are looked at, and by whom, is left to others.
package provenance

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

// OwnFileReason says why something is no source.
const OwnFileReason = "it was written by research-council, which is no source of its own"

// MarkerFile marks each folder this program makes, wherever it is moved to.
const MarkerFile = ".written-by-research-council"

// imprintLine is put together here, so that this text does not hold it.
const imprintLine = "written-by" + ":research-council"

// Markdown is a text of ours with its line, which readers do not see. The run
// is named in it.
func Markdown(text []byte, run string) []byte { return appendLine(text, "<!-- ", run, " -->") }

// Comment is the line for a form whose comments begin so.
func Comment(text []byte, begin, run string) []byte { return appendLine(text, begin+" ", run, "") }

func appendLine(text []byte, begin, run, end string) []byte {
	if HasImprint(text) {
		return text
	}
	text = bytes.TrimRight(text, "\n")
	return append(text[:len(text):len(text)], "\n\n"+begin+Line(run)+end+"\n"...)
}

// Line is the line itself, for a form that has a place for it and no comments.
func Line(run string) string {
	if !runIDForm().MatchString(run) {
		run = "a run" // what is no id is nobody's to put into a text of ours
	}
	return imprintLine + " " + run
}

// HasImprint reports whether a text carries the line.
func HasImprint(text []byte) bool { return bytes.Contains(text, []byte(imprintLine)) }

// runTimeForm is when a run began, in UTC, as its id says it.
const runTimeForm = "20060102-150405"

// runIDForm are the ids of runs.
var runIDForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{6}$`) })

// RunID is the run a text says it was written in; "" for none.
func RunID(text []byte) string {
	at := bytes.LastIndex(text, []byte(imprintLine+" "))
	if at < 0 {
		return ""
	}
	const id = "20060102-150405-a1b2c3"
	name := string(text[at+len(imprintLine)+1:][:min(len(id), len(text)-at-len(imprintLine)-1)])
	if !runIDForm().MatchString(name) {
		return ""
	}
	return name
}

// HasOwnName reports whether a folder, by its path with slashes below a project,
// bears the name of one of ours or lies in one.
func HasOwnName(name string) bool {
	before := ""
	for part := range strings.SplitSeq(name, "/") {
		if before == "docs" && strings.HasPrefix(part, "research-") {
			return true
		}
		before = part
	}
	return IsInRunFolder(name)
}

// IsInRunFolder reports whether a path leads into a folder of a run or a review by
// the names in it, which nobody else gives.
func IsInRunFolder(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if runIDForm().MatchString(part) || part == ".deep-review" {
			return true
		}
	}
	return false
}

// HasMarker reports whether a folder, or one it lies in, was made by this program.
func HasMarker(files fs.FS, name string) bool {
	for ; ; name = path.Dir(name) {
		if _, err := fs.Stat(files, path.Join(name, MarkerFile)); err == nil {
			return true
		}
		if name == "." || name == "/" {
			return false
		}
	}
}

// RunFiles are the files that lie in the folders of runs, by their sizes.
type RunFiles struct{ sizes map[int64][]runFile }

type runFile struct {
	in    fs.FS
	name  string
	began time.Time // its run
}

// Bounds of what is compared.
const (
	maxRunFiles = 20_000
	minFileSize = 64 // bytes; what is shorter may be anybody's
)

// ListRunFiles lists what lies in the folders of runs below research/ in some
// projects. What cannot be read is not known. Archived sources are not ours.
func ListRunFiles(projects ...fs.FS) *RunFiles {
	w := &RunFiles{sizes: map[int64][]runFile{}}
	count := 0
	for _, project := range projects {
		_ = fs.WalkDir(project, "research", func(name string, d fs.DirEntry, err error) error {
			depth := strings.Count(name, "/")
			switch {
			case err != nil:
				return fs.SkipDir
			case d.IsDir() && (depth == 1 && !runIDForm().MatchString(d.Name()) || depth == 2 && d.Name() == "sources"):
				return fs.SkipDir
			case d.IsDir() || depth < 2 || !d.Type().IsRegular():
				return nil
			}
			info, err := d.Info()
			if err != nil || info.Size() < minFileSize {
				return nil
			}
			if count++; count > maxRunFiles {
				return fs.SkipAll
			}
			began, _ := time.Parse(runTimeForm, strings.Split(name, "/")[1][:len(runTimeForm)])
			w.sizes[info.Size()] = append(w.sizes[info.Size()], runFile{project, name, began})
			return nil
		})
	}
	return w
}

// Contains reports whether the bytes of a file that was last changed then are those
// of a file of a run. What seats were given to read may be anybody's, and so is what was
// there before the run: seats copy sources into their folders.
func (w *RunFiles) Contains(data []byte, changed time.Time) bool {
	for _, k := range w.sizes[int64(len(data))] {
		if strings.Contains(k.name, "/inputs/") || changed.Before(k.began) {
			continue
		}
		if own, err := fs.ReadFile(k.in, k.name); err == nil && bytes.Equal(own, data) {
			return true
		}
	}
	return false
}
