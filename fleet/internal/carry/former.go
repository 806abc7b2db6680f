package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/engine/workspace"

	"github.com/research-council/research-council/fleet/internal/store"
)

// layFormer lays down the run to compare with beside the run, where there is one that was
// completed and council compares runs of this kind. One that is damaged, or that council
// cannot read, is told of and passed over.
func (c *carrying) layFormer(ctx context.Context, runs string) error {
	if c.job.Previous == "" || c.req.Kind != "council" {
		return nil
	}
	err := c.retry(ctx, func() error { return c.fetchFormer(ctx, runs) })
	if err == nil && c.former != "" {
		if _, code, askErr := c.ask(ctx, "claims", "--json", "--project="+c.project, c.former); askErr != nil || code != 0 {
			err = fmt.Errorf("%w: council ends with code %d on its claims", store.ErrDamaged, code)
		}
	}
	if errors.Is(err, store.ErrDamaged) && ctx.Err() == nil {
		c.tell(fmt.Sprintf("run %s is compared with none: run %s: %v", c.job.Run, c.job.Previous, err))
		id := c.former
		c.former = ""
		return errors.Join(os.RemoveAll(c.file("former")), removeRun(runs, id))
	}
	return err
}

func removeRun(runs, id string) error {
	if id == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(runs, id))
}

func (c *carrying) fetchFormer(ctx context.Context, runs string) error {
	l, err := c.Store.Ledger(ctx, c.job.Previous)
	if err != nil || l.End == nil || l.End.Status != "completed" || !workspace.ValidID(l.ID) {
		return err
	}
	dir := filepath.Join(runs, l.ID)
	if _, err := os.Stat(dir); err != nil {
		if _, err := c.Store.Lay(ctx, c.job.Previous, dir, c.file("former")); err != nil {
			return err
		}
	}
	c.former = l.ID
	return nil
}
