package main

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

const (
	scope    = "@research-council/cli-" // of the npm packages, as the launchers look for them
	manifest = "bin/SHA256SUMS"
)

// pluginTree is what hosts read, without programs.
func (r *release) pluginTree() (tree, error) {
	t := tree{}
	noCode := func(name string) bool { return !strings.HasSuffix(name, ".go") }
	for _, dir := range []string{".claude-plugin", ".codex-plugin", "agents", "commands", "hooks", "hosts", "skills"} {
		if err := t.addFolder(dir, filepath.Join(r.source, dir), noCode); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "LICENSE"} {
		if err := t.add(name, filepath.Join(r.source, name), 0o644); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// launched is the tree whose programs are found by the launchers, and checked.
func (r *release) launched() (tree, error) {
	t, err := r.pluginTree()
	if err != nil {
		return nil, err
	}
	for _, program := range programs {
		if err := t.add("bin/"+program, filepath.Join(r.source, "bin", program), 0o755); err != nil {
			return nil, err
		}
	}
	sums, err := r.sums()
	t[manifest] = file{sums, 0o644}
	return t, err
}

// launcherSuffix is what the name of a program ends with where launchers look for
// it. Windows takes amd64's on every machine.
func (p platform) launcherSuffix() string {
	if p.os == "windows" {
		return p.exe()
	}
	return "-" + p.triple
}

// launchable are the platforms whose programs launchers can find.
func (r *release) launchable() []platform {
	return slices.DeleteFunc(slices.Clone(r.list), func(p platform) bool { return p.os == "windows" && p.arch != "amd64" })
}

// sums is the manifest of the programs of all platforms.
func (r *release) sums() ([]byte, error) {
	var lines bytes.Buffer
	for _, p := range r.launchable() {
		for _, program := range programs {
			t := tree{}
			if err := t.add("it", r.built(p, program), 0); err != nil {
				return nil, err
			}
			fmt.Fprintf(&lines, "%s  %s%s\n", digest(t["it"].data), program, p.launcherSuffix())
		}
	}
	return lines.Bytes(), nil
}

// plugins writes the plugin in its forms, and the marketplace.
func (r *release) plugins() error {
	for _, p := range r.list {
		t, err := r.pluginTree()
		if err != nil {
			return err
		}
		if err := r.addPrograms(t, p, "bin/", p.exe()); err != nil {
			return err
		}
		if err := r.zipped(fmt.Sprintf("research-council-plugin_%s_%s_%s.zip", r.version, p.os, p.arch), t); err != nil {
			return err
		}
	}
	t, err := r.launched()
	if err != nil {
		return err
	}
	if err := r.gitVariant(maps.Clone(t)); err != nil {
		return err
	}
	for _, p := range r.launchable() { // Windows' loader takes NAME.exe where hooks name NAME, the launcher
		if err := r.addPrograms(t, p, "bin/", p.launcherSuffix()); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("research-council-plugin_%s.zip", r.version)
	if err := r.zipped(name, t); err != nil {
		return err
	}
	return r.marketplace(name)
}

// extensions writes the extension of Gemini CLI for each platform: what is
// installed by the address of a repository is the asset of its newest release
// whose name begins with the platform.
func (r *release) extensions() error {
	for _, p := range r.unix() {
		t := tree{}
		if err := t.addFolder("", filepath.Join(r.source, "hosts", "gemini"), all); err != nil {
			return err
		}
		if err := t.add("LICENSE", filepath.Join(r.source, "LICENSE"), 0o644); err != nil {
			return err
		}
		if err := r.addPrograms(t, p, "bin/", p.exe()); err != nil {
			return err
		}
		if err := r.tarred(strings.ReplaceAll(p.npm, "-", ".")+".research-council.tar.gz", t); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) addPrograms(t tree, p platform, folder, suffix string) error {
	for _, program := range programs {
		if err := t.add(folder+program+suffix, r.built(p, program), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) zipped(name string, t tree) error {
	data, err := t.zip(r.at)
	if err != nil {
		return err
	}
	return r.write(name, data)
}

func (r *release) tarred(name string, t tree) error {
	data, err := t.tarball(r.at)
	if err != nil {
		return err
	}
	return r.write(name, data)
}

// marketplace is the repository's own, with the archive as its plugin's source.
func (r *release) marketplace(archive string) error {
	var market struct {
		Name        string           `json:"name"`
		Description string           `json:"description"`
		Owner       json.RawMessage  `json:"owner"`
		Plugins     []map[string]any `json:"plugins"`
	}
	if err := r.decode(".claude-plugin/marketplace.json", &market); err != nil {
		return err
	}
	t := tree{}
	if err := t.add("it", filepath.Join(r.out, archive), 0); err != nil {
		return err
	}
	for _, plugin := range market.Plugins {
		plugin["source"] = map[string]string{"source": "archive", "url": r.published(archive), "sha256": digest(t["it"].data)}
		plugin["version"] = r.version
	}
	return r.writeJSON("marketplace.json", market)
}

func (r *release) writeJSON(name string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	return r.write(name, data)
}

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return out.Bytes(), err
}

// npmPackage is package.json of one, and what package-lock.json says of it.
type npmPackage struct {
	Name         string            `json:"name,omitempty"`
	Version      string            `json:"version"`
	Description  string            `json:"description,omitempty"`
	License      string            `json:"license,omitempty"`
	Repository   map[string]string `json:"repository,omitempty"` // which provenance is held to
	Private      bool              `json:"private,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Optional     bool              `json:"optional,omitempty"`
	Integrity    string            `json:"integrity,omitempty"`
	Dependencies map[string]string `json:"optionalDependencies,omitempty"`
}

type npmLock struct {
	Name     string                `json:"name"`
	Version  string                `json:"version"`
	Lock     int                   `json:"lockfileVersion"`
	Requires bool                  `json:"requires"`
	Packages map[string]npmPackage `json:"packages"`
}

// gitVariant writes the plugin without programs: the host runs npm in it, which
// fetches the package of the platform.
func (r *release) gitVariant(t tree) error {
	top := npmPackage{Name: "research-council-plugin", Version: r.version, Private: true, License: "MIT", Dependencies: map[string]string{}}
	lock := npmLock{Name: top.Name, Version: r.version, Lock: 3, Requires: true, Packages: map[string]npmPackage{}}
	for _, p := range r.unix() {
		name := scope + p.npm
		system, cpu, _ := strings.Cut(p.npm, "-")
		pack := npmPackage{
			Name: name, Version: r.version, Description: "The programs of research-council for " + p.npm + ".", License: "MIT",
			Repository: map[string]string{"type": "git", "url": "git+https://" + r.module + ".git"},
			OS:         []string{system}, CPU: []string{cpu},
		}
		data, err := r.npmTarball(pack, p)
		if err != nil {
			return err
		}
		if err := r.write("npm/"+strings.NewReplacer("@", "", "/", "-").Replace(name)+"-"+r.version+".tgz", data); err != nil {
			return err
		}
		sum := sha512.Sum512(data)
		top.Dependencies[name] = r.version
		lock.Packages["node_modules/"+name] = npmPackage{Version: r.version, License: "MIT", OS: pack.OS, CPU: pack.CPU, Optional: true, Integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	}
	lock.Packages[""] = npmPackage{Name: top.Name, Version: r.version, License: "MIT", Dependencies: top.Dependencies}
	for name, v := range map[string]any{"package.json": top, "package-lock.json": lock} {
		data, err := encode(v)
		if err != nil {
			return err
		}
		t[name] = file{data, 0o644}
	}
	return r.tarred(fmt.Sprintf("research-council-git_%s.tar.gz", r.version), t)
}

func (r *release) npmTarball(pack npmPackage, p platform) ([]byte, error) {
	data, err := encode(pack)
	if err != nil {
		return nil, err
	}
	t := tree{"package/package.json": {data, 0o644}}
	if err := t.add("package/LICENSE", filepath.Join(r.source, "LICENSE"), 0o644); err != nil {
		return nil, err
	}
	if err := r.addPrograms(t, p, "package/bin/", ""); err != nil {
		return nil, err
	}
	return t.tarball(r.at)
}

// find gives the platform of a Go system and architecture, where it is built.
func (r *release) find(system, arch string) (platform, bool) {
	n := slices.IndexFunc(r.list, func(p platform) bool { return p.os == system && p.arch == arch })
	if n < 0 {
		return platform{}, false
	}
	return r.list[n], true
}
