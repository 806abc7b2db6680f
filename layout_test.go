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
	"regexp"
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
	"agents": 0, "internal/agent": 0, "internal/engine/budget": 0, "internal/product/campaign": 0, "internal/evidence/claim": 0, "internal/evidence/relation": 0, "internal/product/panel": 0, "docs/schemas": 0, "internal/product/campaign/feature": 0, "internal/product/codereview/finding": 0, "internal/product/staged": 0, "internal/product/council": 0, "internal/project/survey": 0, "internal/project/testresult": 0, "internal/product/codereview": 0, "internal/product/codereview/handbook": 0, "internal/engine/flow": 0, "internal/engine/forecast": 0, "internal/engine/status": 0,
	"internal/evidence/guard": 0, "internal/evidence/provenance": 0, "internal/base/commonmark": 0, "internal/base/jsonl": 0, "internal/engine/loop": 0, "internal/base/marker": 0, "internal/base/markdown": 0, "internal/base/plain": 0, "internal/base/plural": 0, "internal/base/usage": 0, "internal/base/words": 0, "internal/evidence/quote": 0, "internal/evidence/quote/spelling": 0, "internal/evidence/quote/governing": 0, "internal/evidence/quote/char": 0, "internal/evidence/quote/reading": 0, "internal/evidence/score": 0,
	"internal/project/protected": 0, "internal/project/secret": 0, "internal/evidence/scope": 0, "internal/evidence/source": 0, "internal/evidence/experiment": 0, "internal/evidence/trial": 0, "internal/evidence/websearch/engine": 0, "internal/evidence/vote": 0, "prompts": 0,
	// tongues, projections: pure
	"internal/evidence/citation": 1, "internal/evidence/citation/stated": 0, "internal/output/export": 1, "internal/evidence/extract": 1, "internal/engine/hook": 1, "internal/agent/prompt": 1,
	"internal/base/proxy": 1, "internal/output/report": 1, "internal/host/request": 1, "internal/base/retryafter": 1, "internal/evidence/robots": 1, "internal/product/codereview/sarif": 1, "internal/agent/schema": 1,
	"internal/evidence/warc": 1,
	// what the edges write with
	"internal/base/durable": 2, "internal/base/disk": 2, "internal/base/job": 2,
	// files of a person's folder, and those that are searched for quotations
	"internal/evidence/local": 2, "internal/evidence/quote/lookup": 2,
	// the kinds of seats, listed
	"internal/agent/kinds": 2,
	// what the librarian, a kind of seat, does in a product's runs
	"internal/product/staged/stagedlibrarian": 2,
	// edges: each touches one outside thing
	"internal/evidence/archive": 3, "internal/agent/chat/openai": 3, "internal/agent/chat/toolbox": 3, "internal/host/checkpoint": 3, "internal/engine/config": 3, "internal/engine/allowance": 3, "internal/project/confine": 3, "internal/agent/corpus": 3, "internal/project/restore": 3, "internal/project/top": 3, "internal/engine/journal": 3, "internal/engine/sessionloop": 3,
	"internal/output/notion": 3, "internal/output/browser": 3, "internal/base/proc": 3, "internal/base/userfile": 3, "internal/base/stdio": 3, "internal/project/repo": 3, "internal/output/tex": 3, "internal/engine/workspace": 3,
	// two edges as one; an edge that is set by config
	"internal/evidence/library": 4, "internal/evidence/render": 4, "internal/evidence/tally": 4, "internal/output/notify": 4, "internal/project/shell": 4, "internal/project/lab": 5, "internal/output/telemetry": 4,
	// the loop between flow and the world, and what people look at
	"internal/evidence/audit": 5, "internal/evidence/websearch": 5, "internal/agent/desk": 6, "internal/agent/webpages": 6, "internal/agent/shelf": 4, "internal/host/doctor": 5, "internal/engine/supervisor": 5, "internal/host/verify": 9, "internal/host/view": 5,
	// what each product does in a run, one built on another; all products
	"internal/product/council/councilwork": 6, "internal/product/codereview/reviewwork": 6, "internal/product/staged/stagedwork": 7, "internal/product/campaign/campaignwork": 7, "internal/product": 8,
	// what stands around runs: who calls the program, with what, and what is done to them
	"internal/product/campaign/steering": 8, "internal/host/binaries": 4, "internal/host/program": 9, "internal/product/campaign/records": 10, "internal/host/caller": 10, "internal/host/runs": 10, "internal/host/issues": 6, "internal/host/logs": 11, "internal/host/prepare": 11, "internal/host/publication": 11, "internal/host/dialogue": 11, "internal/host/setup": 12, "internal/host/footprint": 12, "internal/host/session": 13, "internal/host/settings": 4, "internal/host/standing": 4, "internal/host/control": 12, "internal/host/watch": 12, "internal/host/serve": 13, "internal/host/mcp": 13,
	// doors
	"release": 14, "cmd/council": 14, "cmd/council-hook": 14,
}

