package campaignwork

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
)

// A session's record of an iteration is no report: a few words will do, as they
// do for a seat's.
func TestAShortRecordOfASessionCounts(t *testing.T) {
	t.Parallel()
	paper, _ := newPress(t, t.Context())
	paper.FolderOf = func(task flow.Task) string { return task.Seat }
	w := &worker{&gate{&attempts{&box{press: paper}}}}
	task := flow.TaskState{Task: flow.Task{ID: "explore.1/" + flow.Host, Seat: flow.Host, Role: agent.Explore, Writes: "explore-1.md"}}
	require.NoError(t, paper.Folder.Mkdir(paper.TaskFolder(task.Task)))
	for text, complete := range map[string]bool{"Nothing new was found.\n\n" + agent.Marker + "\n": true, "Nothing new was found.\n": false} {
		record := paper.TaskFolder(task.Task) + "/explore-1.md"
		require.NoError(t, paper.Folder.Write(record, []byte(text)))
		found := w.sessionResult(&supervisor.HostTurn{Task: task, Number: 1}, record, false)
		require.Nil(t, found.Fault)
		require.True(t, found.Artefact.Usable)
		require.Equal(t, complete, found.Artefact.Complete)
		require.Empty(t, found.Artefact.Problems)
	}
}
