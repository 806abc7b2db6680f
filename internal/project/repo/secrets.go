package repo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/project/secret"
)

// maxRead bounds a file in which secrets are looked for, in bytes.
const maxRead = 8 << 20

// Secrets are those that were added since a snapshot, in files of up to 8 MiB.
// What was ignored then is a person's and is not looked at.
func (r *Repo) Secrets(ctx context.Context, since string) ([]secret.Match, error) {
	m, err := r.snapshots.loadState(ctx, since)
	if err != nil {
		return nil, fmt.Errorf("look for secrets: %w", err)
	}
	_, changes, err := r.snapshots.changesSince(ctx, m, nil)
	if err != nil {
		return nil, fmt.Errorf("look for secrets: %w", err)
	}
	files, err := r.files.fileVersions(ctx, changes)
	if err != nil {
		return nil, fmt.Errorf("look for secrets: %w", err)
	}
	return secret.NewSecrets(files), nil
}

// redactSecrets has the entries of changed files lead to what they hold
// without the secrets that were added.
func (w *workTree) redactSecrets(ctx context.Context, changes map[string]change, at map[string]entry) error {
	files, err := w.fileVersions(ctx, changes)
	if err != nil {
		return err
	}
	finds := map[string][]secret.Match{}
	for _, f := range secret.NewSecrets(files) {
		finds[f.Path] = append(finds[f.Path], f)
	}
	for _, f := range files {
		if len(finds[f.Path]) == 0 {
			continue
		}
		id, err := w.gitLine(ctx, gitCall{args: []string{"hash-object", "-w", "--stdin"}, stdin: secret.Redact(f.Is, finds[f.Path])})
		if err != nil {
			return err
		}
		at[f.Path] = entry{at[f.Path].mode, id}
	}
	return nil
}

// fileVersions are the changed files, before and after.
func (w *workTree) fileVersions(ctx context.Context, changes map[string]change) ([]secret.File, error) {
	var ids []string
	for _, c := range changes {
		for _, e := range []entry{c.from, c.to} {
			if !e.isAbsent() && e.mode != modeLink {
				ids = append(ids, e.id)
			}
		}
	}
	texts, err := w.blobs(ctx, ids)
	if err != nil {
		return nil, err
	}
	var files []secret.File
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		c := changes[p]
		files = append(files, secret.File{Path: p, Was: texts[c.from.id], Is: texts[c.to.id]})
	}
	return files, nil
}

// blobs are the contents of objects, but for those beyond [maxRead].
func (w *workTree) blobs(ctx context.Context, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	sizes, err := w.gitLine(ctx, gitCall{args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, stdin: []byte(strings.Join(ids, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	var wanted []string
	for l := range strings.Lines(sizes) {
		var id string
		var size int
		if _, err := fmt.Sscanf(l, "%s %d", &id, &size); err == nil && size <= maxRead {
			wanted = append(wanted, id)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	objects, err := w.objects(ctx, wanted...)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, o := range objects {
		texts[o.id] = o.data
	}
	return texts, nil
}
