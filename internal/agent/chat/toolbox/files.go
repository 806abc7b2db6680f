package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/local"
)

// Bounds of what is read.
const (
	maxFile    = 16 << 20 // bytes of a file that is read
	maxSearch  = 1 << 20  // of one that is searched
	maxListed  = 400      // files of a list
	maxMatches = 80
	lineRunes  = 300 // of a line that matches
)

var fileTools = []chat.Tool{
	{Name: "read_file", Description: "Read a file, from a line on. Lines are numbered, so that they can be cited.", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{
"path":{"type":"string","description":"As the instructions name it, or as list_files and grep do"},
"line":{"type":"integer","minimum":1,"description":"The first line wanted; 1 unless told"},
"limit":{"type":"integer","minimum":1,"description":"Bytes wanted at most"}}}`)},
	{Name: "list_files", Description: "List the files that can be read, all or those below a folder.", Schema: json.RawMessage(`{"type":"object","properties":{
"path":{"type":"string","description":"A folder; all of them unless told"},
"name":{"type":"string","description":"Only files of such a name, as *.go"}}}`)},
	{Name: "grep", Description: "Find lines that match a regular expression (RE2) in the files that can be read.", Schema: json.RawMessage(`{"type":"object","required":["pattern"],"properties":{
"pattern":{"type":"string"},
"path":{"type":"string","description":"A folder or a file; all of them unless told"}}}`)},
}

// writeFile is the tool of who leaves records.
var writeFile = chat.Tool{Name: "write_file", Description: "Write a file of records that the instructions name, below your own folder.", Schema: json.RawMessage(`{"type":"object","required":["path","text"],"properties":{
"path":{"type":"string"},
"text":{"type":"string"},
"append":{"type":"boolean","description":"Add the text at its end, as lines of JSON Lines are; else it replaces the file"}}}`)}

// files are the folders of a turn: the seat's own, in which it is handed what to
// read, and those of other people's.
type files struct {
	own     string
	root    *os.Root
	folders []*folder
	records bool
}

type folder struct {
	path string
	*local.Files
}

func openFiles(o Options) (*files, error) {
	root, err := os.OpenRoot(o.Own)
	if err != nil {
		return nil, fmt.Errorf("open the seat's folder: %w", err)
	}
	f := &files{own: o.Own, root: root, records: o.Records}
	for _, name := range o.Folders {
		opened, err := local.Open(name)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.folders = append(f.folders, &folder{name, opened})
	}
	return f, nil
}

func (f *files) close() error {
	err := f.root.Close()
	for _, d := range f.folders {
		err = errors.Join(err, d.Close())
	}
	return err
}

// call answers a call of one of the three tools; errNotMine is any other.
func (f *files) call(ctx context.Context, c chat.Call, limit int) (string, error) {
	var in struct {
		Path, Name, Pattern, Text string
		Line, Limit               int
		Append                    bool
	}
	answer := map[string]func() (string, error){
		"read_file":  func() (string, error) { return f.read(in.Path, max(1, in.Line), limit) },
		"list_files": func() (string, error) { return f.list(ctx, in.Path, in.Name) },
		"grep":       func() (string, error) { return f.grep(ctx, in.Pattern, in.Path) },
	}[c.Name]
	if c.Name == writeFile.Name && f.records {
		answer = func() (string, error) { return f.write(in.Path, in.Text, in.Append) }
	}
	if answer == nil {
		return "", errNotMine
	}
	if err := json.Unmarshal([]byte(c.Arguments), &in); err != nil {
		return "", fmt.Errorf("the arguments cannot be read: %w", err)
	}
	if in.Limit > 0 {
		limit = min(limit, in.Limit)
	}
	return answer()
}

// read is a piece of a file, its lines numbered, between fences.
func (f *files) read(name string, line, limit int) (string, error) {
	text, err := f.text(name)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", plain.Line(name, lineRunes), err)
	}
	lines := strings.SplitAfter(text, "\n")
	if n := len(lines); n > 1 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	if line > len(lines) {
		return "", fmt.Errorf("%s has %d lines", plain.Line(name, lineRunes), len(lines))
	}
	var b strings.Builder
	last := line - 1
	for _, l := range lines[line-1:] {
		l = cutLine(l, limit)
		if b.Len() > 0 && b.Len()+len(l) > limit {
			break
		}
		last++
		fmt.Fprintf(&b, "%d\t%s\n", last, strings.TrimRight(l, "\r\n"))
	}
	head := fmt.Sprintf("%s, lines %d to %d of %d", plain.Line(name, lineRunes), line, last, len(lines))
	if last < len(lines) {
		head += fmt.Sprintf("; go on with line %d", last+1)
	}
	return head + ":\n" + agent.FenceText("file", b.String()), nil
}

// cutLine is a line of which so many bytes at most are shown.
func cutLine(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	return strings.ToValidUTF8(line[:limit], "") + " […]"
}

// text is the text of a file, wherever it lies.
func (f *files) text(name string) (string, error) {
	if rel, ok := f.inOwn(name); ok {
		return f.ownText(rel)
	}
	why := fs.ErrNotExist
	for _, d := range f.folders {
		at, err := d.PathInScope(name)
		if err != nil {
			continue
		}
		text, err := d.text(at, maxFile)
		if err == nil {
			return text, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			why = err
		}
	}
	if errors.Is(why, fs.ErrNotExist) {
		return "", errors.New("there is no such file; list_files shows which there are")
	}
	return "", why
}

// ownText is a file of the seat's own folder.
func (f *files) ownText(rel string) (string, error) {
	info, err := f.root.Stat(rel)
	switch {
	case err != nil:
		return "", errors.New("it cannot be opened")
	case !info.Mode().IsRegular():
		return "", local.ErrNoFile
	case info.Size() > maxFile:
		return "", fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	data, err := f.root.ReadFile(rel)
	if err != nil {
		return "", errors.New("it cannot be opened")
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

// inOwn is a file's place in the seat's own folder, where it lies there.
func (f *files) inOwn(name string) (string, bool) {
	rel, ok := f.below(name)
	if !ok || filepath.IsAbs(filepath.FromSlash(name)) {
		return rel, ok
	}
	_, err := f.root.Lstat(rel)
	return rel, err == nil
}

// text is a file of a folder of other people's.
func (d *folder) text(at string, most int64) (string, error) {
	if local.IsSecret(path.Base(at)) {
		return "", errors.New("its name says that it holds a secret")
	}
	text, err := d.Read(at, most)
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(text.Data, 0) >= 0 && !utf8.ValidString(text.Words) {
		return "", errors.New("it is no text")
	}
	return text.Words, nil
}

// list lists files.
func (f *files) list(ctx context.Context, below, name string) (string, error) {
	if _, err := path.Match(name, ""); err != nil {
		return "", fmt.Errorf("the name %q: %w", plain.Line(name, lineRunes), err)
	}
	var lines []string
	more := 0
	err := f.walk(ctx, below, func(d *folder, at string, e fs.DirEntry) error {
		if ok, _ := path.Match(name, e.Name()); name != "" && !ok {
			return nil
		}
		if len(lines) == maxListed {
			more++
			return nil
		}
		size := int64(0)
		if info, err := e.Info(); err == nil {
			size = info.Size()
		}
		lines = append(lines, fmt.Sprintf("%s (%d bytes)", plain.Line(at, lineRunes), size))
		return nil
	})
	if err != nil {
		return "", err
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: name a folder, or a name", more))
	}
	if len(lines) == 0 {
		return "No file.", nil
	}
	return agent.FenceText("files", strings.Join(lines, "\n")), nil
}

// grep finds lines.
func (f *files) grep(ctx context.Context, pattern, below string) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", fmt.Errorf("the pattern: %w", err)
	}
	var lines []string
	unread := 0
	err = f.walk(ctx, below, func(d *folder, at string, _ fs.DirEntry) error {
		text, err := d.text(at, maxSearch)
		if err != nil {
			unread++
			return nil
		}
		n := 0
		for line := range strings.Lines(text) {
			if n++; !re.MatchString(line) {
				continue
			}
			if len(lines) == maxMatches {
				return fs.SkipAll
			}
			lines = append(lines, fmt.Sprintf("%s:%d: %s", plain.Line(at, lineRunes), n, plain.Line(line, lineRunes)))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	answer := "No line matches."
	if len(lines) > 0 {
		answer = agent.FenceText("lines", strings.Join(lines, "\n"))
	}
	if len(lines) == maxMatches {
		answer += fmt.Sprintf("\nThese are the first %d: look for something rarer, or in a folder.", maxMatches)
	}
	if unread > 0 {
		answer += fmt.Sprintf("\nNot searched, as no text or larger than %d MiB: %d of the files.", maxSearch>>20, unread)
	}
	return answer, nil
}

// walk goes through the files of the folders, or of those below a path.
func (f *files) walk(ctx context.Context, below string, each func(d *folder, at string, e fs.DirEntry) error) error {
	found := below == "" || below == "."
	for _, d := range f.folders {
		from := "."
		if !found || below != "" && below != "." {
			at, err := d.PathInScope(below)
			if err != nil {
				continue
			}
			if _, err := fs.Stat(d.FS(), at); err != nil {
				continue
			}
			from, found = at, true
		}
		if err := d.walk(ctx, from, each); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("there is no folder and no file %s", plain.Line(below, lineRunes))
	}
	return nil
}

func (d *folder) walk(ctx context.Context, from string, each func(d *folder, at string, e fs.DirEntry) error) error {
	return fs.WalkDir(d.FS(), from, func(at string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return errors.New("the turn is over")
		}
		switch {
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		case e.IsDir() && at != "." && (e.Name() == ".git" || d.IsOwnFolder(at)):
			return fs.SkipDir
		case !e.Type().IsRegular() || local.IsSecret(e.Name()):
			return nil
		}
		return each(d, at, e)
	})
}

// recordNames are the forms of records: data and prose.
var recordNames = []string{".json", ".jsonl", ".md", ".txt"}

// keptNames are files of a turn, in the seat's folder, that are not its own.
var keptNames = []string{"turn.json", "prompt.md", "resume.md", "answer.json", "talk.json", "open.md"}

// write writes a file of records.
func (f *files) write(name, text string, add bool) (string, error) {
	rel, ok := f.below(name)
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	switch {
	case !ok || rel == ".":
		return "", fmt.Errorf("%s does not lie in your folder, %s", plain.Line(name, lineRunes), f.own)
	case !slices.Contains(recordNames, filepath.Ext(rel)):
		return "", fmt.Errorf("records end in one of %s", strings.Join(recordNames, ", "))
	case first == "inputs" || slices.Contains(keptNames, rel):
		return "", errors.New("that file is not yours to write")
	case len(text) > maxRecord:
		return "", fmt.Errorf("a record has at most %d MiB", maxRecord>>20)
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if add {
		how = os.O_WRONLY | os.O_CREATE | os.O_APPEND
		text = strings.TrimSuffix(text, "\n") + "\n"
	}
	if err := f.root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		return "", fmt.Errorf("make its folder: %w", err)
	}
	file, err := f.root.OpenFile(rel, how, 0o644)
	if err != nil {
		return "", fmt.Errorf("write it: %w", err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write it: %w", err)
	}
	return fmt.Sprintf("Written: %d bytes to %s.", len(text), plain.Line(name, lineRunes)), nil
}

// maxRecord bounds a text that is written, in bytes.
const maxRecord = 8 << 20

// below is a file's place in the seat's own folder, whether it is there or not.
func (f *files) below(name string) (string, bool) {
	name = filepath.Clean(filepath.FromSlash(name))
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(f.own, name)
		return rel, err == nil && filepath.IsLocal(rel)
	}
	return name, filepath.IsLocal(name)
}
