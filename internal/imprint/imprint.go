// Package imprint is how what this program has written is known again, so that
// none of it ever becomes a source: a report that rests on an earlier one proves
// itself.
//
// It is known in three ways. A text of ours carries a line that says so, which
// goes along with every copy; a folder of ours holds a file that says so; and
// [Written] compares bytes with what lies in the folders of runs, for copies of
// what agents wrote there. The names of our folders are known as well, for what
// has lost its line.
//
// Which files are looked at, and by whom, is left to others.
package imprint

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
)

// Reason says why something is no source.
const Reason = "it was written by research-council, which is no source of its own"

// File marks each folder this program makes, wherever it is moved to.
const File = ".written-by-research-council"

// line is put together here, so that this text does not hold it.
const line = "written-by" + ":research-council"

// Markdown is a text of ours with its line, which readers do not see. The run
// is named in it.
func Markdown(text []byte, run string) []byte { return with(text, "<!-- ", run, " -->") }

// Comment is the line for a form whose comments begin so.
func Comment(text []byte, begin, run string) []byte { return with(text, begin+" ", run, "") }

func with(text []byte, begin, run, end string) []byte {
	if In(text) {
		return text
	}
	text = bytes.TrimRight(text, "\n")
	return append(text[:len(text):len(text)], "\n\n"+begin+Line(run)+end+"\n"...)
}

// Line is the line itself, for a form that has a place for it and no comments.
func Line(run string) string {
	if !runs().MatchString(run) {
		run = "a run" // what is no id is nobody's to put into a text of ours
	}
	return line + " " + run
}

// In reports whether a text carries the line.
func In(text []byte) bool { return bytes.Contains(text, []byte(line)) }

// runs are the ids of runs.
var runs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{6}$`) })

// Run is the run a text says it was written in; "" for none.
func Run(text []byte) string {
	at := bytes.LastIndex(text, []byte(line+" "))
	if at < 0 {
		return ""
	}
	const id = "20060102-150405-a1b2c3"
	name := string(text[at+len(line)+1:][:min(len(id), len(text)-at-len(line)-1)])
	if !runs().MatchString(name) {
		return ""
	}
	return name
}

// Folder reports whether a folder, by its path with slashes below a project,
// bears the name of one of ours or lies in one.
func Folder(name string) bool {
	before := ""
	for part := range strings.SplitSeq(name, "/") {
		if before == "docs" && strings.HasPrefix(part, "research-") {
			return true
		}
		before = part
	}
	return Inside(name)
}

// Inside reports whether a path leads into a folder of a run or a review by
// the names in it, which nobody else gives.
func Inside(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if runs().MatchString(part) || part == ".deep-review" {
			return true
		}
	}
	return false
}

// Made reports whether a folder, or one it lies in, was made by this program.
func Made(files fs.FS, name string) bool {
	for ; ; name = path.Dir(name) {
		if _, err := fs.Stat(files, path.Join(name, File)); err == nil {
			return true
		}
		if name == "." || name == "/" {
			return false
		}
	}
}

// Written are the files that lie in the folders of runs, by their sizes.
type Written struct{ sizes map[int64][]kept }

type kept struct {
	in   fs.FS
	name string
}

// Bounds of what is compared.
const (
	mostKept  = 20_000
	leastKept = 64 // bytes; what is shorter may be anybody's
)

// Gather lists what lies in the folders of runs below research/ in some
// projects. What cannot be read is not known. Archived sources are not ours.
func Gather(projects ...fs.FS) *Written {
	w := &Written{sizes: map[int64][]kept{}}
	count := 0
	for _, project := range projects {
		_ = fs.WalkDir(project, "research", func(name string, d fs.DirEntry, err error) error {
			depth := strings.Count(name, "/")
			switch {
			case err != nil:
				return fs.SkipDir
			case d.IsDir() && (depth == 1 && !runs().MatchString(d.Name()) || depth == 2 && d.Name() == "sources"):
				return fs.SkipDir
			case d.IsDir() || depth < 2 || !d.Type().IsRegular():
				return nil
			}
			info, err := d.Info()
			if err != nil || info.Size() < leastKept {
				return nil
			}
			if count++; count > mostKept {
				return fs.SkipAll
			}
			w.sizes[info.Size()] = append(w.sizes[info.Size()], kept{project, name})
			return nil
		})
	}
	return w
}

// Holds reports whether bytes are those of a file of a run. What seats were
// given to read may be anybody's.
func (w *Written) Holds(data []byte) bool {
	for _, k := range w.sizes[int64(len(data))] {
		if strings.Contains(k.name, "/inputs/") {
			continue
		}
		if own, err := fs.ReadFile(k.in, k.name); err == nil && bytes.Equal(own, data) {
			return true
		}
	}
	return false
}
