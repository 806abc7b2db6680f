package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tree is the content of an archive: files by their slash paths.
type tree map[string]file

type file struct {
	data []byte
	mode fs.FileMode // 0644 or 0755
}

// add puts a file of the disk into a tree.
func (t tree) add(name, from string, mode fs.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	t[name] = file{data, mode}
	return nil
}

// addFolder puts the files of a folder of the disk into a tree, those that keep
// says.
func (t tree) addFolder(name, from string, keep func(name string) bool) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !keep(d.Name()) {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return t.add(strings.TrimPrefix(name+"/"+filepath.ToSlash(below), "/"), path, 0o644)
	})
}

func all(string) bool { return true }

// zip is the archive of a tree, the same bytes for the same tree and time.
func (t tree) zip(at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestCompression) })
	for _, name := range slices.Sorted(maps.Keys(t)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		h.SetMode(t[name].mode)
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(t[name].data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// tarball is the same as a compressed tape archive. Folders have no entries:
// whoever unpacks makes them.
func (t tree) tarball(at time.Time) ([]byte, error) {
	var out bytes.Buffer
	squeezed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(squeezed)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		f := t[name]
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: at, Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), squeezed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
