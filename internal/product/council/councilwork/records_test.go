package councilwork

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// What a seat has recorded once stays recorded, whatever becomes of its file in
// the turns behind.
func TestRecordsAreNeverLostByARewrite(t *testing.T) {
	t.Parallel()
	const (
		maps, gc, slices, text, channels = "Maps are not safe for concurrent use.", "Go has a garbage collector.", "Slices share memory.", "Strings are immutable.", "Channels may be closed once."
	)
	for name, want := range map[string][]string{
		"append": {maps, gc, slices}, "overwrite": {maps, gc, slices, text}, "emptied": {maps, gc}, "deleted-then-new": {maps, gc, slices}, "reorder": {maps, gc, slices},
		"reworded": {maps, gc, "Go maps are unsafe when used concurrently."}, "lost-in-middle": {maps, gc, slices, text, channels}, "truncated-line": {maps, gc}, "no-newline": {maps, gc},
		"glued": {maps, gc}, "bom": {maps}, "crlf": {maps, gc}, "garbage-between": {maps, gc, slices}, "iteration-files": {maps, gc, slices, text, channels}, "other-seat": {maps},
		"array-instead": {maps, gc}, "stronger-edit": {gc, gc},
	} {
		folder, err := workspace.Create(t.TempDir(), "20260222-143000-a1b2c3")
		require.NoError(t, err)
		s := &registrar{Base: supervisor.Base{Run: &supervisor.Run{Folder: folder, FolderOf: func(t flow.Task) string { return t.Seat }}}}
		task := flow.TaskState{Task: flow.Task{Seat: "alpha", Role: "research"}}
		seatFolder := s.TaskFolder(task.Task)
		require.NoError(t, folder.Mkdir(seatFolder))
		turns, err := filepath.Glob("testdata/records/" + name + "/turn-*")
		require.NoError(t, err)
		require.NotEmpty(t, turns, name)
		told := false
		for _, turn := range turns {
			data, err := os.ReadFile(turn)
			require.NoError(t, err)
			_ = folder.Remove(seatFolder + "/" + ClaimsFile)
			require.NoError(t, folder.Write(seatFolder+"/"+ClaimsFile, data))
			_, refused := s.takeRecords(task)
			told = told || len(refused) > 0
		}
		require.NoError(t, folder.Remove(seatFolder+"/"+ClaimsFile))
		got, _ := s.takeRecords(task)
		var texts []string
		for _, d := range got {
			texts = append(texts, d.Text)
			require.Equal(t, "alpha", d.Seat, name)
		}
		if (name == "glued" || name == "array-instead") && len(texts) != len(want) {
			require.True(t, told || len(texts) > len(want), name)
			continue
		}
		require.Equal(t, want, texts, name)
		require.NoError(t, folder.Close())
	}
}

// A line of a seat's file that contradicts or withdraws what it may not is told and not
// kept; the others are, once, however often the file is read.
func TestAFileOfClaimsContradictsAndWithdraws(t *testing.T) {
	t.Parallel()
	folder, err := workspace.Create(t.TempDir(), "20260222-143000-a1b2c3")
	require.NoError(t, err)
	defer folder.Close()
	s := &registrar{Base: supervisor.Base{Run: &supervisor.Run{Folder: folder, FolderOf: func(t flow.Task) string { return t.Seat }}}}
	registry, err := json.Marshal(claim.Registry{Entries: []claim.Entry{{ID: "C1", Text: "It is 3.", Seats: []string{"bob"}}, {ID: "C2", Text: "It is 4.", Seats: []string{"ada"}}}})
	require.NoError(t, err)
	require.NoError(t, folder.Write(claim.RegistryFile, registry))
	const file = `{"id":"a1","text":"It is 5.","quote":"it is five, as they say","source":"a.md:1","contradicts":["C1"]}
{"text":"It is 6.","quote":"it is six, as they say","source":"a.md:1","contradicts":["C1","C7"]}
{"withdraws":"C2","reason":"It was 4 once."}
{"withdraws":"C1","reason":"It was never 3."}
{"withdraws":"C2","reason":"It was never 4."}
`
	for role, want := range map[string][]string{"refinement": {"C7", "not yours", "already"}, "research": {"C1", "C1", "C2", "C1", "C2"}} {
		task := flow.TaskState{Task: flow.Task{Seat: "ada", Role: role}}
		require.NoError(t, folder.Mkdir(s.TaskFolder(task.Task)))
		require.NoError(t, folder.Write(s.TaskFolder(task.Task)+"/"+ClaimsFile, []byte(file)))
		_ = folder.Remove(claim.RecordsFile("ada"))
		for range 2 { // and again, as after a stop in between
			drafts, refused := s.takeRecords(task)
			require.Len(t, drafts, 5-len(want), role)
			require.Len(t, refused, len(want), "%s: %v", role, refused)
			for i, why := range want {
				require.Contains(t, refused[i].Reason, why)
			}
		}
	}
}
