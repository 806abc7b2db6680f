package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/engine/supervisor"
	"research-council/internal/host/checkpoint"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/steering"
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
		return errors.Join(err, h.progress(papers, "The context is compacted ("+h.call.Trigger+"); the transcript could not be kept: "+errorLine(err)))
	}
	return h.progress(papers, fmt.Sprintf("The context is compacted (%s); checkpoint %s holds the transcript of %d bytes (%d new) and the state", h.call.Trigger, saved.Stamp, saved.Bytes, saved.New))
}

// saveCheckpoint saves what there is: a transcript that cannot be kept leaves the
// state.
func (h *campaignHook) saveCheckpoint(ctx context.Context, papers *os.Root) (checkpoint.Saved, error) {
	store, closed, err := transcripts(papers)
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

// transcripts opens the checkpoints of a campaign.
func transcripts(papers *os.Root) (*checkpoint.Store, func(), error) {
	if err := papers.MkdirAll(campaign.Transcripts, 0o700); err != nil {
		return nil, nil, err
	}
	folder, err := papers.OpenRoot(campaign.Transcripts)
	if err != nil {
		return nil, nil, err
	}
	return checkpoint.Open(folder, checkpoint.Default()), func() { _ = folder.Close() }, nil // it was only a handle
}

// restoreTranscriptCommand lists what was kept at compactions, and writes a
// transcript as it was at one of them.
func restoreTranscriptCommand(e env) *cobra.Command {
	var at string
	c := &cobra.Command{
		Use:   "restore-transcript [NAME]",
		Short: "Write the transcript as it was when the context was compacted",
		Long: `Write the transcript of a campaign's session as it was when its context was
compacted, byte for byte and checked, to standard output; or list what was kept.
Without this program: the files docs/research-NAME/transcripts/*-transcript.jsonl
of one session, one after the other in the order of their names, are what the
last checkpoint holds.`,
		Example: "council campaign restore-transcript parser\ncouncil campaign restore-transcript parser --at last > transcript.jsonl",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			store, closed, err := campaignCheckpoints(c, e, append(args, "")[0])
			if err != nil {
				return err
			}
			defer closed()
			return restoreTranscript(c, e, store, at)
		},
	}
	c.Flags().StringVar(&at, "at", "", "the checkpoint: its time stamp as listed, or last")
	return c
}

func campaignCheckpoints(c *cobra.Command, e env, name string) (*checkpoint.Store, func(), error) {
	project, err := projectWithRuns(c, e)
	if err != nil {
		return nil, nil, err
	}
	r, err := steering.Pick(project, name)
	if err != nil {
		return nil, nil, err
	}
	papers, err := os.OpenRoot(supervisor.CampaignFolder(r.Setup))
	if err != nil {
		return nil, nil, fmt.Errorf("open the campaign's folder: %w", err)
	}
	defer papers.Close()
	if _, err := papers.Lstat(campaign.Transcripts); err != nil {
		return nil, nil, fmt.Errorf("nothing has been compacted: there is no %s", path.Join(campaign.Of(r.Setup.Own).Folder(), campaign.Transcripts))
	}
	return transcripts(papers)
}

func restoreTranscript(c *cobra.Command, e env, store *checkpoint.Store, at string) error {
	list := store.List()
	switch {
	case at == "" && asJSON(c):
		return encode(e.stdout, list)
	case at == "":
		for _, k := range list {
			fmt.Fprintf(e.stdout, "%s  %12d bytes  %s\n", k.Stamp, k.Bytes, k.State)
		}
		return nil
	case at == "last" && len(list) > 0:
		at = list[len(list)-1].Stamp
	}
	return store.Restore(e.stdout, at)
}
