// Package xz reads outside data, which comes packed.
package xz

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Read gives the content of a file, which the system's xz has to unpack.
func Read(path string) ([]byte, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("find the data: %w", err)
	}
	var out, said bytes.Buffer
	cmd := exec.Command("xz", "-dc", path)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("unpack %s (is xz installed?): %w %s", filepath.Base(path), err, said.String())
	}
	return out.Bytes(), nil
}
