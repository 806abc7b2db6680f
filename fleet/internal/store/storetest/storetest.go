// Package storetest has a bucket in memory, for tests, that fails as often as it is
// told: before it has done what was asked, or after.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
