package confine

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Packages is where the package managers of this machine fetch from, by their
// own settings.
type Packages struct {
	Hosts   []string `json:"hosts,omitempty"`
	GoProxy string   `json:"go_proxy,omitempty"` // GOPROXY as go has it; "" where there is no go
}

// packageManager is a command by which a package manager tells its settings.
type packageManager struct {
	program string
	args    []string
}

// packageManagers tell where they fetch from when nothing else was set: that is known to
// them alone.
func packageManagers() []packageManager {
	return []packageManager{
		{"go", []string{"env", "GOPROXY", "GOSUMDB"}},
		{"npm", []string{"config", "get", "registry"}},
		{"python3", []string{"-I", "-c", "from pip._internal.models.index import PyPI as p; print(p.simple_url, p.file_storage_domain)"}},
		{"gem", []string{"sources", "--list"}},
	}
}

// AskPackages asks the package managers of this machine, outside of any box, and
// reads their files in the user's home. They are asked in the root folder, where
// no project has settings, and none is asked that lies in the project: it could
// be anybody's. One that is not there, or does not answer, adds nothing.
func (b Box) AskPackages(ctx context.Context) Packages {
	list := packageManagers()
	said := make([]string, len(list))
	var all sync.WaitGroup
	for i, c := range list {
		all.Go(func() { said[i] = b.askManager(ctx, c) })
	}
	all.Wait()
	p := Packages{Hosts: append(b.configuredHosts(), b.cargoHosts()...)}
	for i, c := range list {
		if c.program == "go" {
			p.GoProxy, _, _ = strings.Cut(said[i], "\n")
		}
		p.Hosts = append(p.Hosts, hostsIn(said[i])...)
	}
	slices.Sort(p.Hosts)
	p.Hosts = slices.Compact(p.Hosts)
	return p
}

// askManager is what a package manager says of its settings; "" where it says nothing.
func (b Box) askManager(ctx context.Context, c packageManager) string {
	path := b.managerPath(c.program)
	if path == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.WaitDelay = "/", b.Environ, &out, time.Second
	if err := cmd.Run(); err != nil {
		return ""
	}
	const most = 64 << 10
	return strings.TrimSpace(string(out.Next(most)))
}

// managerPath finds a program in the user's PATH, but not in the project.
func (b Box) managerPath(program string) string {
	for _, dir := range filepath.SplitList(b.variable("PATH")) {
		path := filepath.Join(dir, program)
		info, err := os.Stat(path)
		if err != nil || !filepath.IsAbs(dir) || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !isWithin(path, b.Project) && !isWithin(real, b.Project) {
			return path
		}
	}
	return ""
}

// configuredHosts are the hosts that the user's environment and files of settings
// name: mirrors and private registries.
func (b Box) configuredHosts() []string {
	var hosts []string
	for _, name := range []string{"GOPROXY", "GOSUMDB", "npm_config_registry", "NPM_CONFIG_REGISTRY", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "UV_INDEX_URL", "UV_DEFAULT_INDEX"} {
		hosts = append(hosts, hostsOfAddresses(b.variable(name))...)
	}
	for name := range strings.FieldsSeq(settingFiles) {
		if data, err := os.ReadFile(filepath.Join(b.Home, name)); err == nil {
			hosts = append(hosts, hostsOfAddresses(string(data))...)
		}
	}
	return hosts
}

// cargoHosts are the hosts that cargo has fetched from before: it keeps an index of
// each, with where its packages lie, and tells its own default nowhere else.
func (b Box) cargoHosts() []string {
	home := b.variable("CARGO_HOME")
	if !filepath.IsAbs(home) {
		home = filepath.Join(b.Home, ".cargo")
	}
	files, err := filepath.Glob(filepath.Join(home, "registry", "index", "*", "config.json"))
	if err != nil {
		return nil // a sign of a pattern stands in the home's path
	}
	var hosts []string
	for _, file := range files {
		var index struct{ DL, API string }
		data, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(data, &index) != nil {
			continue
		}
		name := filepath.Base(filepath.Dir(file)) // the host, a dash and a hash
		hosts = append(hosts, hostsIn(name[:max(0, strings.LastIndexByte(name, '-'))]+" "+index.DL+" "+index.API)...)
	}
	return hosts
}

// hostsIn are the hosts of the addresses in what a client says, and those it
// names without a scheme.
func hostsIn(text string) []string {
	hosts := hostsOfAddresses(text)
	for _, word := range strings.FieldsFunc(text, isSeparator) {
		if name, _, _ := strings.Cut(word, "+"); hostName().MatchString(name) { // a checksum database has its key behind a plus sign
			hosts = append(hosts, strings.ToLower(name))
		}
	}
	return hosts
}

func hostName() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:[a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+(?i:[a-z]{2,63})$`)
}

// hostsOfAddresses are the hosts of the addresses in a text.
func hostsOfAddresses(text string) []string {
	var hosts []string
	for _, word := range strings.FieldsFunc(text, isSeparator) {
		if u, err := url.Parse(word); err == nil && u.Hostname() != "" && (u.Scheme == "https" || u.Scheme == "http") {
			hosts = append(hosts, hostOf(u))
		}
	}
	return hosts
}

func isSeparator(r rune) bool { return strings.ContainsRune(" ,|;\t\r\n\"'=<>", r) }
