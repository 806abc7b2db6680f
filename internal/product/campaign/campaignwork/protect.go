package campaignwork

import (
	"fmt"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/restore"
)

// What later sessions, shells and git obey is copied before code is
// written, and put back afterwards: after each command of a worker that has its
// shell at the desk, and after each turn, whatever way it was written.

// protectedDir is where the copies lie, in the run's folder.
const protectedDir = basesDir + "/protected"

// custodyOf is what keeps a task's protected files.
func (s *box) custodyOf(task string) restore.Custody {
	return restore.Custody{
		Project: s.Setup.Root, Store: s.Folder.Join(protectedDir, strings.ReplaceAll(task, "/", "-")), Named: campaign.Of(s.Setup.Own).Paths,
		Apart: []string{"research", "docs/research-*", ".claude/deep-research*.local.md"},
	}
}

// protect takes copies before a turn that writes code. Those of a turn that was
// cut off are still there: what it has changed is put back first.
func (s *box) protect(t flow.Task) error {
	if t.Role != agent.Code {
		return nil
	}
	c := s.custodyOf(t.ID)
	if c.HasCopies() {
		if err := s.restoreProtected(t); err != nil {
			return err
		}
	}
	return c.CopyProtected()
}

// restoreProtected makes the protected files what they were before a turn that wrote
// code, and says which were not.
func (s *box) restoreProtected(t flow.Task) error {
	if t.Role != agent.Code {
		return nil
	}
	c := s.custodyOf(t.ID)
	if !c.HasCopies() {
		return nil
	}
	changed, err := c.Restore()
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		s.progress(fmt.Sprintf("Put back as they were: %s. Agents, shells or git obey them; --allow-path lets code be written there. What was written is in %s", listNames(changed), path.Join(protectedDir, strings.ReplaceAll(t.ID, "/", "-"), "taken")))
		if err := s.Folder.Write(restoredFile, []byte(listNames(changed)+"\n")); err != nil {
			return err
		}
	}
	return c.DropCopies()
}

// restoredFile lists what was put back last, for the next attempt to be told.
const restoredFile = protectedDir + "/last"

// restoredNote is what the attempt before had written where it may not.
func (s *box) restoredNote() string {
	data, err := s.Folder.Read(restoredFile)
	if err != nil || len(data) == 0 {
		return ""
	}
	return "Put back as they were, for agents, shells or git obey them: " + plain.Line(string(data), supervisor.MaxForeignRunes) + "\nThey cannot be written here: build the feature without."
}
