// Package bucket opens the bucket a store lies in: a folder (file:///path), S3 and what
// speaks its wire format (s3://name?region=…&endpoint=…), Azure (azblob://container), by
// gocloud.dev/blob; and Google's (gs://bucket) where it is built with the tag gcs, which
// makes the program half as large again.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/fileblob"  // file://
	_ "gocloud.dev/blob/s3blob"    // s3://
	"gocloud.dev/gcerrors"

	"github.com/research-council/research-council/fleet/internal/store"
)

var schemes = [...]string{"file", "s3", "azblob", "gs"}

// Open opens a bucket by its address.
func Open(ctx context.Context, address string) (Cloud, error) {
	u, err := url.Parse(address)
	switch {
	case err == nil && u.Scheme == "gs" && !withGCS:
		return Cloud{}, fmt.Errorf("store %q: this program is built without Google's store: go build -tags gcs ./cmd/council-fleet", address)
	case err != nil || !slices.Contains(schemes[:], u.Scheme):
		return Cloud{}, fmt.Errorf("store %q: use file:///path, s3://bucket?region=…, azblob://container or gs://bucket", address)
	}
	if u.Scheme == "file" { // what is written beside its place stays on one disk, and nobody needs the attributes
		q := u.Query()
		q.Set("create_dir", "true")
		q.Set("no_tmp_dir", "true")
		q.Set("metadata", "skip")
		u.RawQuery = q.Encode()
	}
	b, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return Cloud{}, fmt.Errorf("open the store %s: %w", u.Redacted(), err)
	}
	c := Cloud{Bucket: b}
	if u.Scheme == "file" {
		c.folder = u.Path
	}
	return c, nil
}

// Cloud is a bucket of gocloud.dev/blob.
type Cloud struct {
	*blob.Bucket
	folder string // it lies in; "" of one elsewhere
}

// Get reads an object.
func (c Cloud) Get(ctx context.Context, name string) ([]byte, error) {
	r, err := c.NewReader(ctx, name, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("%s: %w", name, store.ErrNone)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if size := r.Size(); size > mostBytes { // a store may not tell: then the rest is found missing
		return nil, fmt.Errorf("%s: %w: it has %d bytes, and no object more than %d", name, store.ErrDamaged, size, mostBytes)
	}
	return io.ReadAll(io.LimitReader(r, mostBytes))
}

// mostBytes of an object: more than a file or the facts of one commit have.
const mostBytes = 512 << 20

// Put writes an object, by Upload: a write that azureblob is refused otherwise crashes it.
func (c Cloud) Put(ctx context.Context, name string, data []byte, once bool) error {
	if once && c.folder != "" {
		return c.putOnce(name, data)
	}
	err := c.Upload(ctx, name, bytes.NewReader(data), &blob.WriterOptions{IfNotExist: once, ContentType: "application/octet-stream", MaxConcurrency: 1})
	if once && gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return fmt.Errorf("%s: %w", name, store.ErrThere)
	}
	return err
}

// putOnce writes an object of a folder where nothing is there. fileblob looks and then
// renames, so that two could both write; a link is made by one alone, on disks that are shared too.
func (c Cloud) putOnce(name string, data []byte) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("write %s: it is no name within the store", name)
	}
	path, beside := filepath.Join(c.folder, name), filepath.Join(c.folder, ".once")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.MkdirAll(beside, 0o700)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	f, err := os.CreateTemp(beside, "")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	switch err := os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w", name, store.ErrThere)
	case err != nil:
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// Delete deletes an object.
func (c Cloud) Delete(ctx context.Context, name string) error {
	err := c.Bucket.Delete(ctx, name)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return err
}

// List names the objects below a prefix, sorted.
func (c Cloud) List(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	list := c.Bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, o.Key)
	}
}
