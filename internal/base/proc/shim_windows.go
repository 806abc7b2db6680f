package proc

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// maxShim is more than npm writes into a batch file, in bytes.
const maxShim = 16 << 10

// behindShim is what a batch file of npm's starts: a program, or node with a
// script.
func behindShim(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxShim))
	if err != nil {
		return nil, err
	}
	target, byNode := shimTarget(string(text))
	if target == "" {
		return nil, errors.New(path + " is a batch file, whose arguments a shell would read; name the program that it starts")
	}
	target = filepath.Join(filepath.Dir(path), target)
	if !byNode {
		return []string{target}, nil
	}
	node := filepath.Join(filepath.Dir(path), "node.exe") // as npm looks for it
	if executable(node) == "" {
		node = "node"
	}
	return []string{node, target}, nil
}
