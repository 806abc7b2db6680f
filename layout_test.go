package council_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors says which floor a room stands on. A room imports rooms of lower
// floors alone; the nouns of floor 0 may also use one another.
var floors = map[string]int{
	// nouns: pure
	"agents": 0, "internal/agent": 0, "internal/budget": 0, "internal/campaign": 0, "internal/claim": 0, "internal/consilium": 0, "docs/schemas": 0, "internal/feature": 0, "internal/finding": 0, "internal/pipeline": 0, "internal/recipe": 0, "internal/survey": 0, "internal/suite": 0, "internal/sweep": 0, "internal/handbook": 0, "internal/flow": 0, "internal/forecast": 0,
	"internal/guard": 0, "internal/imprint": 0, "internal/jsonl": 0, "internal/loop": 0, "internal/mark": 0, "internal/markdown": 0, "internal/plural": 0, "internal/quote": 0, "internal/score": 0,
	"internal/protected": 0, "internal/secret": 0, "internal/scope": 0, "internal/source": 0, "internal/vote": 0, "prompts": 0,
	// tongues, recipes, projections: pure
	"internal/agent/chat": 1, "internal/agent/claude": 1, "internal/agent/codex": 1, "internal/agent/command": 1,
	"internal/agent/gemini": 1, "internal/agent/librarian": 1,
	"internal/citation": 1, "internal/export": 1, "internal/extract": 1, "internal/hook": 1, "internal/prompt": 1,
	"internal/proxy": 1, "internal/report": 1, "internal/request": 1, "internal/respite": 1, "internal/robots": 1, "internal/sarif": 1, "internal/schema": 1, "internal/status": 1,
	"internal/warc": 1,
	// what the edges write with
	"internal/durable": 2,
	// edges: each touches one outside thing
	"internal/archive": 3, "internal/chat": 3, "internal/checkpoint": 3, "internal/config": 3, "internal/confine": 3, "internal/corpus": 3, "internal/custody": 3, "internal/journal": 3,
	"internal/notion": 3, "internal/proc": 3, "internal/repo": 3, "internal/tex": 3, "internal/workspace": 3,
	// two edges as one; an edge that is set by config
	"internal/library": 4, "internal/notify": 4, "internal/shell": 4, "internal/telemetry": 4,
	// the loop between flow and the world, and what people look at
	"internal/audit": 5, "internal/desk": 5, "internal/doctor": 5, "internal/driver": 5, "internal/verify": 5, "internal/view": 5,
	// doors
	"cmd/council": 6, "cmd/council-hook": 6,
}

// pure is the highest floor whose rooms touch neither clock, disk, network,
// processes nor dice, and start no goroutine.
const pure = 1

// outside are the standard packages that touch something outside.
var outside = []string{
	"crypto/rand", "log", "log/slog", "math/rand", "math/rand/v2", "net",
	"os", "os/exec", "os/signal", "os/user", "runtime", "syscall",
}

// clock are the functions of package time that look at it or wait for it.
var clock = []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}

// word reports whether pure rooms may use a name of net/http: numbers and
// spellings, nothing that speaks.
func word(name string) bool { return strings.HasPrefix(name, "Status") || name == "ParseTime" }

// guest reports whether a noun may use a module beyond the standard library:
// text tables for all, that of public suffixes for sources, the front matter
// parser for the prompts.
func guest(room, imported string) bool {
	return strings.HasPrefix(imported, "golang.org/x/text/") || room == "internal/source" && imported == "golang.org/x/net/publicsuffix" ||
		(room == "prompts" || room == "agents") && imported == "github.com/adrg/frontmatter"
}

const module = "research-council/"

// source is one Go file of a room, tests apart.
type source struct {
	room, path string
	*ast.File
}

// sources parses every Go file that is built into a program. Rooms below test/
// and rooms whose name ends in "test" only serve tests.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (p == "test" || name == "testdata" || name == "node_modules" || name[0] == '.' || strings.HasSuffix(name, "test")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		list = append(list, source{path.Dir(filepath.ToSlash(p)), p, file})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

