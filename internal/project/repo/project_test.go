package repo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

func TestWhetherAProjectHoldsAnythingToAnalyse(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  []string
		except []string
		empty  bool
	}{
		{"nothing", nil, nil, true},
		{"papers and configuration", []string{"README.md", "LICENSE", "LICENSE.txt", "license-mit", "package.json", "a/b/c.yaml", "x.toml", "setup.cfg", "go.mod", "docs/guide.MD", "Makefile", "README"}, nil, true},
		{"files with a dot", []string{".gitignore", ".github/workflows/ci.yml", ".github/scripts/run.sh"}, nil, true},
		{"what campaigns left", []string{"docs/research-go/go-report.tex", "docs/research-go/sources.bib", "research/r1/journal.jsonl", ".claude/x.local.md"}, nil, true},
		{"a program deep below", []string{"README.md", "a/b/c/d/e/src/main.go"}, nil, false},
		{"a program in a folder named like a run's", []string{"src/research/main.go"}, nil, false},
		{"a report beside the campaigns'", []string{"docs/report.tex"}, nil, false},
		{"a name in another script", []string{"文/прог\n.go"}, nil, false},
		{"text", []string{"notes.txt"}, nil, false},
		{"a script named like a paper", []string{"license.go"}, nil, false},
		{"what does not count", []string{"fixtures/deep/x.bin", "gen.go"}, []string{"fixtures/", "gen.go"}, true},
	} {
		for _, in := range []string{"folder", "repository", "folder of a repository"} {
			t.Run(c.name+" in a "+in, func(t *testing.T) {
				dir := t.TempDir()
				if in != "folder" {
					dir = repotest.Init(t)
				}
				if in == "folder of a repository" {
					repotest.Write(t, dir, map[string]string{"main.go": "package main"})
					dir = filepath.Join(dir, "sub")
					require.NoError(t, os.Mkdir(dir, 0o755))
				}
				for _, f := range c.files {
					repotest.Write(t, dir, map[string]string{f: "x"})
				}
				empty, err := Empty(dir, c.except)
				require.NoError(t, err)
				require.Equal(t, c.empty, empty)
			})
		}
	}
}

