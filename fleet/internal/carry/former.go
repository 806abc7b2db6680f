package carry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/engine/workspace"
)

// layFormer lays down the run to compare with beside the run, where there is one that was
// completed and council compares runs of this kind.
func (c *carrying) layFormer(ctx context.Context, runs string) error {
	if c.job.Previous == "" || c.req.Kind != "council" {
		return nil
	}
	return c.retry(ctx, func() error {
		l, err := c.Store.Ledger(ctx, c.job.Previous)
		if err != nil || l.End == nil || l.End.Status != "completed" || !workspace.ValidID(l.ID) {
			return err
		}
		dir, part := filepath.Join(runs, l.ID), c.file("former")
		if _, err := os.Stat(dir); err != nil {
			if err := os.RemoveAll(part); err != nil {
				return fmt.Errorf("lay down the run before: %w", err)
			}
			if _, err := c.Store.Fetch(ctx, c.job.Previous, part); err != nil {
				return err
			}
			if err := os.MkdirAll(runs, 0o700); err != nil {
				return fmt.Errorf("lay down the run before: %w", err)
			}
			if err := os.Rename(part, dir); err != nil {
				return fmt.Errorf("lay down the run before: %w", err)
			}
		}
		c.former = l.ID
		return nil
	})
}
