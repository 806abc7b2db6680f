package bucket_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"

	"github.com/research-council/research-council/fleet/internal/bucket"
	"github.com/research-council/research-council/fleet/internal/store"
)

// A bucket is written once where it is asked to, reads what was written, and lists in
// order, whatever it lies in.
func TestBuckets(t *testing.T) {
	addresses := map[string]string{"folder": folder(t), "S3": fakeS3(t)}
	if address := os.Getenv("COUNCIL_FLEET_STORE"); address != "" { // one of the tester's, as an emulator of Azure's
		addresses["named"] = address
	}
	for kind, address := range addresses {
		t.Run(kind, func(t *testing.T) {
			ctx := context.Background()
			b, err := bucket.Open(ctx, address)
			require.NoError(t, err)
			t.Cleanup(func() { _ = b.Close() })
			require.NoError(t, store.New(b, []byte("key")).Probe(ctx))

			if kind == "named" {
				b.Bucket = blob.PrefixedBucket(b.Bucket, rand.Text()+"/")
			}
			_, err = b.Get(ctx, "runs/a/log/00000001")
			require.ErrorIs(t, err, store.ErrNone)
			require.NoError(t, b.Put(ctx, "runs/a/log/00000001", []byte("one"), true))
			require.ErrorIs(t, b.Put(ctx, "runs/a/log/00000001", []byte("two"), true), store.ErrThere)
			data, err := b.Get(ctx, "runs/a/log/00000001")
			require.NoError(t, err)
			require.Equal(t, "one", string(data))

			require.NoError(t, b.Put(ctx, "runs/a/parts/x", []byte{}, false))
			require.NoError(t, b.Put(ctx, "runs/a/parts/x", []byte{}, false))
			require.NoError(t, b.Put(ctx, "runs/a/log/00000002", []byte("two"), true))
			names, err := b.List(ctx, "runs/a/log/")
			require.NoError(t, err)
			require.Equal(t, []string{"runs/a/log/00000001", "runs/a/log/00000002"}, names)
			none, err := b.List(ctx, "runs/b/")
			require.NoError(t, err)
			require.Empty(t, none)
		})
	}
}

// Of many that write one name once, one does, though they came to the folder by themselves.
func TestOneOfManyWritesOnce(t *testing.T) {
	address := folder(t)
	var wrote [200]atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		b, err := bucket.Open(t.Context(), address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = b.Close() })
		all.Go(func() {
			for n := range wrote {
				if b.Put(t.Context(), fmt.Sprintf("runs/a/log/%08d", n), []byte("mine"), true) == nil {
					wrote[n].Add(1)
				}
			}
		})
	}
	all.Wait()
	for n := range wrote {
		require.EqualValues(t, 1, wrote[n].Load(), "commit %d", n)
	}
	b, err := bucket.Open(t.Context(), address)
	require.NoError(t, err)
	defer b.Close()
	names, err := b.List(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, names, len(wrote), "nothing else is left")
	require.Error(t, b.Put(t.Context(), "../outside", nil, true))
}

func folder(t *testing.T) string { return "file://" + filepath.Join(t.TempDir(), "bucket") }

func fakeS3(t *testing.T) string {
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("fleet"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	return "s3://fleet?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(server.URL)
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, address := range []string{"", "/var/fleet", "http://example.org", "gcs://x", "s3", "file"} {
		_, err := bucket.Open(context.Background(), address)
		require.ErrorContains(t, err, "use file:///path, s3://", "%q", address)
	}
}

// What no worker has written is not read into memory.
func TestAnObjectThatIsTooLargeIsRefused(t *testing.T) {
	dir := t.TempDir()
	c, err := bucket.Open(t.Context(), "file://"+dir)
	require.NoError(t, err)
	defer c.Close()
	path := filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 1<<40))
	_, err = c.Get(t.Context(), "large")
	require.ErrorIs(t, err, store.ErrDamaged)
}
