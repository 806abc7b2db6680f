package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/research-council/research-council/internal/agent/kinds"
)

// Find gives the absolute path of a seat's executable, or says how to come by
// it. A program is known by its usual name.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", missing(name, err)
	}
	known := kinds.Of(filepath.Base(name)).Program
	if known == nil || known.Native == nil {
		return path, nil
	}
	script, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path, nil // it is started as it was found
	}
	for _, pattern := range known.Native(script, runtime.GOOS, runtime.GOARCH) {
		if found, err := filepath.Glob(pattern); err == nil && len(found) == 1 {
			return found[0], nil
		}
	}
	return path, nil
}

func missing(name string, err error) error {
	why := "not found in PATH"
	if errors.Is(err, exec.ErrDot) {
		why += " but in the working folder, from which nothing is started"
	} else if !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		why = err.Error()
	}
	if known := kinds.Of(name).Program; known != nil {
		return fmt.Errorf("%s; install it with: %s", why, known.Install)
	}
	return errors.New(why)
}
