package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/research-council/research-council/internal/base/durable"
)

// CreateOnce creates a file of the folder that is not there yet; false when it is.
// Of many who try, one succeeds. A claim that could not be written is nobody's.
func (f *Folder) CreateOnce(name string, data []byte) (bool, error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		_, err = file.Write(data)
		err = errors.Join(err, file.Close())
	}
	if file != nil && err != nil {
		err = errors.Join(err, durable.Remove(f.root, name))
	}
	if err != nil {
		return false, fmt.Errorf("claim %s: %w", name, err)
	}
	return true, nil
}
