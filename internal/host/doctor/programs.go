package doctor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/disk"
)

// Installed is the plugin where it lies: its folder, and what its manifest says of its
// programs.
type plugin struct {
	dir    string
	sums   map[string]string // digests by name, where there is a manifest
	triple string            // of this machine
}

// pluginName is the plugin's name in every host.
const pluginName = "research-council"

// programs looks at the launchers and programs of each copy of the plugin here: of the
// one this program belongs to, of the session's, and of those Claude Code has installed.
func (x exam) programs(context.Context) []Check {
	var checks []Check
	for _, dir := range x.plugins() {
		p := plugin{dir: dir, sums: manifest(filepath.Join(dir, "bin", "SHA256SUMS")), triple: triple(x.OS, runtime.GOARCH)}
		checks = append(checks, p.check()...)
	}
	return checks
}

// plugins are the folders of the plugin on this machine, each once.
func (x exam) plugins() []string {
	var list []string
	add := func(dir string) {
		dir = filepath.Clean(dir)
		if _, err := os.Stat(filepath.Join(dir, "hooks", "hooks.json")); filepath.IsAbs(dir) && err == nil && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	add(filepath.Dir(filepath.Dir(x.Self)))
	add(x.env["CLAUDE_PLUGIN_ROOT"])
	if data, err := os.ReadFile(filepath.Join(x.claudeFolder(), "plugins", "installed_plugins.json")); err == nil {
		gjson.GetBytes(data, "plugins").ForEach(func(id, places gjson.Result) bool {
			if name, _, _ := strings.Cut(id.Str, "@"); name == pluginName {
				places.ForEach(func(_, place gjson.Result) bool {
					add(place.Get("installPath").Str)
					return true
				})
			}
			return true
		})
	}
	return list
}

// claudeFolder is where Claude Code has a person's settings.
func (x exam) claudeFolder() string {
	if dir := x.env["CLAUDE_CONFIG_DIR"]; dir != "" {
		return dir
	}
	return filepath.Join(x.Home, ".claude")
}

// triple is a platform in the names of programs; "" for one without any.
func triple(system, arch string) string {
	cpu := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
	rest := map[string]string{"linux": "unknown-linux-musl", "darwin": "apple-darwin"}[system]
	if cpu == "" || rest == "" {
		return ""
	}
	return cpu + "-" + rest
}

// manifest reads the digests of programs; nil where there is none.
func manifest(path string) map[string]string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 2 {
			sums[strings.TrimPrefix(f[1], "*")] = f[0]
		}
	}
	return sums
}

func (p plugin) check() []Check {
	var checks []Check
	for _, name := range []string{"council", "council-hook"} {
		path := filepath.Join(p.dir, "bin", name+disk.ProgramEnding)
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			checks = append(checks, broken("program.missing", path, path+" is missing: hooks start nothing", "install the plugin again"))
			continue
		case info.Mode().IsRegular():
			checks = append(checks, executable(path, info)...)
		}
		if isScript(path) {
			checks = append(checks, p.program(name)...)
		}
	}
	if len(checks) == 0 {
		return []Check{okCheck(council, "the programs of the plugin in %s can be started", p.dir)}
	}
	return checks
}

// isScript reports whether what lies there is a launcher, and no program of one
// platform under its name.
func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == "#!"
}

// program looks at what a launcher starts here.
func (p plugin) program(name string) []Check {
	name += "-" + p.triple
	path := filepath.Join(p.dir, "bin", name)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.notBuilt(name, path)
	case err != nil:
		return []Check{broken("program.missing", path, err.Error(), "")}
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(path) // it is a link
		return []Check{broken("program.link", path, fmt.Sprintf("%s is a link, to %s: no launcher follows it", path, target), "put the program itself there")}
	case !info.Mode().IsRegular():
		return []Check{broken("program.missing", path, path+" is no file", "install the plugin again")}
	}
	if want := p.sums[name]; p.sums != nil && want != digestOf(path) {
		return []Check{broken("program.hash", path, path+" is damaged, or of another release: its hash is not the one of SHA256SUMS", "unpack the release again")}
	}
	return executable(path, info)
}

// notBuilt says which program is missing, and for which machines there are some.
func (p plugin) notBuilt(name, path string) []Check {
	npm, _ := filepath.Glob(filepath.Join(p.dir, "node_modules", "@research-council", "cli-*", "bin", strings.TrimSuffix(name, "-"+p.triple))) // the pattern is in order
	if len(npm) > 0 {
		return nil // the launcher finds it there
	}
	text := "there is no program for " + p.triple + " in " + p.dir
	others, _ := filepath.Glob(filepath.Join(p.dir, "bin", strings.TrimSuffix(name, p.triple)+"*")) // as above
	for _, other := range others {
		if rest := strings.TrimPrefix(filepath.Base(other), strings.TrimSuffix(name, p.triple)); strings.Count(rest, "-") >= 2 && !strings.HasPrefix(rest, "hook-") {
			text += "; there is one for " + rest
		}
	}
	return []Check{broken("program.missing", path, text, "install a release archive, or build it: make build")}
}

// executable says where a program may not be run, and lets it be: for those who may read
// it.
func executable(path string, info fs.FileInfo) []Check {
	if disk.IsProgram(info) {
		return nil
	}
	c := broken("program.mode", path, path+" is not executable", "chmod +x "+path)
	c.Fixable = owned(info)
	if !c.Fixable {
		c.Finding += ", and belongs to " + ownerName(info)
		c.Remedy = "sudo " + c.Remedy
	}
	c.mend = func(context.Context) (string, error) {
		mode := info.Mode().Perm()
		mode |= mode & 0o444 >> 2
		return fmt.Sprintf("%s: mode %04o -> %04o", path, info.Mode().Perm(), mode), os.Chmod(path, mode)
	}
	return []Check{c}
}

// broken is a failure of what lies at a path.
func broken(id, path, finding, remedy string) Check {
	c := newCheck(council, Failure, finding, remedy).about(id)
	c.Path = path
	return c
}

func digestOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
