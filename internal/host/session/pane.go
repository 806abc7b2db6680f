package session

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// pane is what the pane beside a session shows of its run.
type pane struct {
	Run   string   `json:"run"`
	Lines []string `json:"lines"`
	End   string   `json:"end,omitempty"` // how the run has ended, in a line with the report's path
}

// WritePane writes, as JSON, what the pane beside a session shows of its run; with
// a run, of that one, which may have ended. Nothing where there is none.
func WritePane(e program.Env, o Owner) error {
	id := o.Run
	if id == "" {
		id = workspace.SessionRun(o.Project, o.Session)
	}
	if !workspace.ValidID(id) {
		return nil
	}
	s, err := runs.Read(o.Project, id)
	if err != nil {
		return json.NewEncoder(e.Stdout).Encode(pane{Run: id, Lines: []string{"starting"}}) // it is there the next time
	}
	shown := pane{Run: id, Lines: view.PaneLines(s, time.Now())}
	if !s.IsOpen() {
		shown.End = "Research has ended: " + strings.ReplaceAll(s.Status, "_", " ")
		if s.Report != "" {
			shown.End += ". Report: " + s.Report
		}
	}
	return json.NewEncoder(e.Stdout).Encode(shown)
}
