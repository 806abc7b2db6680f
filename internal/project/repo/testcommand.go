package repo

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// TestCommand names the command by which the project in dir tests itself, from
// the files at its root, and says why. A command somebody wrote for the purpose
// comes before one that a language has by custom: a Makefile's test target, a
// justfile's, a script of package.json, tox; then Go, Rust, Elixir, Maven,
// Gradle, Python. Without any it is "", and why says so.
//
// The command is one of a fixed set: nothing of the project's text is in it.
func TestCommand(dir string) (command, why string) {
	p := projectRoot(dir)
	for _, look := range []func(projectRoot) (string, string){
		projectRoot.makefile, projectRoot.justfile, projectRoot.script, projectRoot.tox, projectRoot.golang, projectRoot.cargo, projectRoot.mix, projectRoot.maven, projectRoot.gradle, projectRoot.python,
	} {
		if command, why = look(p); command != "" {
			return command, why
		}
	}
	if p.has("go.work") {
		return "", "go.work has several modules and the root none: name the command that tests them"
	}
	return "", "no Makefile or justfile with a target named test, no package.json with a test script, no go.mod, Cargo.toml, mix.exs, pom.xml, build.gradle, and no pytest or tox configuration at the root: name the command"
}

// projectRoot is the root of a project.
type projectRoot string

// maxReadStart is how much of a file is looked at.
const maxReadStart = 1 << 20

func (p projectRoot) has(name string) bool {
	_, err := os.Stat(filepath.Join(string(p), name))
	return err == nil
}

// firstPresent is the first of the names that is there, "" for none.
func (p projectRoot) firstPresent(names ...string) string {
	for _, n := range names {
		if p.has(n) {
			return n
		}
	}
	return ""
}

// readStart is the beginning of a file, "" where it cannot be read.
func (p projectRoot) readStart(name string) string {
	f, err := os.Open(filepath.Join(string(p), name))
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, _ := io.ReadAll(io.LimitReader(f, maxReadStart)) // what was read before a fault is worth a look too
	return string(bytes.TrimPrefix(b, []byte("\uFEFF")))
}

func (p projectRoot) makefile() (string, string) {
	name := p.firstPresent("GNUmakefile", "makefile", "Makefile") // the order make looks in
	if name == "" || !target(p.readStart(name)) {
		return "", ""
	}
	return "make test", name + " has a target named test"
}

// target reports whether a makefile has a target named test that does
// something: with an empty one every change would pass.
func target(text string) bool {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	all := strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")
	for i, l := range all {
		left, right, rule := strings.Cut(l, ":")
		if !rule || strings.HasPrefix(l, "\t") || strings.HasPrefix(right, "=") || strings.HasPrefix(right, ":=") {
			continue
		}
		if !slices.Contains(strings.Fields(left), "test") || strings.ContainsAny(left, "#=") {
			continue
		}
		needs, _, _ := strings.Cut(strings.TrimPrefix(right, ":"), "#")
		if strings.TrimSpace(needs) != "" || i+1 < len(all) && strings.HasPrefix(all[i+1], "\t") {
			return true
		}
	}
	return false
}

func (p projectRoot) justfile() (string, string) {
	name := p.firstPresent("justfile", "Justfile", ".justfile")
	for l := range strings.Lines(p.readStart(name)) {
		head, rest, recipe := strings.Cut(strings.TrimPrefix(l, "@"), ":")
		if f := strings.Fields(head); recipe && len(f) > 0 && f[0] == "test" && !strings.HasPrefix(rest, "=") {
			return "just test", name + " has a recipe named test"
		}
	}
	return "", ""
}

func (p projectRoot) script() (string, string) {
	var manifest struct {
		Scripts        map[string]any `json:"scripts"`
		PackageManager string         `json:"packageManager"`
	}
	if json.Unmarshal([]byte(p.readStart("package.json")), &manifest) != nil {
		return "", ""
	}
	script, _ := manifest.Scripts["test"].(string)
	if strings.TrimSpace(script) == "" || strings.Contains(script, "no test specified") { // npm init's own
		return "", ""
	}
	manager, _, _ := strings.Cut(manifest.PackageManager, "@")
	locks := map[string]string{"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "package-lock.json": "npm"}
	if lock := p.firstPresent("pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "package-lock.json"); manager == "" && lock != "" {
		manager = locks[lock]
	}
	// Plain "bun test" would be bun's own runner, not the script.
	commands := map[string]string{"pnpm": "pnpm test", "yarn": "yarn test", "bun": "bun run test"}
	if command, is := commands[manager]; is {
		return command, "package.json has a test script, and " + manager + " is the package manager"
	}
	return "npm test", "package.json has a test script"
}

func (p projectRoot) tox() (string, string) {
	if p.has("tox.ini") || strings.Contains(p.readStart("pyproject.toml"), "[tool.tox") {
		return "tox", "tox is configured"
	}
	return "", ""
}

func (p projectRoot) golang() (string, string) {
	if !p.has("go.mod") {
		return "", ""
	}
	return "go test ./...", "go.mod makes it a Go module"
}

func (p projectRoot) cargo() (string, string) {
	text := p.readStart("Cargo.toml")
	if strings.Contains(text, "[workspace]") {
		return "cargo test --workspace", "Cargo.toml is a workspace"
	}
	if text == "" {
		return "", ""
	}
	return "cargo test", "Cargo.toml makes it a Rust crate"
}

func (p projectRoot) mix() (string, string) {
	if !p.has("mix.exs") {
		return "", ""
	}
	return "mix test", "mix.exs makes it an Elixir project"
}

func (p projectRoot) maven() (string, string) {
	if !p.has("pom.xml") {
		return "", ""
	}
	return p.wrapperOr("mvnw", "mvn") + " --batch-mode test", "pom.xml makes it a Maven project"
}

func (p projectRoot) gradle() (string, string) {
	name := p.firstPresent("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
	if name == "" {
		return "", ""
	}
	return p.wrapperOr("gradlew", "gradle") + " test", name + " makes it a Gradle project"
}

// wrapperOr is a build tool as the project brings it, else the system's.
func (p projectRoot) wrapperOr(wrapper, tool string) string {
	if p.has(wrapper) {
		return "./" + wrapper
	}
	return tool
}

func (p projectRoot) python() (string, string) {
	why := ""
	tests, _ := filepath.Glob(filepath.Join(escape(string(p)), "test*", "test_*.py")) // the pattern is well formed
	switch {
	case p.has("pytest.ini") || p.has("conftest.py"):
		why = "pytest is configured"
	case strings.Contains(p.readStart("setup.cfg"), "[tool:pytest]"):
		why = "setup.cfg configures pytest"
	case p.has("pyproject.toml"):
		why = "pyproject.toml makes it a Python project"
	case len(tests) > 0:
		why = filepath.Base(filepath.Dir(tests[0])) + " has tests in Python"
	default:
		return "", ""
	}
	if p.has("uv.lock") {
		return "uv run python -m pytest", why + ", and uv keeps its packages"
	}
	if p.has("poetry.lock") {
		return "poetry run python -m pytest", why + ", and poetry keeps its packages"
	}
	return interpreter() + " -m pytest", why
}

// escape makes wildcards in a path ordinary characters.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// interpreter is what Python is called here: some systems have python3 alone.
func interpreter() string {
	if _, err := exec.LookPath("python"); err != nil {
		if _, err := exec.LookPath("python3"); err == nil {
			return "python3"
		}
	}
	return "python"
}
