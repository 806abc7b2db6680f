package websearch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// maxAge is how long an answer is good.
const maxAge = 24 * time.Hour

// kept is an answer as it is kept.
type kept struct {
	Engine string        `json:"engine"`
	Words  string        `json:"words"`
	At     time.Time     `json:"at"`
	Leads  []engine.Lead `json:"leads"`
}

// keeper keeps answers, a file each. What it cannot keep is asked again: no search fails
// by it.
type keeper struct {
	folder string
	clock  func() time.Time

	mu   sync.Mutex
	busy map[string]chan struct{} // by name, full while somebody of this process asks
}

// patience is how long one waits for another's answer: who is stopped, or has a slow
// engine, keeps nobody from asking in time.
const patience = 10 * time.Second

// poll is how often it is looked whether another process has its answer.
const poll = 25 * time.Millisecond

// lock lets one at a time ask the same, of all processes that keep answers in the folder,
// as long as it has patience. An error is that of ctx.
func (k *keeper) lock(ctx context.Context, name string) (unlock func(), err error) {
	k.mu.Lock()
	if k.busy == nil {
		k.busy = map[string]chan struct{}{}
	}
	if k.busy[name] == nil {
		k.busy[name] = make(chan struct{}, 1)
	}
	one := k.busy[name]
	k.mu.Unlock()
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case one <- struct{}{}:
	case <-waiting.Done():
		return func() {}, ctx.Err()
	}
	leave := func() { <-one }
	if k.folder == "" || os.MkdirAll(k.folder, 0o700) != nil {
		return leave, nil
	}
	others := flock.New(filepath.Join(k.folder, strings.TrimSuffix(name, ".json")+".lock"), flock.SetPermissions(0o600))
	if _, err := others.TryLockContext(waiting, poll); err == nil {
		return func() { _ = others.Unlock(); leave() }, nil // what cannot be unlocked is by the end of the process
	}
	if ctx.Err() != nil {
		leave()
	}
	return leave, ctx.Err() // where nothing can be locked the question is asked twice at worst
}

// keptName is the name of the file of a question to an engine.
func keptName(name, base, words string) string {
	words = strings.ToLower(strings.Join(strings.Fields(words), " "))
	sum := sha256.Sum256([]byte(name + "\n" + base + "\n" + words))
	return name + "-" + hex.EncodeToString(sum[:12]) + ".json"
}

func (k *keeper) find(name string) ([]engine.Lead, bool) {
	if k.folder == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(k.folder, name))
	var was kept
	if err != nil || json.Unmarshal(data, &was) != nil {
		return nil, false
	}
	age := k.clock().Sub(was.At)
	return was.Leads, age >= 0 && age < maxAge
}

func (k *keeper) keep(name string, answer kept) {
	if k.folder == "" {
		return
	}
	answer.At = k.clock().UTC()
	data, err := json.Marshal(answer)
	if err == nil && os.MkdirAll(k.folder, 0o700) == nil {
		_ = durable.ReplaceFile(filepath.Join(k.folder, name), data, 0o600)
	}
}