// floor is the floor of a room: that of a kind of seat, which kind.go gives, is
// the one of tongues.
func floor(room string) (floor int, known bool) {
	if floor, known = floors[room]; known || path.Dir(room) != "internal/agent" {
		return floor, known
	}
	_, err := os.Stat(filepath.Join(filepath.FromSlash(room), "kind.go"))
	return pure, err == nil
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
// parser for the prompts, the reader of Markdown and the ends of sentences for the
// rooms that are these.
func guest(room, imported string) bool {
	return strings.HasPrefix(imported, "golang.org/x/text/") || room == "internal/evidence/source" && imported == "golang.org/x/net/publicsuffix" ||
		room == "internal/base/words" && strings.HasPrefix(imported, "github.com/clipperhouse/uax29/v2/") ||
		room == "internal/base/commonmark" && strings.HasPrefix(imported, "github.com/yuin/goldmark/") ||
		(room == "prompts" || room == "agents") && imported == "github.com/adrg/frontmatter"
}

// module is this module's path as go.mod has it, and a slash.
var module = func() string {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		panic(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module ") + "/"
}()

// source is one Go file of a room, tests apart.
type source struct {
	room, path string
	*ast.File
}

// sources parses every Go file that is built into a program of this module. Rooms below
// test/ and rooms whose name ends in "test" only serve tests; fleet/ is a module of
// its own, with a test of its own like this one.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (p == "fleet" || p == "test" || name == "testdata" || name == "node_modules" || name[0] == '.' || strings.HasSuffix(name, "test")) {
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

// wings are the folders below internal/, each of which may import itself and
// those before it.
var wings = []string{"base", "evidence", "project", "agent", "engine", "output", "product", "host"}

func TestWingsImportThoseBeforeThem(t *testing.T) {
	for _, s := range sources(t) {
		from, of := wing(s.room)
		if !of {
			continue
		}
		for _, imported := range s.imports() {
			room := strings.TrimPrefix(imported, module)
			if to, of := wing(room); of {
				require.LessOrEqual(t, to, from, "%s imports %s, of a later wing", s.path, room)
			}
		}
	}
}

// wing is the place of a room's wing in the order.
func wing(room string) (place int, of bool) {
	rest, of := strings.CutPrefix(room, "internal/")
	if !of {
		return 0, false
	}
	first, _, _ := strings.Cut(rest, "/")
	place = slices.Index(wings, first)
	return place, place >= 0
}

func TestEveryRoomIsInAWing(t *testing.T) {
	for _, s := range sources(t) {
		if strings.HasPrefix(s.room, "internal/") {
			_, of := wing(s.room)
			require.True(t, of, "%s: put it into a wing", s.path)
		}
	}
}

func TestEveryRoomStandsOnAFloor(t *testing.T) {
	for _, s := range sources(t) {
		_, known := floor(s.room)
		require.True(t, known, "%s: give its room a floor in %s", s.path, "layout_test.go")
	}
}

func TestRoomsImportLowerFloorsAlone(t *testing.T) {
	for _, s := range sources(t) {
		above, _ := floor(s.room)
		for _, imported := range s.imports() {
			room, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			below, known := floor(room)
			require.True(t, known, "%s imports %s, which has no floor", s.path, room)
			if above == 0 && below == 0 {
				continue
			}
			require.Less(t, below, above, "%s imports %s, which is not below it", s.path, room)
		}
	}
}

// renames are the rooms that rename files by themselves: durable for all, a
// checkpoint, whose commit syncs its folder once for many, and those that move
// what somebody else has written.
var renames = []string{"internal/base/durable", "internal/host/checkpoint", "internal/project/restore", "internal/engine/workspace"}

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
			if height, _ := floor(s.room); height == 0 && strings.Contains(first, ".") && !strings.HasPrefix(imported, module) {
				require.True(t, guest(s.room, imported), "%s imports %s", s.path, imported)
			}
		}
	}
}

func TestLowFloorsArePure(t *testing.T) {
	for _, s := range sources(t) {
		if height, _ := floor(s.room); height > pure {
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
	require.Contains(t, string(ignored), "/bin/*\n!/bin/council\n!/bin/council-hook\n", "what is built is never committed, the launchers are")
}

// The host caches a plugin by its version: one that is raised in one place
// alone gives users the old program.
func TestPluginProgramAndChangesAreOneVersion(t *testing.T) {
	var plugin struct{ Version string }
	manifest, err := os.ReadFile(".claude-plugin/plugin.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(manifest, &plugin))
	program, err := os.ReadFile("cmd/council/version.go")
	require.NoError(t, err)
	require.Contains(t, string(program), "const release = "+strconv.Quote(plugin.Version))
	changes, err := os.ReadFile("CHANGELOG.md")
	require.NoError(t, err)
	newest := regexp.MustCompile(`(?m)^## (\d\S*), \d{4}-\d{2}-\d{2}$`).FindSubmatch(changes)
	require.NotNil(t, newest)
	require.Equal(t, plugin.Version, string(newest[1]), "CHANGELOG.md says what is new in it")
}

// mostMethods is how many methods one type has at most: what has more is several
// things.
const mostMethods = 40

func TestATypeIsOneThing(t *testing.T) {
	methods := map[string]int{}
	for _, s := range sources(t) {
		for _, d := range s.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv != nil {
				name, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*"), "[")
				methods[s.room+"."+name]++
			}
		}
	}
	require.NotEmpty(t, methods)
	for name, n := range methods {
		require.LessOrEqual(t, n, mostMethods, "%s has %d methods", name, n)
	}
}
