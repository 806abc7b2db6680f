package telemetry

import "sync"

// problems are what has gone wrong, each kind told once.
type problems struct {
	mu   sync.Mutex
	told map[string]bool
	new  []string
}

func (t *problems) report(kind, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told[kind] {
		return
	}
	if t.told == nil {
		t.told = map[string]bool{}
	}
	t.told[kind] = true
	t.new = append(t.new, text)
}

func (t *problems) takeNew() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.new
	t.new = nil
	return list
}