func TestWhatGitIgnoresOrHasLostIsNothingToAnalyse(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"main.go": "package main"})
	repotest.Save(t, dir, "Begin")
	remove(t, dir, "main.go")
	repotest.Write(t, dir, map[string]string{".gitignore": "/node_modules/\n", "node_modules/x/index.js": ""})
	empty, err := Empty(dir, nil)
	require.NoError(t, err)
	require.True(t, empty)
	_, err = Empty(filepath.Join(dir, "missing"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTheCommandAProjectTestsItselfBy(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no Python here
	script := func(text string) string { return `{"scripts": {"test": "` + text + `"}}` }
	for _, c := range []struct {
		name    string
		files   map[string]string
		command string
		why     string
	}{
		{"nothing", nil, "", "name the command"},
		{"a Go module", map[string]string{"go.mod": "module x"}, "go test ./...", "go.mod"},
		{"several modules", map[string]string{"go.work": "use ./a", "a/go.mod": "module a"}, "", "go.work"},
		{"a Makefile's target", map[string]string{"Makefile": "build:\n\tgo build\n\ntest: build ## all\n\tgo test ./...\n", "go.mod": "module x"}, "make test", "Makefile"},
		{"one of several targets", map[string]string{"Makefile": "lint test:\r\n\ttrue\r\n"}, "make test", "Makefile"},
		{"only needs", map[string]string{"makefile": "test:: unit\n"}, "make test", "makefile"},
		{"a target that does nothing", map[string]string{"Makefile": ".PHONY: test\ntest:\n\nother:\n\ttrue\n", "go.mod": "module x"}, "go test ./...", "go.mod"},
		{"a variable named so", map[string]string{"Makefile": "test := 1\ntest ::= 1\nx = a test: b\n\ttest: x\n"}, "", "name the command"},
		{"another target", map[string]string{"Makefile": "test-all: x\ntests: x\n"}, "", "name the command"},
		{"a justfile", map[string]string{"justfile": "test *args: build\n  cargo test\n", "Cargo.toml": "[package]"}, "just test", "justfile"},
		{"a justfile's variable", map[string]string{"justfile": "test := 'x'\n"}, "", "name the command"},
		{"npm", map[string]string{"package.json": "\uFEFF" + script("vitest run")}, "npm test", "package.json"},
		{"pnpm", map[string]string{"package.json": script("vitest"), "pnpm-lock.yaml": ""}, "pnpm test", "pnpm"},
		{"yarn", map[string]string{"package.json": script("jest"), "yarn.lock": ""}, "yarn test", "yarn"},
		{"bun", map[string]string{"package.json": script("jest"), "bun.lock": ""}, "bun run test", "bun"},
		{"a manager by name", map[string]string{"package.json": `{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}`, "yarn.lock": ""}, "pnpm test", "pnpm"},
		{"npm's placeholder", map[string]string{"package.json": script(`echo \"Error: no test specified\" && exit 1`)}, "", "name the command"},
		{"a placeholder beside Go", map[string]string{"package.json": script("echo no test specified"), "go.mod": "module x"}, "go test ./...", "go.mod"},
		{"a broken package.json", map[string]string{"package.json": `{"scripts": ["test"`}, "", "name the command"},
		{"a script that is none", map[string]string{"package.json": `{"scripts": {"test": {"x": 1}}}`}, "", "name the command"},
		{"a command in the manager's place", map[string]string{"package.json": `{"packageManager": "rm -rf /", "scripts": {"test": "x"}}`}, "npm test", "package.json"},
		{"tox", map[string]string{"tox.ini": "[tox]", "pyproject.toml": ""}, "tox", "tox"},
		{"tox in pyproject", map[string]string{"pyproject.toml": "[tool.tox]\n"}, "tox", "tox"},
		{"pytest", map[string]string{"pytest.ini": ""}, "python -m pytest", "pytest"},
		{"setup.cfg", map[string]string{"setup.cfg": "[tool:pytest]\n"}, "python -m pytest", "setup.cfg"},
		{"setup.cfg without tests", map[string]string{"setup.cfg": "[metadata]\n"}, "", "name the command"},
		{"uv", map[string]string{"pyproject.toml": "[project]", "uv.lock": ""}, "uv run python -m pytest", "uv"},
		{"poetry", map[string]string{"pyproject.toml": "[project]", "poetry.lock": ""}, "poetry run python -m pytest", "poetry"},
		{"tests alone", map[string]string{"tests/test_x.py": ""}, "python -m pytest", "tests"},
		{"Rust", map[string]string{"Cargo.toml": "[package]"}, "cargo test", "Cargo.toml"},
		{"a Rust workspace", map[string]string{"Cargo.toml": "[workspace]"}, "cargo test --workspace", "workspace"},
		{"Elixir", map[string]string{"mix.exs": ""}, "mix test", "mix.exs"},
		{"Maven", map[string]string{"pom.xml": ""}, "mvn --batch-mode test", "pom.xml"},
		{"Maven as it is brought", map[string]string{"pom.xml": "", "mvnw": ""}, "./mvnw --batch-mode test", "pom.xml"},
		{"Gradle", map[string]string{"build.gradle.kts": ""}, "gradle test", "build.gradle.kts"},
		{"Gradle as it is brought", map[string]string{"settings.gradle": "", "gradlew": ""}, "./gradlew test", "settings.gradle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "[a] *")
			repotest.Write(t, dir, map[string]string{"README.md": ""})
			repotest.Write(t, dir, c.files)
			command, why := TestCommand(dir)
			require.Equal(t, c.command, command)
			require.Contains(t, why, c.why)
		})
	}
}

func TestPythonIsCalledByTheNameItHas(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "python3"), nil, 0o755))
	repotest.Write(t, dir, map[string]string{"pytest.ini": ""})
	t.Setenv("PATH", bin)
	command, _ := TestCommand(dir)
	require.Equal(t, "python3 -m pytest", command)
}

