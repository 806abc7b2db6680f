//go:build unix

package durable

import (
	"errors"
	"os"
)

// replace renames: whoever reads the old file goes on reading it.
func replace(rename func() error) error { return rename() }

// SyncDir waits until the names in a folder are on disk.
func SyncDir(root *os.Root, name string) error {
	folder, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Remove removes a file below a folder.
func Remove(root *os.Root, name string) error { return root.Remove(name) }
