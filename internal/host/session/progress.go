package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
)

// hostFolder is the session's folder, from the run's.
const hostFolder = workspace.Seats + "/" + flow.Host

// expectedOutput is what an iteration of a role leaves in the session's folder, beside
// its record.
func expectedOutput(role string) string {
	return map[string]string{
		agent.Explore: "claims.jsonl", agent.Conclude: "sections/report", agent.Design: "sections/plan",
		agent.Critique: campaign.IssuesFile, agent.Breakdown: campaign.Features, agent.Code: campaign.CoderNoteFile,
	}[role]
}

// under is what is held under a name, a file's or a folder's, as one text.
func (d fileHashes) under(name string) string {
	var all []string
	for file, sum := range d {
		if file == name || strings.HasPrefix(file, name+"/") {
			all = append(all, file+" "+sum)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// maxHashedBytes bounds how many bytes of the folder are hashed at a stop.
const maxHashedBytes = 64 << 20

// hashFolder looks at what the session's folder holds.
func hashFolder(f *workspace.Folder) fileHashes {
	all, left := fileHashes{}, int64(maxHashedBytes)
	_ = fs.WalkDir(os.DirFS(f.Join(hostFolder)), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil || left < info.Size() {
			return nil
		}
		left -= info.Size()
		if data, err := f.Read(path.Join(hostFolder, name)); err == nil && len(data) > 0 {
			sum := sha256.Sum256(data)
			all[name] = hex.EncodeToString(sum[:])
		}
		return nil
	})
	if data, err := f.Read(claim.RecordsFile(flow.Host)); err == nil && len(data) > 0 { // what was recorded at the desk
		sum := sha256.Sum256(data)
		all["claims.jsonl"] += hex.EncodeToString(sum[:])
	}
	return all
}

// beginRecord is what the file holds that says a brief was handed over.
type beginRecord struct {
	At   time.Time  `json:"at"`
	Held fileHashes `json:"held"`
}

// recordBegun notes that the session has a task's brief, and what its folder held
// then; false when that was noted before.
func recordBegun(f *workspace.Folder, t campaignwork.SessionTurn) (bool, error) {
	data, err := json.Marshal(beginRecord{time.Now().UTC(), hashFolder(f)})
	if err != nil {
		return false, fmt.Errorf("note that the iteration has begun: %w", err)
	}
	return f.CreateOnce(campaignwork.BegunFile(t.Task), append(data, '\n'))
}

// fileHashes are the files of the session's folder, each with a hash of its content.
type fileHashes map[string]string

// missingOutput says that the session's folder holds nothing new of what the iteration
// is for: by content, for a time stamp proves nothing.
func (h *campaignHook) missingOutput(t campaignwork.SessionTurn) string {
	name := expectedOutput(t.Role)
	if name == "" {
		return ""
	}
	now := hashFolder(h.folder)
	if now.under(name) == "" {
		return fmt.Sprintf("There is nothing in %s.", h.folder.Join(hostFolder, name))
	}
	was, known := h.hashesAtBegin(t)
	if known && was.under(name) == now.under(name) {
		return fmt.Sprintf("Nothing new is in %s since the iteration began.", h.folder.Join(hostFolder, name))
	}
	return ""
}

// hashesAtBegin is what the session's folder held when the iteration began.
func (h *campaignHook) hashesAtBegin(t campaignwork.SessionTurn) (fileHashes, bool) {
	data, err := h.folder.Read(campaignwork.BegunFile(t.Task))
	var n beginRecord
	if err != nil || json.Unmarshal(data, &n) != nil || n.Held == nil {
		return nil, false
	}
	return n.Held, true
}
