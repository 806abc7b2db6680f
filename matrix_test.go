package council_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What `make test` leaves to `make test-cli` is run there: by its name, or by that of a
// helper which the Makefile knows.
func TestNoTestOfTheMatrixIsLeftOut(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	printed, err := exec.Command("make", "-n", "test-cli").Output()
	require.NoError(t, err)
	var patterns []*regexp.Regexp
	for _, m := range regexp.MustCompile(`-run (\S+)`).FindAllStringSubmatch(string(printed), -1) {
		name, group, _ := strings.Cut(strings.ReplaceAll(m[1], "'", ""), "/")
		if strings.Contains(name, "ChangesTo") {
			require.Equal(t, "^of_the_matrix$", group, "what test has run is not run again")
		}
		patterns = append(patterns, regexp.MustCompile(name))
	}
	require.Len(t, patterns, 3)
	helpers := []string{"needs", "newPerson", "try"}
	seen := 0
	for _, root := range []string{"cmd", "internal", "test"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.Name() == "node_modules" || path == filepath.Join("test", "cli") { // the second has InMatrix itself
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !asksForTheMatrix(f) {
					continue
				}
				seen++
				name := f.Name.Name
				run := slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(name) })
				require.True(t, run || slices.Contains(helpers, name), "%s: make test-cli does not run %s: name it, or the helper it is, in the Makefile", path, name)
			}
			return nil
		}))
	}
	require.Greater(t, seen, 50)
}

// asksForTheMatrix reports whether a function calls cli.InMatrix.
func asksForTheMatrix(f *ast.FuncDecl) bool {
	asks := false
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "InMatrix" {
			asks = true
		}
		return !asks
	})
	return asks
}
