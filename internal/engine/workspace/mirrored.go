package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/durable"
)

// Mirrored says of a run that it is a copy of one a fleet works on. It lies beside the
// run's folder, which is byte for byte what the fleet has.
type Mirrored struct {
	Run   string `json:"run"`            // its name in the fleet
	Store string `json:"store"`          // the fleet's
	Taken bool   `json:"taken,omitzero"` // a person goes on with it here, beside the fleet
}

const mirroredName = ".mirrored.json"

// MarkMirrored marks a run as a copy, before it is laid down or once it is taken over.
func MarkMirrored(project, id string, m Mirrored) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(filepath.Join(project, Runs), 0o700)
	}
	if err == nil {
		err = durable.ReplaceFile(filepath.Join(project, Runs, id+mirroredName), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("mark run %s as a copy: %w", id, err)
	}
	return nil
}

// MirroredFrom tells of a run that is a copy; false for any other. A mark that cannot be
// read is one.
func MirroredFrom(project, id string) (m Mirrored, is bool, err error) {
	data, err := os.ReadFile(filepath.Join(project, Runs, id+mirroredName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return m, true, fmt.Errorf("read whose copy run %s is: %w", id, err)
	}
	return m, true, nil
}
