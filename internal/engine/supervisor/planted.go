package supervisor

import (
	"fmt"
	"os"
	"path"
	"time"

	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/project/repo"
)

// sameMoment is how far apart the beginning of a run and the first file of its folder
// may be; what a repository brings along is written when it is checked out.
const sameMoment = time.Minute

// checkBegunHere refuses to work on a run that has come with a repository: whoever
// wrote its journal chose the programs its seats are. A run of this machine's that
// somebody has committed meanwhile is not meant: its files are as old as it is.
func checkBegunHere(project, id string) error {
	f, err := workspace.Open(project, id)
	if err != nil {
		return err
	}
	defer f.Close()
	if !repo.Tracks(f.Path, journal.Name) {
		return nil
	}
	events, err := Facts(project, id)
	if err != nil {
		return err
	}
	oldest, err := oldestFile(f)
	if err != nil {
		return fmt.Errorf("look at the files of run %s: %w", id, err)
	}
	if oldest.Sub(events[0].At).Abs() <= sameMoment {
		return nil
	}
	return fmt.Errorf("run %s was not begun here: its files came with the repository, and whoever wrote them there chose the programs it starts; if that was you, take it out of the repository first (git rm -r --cached %s)", id, path.Join(workspace.Runs, id))
}

// oldestFile is when that was written last which nobody has written to for longest.
func oldestFile(f *workspace.Folder) (time.Time, error) {
	names, err := f.Names(".")
	oldest := time.Now()
	for _, name := range names {
		if info, err := os.Lstat(f.Join(name)); err == nil && info.ModTime().Before(oldest) {
			oldest = info.ModTime()
		}
	}
	return oldest, err
}
