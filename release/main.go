// Command release builds everything a release publishes, from one commit and
// nothing else: it works in a clone, so that neither an edit nor a file beside
// it gets in, and two calls for one commit give the same bytes.
//
//	go run ./release [-out DIR] [-commit REV] [-platforms linux/amd64,…]
//
// It writes, with V the version of .claude-plugin/plugin.json:
//
//	research-council-plugin_V.zip             the plugin for every platform, its programs found by the launchers
//	research-council-plugin_V_OS_ARCH.zip     the plugin for one, its programs where hooks.json names them
//	research-council-git_V.tar.gz             the plugin without programs, which npm fetches for the platform
//	npm/*.tgz                                 those packages
//	OS.ARCH.research-council.tar.gz           the extension of Gemini CLI, which asks for that name
//	council_V_OS_ARCH.tar.gz                  the plugin with its programs, manual pages and completions
//	install.sh                                fetches that, checks it and puts it in place
//	research-council_V_ARCH.deb, .rpm         the same for a system
//	council_V_windows_ARCH.zip                the plugin with its programs for Windows
//	research-council.rb                       for Homebrew
//	research-council.json                     for Scoop
//	container_V.tar.gz                        what a container image is built from
//	marketplace.json                          a marketplace whose plugin is the first of these
//	notes                                     what CHANGELOG.md says of V
//	council_V.cdx.json, checksums.txt         what is in it, and the SHA-256 of each file
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platform is what programs are built for, as Go, the launchers and npm call it.
// Windows has no npm package, for there hooks start a program alone, which has to
// lie in the plugin, and no names by triple: the launchers know one program.
type platform struct{ os, arch, triple, npm string }

var platforms = []platform{
	{"linux", "amd64", "x86_64-unknown-linux-musl", "linux-x64"},
	{"linux", "arm64", "aarch64-unknown-linux-musl", "linux-arm64"},
	{"darwin", "amd64", "x86_64-apple-darwin", "darwin-x64"},
	{"darwin", "arm64", "aarch64-apple-darwin", "darwin-arm64"},
	{"windows", "amd64", "", ""},
	{"windows", "arm64", "", ""},
}

// programs are built for each platform, together.
var programs = []string{"council", "council-hook"}

// release is what one is made of.
type release struct {
	source  string // the clone
	out     string
	stage   string // what is built and is no artefact
	module  string // the module's path, where it is published too
	market  string // the name of its marketplace
	version string
	commit  string
	at      time.Time // of the commit, which every file has
	list    []platform
}

func main() {
	out := flag.String("out", "dist", "the folder to write, which must be empty or not there")
	commit := flag.String("commit", "HEAD", "what to build")
	only := flag.String("platforms", "", "OS/ARCH, parted by commas; all")
	flag.Parse()
	if err := run(*out, *commit, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out, commit, only string) error {
	r, err := prepare(out, commit, only)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.stage)
	for _, step := range []func() error{r.build, r.describe, r.plugins, r.extensions, r.commandLine, r.installer, r.systemPackages, r.recipe, r.scoop, r.container, r.notes, r.bill, r.checksums} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Printf("research-council %s of %s, in %s\n", r.version, r.commit[:12], r.out)
	return nil
}

// prepare clones the commit and learns what it is.
func prepare(out, commit, only string) (r *release, err error) {
	r = &release{list: platforms}
	if only != "" {
		others := func(p platform) bool { return !slices.Contains(strings.Split(only, ","), p.os+"/"+p.arch) }
		r.list = slices.DeleteFunc(slices.Clone(platforms), others)
	}
	if len(r.list) == 0 {
		return nil, fmt.Errorf("no platform is one of %s", only)
	}
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	if left, err := os.ReadDir(r.out); err == nil && len(left) > 0 {
		return nil, fmt.Errorf("%s is not empty", r.out)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return nil, err
	}
	if r.stage, err = os.MkdirTemp("", "release"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(r.stage))
		}
	}()
	top, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if r.commit, err = output(top, "git", "rev-parse", commit+"^{commit}"); err != nil {
		return nil, err
	}
	r.source = filepath.Join(r.stage, "source")
	if _, err := output("", "git", "clone", "-q", "--no-checkout", top, r.source); err != nil {
		return nil, err
	}
	if _, err := output(r.source, "git", "-c", "core.autocrlf=false", "checkout", "-q", "--detach", r.commit); err != nil {
		return nil, err
	}
	return r, r.learn()
}

