package trial

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/temporal"
)

// fact is what is read of a line of a journal.
type fact struct {
	Kind   string
	Turn   string // as its seat is told it, without the run's id; "" of none
	At     time.Time
	Kept   time.Time // when the commit that brought it had been written
	Holder string
}

// facts are those of a run in the store, in order.
func (w *world) facts(run string) (list []fact) {
	w.shaky.mu.Lock()
	kept := map[string]time.Time{}
	for name, at := range w.shaky.kept {
		if of, _, is := strings.Cut(name, "/log/"); is && of == run {
			kept[path.Base(name)] = at
		}
	}
	w.shaky.mu.Unlock()
	for n := 1; n <= len(kept); n++ {
		name := strconv.Itoa(100000000 + n)[1:]
		var commit struct {
			Commit struct{ Journal, Holder string }
		}
		require.NoError(w, json.Unmarshal(w.object("runs/"+run+"/log/"+name), &commit))
		for line := range strings.Lines(commit.Commit.Journal) {
			var one struct {
				Fact struct {
					At         time.Time
					Kind, Task string
					Turn       int
					Result     struct{ Stopped bool }
				}
			}
			require.NoError(w, json.Unmarshal([]byte(line), &one))
			f := fact{Kind: one.Fact.Kind, At: one.Fact.At, Kept: kept[name], Holder: commit.Commit.Holder}
			if one.Fact.Turn > 0 {
				f.Turn = strings.ReplaceAll(one.Fact.Task, "/", "-") + "-" + strconv.Itoa(one.Fact.Turn)
			}
			if one.Fact.Result.Stopped {
				f.Kind += " stopped"
			}
			list = append(list, f)
		}
	}
	return list
}

// object is what the store has under a name.
func (w *world) object(name string) []byte {
	answer, err := http.Get(w.shaky.url + "/fleet/" + name)
	require.NoError(w, err)
	defer answer.Body.Close()
	require.Equal(w, http.StatusOK, answer.StatusCode, name)
	data, err := io.ReadAll(answer.Body)
	require.NoError(w, err)
	return data
}

// history is how many bytes the server keeps of a run, and how many of what happened.
func (w *world) history(run string) (bytes, events int64) {
	text, err := os.ReadFile(w.key)
	require.NoError(w, err)
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	require.NoError(w, err)
	c, err := temporal.Connect(w.Context(), temporal.Options{Address: w.server.address, Namespace: "default", Key: key})
	require.NoError(w, err)
	defer c.Close()
	d, err := c.DescribeWorkflowExecution(w.Context(), run, "")
	require.NoError(w, err)
	return d.GetWorkflowExecutionInfo().GetHistorySizeBytes(), d.GetWorkflowExecutionInfo().GetHistoryLength()
}
