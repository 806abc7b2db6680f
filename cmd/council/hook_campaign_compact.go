package main

import (
	"fmt"
	"os"
	"path"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/checkpoint"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// restoreTranscriptCommand lists what was kept at compactions, and writes a
// transcript as it was at one of them.
func restoreTranscriptCommand(e program.Env) *cobra.Command {
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

func campaignCheckpoints(c *cobra.Command, e program.Env, name string) (*checkpoint.Store, func(), error) {
	project, err := projectWithRuns(c, e)
	if err != nil {
		return nil, nil, err
	}
	r, err := steering.Pick(project, name)
	if err != nil {
		return nil, nil, err
	}
	papers, err := os.OpenRoot(campaignwork.CampaignFolder(r.Setup))
	if err != nil {
		return nil, nil, fmt.Errorf("open the campaign's folder: %w", err)
	}
	defer papers.Close()
	if _, err := papers.Lstat(campaign.Transcripts); err != nil {
		return nil, nil, fmt.Errorf("nothing has been compacted: there is no %s", path.Join(campaign.Of(r.Setup.Own).Folder(), campaign.Transcripts))
	}
	return session.Transcripts(papers)
}

func restoreTranscript(c *cobra.Command, e program.Env, store *checkpoint.Store, at string) error {
	list := store.List()
	switch {
	case at == "" && asJSON(c):
		return encode(e.Stdout, list)
	case at == "":
		for _, k := range list {
			fmt.Fprintf(e.Stdout, "%s  %12d bytes  %s\n", k.Stamp, k.Bytes, k.State)
		}
		return nil
	case at == "last" && len(list) > 0:
		at = list[len(list)-1].Stamp
	}
	return store.Restore(e.Stdout, at)
}
