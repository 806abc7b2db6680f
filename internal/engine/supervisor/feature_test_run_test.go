package supervisor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// A command that is not there tells nothing about what was built: no attempt
// is counted, nothing is set aside, and the campaign goes on once it is there.
func TestTestsThatCannotBeRunAreWaitedFor(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, campaign.Implement, `[ $ROLE = code ] && [ ! -e "$CALLS/never again" ] && mv "$CALLS/runner" "$CALLS/gone"`+"\n"+builds)
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	c.repository()
	tool := filepath.Join(c.calls, "runner")
	campaign.Of(c.setup.Own).Test = tool
	require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\nexec sh test.sh\n"), 0o700))
	c.begin()
	ended := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(c.Context(), c.options())
		ended <- err
	}()
	until(t, "the outage is told", func() bool {
		return strings.Contains(c.progressLog(), "the tests cannot be run, nor on the code before")
	})
	require.Empty(t, c.git("for-each-ref", "refs/research-council/a-topic"), "nothing is set aside")
	require.FileExists(t, filepath.Join(c.project, "t_1.sh"), "what was built is there")
	require.NoError(t, os.Mkdir(filepath.Join(c.calls, "never again"), 0o700))
	require.NoError(t, os.Rename(filepath.Join(c.calls, "gone"), tool))
	require.NoError(t, <-ended)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	list, err := feature.Parse([]byte(c.paper(campaign.Features)))
	require.NoError(t, err)
	first, _ := list.Find("F001")
	require.Equal(t, feature.Passed, first.State)
	require.Zero(t, first.Attempts)
}

// progressLog is what people are told; "" before there is any.
func (c *councilRun) progressLog() string {
	data, err := os.ReadFile(filepath.Join(campaignwork.CampaignFolder(c.setup), campaign.Progress))
	if err != nil {
		return ""
	}
	return string(data)
}
