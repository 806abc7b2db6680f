package checkpoint_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/checkpoint"
)

// BenchmarkSave compares checkpoints of a transcript of 1 GB with cp, in turn
// and in one run: the first one, and those with another MiB in it. Copies end
// on the disk, cp's when the system likes; synced is cp followed by a sync of
// its file.
func BenchmarkSave(b *testing.B) {
	cp, err := exec.LookPath("cp")
	if err != nil {
		b.Skip("there is no cp to compare with")
	}
	dir := b.TempDir()
	transcript := filepath.Join(dir, "t.jsonl")
	long := bytes.Repeat(append(bytes.Repeat([]byte("x"), 1023), '\n'), 1<<10)
	fill(b, transcript, long, 1<<10)
	var first, next, plain, synced []time.Duration
	for b.Loop() {
		p := open(b, filepath.Join(dir, "store"), checkpoint.Default())
		p.transcript = transcript
		first = append(first, took(b, func() { p.save(b) }))
		for range 3 {
			plain = append(plain, took(b, func() { require.NoError(b, exec.Command(cp, transcript, transcript+".copy").Run()) }))
			synced = append(synced, plain[len(plain)-1]+took(b, func() { syncFile(b, transcript+".copy") }))
			require.NoError(b, os.Remove(transcript+".copy"))
			fill(b, transcript, long, 1)
			next = append(next, took(b, func() { p.save(b) }))
		}
		list := p.store.List()
		require.NoError(b, p.store.Restore(io.Discard, list[len(list)-1].Stamp))
		require.NoError(b, os.RemoveAll(p.dir))
	}
	base := median(plain)
	b.ReportMetric(base.Seconds()*1e3, "cp-ms")
	b.ReportMetric(median(synced).Seconds()*1e3, "cp+sync-ms")
	b.ReportMetric(median(first).Seconds()*1e3, "first-ms")
	b.ReportMetric(median(next).Seconds()*1e3, "next-ms")
	b.ReportMetric(median(first).Seconds()/base.Seconds(), "first/cp")
	b.ReportMetric(median(next).Seconds()/base.Seconds(), "next/cp")
	b.ReportMetric(0, "ns/op")
}

func fill(b *testing.B, name string, block []byte, times int) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(b, err)
	for range times {
		_, err := f.Write(block)
		require.NoError(b, err)
	}
	require.NoError(b, f.Sync())
	require.NoError(b, f.Close())
}

func syncFile(b *testing.B, name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(b, err)
	require.NoError(b, f.Sync())
	require.NoError(b, f.Close())
}

func took(b *testing.B, do func()) time.Duration {
	b.Helper()
	began := time.Now()
	do()
	return time.Since(began)
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
