package repo

import (
	"context"
	"fmt"
	"path/filepath"
)

// maxChanges bounds the text of changes, in bytes.
const maxChanges = 1 << 20

// DiffSince is what has changed in files of a folder since a commit, as a unified
// diff with ten lines around each change. Files that git does not track are not
// in it: all of them is new. Like [List] it runs nothing the repository names.
func DiffSince(ctx context.Context, dir, commit string, files []string) ([]byte, error) {
	top, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("tell what has changed: %w", err)
	}
	r, err := openReadOnly(top, "")
	if err != nil {
		return nil, fmt.Errorf("tell what has changed: %w", err)
	}
	defer r.close()
	args := append([]string{
		"diff", "-U10", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--relative", "--ignore-submodules=all", commit, "--",
	}, files...)
	text, err := r.run(ctx, top, gitCall{args: args})
	if err != nil {
		return nil, fmt.Errorf("tell what has changed: %w", err)
	}
	if len(text) > maxChanges {
		text = append(text[:maxChanges:maxChanges], "\n(cut: there is more; read the files)\n"...)
	}
	return text, nil
}