func FuzzMakefile(f *testing.F) {
	f.Add("test: x\n")
	f.Add("a test :: b\n\tc\\\n")
	f.Add("test:\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		if !target(text) {
			return
		}
		require.True(t, target(text+"\n# more\n"), "what follows takes no target away")
		require.Contains(t, text, "test")
	})
}

func FuzzMessage(f *testing.F) {
	f.Add("Add a thing\n\nBody\n\nReviewed-by: X <x@y>", "F001")
	f.Add("Council-Task: F9", "F001\nCouncil-Task: F2")
	f.Add("\xff\x00\n\n\n", "")
	f.Fuzz(func(t *testing.T, text, name string) {
		said := message(text, name)
		require.NotContains(t, said, "\x00")
		_, wanted, _ := cutTask(message("", name))
		_, got, _ := cutTask(said)
		require.Equal(t, wanted, got)
		require.Equal(t, got, task(said), "the task is known again, and no other")
	})
}

// cutTask cuts a message at its last trailer.
func cutTask(said string) (string, string, bool) {
	for i := len(said) - len(trailer) - 2; i >= 0; i-- {
		if said[i:i+len(trailer)+2] == trailer+": " && (i == 0 || said[i-1] == '\n') {
			return said[:i], said[i+len(trailer)+2:], true
		}
	}
	return said, "", false
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ text, task, want string }{
		{"Add it", "F001", "Add it\n\nCouncil-Task: F001"},
		{"", "F001", "Complete F001\n\nCouncil-Task: F001"},
		{"Add it", "", "Add it"},
		{"Add it\n\nReviewed-by: X", "F001", "Add it\n\nReviewed-by: X\nCouncil-Task: F001"},
		{"Add it\n\ncouncil-task : F9\nMore", "F001", "Add it\n\nMore\n\nCouncil-Task: F001"},
		{"\n\nAdd: it\r\n", "F 1\n2", "Add: it\n\nCouncil-Task: F 1 2"},
	} {
		require.Equal(t, c.want, message(c.text, c.task))
	}
}

func TestTheProjectToTestWith(t *testing.T) {
	dir := repotest.Project(t)
	test := func() error {
		cmd := exec.Command("go", "test", "./...")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
		return cmd.Run()
	}
	command, _ := TestCommand(dir)
	require.Equal(t, "go test ./...", command)
	require.NoError(t, test())
	r := open(t, dir)
	for _, f := range repotest.Features() {
		was := snap(t, r)
		repotest.Write(t, dir, f.Test)
		require.Error(t, test(), "%s is missing", f.ID)
		repotest.Write(t, dir, f.Wrong)
		require.Error(t, test(), "%s is wrong", f.ID)
		require.Len(t, aside(t, r, was), 2)
		require.NoError(t, test(), "the next begins from green")
		repotest.Write(t, dir, f.Test)
		repotest.Write(t, dir, f.Right)
		require.NoError(t, test(), "%s is right", f.ID)
		require.Len(t, commit(t, r, was).Files, 2)
	}
	require.Empty(t, status(t, dir))
}

// BenchmarkSnapshot is a snapshot of 10,000 files, of which a hundred were
// changed and a hundred are new.
func BenchmarkSnapshot(b *testing.B) {
	dir := repotest.Init(b)
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("pkg%d/file%d.go", i%100, i)] = "package pkg // " + strconv.Itoa(i)
	}
	repotest.Write(b, dir, files)
	repotest.Save(b, dir, "Begin")
	for i := range 100 {
		repotest.Write(b, dir, map[string]string{fmt.Sprintf("pkg%d/file%d.go", i, i): "changed", fmt.Sprintf("pkg%d/new.go", i): strconv.Itoa(i)})
	}
	r, err := Open(dir, "")
	require.NoError(b, err)
	was := snap(b, r)
	b.Run("taken", func(b *testing.B) {
		for b.Loop() {
			snap(b, r)
		}
	})
	b.Run("compared", func(b *testing.B) {
		for b.Loop() {
			changed(b, r, was)
		}
	})
	b.Run("git add --dry-run, for comparison", func(b *testing.B) {
		for b.Loop() {
			repotest.Git(b, dir, "add", "--all", "--dry-run")
		}
	})
}
