package trial

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A set is answered in the benchmark's format; asked again nothing is begun or paid for again.
func TestASetOfPromptsIsAnswered(t *testing.T) {
	w := newWorld(t, 0)
	w.worker("x", 2).run()
	set, to := filepath.Join(w.dir, "query.jsonl"), filepath.Join(w.dir, "out")
	w.write(set, `{"id": 1, "topic": "Kettles", "language": "en", "prompt": "When does the kettle rest?"}`+"\n"+`{"id": 2, "language": "en", "prompt": "How long is the kettle's rest?"}`+"\n")
	scope, err := json.Marshal(map[string]string{"git": "file://" + w.git, "commit": w.commit})
	require.NoError(t, err)
	each := `{"seats":["one","two"],"no_plan":true,"max_iterations":2,"scope":` + string(scope) + `}`
	out := w.must("bench", set, "--to", to, "--each", each)
	require.JSONEq(t, `{"questions":2,"answered":2}`, out)
	answers, err := os.ReadFile(filepath.Join(to, "answers.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(answers)), "\n")
	require.Len(t, lines, 2)
	require.True(t, strings.HasPrefix(lines[0], `{"id":1,"prompt":"When does the kettle rest?","article":"# `), lines[0])
	figures, err := os.ReadFile(filepath.Join(to, "figures.tsv"))
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(figures), "\n"), string(figures))
	calls := len(w.model.all())
	require.JSONEq(t, out, w.must("bench", set, "--to", to, "--each", each))
	require.Len(t, w.model.all(), calls)
	again, err := os.ReadFile(filepath.Join(to, "answers.jsonl"))
	require.NoError(t, err)
	require.Equal(t, string(answers), string(again))
}
