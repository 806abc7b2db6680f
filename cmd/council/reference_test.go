package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/program"
)

var update = flag.Bool("update", false, "write the generated parts of docs/reference anew")

// What docs/reference says of flags, configuration, exit codes, formats and hooks is made
// from the program. `make docs` writes it anew.
func TestTheReferenceIsMadeFromTheProgram(t *testing.T) {
	for file, parts := range map[string]map[string]string{
		"commands.md":      {"commands": referenceOfCommands()},
		"configuration.md": {"keys": referenceOfKeys(t), "defaults": "```yaml\n" + strings.TrimSpace(string(config.Defaults())) + "\n```\n"},
		"exit-codes.md":    {"codes": referenceOfExitCodes(t)},
		"hooks.md":         {"events": referenceOfHooks(t)},
		"json.md": {
			"status": fieldsOf(t, "internal/engine/status", "Status", "Seat", "Part", "Asking", "Money", "Limits", "Use"),
			"claims": fieldsOf(t, "internal/evidence/claim", "Registry", "Entry", "Location", "Support", "Vote", "Group", "Conflict"),
			"score":  fieldsOf(t, "internal/evidence/score", "Result", "Signal", "Gap"),
			"audit":  fieldsOf(t, "internal/evidence/audit", "Result", "Grade", "Part", "Finding", "Source", "Statement", "Quotation", "Number", "Counts"),
		},
	} {
		file = filepath.Join("../../docs/reference", file)
		was, err := os.ReadFile(file)
		require.NoError(t, err)
		is := string(was)
		for name, text := range parts {
			begin, end := "<!-- made from the program: "+name+" -->\n", "<!-- end of "+name+" -->\n"
			before, rest, found := strings.Cut(is, begin)
			require.True(t, found, "%s has the line %s", file, begin)
			_, after, found := strings.Cut(rest, end)
			require.True(t, found, "%s has the line %s", file, end)
			is = before + begin + "\n" + strings.TrimSpace(text) + "\n\n" + end + after
		}
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(is), 0o644))
			continue
		}
		require.Empty(t, firstDifference(string(was), is), "%s is stale: make docs", file)
	}
}

// firstDifference is the first line that a text has and another has not; nothing
// where they are the same.
func firstDifference(was, is string) string {
	before, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range max(len(before), len(now)) {
		if i >= len(before) || i >= len(now) || before[i] != now[i] {
			return fmt.Sprintf("line %d: has %q, the program says %q", i+1, at(before, i), at(now, i))
		}
	}
	return ""
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "the end"
}

// referenceOfCommands tells of every command that help lists.
func referenceOfCommands() string {
	root := rootCommand(program.Env{Self: "/path/to/council", Getenv: func(string) string { return "" }})
	var b strings.Builder
	every(root, func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" || c.HasParent() && c.Parent().Hidden {
			return
		}
		fmt.Fprintf(&b, "## %s\n\n%s.\n\n```text\n%s\n```\n\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."), called(c.CommandPath()+strings.TrimPrefix(c.Use, c.Name()), c))
		if c.Long != "" {
			b.WriteString(prose(c.Long) + "\n\n")
		}
		if c.Example != "" {
			b.WriteString("```sh\n" + c.Example + "\n```\n\n")
		}
		b.WriteString(flagTable(c))
	})
	return b.String()
}

func flagTable(c *cobra.Command) string {
	var b strings.Builder
	row := func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		if b.Len() == 0 {
			b.WriteString("| flag | value | default | what it does |\n|---|---|---|---|\n")
		}
		name, of, usual := "`--"+f.Name+"`", f.Value.Type(), f.DefValue
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		if of == "bool" {
			of, usual = "", ""
		}
		if usual == "0" || usual == "[]" {
			usual = ""
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, of, usual, escaped(capitalized(f.Usage)))
	}
	if !c.HasParent() {
		c.PersistentFlags().VisitAll(row)
	} else {
		c.LocalNonPersistentFlags().VisitAll(row)
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + "\n"
}

