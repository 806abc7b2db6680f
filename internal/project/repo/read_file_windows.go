package repo

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/research-council/research-council/internal/base/disk"
)

// readFile reads the beginning of a regular file into a buffer. A link is not
// followed. No file has the right to be run here.
func readFile(name string, buffer []byte) (int64, fs.FileMode, []byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|disk.NoLink, 0)
	if err != nil {
		return 0, 0, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return 0, 0, nil, err
	case info.IsDir():
		return 0, fs.ModeDir, nil, errNoFile
	case info.Mode()&fs.ModeSymlink != 0:
		return 0, 0, nil, errLink
	case !info.Mode().IsRegular():
		return 0, fs.ModeIrregular, nil, errNoFile
	}
	n, err := io.ReadFull(f, buffer[:min(int64(len(buffer)), info.Size())])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return info.Size(), info.Mode().Perm(), nil, err
	}
	return info.Size(), info.Mode().Perm() &^ 0o111, buffer[:n], nil
}
