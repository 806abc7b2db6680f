package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/disk"
)

// Format is the form of journals this program reads and writes. Release 0.4.0
// and those before it wrote format 1, without a number.
const Format = 2

// A ForeignFormat journal is of another format than [Format].
type ForeignFormat struct {
	Damaged
	Format  string // as it stands there
	Release string // that reads it; "" where the journal does not tell
}

func (f *ForeignFormat) Error() string {
	reads := "release " + f.Release
	if f.Release == "" {
		reads = "the release that wrote it"
	}
	return fmt.Sprintf("%s is a journal of format %s, and this release reads format %d; use %s for it (nothing has been changed)", f.Path, f.Format, Format, reads)
}

// Unwrap is the line that cannot be followed.
func (f *ForeignFormat) Unwrap() error { return &f.Damaged }

// foreignFormat reports whether a line, whole or torn, is of another format.
func foreignFormat(line []byte) (format, release string, is bool) {
	const old, numbered, writer = `{"sha256":"`, `{"format":`, `"release":"`
	until := func(text []byte, end string) string {
		if i := bytes.IndexAny(text, end); i >= 0 {
			text = text[:i]
		}
		return strings.ToValidUTF8(string(text[:min(len(text), 40)]), "?")
	}
	switch {
	case bytes.HasPrefix(line, []byte(lineStart)), bytes.HasPrefix([]byte(lineStart), line), len(line) == 0 || line[0] != '{':
		return "", "", false
	case bytes.HasPrefix(line, []byte(numbered)):
		if format = until(line[len(numbered):], ",}"); format == strconv.Itoa(Format) {
			return "", "", false // damaged behind its number
		}
	case bytes.HasPrefix(line, []byte(old)), bytes.Contains(line, []byte(`"seq":`)):
		return "1", "0.4.0", true
	default:
		return "", "", false
	}
	if i := bytes.Index(line, []byte(writer)); i >= 0 {
		release = until(line[i+len(writer):], `"`)
	}
	return strconv.Quote(format), release, true
}

// CheckFormat says, by the first and the last line of a run's journal alone, why
// this program does not read it: a [*ForeignFormat], a [*NotAFile], or what the system
// says. It costs the same however long the journal is, and says nothing of the
// chain.
func CheckFormat(dir string) error {
	path := filepath.Join(dir, Name)
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	for _, from := range []int64{0, lastLine(f, info.Size())} {
		line := make([]byte, min(maxHeadBytes, info.Size()-from))
		if _, err := f.ReadAt(line, from); err != nil && err != io.EOF {
			return fmt.Errorf("read journal: %w", err)
		}
		line, _, _ = bytes.Cut(line, []byte{'\n'})
		if format, release, is := foreignFormat(line); is {
			return &ForeignFormat{Damaged: Damaged{Path: path}, Format: format, Release: release}
		}
	}
	return nil
}

// maxHeadBytes is how much of a line tells its format and the release that wrote it.
const maxHeadBytes = 4 << 10

// lastLine is where the last line begins that is whole or torn; 0 where nothing
// tells.
func lastLine(f io.ReaderAt, size int64) int64 {
	const piece = 64 << 10
	buf := make([]byte, piece)
	for end := size - 1; end > 0; { // what ends the file ends its last line
		from := max(0, end-piece)
		n, err := f.ReadAt(buf[:end-from], from)
		if err != nil && err != io.EOF {
			return 0
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i) + 1
		}
		end = from
	}
	return 0
}

// NotAFile says that something else than a file stands where a journal belongs.
type NotAFile struct {
	Path string
	What string // that stands there
}

func (n *NotAFile) Error() string {
	return fmt.Sprintf("%s is %s; a run's journal is a file of its own (nothing has been changed)", n.Path, n.What)
}

// openFlags opens a file and nothing else: no link is followed, and a named pipe
// holds nobody.
const openFlags = disk.NoLink

// open opens a journal for reading.
func open(path string) (*os.File, error) {
	if err := isFile(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(&NotAFile{Path: path, What: "no file any more"}, f.Close())
	}
	return f, nil
}

// isFile is a [*NotAFile] where something else stands.
func isFile(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	what := "something else than a file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeSymlink != 0:
		what = "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	}
	return &NotAFile{Path: path, What: what}
}

func read(path string) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	if info, err := f.Stat(); err == nil {
		data.Grow(int(info.Size()) + bytes.MinRead)
	}
	if _, err := data.ReadFrom(f); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return data.Bytes(), nil
}
