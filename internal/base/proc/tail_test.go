package proc

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lines are what a tail gives until nothing is new.
func lines(t require.TestingT, tail *Tail) []string {
	list := []string{}
	for {
		got, err := tail.Next()
		require.NoError(t, err)
		if len(got) == 0 {
			return list
		}
		for _, l := range got {
			list = append(list, string(l))
		}
	}
}

func TestTailGivesEachLineOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	tail := NewTail(path)
	require.Empty(t, lines(t, tail), "the file is not there yet")
	require.NoError(t, tail.Close())
	f, err := os.Create(path)
	require.NoError(t, err)
	steps := []struct {
		name, add string
		want      []string
	}{
		{"a line and a half", "one\ntw", []string{"one"}},
		{"nothing new", "", nil},
		{"the other half, and a line too long", "o\n" + strings.Repeat("x", maxLineBytes+10), []string{"two"}},
		{"more of that line", strings.Repeat("x", 3*maxLineBytes), nil},
		{"its end", "still too long\nthree\n", []string{"three"}},
		{"the longest line there may be", strings.Repeat("y", maxLineBytes) + "\n", []string{strings.Repeat("y", maxLineBytes)}},
		{"one byte more", strings.Repeat("y", maxLineBytes+1) + "\nfour\n", []string{"four"}},
		{"empty lines", "\n\n", []string{"", ""}},
	}
	for _, s := range steps {
		_, err := f.WriteString(s.add)
		require.NoError(t, err)
		require.ElementsMatch(t, s.want, lines(t, tail), s.name)
	}
	require.NoError(t, f.Close())
	require.NoError(t, tail.Close())
}

func TestATailOfAnythingIsItsLines(t *testing.T) {
	dir := t.TempDir()
	sizes := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(firstBuffer-2, firstBuffer+2), rapid.IntRange(maxLineBytes-2, maxLineBytes+2))
	rapid.Check(t, func(t *rapid.T) {
		f, err := os.CreateTemp(dir, "log")
		require.NoError(t, err)
		defer os.Remove(f.Name())
		defer f.Close()
		tail := NewTail(f.Name())
		defer tail.Close()
		whole, got := "", []string{}
		for range rapid.IntRange(1, 4).Draw(t, "writes") {
			part := strings.Repeat("x", sizes.Draw(t, "size")) + rapid.SampledFrom([]string{"", "\n", "\n\n", "\nab"}).Draw(t, "end")
			whole += part
			_, err := f.WriteString(part)
			require.NoError(t, err)
			if rapid.Bool().Draw(t, "look") {
				got = append(got, lines(t, tail)...)
			}
		}
		got = append(got, lines(t, tail)...)
		want := []string{}
		for l := range strings.Lines(whole) {
			if strings.HasSuffix(l, "\n") && len(l)-1 <= maxLineBytes {
				want = append(want, strings.TrimSuffix(l, "\n"))
			}
		}
		require.True(t, slices.Equal(want, got), "of %d lines %d came", len(want), len(got))
	})
}

func TestLastBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("two\nthree\n"), 0o600))
	for n, want := range map[int64]string{6: "three\n", 100: "two\nthree\n", 0: ""} {
		last, err := LastBytes(path, n)
		require.NoError(t, err)
		require.Equal(t, want, string(last))
	}
	_, err := LastBytes(path+"x", 6)
	require.True(t, errors.Is(err, os.ErrNotExist))
}
