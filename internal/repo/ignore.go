package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostIgnore bounds a .gitignore that is read, in bytes.
const mostIgnore = 4 << 20

// Ignore adds a line to the .gitignore of a folder, which is made if it is
// missing. Where the line stands there already, with or without a slash at its
// ends, or a person has taken it back with "!", nothing changes. What is there
// stays, and the line ends as the others do. A link or another file that is no
// regular one is refused.
func Ignore(root, line string) error {
	if err := ignore(filepath.Join(root, ".gitignore"), line); err != nil {
		return fmt.Errorf("add %q to .gitignore: %w", line, err)
	}
	return nil
}

func ignore(name, line string) (err error) {
	if strings.TrimSpace(line) != line || line == "" || strings.ContainsAny(line, "\r\n\x00") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "!") {
		return errors.New("it is no line of its own")
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644)
	if errors.Is(err, syscall.ELOOP) {
		return errors.New("it is a symbolic link: put the line there yourself")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := ignoring(f)
	if err != nil || ignored(text, line) {
		return err
	}
	_, err = f.Write(added(text, line))
	return err
}

// ignoring is the text of a .gitignore.
func ignoring(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errNoFile}
	}
	text, err := io.ReadAll(io.LimitReader(f, mostIgnore+1))
	if len(text) > mostIgnore {
		return nil, fmt.Errorf("it is longer than %d MiB", mostIgnore>>20)
	}
	return text, err
}

// ignored reports whether a text decides on a line already.
func ignored(text []byte, line string) bool {
	bare := func(s string) string { return strings.Trim(strings.TrimPrefix(s, "!"), "/") }
	for l := range bytes.Lines(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))) {
		if bare(strings.TrimRight(string(l), " \t\r\n")) == bare(line) {
			return true
		}
	}
	return false
}

// added is what has to follow a text for a line to stand at its end.
func added(text []byte, line string) []byte {
	end := "\n"
	if first, _, is := bytes.Cut(text, []byte("\n")); is && bytes.HasSuffix(first, []byte("\r")) {
		end = "\r\n"
	}
	line += end
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = end + line
	}
	return []byte(line)
}
