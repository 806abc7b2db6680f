package main

import (
	"debug/buildinfo"
	_ "embed" // of the script that installs
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const summary = "Rival agents research one question; quotations are checked by a program"

// commandLine writes all that a user may install: a folder that hosts take as a
// marketplace, with what belongs to a command line beside it.
func (r *release) commandLine() error {
	for _, p := range r.list {
		t, err := r.pluginTree()
		if err != nil {
			return err
		}
		if err := r.addPrograms(t, p, "bin/", p.exe()); err != nil {
			return err
		}
		if p.os == "windows" {
			if err := r.zipped(r.commandLineName(p), t); err != nil {
				return err
			}
			continue
		}
		for _, dir := range []string{"man", "completions"} {
			if err := t.addFolder(dir, filepath.Join(r.stage, dir), all); err != nil {
				return err
			}
		}
		if err := r.tarred(r.commandLineName(p), t); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) commandLineName(p platform) string {
	ending := "tar.gz"
	if p.os == "windows" {
		ending = "zip"
	}
	return fmt.Sprintf("council_%s_%s_%s.%s", r.version, p.os, p.arch, ending)
}

// systemPackages writes a deb and an rpm for each Linux. The plugin comes along,
// its programs links to those of the path: a marketplace that is a folder.
func (r *release) systemPackages() error {
	plugin, err := r.pluginTree()
	if err != nil {
		return err
	}
	for _, p := range r.list {
		if p.os != "linux" {
			continue
		}
		config := filepath.Join(r.stage, "nfpm-"+p.arch+".yaml")
		if err := os.WriteFile(config, []byte(r.nfpm(p, plugin)), 0o600); err != nil {
			return err
		}
		for _, ending := range []string{"deb", "rpm"} {
			to := filepath.Join(r.out, fmt.Sprintf("research-council_%s_%s.%s", r.version, p.arch, ending))
			cmd := command(r.source, "go", "tool", "-modfile=release.mod", "nfpm", "package", "--packager", ending, "--config", config, "--target", to)
			cmd.Stdout = os.Stderr
			cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.at.Unix(), 10))
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s for %s: %w", ending, p.arch, err)
			}
		}
	}
	return nil
}

// nfpm is the configuration of that tool.
func (r *release) nfpm(p platform, plugin tree) string {
	const folder = "/usr/share/research-council/plugin/"
	at := r.at.Format(time.RFC3339)
	var b strings.Builder
	fmt.Fprintf(&b, "name: research-council\narch: %s\nplatform: linux\nversion: %s\nmaintainer: research-council authors\ndescription: %s\nlicense: MIT\nhomepage: https://%s\nsection: science\nmtime: %q\nrecommends: [git, bubblewrap, poppler-utils]\nrpm: {buildhost: localhost}\ncontents:\n", p.arch, r.version, summary, r.module, at)
	add := func(from, to, mode string) {
		fmt.Fprintf(&b, "- {src: %q, dst: %q, file_info: {mode: %s, mtime: %q}}\n", from, to, mode, at)
	}
	for _, program := range programs {
		add(r.built(p, program), "/usr/bin/"+program, "0755")
		fmt.Fprintf(&b, "- {src: ../../../../bin/%s, dst: %sbin/%s, type: symlink, file_info: {mtime: %q}}\n", program, folder, program, at)
	}
	for _, name := range slices.Sorted(maps.Keys(plugin)) {
		add(filepath.Join(r.source, name), folder+name, "0644")
	}
	pages, _ := filepath.Glob(filepath.Join(r.stage, "man", "*")) // the pattern is well formed
	for _, page := range pages {
		add(page, "/usr/share/man/man1/"+filepath.Base(page), "0644")
	}
	for _, to := range []string{"bash-completion/completions/council", "zsh/vendor-completions/_council", "fish/vendor_completions.d/council.fish"} {
		add(filepath.Join(r.stage, "completions", filepath.Base(to)), "/usr/share/"+to, "0644")
	}
	add(filepath.Join(r.source, "LICENSE"), "/usr/share/doc/research-council/copyright", "0644")
	return b.String()
}

//go:embed install.sh
var installer string

// installer writes the script that one line calls, with the digest of the
// archive of each platform in it.
func (r *release) installer() error {
	var sums strings.Builder
	for _, p := range r.unix() {
		sum, err := r.commandLineSum(p)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s-%s %s %s\n", p.os, p.arch, sum, r.commandLineName(p))
	}
	words := strings.NewReplacer("@VERSION@", r.version, "@FROM@", strings.TrimSuffix(r.published(""), "/"), "@MARKET@", r.market, "@SUMS@\n", sums.String())
	return r.write("install.sh", []byte(words.Replace(installer)))
}