// prose is a text that was wrapped for a terminal as Markdown: what is indented
// stays as it is, in a fence.
func prose(text string) string {
	var b strings.Builder
	fenced := false
	fence := func(open bool) {
		switch {
		case open && !fenced:
			b.WriteString("\n```text\n")
		case !open && fenced:
			b.WriteString("```\n\n")
		}
		fenced = open
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		indented := strings.HasPrefix(line, "  ")
		table := strings.HasPrefix(line, "In:") || strings.HasPrefix(line, "Out:")
		switch {
		case line == "" && fenced && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  "):
			b.WriteString("\n")
		case line == "":
			fence(false)
			b.WriteString("\n")
		case indented || table:
			fence(true)
			b.WriteString(line + "\n")
		default:
			fence(false)
			b.WriteString(escaped(line) + "\n")
		}
	}
	fence(false)
	return regexp.MustCompile(`\n{3,}`).ReplaceAllString(strings.TrimSpace(b.String()), "\n\n")
}

// escaped is a text of the program in Markdown, with its `code` as it is.
func escaped(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("<", `\<`, "[", `\[`, "*", `\*`, "|", `\|`, "_", `\_`).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// referenceOfKeys lists every key a configuration may have.
func referenceOfKeys(t *testing.T) string {
	usual, err := config.Parse(nil)
	require.NoError(t, err)
	data, err := yaml.Marshal(usual)
	require.NoError(t, err)
	var defaults map[string]any
	require.NoError(t, yaml.Unmarshal(data, &defaults))
	var b strings.Builder
	b.WriteString("| key | value | default |\n|---|---|---|\n")
	keys(&b, "", reflect.TypeFor[config.Config](), defaults)
	return b.String()
}

func keys(b *strings.Builder, prefix string, of reflect.Type, defaults any) {
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "-" {
			continue
		}
		name = cmp.Or(name, strings.ToLower(f.Name)) // as the parser does
		below, _ := defaults.(map[string]any)
		usual, key, kind := below[name], prefix+name, f.Type
		if kind.Kind() == reflect.Map && kind.Elem().Kind() == reflect.Struct {
			key, kind, usual = key+".NAME", kind.Elem(), nil
		}
		if kind.Kind() == reflect.Struct {
			keys(b, key+".", kind, usual)
			continue
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", key, valueOf(kind), defaultOf(usual))
	}
}

func valueOf(of reflect.Type) string {
	switch {
	case of.String() == "time.Duration":
		return "a time, as 30s"
	case of.Kind() == reflect.Slice:
		return "a list of " + valueOf(of.Elem()) + "s"
	case of.Kind() == reflect.Map:
		return "by name: " + valueOf(of.Elem())
	case of.Kind() == reflect.Pointer:
		return valueOf(of.Elem())
	case of.Kind() == reflect.String:
		return "text"
	case of.Kind() == reflect.Bool:
		return "true or false"
	}
	return "number"
}

func defaultOf(v any) string {
	text, err := json.Marshal(v)
	switch string(text) {
	case "null", `""`, "{}":
		return ""
	}
	if err != nil {
		return ""
	}
	return "`" + strings.Trim(string(text), `"`) + "`"
}

// referenceOfExitCodes reads the constants of exit.go with what stands beside them.
func referenceOfExitCodes(t *testing.T) string {
	file, err := parser.ParseFile(token.NewFileSet(), "exit.go", nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("| code | what it says |\n|---|---|\n| 0 | done |\n")
	ast.Inspect(file, func(n ast.Node) bool {
		v, is := n.(*ast.ValueSpec)
		if !is || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, "code") {
			return true
		}
		require.NotNil(t, v.Comment, "%s has no comment", v.Names[0].Name)
		fmt.Fprintf(&b, "| %s | %s |\n", types.ExprString(v.Values[0]), escaped(strings.TrimSpace(v.Comment.Text())))
		return true
	})
	return b.String()
}

// referenceOfHooks lists what Claude Code calls the plugin for.
func referenceOfHooks(t *testing.T) string {
	data, err := os.ReadFile("../../hooks/hooks.json")
	require.NoError(t, err)
	var file struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Args    []string
				Timeout int
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &file))
	var b strings.Builder
	b.WriteString("| event | for | calls | at most |\n|---|---|---|---|\n")
	for _, event := range slices.Sorted(func(yield func(string) bool) {
		for name := range file.Hooks {
			if !yield(name) {
				return
			}
		}
	}) {
		for _, group := range file.Hooks[event] {
			matcher := "everything"
			if group.Matcher != "" {
				matcher = "`" + strings.ReplaceAll(group.Matcher, "|", `\|`) + "`"
			}
			for _, h := range group.Hooks {
				fmt.Fprintf(&b, "| %s | %s | `council-hook %s` | %d s |\n", event, matcher, strings.Join(h.Args, " "), h.Timeout)
			}
		}
	}
	return b.String()
}

