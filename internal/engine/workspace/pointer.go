package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/engine/hook"
)

// A pointer leads from a session to the run it owns, so that a hook opens two
// files however many runs a project has. It is a hint and decides nothing.

// writePointer makes a session's pointer lead to a run. A session whose id is none
// gets no pointer, and so owns nothing.
func writePointer(root *os.Root, session, id string) error {
	if !hook.ValidSession(session) {
		return nil
	}
	return replace(root, hook.PointerFile(session), []byte(id+"\n"))
}

// pointed is the run a pointer leads to; "" for none.
func pointed(root *os.Root, name string) string {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := root.OpenFile(name, os.O_RDONLY|disk.NoWait, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, hook.MaxPointerBytes+1))
	if err != nil {
		return ""
	}
	return hook.ParsePointer(data)
}

// removePointer removes a pointer that leads to a run.
func removePointer(root *os.Root, name, id string) error {
	if pointed(root, name) != id {
		return nil
	}
	if err := durable.Remove(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a session's pointer: %w", err)
	}
	return nil
}

// removePointers removes whatever points to a run or hands it over.
func removePointers(project, id string) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("remove a session's pointer: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), hook.StateFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove a session's pointer: %w", err)
	}
	for _, e := range entries {
		name := path.Join(hook.StateFolder, e.Name())
		switch {
		case strings.HasPrefix(name, hook.PointerPrefix):
			err = errors.Join(err, removePointer(root, name, id))
		case strings.HasPrefix(name, hook.HandOverPrefix):
			if c, ok := readHandOver(root, name); ok && c.Run == id {
				err = errors.Join(err, durable.Remove(root, name))
			}
		}
	}
	return err
}
