package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/research-council/research-council/internal/host/checkpoint"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign"
)

// checkpointTime is how long a compaction may be held up: less than the hook
// has.
const checkpointTime = 20 * time.Second

// preCompact keeps the transcript and the state before the context is
// compacted. Whatever goes wrong, the compaction goes on.
func (h *campaignHook) preCompact(ctx context.Context) error {
	papers, err := h.openPapers()
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	defer papers.Close()
	ctx, cancel := context.WithTimeout(ctx, checkpointTime)
	defer cancel()
	done := make(chan error, 1)
	var saved checkpoint.Saved
	go func() {
		var err error
		saved, err = h.saveCheckpoint(ctx, papers)
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done(): // the disk may take longer to tell; what it leaves is swept by the next one
		err = ctx.Err()
	}
	if errors.Is(err, checkpoint.ErrBusy) {
		return nil // another copy of this hook saves it
	}
	if err != nil {
		return errors.Join(err, h.progress(papers, "The context is compacted ("+h.call.Trigger+"); the transcript could not be kept: "+view.ErrorLine(err)))
	}
	return h.progress(papers, fmt.Sprintf("The context is compacted (%s); checkpoint %s holds the transcript of %d bytes (%d new) and the state", h.call.Trigger, saved.Stamp, saved.Bytes, saved.New))
}

// saveCheckpoint saves what there is: a transcript that cannot be kept leaves the
// state.
func (h *campaignHook) saveCheckpoint(ctx context.Context, papers *os.Root) (checkpoint.Saved, error) {
	store, closed, err := Transcripts(papers)
	if err != nil {
		return checkpoint.Saved{}, fmt.Errorf("save checkpoint: %w", err)
	}
	defer closed()
	_, state := h.readState()
	transcript, err := checkpoint.Transcript(h.call.Transcript)
	if err == nil {
		defer transcript.Close()
		saved, failed := store.Save(ctx, time.Now(), transcript, state)
		if !errors.Is(failed, checkpoint.ErrTooLarge) {
			return saved, failed
		}
		err = failed
	}
	_, failed := store.Save(ctx, time.Now(), nil, state)
	return checkpoint.Saved{}, errors.Join(err, failed)
}

// Transcripts opens the checkpoints of a campaign.
func Transcripts(papers *os.Root) (*checkpoint.Store, func(), error) {
	if err := papers.MkdirAll(campaign.Transcripts, 0o700); err != nil {
		return nil, nil, err
	}
	folder, err := papers.OpenRoot(campaign.Transcripts)
	if err != nil {
		return nil, nil, err
	}
	return checkpoint.Open(folder, checkpoint.Default()), func() { _ = folder.Close() }, nil // it was only a handle
}
