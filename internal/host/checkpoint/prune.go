package checkpoint

import (
	"context"
	"slices"
	"time"
)

// prune brings an index within its limits. Of the checkpoints the first and the
// last stay; of those between goes the one whose neighbours are closest to each
// other in time, so that what is left lies evenly. Then the oldest lines go
// until the pieces fit, but never that of the last checkpoint. Lines that no
// checkpoint needs go with them.
func prune(idx index, most Limits) index {
	idx.Checkpoints = slices.Clone(idx.Checkpoints)
	for len(idx.Checkpoints) > max(most.Checkpoints, 1) {
		at := leastMissed(idx.Checkpoints)
		idx.Checkpoints = slices.Delete(idx.Checkpoints, at, at+1)
	}
	idx = dropUnusedLines(idx)
	for len(idx.Lines) > 1 && totalBytes(idx) > most.Bytes {
		last := idx.Checkpoints[len(idx.Checkpoints)-1].Line
		gone := slices.IndexFunc(idx.Lines, func(l transcriptLine) bool { return l.Name != last })
		name := idx.Lines[gone].Name
		idx.Checkpoints = slices.DeleteFunc(idx.Checkpoints, func(c Checkpoint) bool { return c.Line == name })
		idx = dropUnusedLines(idx)
	}
	return idx
}

// leastMissed is the checkpoint that is missed least.
func leastMissed(list []Checkpoint) int {
	if len(list) < 3 {
		return 0
	}
	best, least := 0, time.Duration(-1)
	for i := 1; i+1 < len(list); i++ {
		if gap := list[i+1].At().Sub(list[i-1].At()); least < 0 || gap < least {
			best, least = i, gap
		}
	}
	return best
}

// dropUnusedLines leaves out the lines of no checkpoint.
func dropUnusedLines(idx index) index {
	idx.Lines = slices.DeleteFunc(slices.Clone(idx.Lines), func(l transcriptLine) bool {
		return !slices.ContainsFunc(idx.Checkpoints, func(c Checkpoint) bool { return c.Line == l.Name })
	})
	return idx
}

func totalBytes(idx index) int64 {
	var bytes int64
	for _, l := range idx.Lines {
		bytes += l.Bytes
	}
	return bytes
}

// join joins pieces of a line that has too many: the two neighbours that weigh
// least together, so that a long piece is hardly ever written again.
func (s *Store) join(ctx context.Context, idx *index) error {
	for i := range idx.Lines {
		for len(idx.Lines[i].Pieces) > max(s.limits.Pieces, 1) {
			pieces, err := s.joined(ctx, idx.Lines[i].Pieces)
			if err != nil {
				return err
			}
			idx.Lines[i].Pieces = pieces
		}
	}
	return nil
}

func (s *Store) joined(ctx context.Context, pieces []piece) ([]piece, error) {
	at := 0
	for i := range len(pieces) - 1 {
		if pieces[i].Bytes+pieces[i+1].Bytes < pieces[at].Bytes+pieces[at+1].Bytes {
			at = i
		}
	}
	p, err := s.concat(ctx, pieces[at], pieces[at+1])
	if err != nil {
		return nil, err
	}
	return slices.Concat(pieces[:at], []piece{p}, pieces[at+2:]), nil
}
