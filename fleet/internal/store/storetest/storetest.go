// Package storetest has for tests a bucket in memory that fails as often as it is
// told, before it has done what was asked or after, and what lies in a run's folder.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/store"
)

// ErrDown is what a failing bucket says.
var ErrDown = errors.New("the store does not answer")

// Memory is a bucket in memory.
type Memory struct {
	Fails func() (before, after bool) // nil never fails

	mu      sync.Mutex
	objects map[string][]byte
	puts    int
}

// Puts counts the writes it was asked for.
func (m *Memory) Puts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.puts
}

func (m *Memory) do(ctx context.Context, act func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, after := false, false
	if m.Fails != nil {
		before, after = m.Fails()
	}
	if before {
		return ErrDown
	}
	err := errors.Join(ctx.Err(), act())
	if after {
		return ErrDown
	}
	return err
}

// Get reads an object.
func (m *Memory) Get(ctx context.Context, name string) (data []byte, err error) {
	err = m.do(ctx, func() error {
		var there bool
		if data, there = m.objects[name]; !there {
			return fmt.Errorf("%s: %w", name, store.ErrNone)
		}
		return nil
	})
	return data, err
}

// Put writes an object.
func (m *Memory) Put(ctx context.Context, name string, data []byte, once bool) error {
	return m.do(ctx, func() error {
		m.puts++
		if _, there := m.objects[name]; there && once {
			return fmt.Errorf("%s: %w", name, store.ErrThere)
		}
		if m.objects == nil {
			m.objects = map[string][]byte{}
		}
		m.objects[name] = slices.Clone(data)
		return nil
	})
}

// List names objects.
func (m *Memory) List(ctx context.Context, prefix string) (names []string, err error) {
	err = m.do(ctx, func() error {
		for name := range m.objects {
			if strings.HasPrefix(name, prefix) {
				names = append(names, name)
			}
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// Delete deletes an object.
func (m *Memory) Delete(ctx context.Context, name string) error {
	return m.do(ctx, func() error {
		delete(m.objects, name)
		return nil
	})
}

// Change lets a test do to an object what somebody else with access could.
func (m *Memory) Change(name string, change func([]byte) []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[name] = change(m.objects[name])
}

// Files are the texts of the files below a folder, by their names in it.
func Files(t require.TestingT, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path) // it is below
		all[name] = string(data)
		return err
	}))
	return all
}