func (s source) imports() []string {
	var list []string
	for _, i := range s.Imports {
		p, _ := strconv.Unquote(i.Path.Value) // the parser has seen that it is a string
		list = append(list, p)
	}
	return list
}

func TestEveryRoomStandsOnAFloor(t *testing.T) {
	for _, s := range sources(t) {
		require.Contains(t, floors, s.room, "%s: give its room a floor in %s", s.path, "layout_test.go")
	}
}

func TestRoomsImportLowerFloorsAlone(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports() {
			room, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			below, known := floors[room]
			require.True(t, known, "%s imports %s, which has no floor", s.path, room)
			if floors[s.room] == 0 && below == 0 {
				continue
			}
			require.Less(t, below, floors[s.room], "%s imports %s, which is not below it", s.path, room)
		}
	}
}

// renames are the rooms that rename files by themselves: durable for all, a
// checkpoint, whose commit syncs its folder once for many, and those that move
// what somebody else has written.
var renames = []string{"internal/durable", "internal/checkpoint", "internal/custody", "internal/workspace"}

func TestOneRoomPutsFilesInPlace(t *testing.T) {
	for _, s := range sources(t) {
		if slices.Contains(renames, s.room) {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				name := types.ExprString(call.Fun)
				require.False(t, name == "os.Rename" || strings.HasSuffix(name, "root.Rename"), "%s renames a file by itself: package durable does so, and syncs", s.path)
			}
			return true
		})
	}
}

func TestNounsNeedNothingButTheStandardLibrary(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports() {
			first, _, _ := strings.Cut(imported, "/")
			if floors[s.room] == 0 && strings.Contains(first, ".") {
				require.True(t, guest(s.room, imported), "%s imports %s", s.path, imported)
			}
		}
	}
}

func TestLowFloorsArePure(t *testing.T) {
	for _, s := range sources(t) {
		if floors[s.room] > pure {
			continue
		}
		for _, imported := range s.imports() {
			require.NotContains(t, outside, imported, "%s touches the outside", s.path)
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				require.Fail(t, "a goroutine on a pure floor", s.path)
			case *ast.SelectorExpr:
				of, _ := n.X.(*ast.Ident)
				if of != nil && of.Name == "time" {
					require.NotContains(t, clock, n.Sel.Name, "%s looks at the clock", s.path)
				}
				if of != nil && of.Name == "http" {
					require.True(t, word(n.Sel.Name), "%s speaks HTTP: %s", s.path, n.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestNothingRunsBeforeMain(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				require.NotEqual(t, "init", f.Name.Name, "%s has an init function", s.path)
			}
		}
	}
}

func TestEveryRoomSaysWhatItIs(t *testing.T) {
	said := map[string]bool{}
	for _, s := range sources(t) {
		said[s.room] = said[s.room] || s.Doc != nil
	}
	for room, ok := range said {
		require.True(t, ok, "%s has no package comment", room)
	}
}

// A binary that is committed is paid for by everybody who clones, and the host
// copies it.
func TestTheFilesClaudeCodeReadsAreThere(t *testing.T) {
	for _, name := range []string{
		".claude-plugin/plugin.json", ".claude-plugin/marketplace.json",
		"commands/deep-research.md", "commands/cancel-research.md", "commands/status.md",
		"skills/council-guide/SKILL.md", "README.md", "LICENSE",
	} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Positive(t, info.Size(), name)
	}
	ignored, err := os.ReadFile(".gitignore")
	require.NoError(t, err)
	require.True(t, slices.Contains(strings.Split(string(ignored), "\n"), "/bin/"), "bin/ is built, never committed")
}

// The host caches a plugin by its version: one that is raised in one place
// alone gives users the old program.
func TestPluginAndProgramAreOneVersion(t *testing.T) {
	var plugin struct{ Version string }
	manifest, err := os.ReadFile(".claude-plugin/plugin.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(manifest, &plugin))
	program, err := os.ReadFile("cmd/council/version.go")
	require.NoError(t, err)
	require.Contains(t, string(program), "const release = "+strconv.Quote(plugin.Version))
}
