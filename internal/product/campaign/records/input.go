package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
)

// MaxTextBytes bounds a text that is handed over, in bytes.
const MaxTextBytes = 256 << 10

// readInput reads what a flag names: a file of the campaign's own, or standard
// input for "-".
func (s *Store) readInput(flag, name string, most int64) ([]byte, error) {
	in := s.caller.Stdin
	if name != "-" {
		f, err := s.openOwnFile(name)
		if err != nil {
			return nil, usage.Errorf("--%s %q: %w", flag, name, usage.Cause(err))
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read --%s: %w", flag, err)
	case int64(len(data)) > most:
		return nil, usage.Errorf("--%s: the text is longer than %d KiB", flag, most>>10)
	case !utf8.Valid(data):
		return nil, usage.Errorf("--%s: the text is not UTF-8", flag)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, usage.Errorf("--%s: there is nothing in it", flag)
	}
	return data, nil
}

// openOwnFile opens a file that is named from the working directory and lies in the
// worker's folder or among the campaign's papers: what is recorded is shown to
// others, and no other file is the worker's to show. A pipe would be waited for.
func (s *Store) openOwnFile(name string) (*os.File, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.caller.Dir, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("no plain file")
	}
	own := s.folder.Join(filepath.FromSlash(s.dir()))
	for _, folder := range []string{own, s.papersFolder()} {
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			continue // it is not there
		}
		if within, err := filepath.Rel(folder, real); err == nil && filepath.IsLocal(within) {
			return openInFolder(folder, within)
		}
	}
	return nil, fmt.Errorf("it lies outside of the campaign's folders; write it into %s, or hand it in on standard input with -", own)
}

// openInFolder opens a file of a folder; no link leads out of it.
func openInFolder(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(name)
}

// papersFolder is the folder of what people read of the campaign.
func (s *Store) papersFolder() string {
	r, err := supervisor.Read(s.project, s.folder.ID)
	if err != nil || campaign.Of(r.Setup.Own) == nil {
		return ""
	}
	return filepath.Join(r.Setup.Root, filepath.FromSlash(campaign.Of(r.Setup.Own).Folder()))
}
