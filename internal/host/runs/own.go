package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// errForeign says that a folder is another user's.
var errForeign = errors.New("it belongs to another user")

// CheckOwn refuses a run that is not this user's own: one that is not there, whose
// folder is a link, or another user's.
func CheckOwn(project, id string) error {
	if !workspace.ValidID(id) {
		return fs.ErrNotExist
	}
	runs := filepath.Join(project, workspace.Runs)
	return cmp.Or(checkOwn(runs), checkOwn(filepath.Join(runs, id)))
}

func checkOwn(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	if disk.IsForeign(dir, info) {
		return errForeign
	}
	return nil
}