func (r *release) learn() error {
	seconds, err := output(r.source, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the commit's time: %w", err)
	}
	r.at = time.Unix(unix, 0).UTC()
	if r.module, err = output(r.source, "go", "list", "-m"); err != nil {
		return err
	}
	var plugin struct{ Version string }
	if err := r.decode(".claude-plugin/plugin.json", &plugin); err != nil {
		return err
	}
	var market struct{ Name string }
	if err := r.decode(".claude-plugin/marketplace.json", &market); err != nil {
		return err
	}
	r.version, r.market = plugin.Version, market.Name
	return nil
}

func (r *release) decode(name string, into any) error {
	data, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// build compiles the programs. What the machine has set for Go does not reach
// them: the commit alone does, which is stamped into each.
func (r *release) build() error {
	for _, p := range r.list {
		for _, program := range programs {
			cmd := command(r.source, "go", "build", "-trimpath", "-buildvcs=true", "-mod=readonly", "-ldflags", "-s -w", "-o", r.built(p, program), "./cmd/"+program)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off")
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("build %s for %s/%s: %w", program, p.os, p.arch, err)
			}
		}
	}
	return nil
}

// built is where a program lies, once it is built.
func (r *release) built(p platform, program string) string {
	return filepath.Join(r.stage, "built", p.os+"-"+p.arch, program+p.exe())
}

// unix are the platforms but Windows.
func (r *release) unix() []platform {
	return slices.DeleteFunc(slices.Clone(r.list), func(p platform) bool { return p.os == "windows" })
}

func (p platform) exe() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// describe makes manual pages and completions, by a program of this machine.
func (r *release) describe() error {
	pages, completions := filepath.Join(r.stage, "man"), filepath.Join(r.stage, "completions")
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	manual := command(r.source, "go", "run", "-tags", "manual", "./cmd/council", pages, completions)
	manual.Env = append(os.Environ(), "CGO_ENABLED=0", "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.at.Unix(), 10))
	if err := manual.Run(); err != nil {
		return fmt.Errorf("manual pages and completions: %w", err)
	}
	return nil
}

// notes writes what is new: the section of CHANGELOG.md whose heading is the
// version and a date.
func (r *release) notes() error {
	changes, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	_, section, found := strings.Cut(string(changes), "\n## "+r.version+", ")
	if !found {
		return fmt.Errorf("CHANGELOG.md has no section of %s: give what is unreleased its number and date", r.version)
	}
	_, section, _ = strings.Cut(section, "\n") // the date
	section, _, _ = strings.Cut(section, "\n## ")
	return r.write("notes", []byte(strings.TrimSpace(section)+"\n"))
}

// checksums names every artefact with its digest, in the order of names.
func (r *release) checksums() error {
	var lines []string
	err := filepath.WalkDir(r.out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		lines = append(lines, digest(data)+"  "+r.relative(name)+"\n")
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return r.write("checksums.txt", []byte(strings.Join(lines, "")))
}

func (r *release) relative(name string) string {
	name, _ = filepath.Rel(r.out, name) // it was found there
	return filepath.ToSlash(name)
}

func (r *release) write(name string, data []byte) error {
	to := filepath.Join(r.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// published is where an artefact can be fetched, once the release is out.
func (r *release) published(name string) string {
	return "https://" + path.Join(r.module, "releases/download", "v"+r.version, name)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	return cmd
}

// output is what a command prints, without the line's end.
func output(dir, name string, args ...string) (string, error) {
	text, err := command(dir, name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(text), "\n"), nil
}
