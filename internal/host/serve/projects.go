package serve

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/runs"
)

// project is a folder whose runs are shown.
type project struct {
	Key  string // in addresses
	Path string // absolute
}

func newProject(dir string) project {
	sum := sha256.Sum256([]byte(dir))
	return project{hex.EncodeToString(sum[:6]), dir}
}

// name is the project's folder, for people.
func (p project) name() string { return filepath.Base(p.Path) }

// checkRun refuses a run that is not this user's.
func (p project) checkRun(id string) error { return runs.CheckOwn(p.Path, id) }

// Bounds of the search for projects.
const (
	searchDepth   = 4
	searchFolders = 20_000
)

// Below finds the projects with runs in and below a folder, some levels deep; folders that
// are hidden, links and those of packages are left out.
func Below(top string) []string {
	var found []string
	looked := 0
	var search func(dir string, depth int)
	search = func(dir string, depth int) {
		if looked++; looked > searchFolders {
			return
		}
		if ids, err := workspace.List(dir); err == nil && len(ids) > 0 {
			found = append(found, dir)
		}
		if depth == searchDepth {
			return
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return // nothing of it can be shown
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() && name[0] != '.' && name != "node_modules" && name != workspace.Runs {
				search(filepath.Join(dir, name), depth+1)
			}
		}
	}
	search(top, 0)
	return found
}

// projectNames names the projects that are shown.
func (s *Server) projectNames() string {
	var names []string
	for _, p := range s.library.projects {
		names = append(names, p.name())
	}
	return strings.Join(names, ", ")
}

// listed is a run in the list.
type listed struct {
	project
	status.Status
	Problem string // why its status cannot be read
}

// library is what is known of the runs of all projects. What has ended is read once.
type library struct {
	projects []project
	mu       sync.Mutex
	ended    map[string]endedRun
}

type endedRun struct {
	at     time.Time // when its status.json was written
	status status.Status
}

func (l *library) find(key string) (project, bool) {
	i := slices.IndexFunc(l.projects, func(p project) bool { return p.Key == key })
	if i < 0 {
		return project{}, false
	}
	return l.projects[i], true
}

// all are the runs of all projects, the newest first.
func (l *library) all() []listed {
	var list []listed
	for _, p := range l.projects {
		ids, err := workspace.List(p.Path)
		if err != nil {
			continue
		}
		for _, id := range ids {
			if p.checkRun(id) != nil {
				continue
			}
			s, err := l.status(p, id)
			entry := listed{project: p, Status: s}
			if err != nil {
				entry.Status, entry.Problem = status.Status{ID: id, Status: "unreadable"}, line(err.Error(), 300)
			}
			list = append(list, entry)
		}
	}
	slices.SortStableFunc(list, func(a, b listed) int {
		return cmp.Or(b.Began.Compare(a.Began), strings.Compare(b.ID, a.ID))
	})
	return list
}

// status is that of a run, which is read anew while it is open.
func (l *library) status(p project, id string) (status.Status, error) {
	key := filepath.Join(p.Path, workspace.Runs, id, workspace.Status)
	info, statErr := os.Lstat(key)
	l.mu.Lock()
	known, ok := l.ended[key]
	l.mu.Unlock()
	if ok && statErr == nil && known.at.Equal(info.ModTime()) {
		return known.status, nil
	}
	s, err := runs.Status(p.Path, id)
	if err == nil && statErr == nil && !s.IsOpen() {
		l.mu.Lock()
		l.ended[key] = endedRun{info.ModTime(), s}
		l.mu.Unlock()
	}
	return s, err
}
