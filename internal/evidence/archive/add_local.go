package archive

import (
	"context"

	"github.com/research-council/research-council/internal/evidence/source"
)

// AddLocal archives a file that is at hand, as one of the local sources. Its text
// is its bytes, which is what quotations of it are looked for in. A file that
// has changed since is kept beside what it was.
func (a *Archive) AddLocal(ctx context.Context, ref string, body []byte) (Snapshot, error) {
	key := source.Identify(ref).Key
	hash := Hash(body)
	if old, ok := a.store.lookup(key); ok && old.Body == hash {
		return old, nil
	}
	if _, err := a.store.put(body); err != nil {
		return Snapshot{}, err
	}
	snap := Snapshot{
		Key: key, Asked: shortLine(ref), State: Live, Fetched: a.o.Clock().UTC(), MIME: "text/plain",
		Body: hash, Text: hash, Bytes: int64(len(body)), Chars: int64(len(body)),
	}
	return snap, a.store.add(ctx, snap)
}