// fieldsOf lists the members of JSON that structs of a package are written as,
// with the comments that stand beside their fields.
func fieldsOf(t *testing.T, dir string, names ...string) string {
	structs := structsOf(t, filepath.Join("../..", dir))
	var b strings.Builder
	for _, name := range names {
		s := structs[name]
		require.NotNil(t, s, "%s has the struct %s", dir, name)
		fmt.Fprintf(&b, "**%s**\n\n| member | value | what it is |\n|---|---|---|\n", name)
		for _, f := range s.Fields.List {
			if f.Tag == nil {
				continue
			}
			tag, err := strconv.Unquote(f.Tag.Value)
			require.NoError(t, err)
			member, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			if member == "" || member == "-" {
				continue
			}
			said := f.Doc.Text() + f.Comment.Text()
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", member, jsonValue(f.Type, names, structs), escaped(strings.Join(strings.Fields(said), " ")))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func structsOf(t *testing.T, dir string) map[string]*ast.StructType {
	all := map[string]*ast.StructType{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != dir {
			return errorsOrSkip(err)
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				if s, is := spec.Type.(*ast.StructType); is {
					all[spec.Name.Name] = s
				}
			}
			return true
		})
		return nil
	}))
	return all
}

func errorsOrSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// jsonValue says in JSON's words what a Go type is written as; those told of are
// named.
func jsonValue(of ast.Expr, told []string, structs map[string]*ast.StructType) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return jsonValue(of.X, told, structs)
	case *ast.ArrayType:
		return "list of " + jsonValue(of.Elt, told, structs)
	case *ast.MapType:
		return "object of " + jsonValue(of.Value, told, structs)
	}
	name := types.ExprString(of)
	_, elsewhere := of.(*ast.SelectorExpr)
	switch {
	case slices.Contains(told, name):
		return "**" + name + "**"
	case name == "bool":
		return "boolean"
	case name == "time.Time":
		return "time, RFC 3339"
	case name == "time.Duration":
		return "nanoseconds"
	case name == "json.RawMessage":
		return "as it was given"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "float"), strings.HasPrefix(name, "uint"):
		return "number"
	case structs[name] != nil, elsewhere && !slices.Contains(texts, name):
		return "object"
	}
	return "string"
}

// texts are the types of other packages that are written as strings.
var texts = []string{"source.Kind", "claim.State", "archive.State", "scope.Mode", "scope.Debate", "scope.Dimension"}

// Every variable of the environment that the program looks at stands in the
// reference, and no other.
func TestTheVariablesInTheReferenceAreThoseThatAreRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/environment.md")
	require.NoError(t, err)
	read, elsewhere := variablesRead(t), map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllSubmatch(page, -1) {
		for _, name := range regexp.MustCompile("[A-Z][A-Z0-9_]+").FindAll(m[1], -1) {
			elsewhere[string(name)] = true
		}
	}
	for name := range read {
		require.True(t, elsewhere[name], "docs/reference/environment.md has no row for %s", name)
	}
	source := sourceText(t)
	for name := range elsewhere {
		require.Contains(t, source, name, "docs/reference/environment.md: nothing reads it")
	}
}

// variablesRead are the names that the program hands to a function that looks up
// a variable.
func variablesRead(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:[gG]etenv|LookupEnv)\("([A-Z][A-Z0-9_]+)"\)`).FindAllStringSubmatch(sourceText(t), -1) {
		names[m[1]] = true
	}
	require.NotEmpty(t, names)
	return names
}

// sourceText is all Go code that is built into the programs.
func sourceText(t *testing.T) string {
	var b bytes.Buffer
	for _, root := range []string{"../../cmd", "../../internal"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return errorsOrSkip(err)
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			data, err := os.ReadFile(path)
			b.Write(data)
			return err
		}))
	}
	return b.String()
}
