package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
)

// openPapers opens the folder of the campaign that people read. What is not there
// is not made.
func (h *campaignHook) openPapers() (*os.Root, error) {
	project, err := os.OpenRoot(h.Project)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	return project.OpenRoot(campaign.FolderPrefix + h.state.Campaign)
}

// progress adds a line to the campaign's log for people.
func (h *campaignHook) progress(papers *os.Root, text string) error {
	const most = 2000
	f, err := papers.OpenFile(campaign.Progress, os.O_WRONLY|os.O_CREATE|os.O_APPEND|disk.NoWait, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", campaign.Progress, err)
	}
	_, err = f.WriteString("[" + time.Now().UTC().Format(time.RFC3339) + "] " + plain.Line(text, most) + "\n")
	return errors.Join(err, f.Close())
}

// programFiles are the files of the campaign that only the program writes.
func (h *campaignHook) programFiles() []string {
	return []string{h.state.Campaign + "-state.md", campaign.Features}
}

// restoreFiles puts the program's own files back where they are not what it wrote.
// Claude is never asked for them.
func (h *campaignHook) restoreFiles() error {
	papers, err := h.openPapers()
	if err != nil {
		return nil // a folder that is gone was taken away by its owner
	}
	defer papers.Close()
	for _, name := range h.programFiles() {
		ours, changed := h.changed(papers, name)
		if changed {
			time.Sleep(waitPollInterval) // the program may be between its two copies
			ours, changed = h.changed(papers, name)
		}
		if !changed {
			continue
		}
		text := name + " was not as the program wrote it last; it has been put back"
		if name == campaign.Features {
			text += h.saveRejectedList(papers)
		}
		if err := replacePaper(papers, name, ours); err != nil {
			return fmt.Errorf("put %s back: %w", name, err)
		}
		if err := h.progress(papers, text); err != nil {
			return err
		}
	}
	return nil
}

// saveRejectedList keeps a feature list that somebody has changed, which may be a
// person's work, and says where.
func (h *campaignHook) saveRejectedList(papers *os.Root) string {
	info, err := papers.Lstat(campaign.Features)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := papers.ReadFile(campaign.Features)
	if err != nil || replacePaper(papers, campaignwork.RejectedListFile, data) != nil {
		return ""
	}
	return "; what it held is in " + campaignwork.RejectedListFile + ": a person edits the list while nothing runs, and `council campaign resume " + h.state.Campaign + "` in a terminal takes it over"
}

// changed reports whether a file is other than the program has published it,
// which is given too. What was never published is not looked at.
func (h *campaignHook) changed(papers *os.Root, name string) ([]byte, bool) {
	ours, err := h.folder.Read(path.Join(campaignwork.PublishedDir, name))
	if err != nil {
		return nil, false
	}
	info, err := papers.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(ours)) {
		return ours, true
	}
	there, err := papers.ReadFile(name)
	return ours, err != nil || !bytes.Equal(there, ours)
}

// replacePaper replaces a file, whole and for good.
func replacePaper(papers *os.Root, name string, data []byte) error {
	return workspace.Replace(papers, name, data, 0o644)
}