func (r *release) commandLineSum(p platform) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.out, r.commandLineName(p)))
	return digest(data), err
}

// recipe writes what Homebrew installs by.
func (r *release) recipe() error {
	var b strings.Builder
	fmt.Fprintf(&b, "class ResearchCouncil < Formula\n  desc %q\n  homepage \"https://%s\"\n  version %q\n  license \"MIT\"\n", summary, r.module, r.version)
	for _, system := range []struct{ os, word string }{{"darwin", "macos"}, {"linux", "linux"}} {
		for _, arch := range []struct{ arch, word string }{{"arm64", "arm"}, {"amd64", "intel"}} {
			p, built := r.find(system.os, arch.arch)
			if !built {
				continue
			}
			sum, err := r.commandLineSum(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n  on_%s do\n    on_%s do\n      url %q\n      sha256 %q\n    end\n  end\n", system.word, arch.word, r.published(r.commandLineName(p)), sum)
		}
	}
	b.WriteString("\n  def install\n    libexec.install Dir[\"*\"] - %w[man completions], Dir[\".*-plugin\"]\n    bin.install_symlink Dir[libexec/\"bin/*\"]\n    man1.install Dir[\"man/*.1\"]\n    bash_completion.install \"completions/council\"\n    zsh_completion.install \"completions/_council\"\n    fish_completion.install \"completions/council.fish\"\n  end\n\n  test do\n    assert_match version.to_s, shell_output(\"#{bin}/council version\")\n  end\nend\n")
	return r.write("research-council.rb", []byte(b.String()))
}

// scoop writes what Scoop installs by, on Windows.
func (r *release) scoop() error {
	type archive struct {
		URL  string `json:"url"`
		Hash string `json:"hash"`
	}
	archives := map[string]archive{}
	for arch, word := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
		p, built := r.find("windows", arch)
		if !built {
			continue
		}
		sum, err := r.commandLineSum(p)
		if err != nil {
			return err
		}
		archives[word] = archive{r.published(r.commandLineName(p)), sum}
	}
	if len(archives) == 0 {
		return nil
	}
	var bin []string
	for _, program := range programs {
		bin = append(bin, `bin\`+program+".exe")
	}
	return r.writeJSON("research-council.json", map[string]any{
		"version": r.version, "description": summary, "homepage": "https://" + r.module, "license": "MIT",
		"architecture": archives, "bin": bin, "suggest": map[string]string{"git": "git"},
	})
}

const dockerfile = `FROM debian:stable-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git poppler-utils && rm -rf /var/lib/apt/lists/*
ARG TARGETOS TARGETARCH
COPY ${TARGETOS}/${TARGETARCH}/ /usr/local/bin/
RUN useradd --create-home council && install -d -o council -g council /work
USER council
WORKDIR /work
ENTRYPOINT ["council"]
`

// container writes the context an image of the command line is built from.
func (r *release) container() error {
	t := tree{"Dockerfile": {[]byte(dockerfile), 0o644}}
	for _, p := range r.list {
		if p.os != "linux" {
			continue
		}
		if err := r.addPrograms(t, p, p.os+"/"+p.arch+"/", ""); err != nil {
			return err
		}
	}
	return r.tarred(fmt.Sprintf("container_%s.tar.gz", r.version), t)
}

// bill writes the modules that are in the programs, as CycloneDX: what the
// linker has put there, not what a file asks for.
func (r *release) bill() error {
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl"`
		Ref     string `json:"bom-ref"`
	}
	modules := map[string]component{}
	for _, p := range r.list {
		for _, program := range programs {
			info, err := buildinfo.ReadFile(r.built(p, program))
			if err != nil {
				return err
			}
			modules["std"] = component{"library", "std", info.GoVersion, "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), "std"}
			for _, m := range info.Deps {
				if m.Replace != nil {
					m = m.Replace
				}
				purl := "pkg:golang/" + m.Path + "@" + m.Version
				modules[m.Path] = component{"library", m.Path, m.Version, purl, purl}
			}
		}
	}
	var list []component
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		list = append(list, modules[name])
	}
	return r.writeJSON(fmt.Sprintf("council_%s.cdx.json", r.version), map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"timestamp": r.at.Format(time.RFC3339), "component": map[string]any{"type": "application", "name": r.module, "version": r.version, "purl": "pkg:golang/" + r.module + "@v" + r.version, "bom-ref": r.commit}},
		"components": list,
	})
}
