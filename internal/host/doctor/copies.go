package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/host/binaries"
)

// freshFor is how long a copy is left alone that nobody runs from yet: it may just have
// been made.
const freshFor = time.Hour

// copies looks at those of the programs that runs are worked on with.
func (x exam) copies(context.Context) []Check {
	var checks []Check
	for _, dir := range x.dataFolders() {
		if info, err := os.Stat(filepath.Join(dir, "bin")); err == nil && !info.IsDir() {
			path := filepath.Join(dir, "bin")
			checks = append(checks, warn("data.blocked", path, path+" is not a folder: runs work from the plugin's own, and do not outlive its removal", "move it away"))
			continue
		}
		list, others, err := binaries.List(dir)
		if err != nil {
			checks = append(checks, warn("data.unread", dir, err.Error(), ""))
		}
		for _, path := range others {
			checks = append(checks, newCheck(council, Note, path+" is not ours, and stays", ""))
		}
		checks = append(checks, x.judge(list)...)
	}
	return checks
}

// dataFolders are where copies lie: as the plugin's, and as the user's.
func (x exam) dataFolders() []string {
	var list []string
	if state := x.env["XDG_STATE_HOME"]; filepath.IsAbs(state) {
		list = append(list, filepath.Join(state, pluginName))
	} else if filepath.IsAbs(x.Home) {
		list = append(list, filepath.Join(x.Home, ".local", "state", pluginName))
	}
	pattern := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(filepath.Join(x.claudeFolder(), "plugins", "data")) + "/" + pluginName + "*"
	more, _ := filepath.Glob(pattern) // it is in order
	list = append(list, more...)
	if dir := x.env["CLAUDE_PLUGIN_DATA"]; filepath.IsAbs(dir) && strings.HasPrefix(filepath.Base(dir), pluginName) {
		for _, known := range list {
			if known == filepath.Clean(dir) {
				return list
			}
		}
		list = append(list, filepath.Clean(dir))
	}
	return list
}

// judge sorts copies: what is damaged is a fault, what is merely left over is told once.
func (x exam) judge(list []binaries.Copy) []Check {
	var checks []Check
	var stale []binaries.Copy
	var bytes int64
	present := digestOf(x.Self)
	named := x.namedByStatusLine()
	for _, c := range list {
		switch {
		case c.Link:
			checks = append(checks, newCheck(council, Note, c.Path+" is a link and no copy of ours; it stays", ""))
		case c.Broken:
			checks = append(checks, damagedCopy(c))
		case c.Sound && c.Barred:
			checks = append(checks, barredCopy(c)...)
		case c.InUse || time.Since(c.Made) < freshFor || len(present) > 16 && present[:16] == filepath.Base(c.Path) || named != "" && c.Names(named):
		default:
			stale, bytes = append(stale, c), bytes+c.Bytes
		}
	}
	if len(stale) > 0 {
		checks = append(checks, staleCopies(stale, bytes))
	}
	return checks
}

func warn(id, path, finding, remedy string) Check {
	c := newCheck(council, Warning, finding, remedy).about(id)
	c.Path = path
	return c
}

func damagedCopy(c binaries.Copy) Check {
	f := warn("copy.hash", c.Path, c.Path+" has another hash than its name says: it is never run", "remove it")
	f.Fixable = !c.InUse
	f.mend = func(context.Context) (string, error) { return c.Path + ": removed; it was damaged", binaries.Remove(c) }
	return f
}

func barredCopy(c binaries.Copy) []Check {
	var checks []Check
	for _, name := range []string{"council", "council-hook"} {
		path := filepath.Join(c.Path, name+disk.ProgramEnding)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		for _, f := range executable(path, info) {
			f.Level = Warning
			checks = append(checks, f)
		}
	}
	return checks
}

func staleCopies(stale []binaries.Copy, bytes int64) Check {
	f := warn("copy.stale", filepath.Dir(stale[0].Path), fmt.Sprintf("%d stale copies of the programs in %s, %s: nothing runs from them", len(stale), filepath.Dir(stale[0].Path), size(uint64(bytes))), "`council doctor --fix` removes them")
	f.Level, f.Fixable = Note, true
	f.mend = func(context.Context) (string, error) {
		for _, c := range stale {
			if err := binaries.Remove(c); err != nil {
				return "", err
			}
		}
		return fmt.Sprintf("%s: %d stale copies removed", filepath.Dir(stale[0].Path), len(stale)), nil
	}
	return f
}
