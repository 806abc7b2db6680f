package survey_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/survey"
)

func classify(path, text string) survey.File {
	return survey.Classify(survey.File{Path: path, Size: int64(len(text))}, []byte(text))
}

func TestLanguagesAreKnown(t *testing.T) {
	for path, want := range map[string]string{
		"a.go": "Go", "A.CPP": "C++", "x/y.tsx": "TypeScript", "Makefile": "Makefile", "deploy/Dockerfile.prod": "Dockerfile", "go.mod": "Go module",
		"Gemfile": "Ruby", "a.unknown": "Text", "q.sql": "SQL", "v/p.blade.php": "Blade", "main.tf": "HCL", ".github/workflows/ci.yml": "YAML",
	} {
		require.Equal(t, want, classify(path, "x\n").Language, path)
	}
	for first, want := range map[string]string{
		"#!/bin/sh": "Shell", "#!/usr/bin/env python3": "Python", "#!/usr/bin/env -S node --x": "JavaScript", "#! /usr/bin/perl -w\r": "Perl",
		"#!/usr/bin/env A=1 ruby2.7": "Ruby", "#!/opt/thing": "Text", "#!": "Text", "# !/bin/sh": "Text",
	} {
		require.Equal(t, want, classify("bin/run", first+"\necho\n").Language, first)
	}
	for _, path := range []string{"install", "bin/install", "scripts/version", "news", "TODO"} {
		f := classify(path, "#!/usr/bin/env bash\ncurl x | sh\n")
		require.Equal(t, "Shell", f.Language, path)
		require.Empty(t, f.Skip, "%s: what runs is reviewed", path)
		require.Equal(t, survey.SkipProse, classify(path, "Run make.\n").Skip, path)
	}
}

// A batch is given to reviewers with the names of its languages, and whether a
// file is reviewed at all hangs on it: what people name a file decides.
func TestAFileIsOfTheLanguageItsNameSays(t *testing.T) {
	for want, names := range map[string]string{
		"C": "a.c a.h", "C++": "a.cc a.hpp", "C#": "a.cs", "F#": "a.fs", "Java": "A.java", "Kotlin": "a.kt build.gradle.kts", "Scala": "a.scala build.sbt",
		"Groovy": "build.gradle Jenkinsfile", "Clojure": "a.clj", "Objective-C": "a.m", "Visual Basic": "a.vb",
		"JavaScript": "a.js a.mjs a.jsx", "TypeScript": "a.ts a.tsx", "Vue": "a.vue", "Svelte": "a.svelte", "Astro": "a.astro", "CoffeeScript": "a.coffee",
		"Python": "a.py a.pyi", "Ruby": "a.rb Rakefile Gemfile", "Template": "a.erb a.j2 a.tmpl", "PHP": "a.php", "Perl": "a.pl a.pm", "Raku": "a.raku",
		"Lua": "a.lua", "R": "a.R", "Julia": "a.jl", "Rust": "a.rs", "Swift": "a.swift", "Dart": "a.dart", "Zig": "a.zig", "Nim": "a.nim", "D": "a.d",
		"Verilog": "a.sv", "VHDL": "a.vhd", "Haskell": "a.hs", "OCaml": "a.ml", "Elm": "a.elm", "Elixir": "a.ex a.exs", "Erlang": "a.erl", "Lisp": "a.el a.rkt",
		"Fortran": "a.f90", "Pascal": "a.pas", "Ada": "a.adb", "COBOL": "a.cob", "Assembly": "a.s a.asm", "CUDA": "a.cu", "Shader": "a.glsl",
		"Solidity": "a.sol", "Move": "a.move", "Shell": "a.sh .bashrc .envrc PKGBUILD", "PowerShell": "a.ps1", "Batch": "a.bat a.cmd", "AWK": "a.awk", "Tcl": "a.tcl",
		"SQL": "a.sql", "GraphQL": "a.graphql", "Interface definition": "a.proto a.thrift", "HTML": "a.html a.jsp", "MDX": "a.mdx", "Patch": "a.patch",
		"CSS": "a.css a.scss", "HCL": "a.tf", "Nix": "a.nix", "Starlark": "BUILD.bazel a.bzl", "CMake": "CMakeLists.txt a.cmake", "Makefile": "GNUmakefile a.mk",
		"Rego": "a.rego", "Configuration language": "a.cue a.jsonnet", "Jupyter Notebook": "a.ipynb", "TOML": "a.toml", "JSON": "a.json", "XML": "a.xml a.csproj",
		"Configuration": "a.ini .env .env.local requirements-dev.txt a.service CODEOWNERS", "Dockerfile": "Containerfile app.dockerfile", "Go module": "go.work",
		"Markdown": "a.md", "Text": "a.rst LICENSE AUTHORS", "Data": "a.csv a.po a.pem",
	} {
		for name := range strings.FieldsSeq(names) {
			require.Equal(t, want, classify(name, "x\n").Language, name)
		}
	}
	for first, want := range map[string]string{
		"/usr/bin/env pypy3": "Python", "/usr/bin/env deno": "TypeScript", "/usr/bin/php": "PHP", "/usr/bin/lua5.4": "Lua", "/usr/bin/env Rscript": "R",
		"/usr/bin/gawk -f": "AWK", "/usr/bin/expect": "Tcl", "/usr/bin/env pwsh": "PowerShell", "/usr/bin/env groovy": "Groovy", "/usr/bin/make -f": "Makefile",
		"/usr/bin/env swift": "Swift",
	} {
		require.Equal(t, want, classify("bin/run", "#!"+first+"\nx\n").Language, first)
	}
}

// Whoever owns a repository has said in .gitattributes what is theirs: that
// counts more than how a file looks or is called.
func TestGitAttributesCountMoreThanLooks(t *testing.T) {
	code := "package a\n\nfunc A() {}\n"
	for name, c := range map[string]struct {
		path       string
		attributes survey.Attributes
		skip, why  string
	}{
		"own code, said to be generated": {"a.go", survey.Attributes{Generated: "set"}, survey.SkipGenerated, "by .gitattributes"},
		"own code, said to be vendored":  {"a.go", survey.Attributes{Vendored: "set"}, survey.SkipVendored, "by .gitattributes"},
		"a generator's name, but theirs": {"a.pb.go", survey.Attributes{Generated: "unset"}, "", ""},
		"below vendor, but theirs":       {"vendor/a/a.go", survey.Attributes{Vendored: "unset"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := survey.Classify(survey.File{Path: c.path, Size: int64(len(code)), Attributes: c.attributes}, []byte(code))
			require.Equal(t, c.skip, f.Skip)
			require.Contains(t, strings.Join(f.Reasons, "; "), c.why)
		})
	}
}

func TestWhatIsLeftOutAndWhy(t *testing.T) {
	code := "package a\n\nfunc A() {}\n"
	cases := map[string]struct{ path, text, skip string }{
		"code":                              {"a.go", code, ""},
		"code of a test":                    {"a_test.go", code, ""},
		"configuration":                     {"config/app.yaml", "a: 1\n", ""},
		"continuous integration":            {".github/workflows/ci.yml", "on: push\n", ""},
		"a build file":                      {"Dockerfile", "FROM scratch\n", ""},
		"what git leaves alone":             {"sub/.gitignore", "*.log\n", survey.SkipData},
		"prose":                             {"docs/guide.md", "# Guide\n", survey.SkipProse},
		"a licence":                         {"LICENSE", "Do as you like.\n", survey.SkipProse},
		"a page about commands":             {"docs/commands/run.md", "---\ntitle: Run\n---\nText\n", survey.SkipProse},
		"what an agent obeys":               {"commands/run.md", "---\ndescription: Run it\n---\nDo it\n", ""},
		"a skill":                           {"skills/x/SKILL.md", "---\nname: x\ndescription: y\n---\n", ""},
		"a picture":                         {"a.png", "text, really", survey.SkipBinary},
		"zero bytes":                        {"a.go", "package a\x00", survey.SkipBinary},
		"control bytes":                     {"a.go", "\x01\x02\x03\x04 package", survey.SkipBinary},
		"a page break and colours":          {"a.go", "package a\f\n// \x1b[1m\n", ""},
		"UTF-16":                            {"a.cs", "\xff\xfec\x00l\x00", survey.SkipEncoding},
		"UTF-8 with its mark":               {"a.cs", "\ufeffclass A {}\n", ""},
		"Latin-1":                           {"a.c", "// gr\xfc\xdfe aus K\xf6ln, und noch viel mehr Text dazu\nint a;\n", ""},
		"a text of many bytes a letter":     {"a.txt.c", "// \x82\xa0\x82\xa2\x82\xa4\x82\xa6\x82\xa8\n", survey.SkipEncoding},
		"nothing":                           {"a.go", "", survey.SkipEmpty},
		"vendored":                          {"vendor/x/a.go", code, survey.SkipVendored},
		"vendored, deep":                    {"web/node_modules/a/index.js", "x", survey.SkipVendored},
		"a name like it":                    {"vendors.go", code, ""},
		"a wrapper":                         {"gradlew", "#!/bin/sh\n", survey.SkipVendored},
		"a lock file":                       {"web/package-lock.json", "{}\n", survey.SkipGenerated},
		"compiled protocol buffers":         {"api/a.pb.go", code, survey.SkipGenerated},
		"minified by name":                  {"a.min.js", "x\n", survey.SkipGenerated},
		"minified in fact":                  {"a.js", strings.Repeat("var a=1;", 200) + "\n", survey.SkipGenerated},
		"built":                             {"dist/a.js", "x\n", survey.SkipGenerated},
		"a snapshot":                        {"a/__snapshots__/b.js", "x\n", survey.SkipGenerated},
		"generated, Go":                     {"a.go", "// Code generated by x. DO NOT EDIT.\n\npackage a\n", survey.SkipGenerated},
		"generated, after a licence":        {"a.go", "/*\nLicence\n*/\n\n// Code generated by x; DO NOT EDIT.\npackage a\n", survey.SkipGenerated},
		"generated, Python":                 {"a.py", "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n", survey.SkipGenerated},
		"generated, C#":                     {"a.cs", "//-----\n// <auto-generated>\n//   x\n", survey.SkipGenerated},
		"generated, a word":                 {"a.js", "/**\n * @generated SignedSource<<x>>\n */\n", survey.SkipGenerated},
		"generated, a sentence":             {"a.c", "/* This file was automatically generated by x. */\n", survey.SkipGenerated},
		"generated, Windows line breaks":    {"a.go", "// Code generated by x. DO NOT EDIT.\r\n\r\npackage a\r\n", survey.SkipGenerated},
		"generated, below a long comment":   {"a.py", "\"\"\"Bindings of a library.\n\nTo be imported.\n\"\"\"\n# This file is auto-generated by x.\nA = 1\n", survey.SkipGenerated},
		"generated, in HTML":                {"a.html", "<!DOCTYPE html>\n<!-- Generated by x. Do not edit. -->\n", survey.SkipGenerated},
		"nothing but words about it":        {"a.go", "// Generated files are kept apart.\n", ""},
		"it writes such files":              {"gen.go", "package a\n\n// Code generated by x. DO NOT EDIT.\nconst head = `// Code generated by x. DO NOT EDIT.`\n", ""},
		"it speaks of such files":           {"gen.go", "// Package a skips generated files (\"Code generated … DO NOT EDIT\").\npackage a\n", ""},
		"ids that are generated":            {"a.go", "// This file defines ids, which are automatically generated by the database.\npackage a\n", ""},
		"data of tests":                     {"a/testdata/b.go", code, survey.SkipTestData},
		"data":                              {"a.csv", "1,2\n", survey.SkipData},
		"a large data file":                 {"a.json", strings.Repeat("1,\n", 2000), survey.SkipData},
		"translations":                      {"locales/de.json", "{}\n", survey.SkipData},
		"a pointer":                         {"model.go", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", survey.SkipData},
		"too many lines":                    {"a.go", strings.Repeat("//\n", survey.MaxLines+1), survey.SkipLarge},
		"as many lines as may be":           {"a.go", strings.Repeat("//\n", survey.MaxLines), ""},
		"one huge line":                     {"a.py", "x = '" + strings.Repeat("a", survey.LongLine) + "'\n", survey.SkipLines},
		"one huge line among code":          {"a.py", "x = '" + strings.Repeat("a", survey.LongLine) + "'\n" + strings.Repeat("y = 1 + 1\n", 1200), ""},
		"a name that leads out":             {"../a.go", code, survey.SkipName},
		"a name that leads out by a detour": {"a/../../b.go", code, survey.SkipName},
		"a name from the top":               {"/etc/a.go", code, survey.SkipName},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := classify(c.path, c.text)
			require.Equal(t, c.skip, f.Skip, "%v", f.Reasons)
			if c.skip != "" {
				require.NotEmpty(t, f.Reasons)
			}
		})
	}
	large := survey.Classify(survey.File{Path: "a.go", Size: survey.MaxSize + 1}, []byte(code))
	require.Equal(t, survey.SkipLarge, large.Skip)
}

func TestWhatStarts(t *testing.T) {
	cases := []struct{ path, text, entry string }{
		{"cmd/x/main.go", "package main\n\nfunc main() {}\n", "main package"},
		{"cmd/x/other.go", "package main\n\nfunc help() {}\n", ""},
		{"x/main.go", "package x\n\nfunc main() {}\n", ""},
		{"a.c", "int main(int argc, char **argv) { return 0; }\n", "main function"},
		{"A.java", "class A { public static void main(String[] a) {} }\n", "main function"},
		{"tool.py", "def main():\n    pass\n\nif __name__ == '__main__':\n    main()\n", "Python program"},
		{"bin/run", "#!/bin/sh\necho\n", "script"},
		{"lib/part.sh", "#!/bin/sh\necho\n", ""},
		{"Dockerfile", "FROM scratch\n", "container image"},
		{".github/workflows/ci.yml", "on: push\n", "continuous integration"},
		{"docker-compose.yml", "services: {}\n", "deployment"},
		{"Makefile", "all:\n\tgo build\n", "build"},
		{"hooks/hooks.json", "{}\n", "hooks"},
		{".gitlab-ci.yml", "test: {}\n", "continuous integration"},
		{"site/manage.py", "import sys\n", "Python program"},
		{"src/server.ts", "listen()\n", "program"},
		{"public/index.php", "<?php echo 1;\n", "web program"},
		{"web/index.js", "x()\n", ""},
		{"main_test.go", "package main\n\nfunc main() {}\n", ""},
	}
	for _, c := range cases {
		require.Equal(t, c.entry, classify(c.path, c.text).Entry, c.path)
	}
}

func TestManifestsNameWhatStarts(t *testing.T) {
	files := []survey.File{
		classify("web/package.json", `{"main":"./lib","bin":{"x":"bin/x.js","y":"../../etc/passwd"}}`),
		classify("web/lib/index.js", "x()\n"), classify("web/bin/x.js", "x()\n"), classify("web/bin/z.js", "x()\n"),
		classify("pyproject.toml", "[project.scripts]\ntool = \"pkg.cli:main\"\n"), classify("src/pkg/cli.py", "def main(): pass\n"),
		classify("Cargo.toml", "[[bin]]\nname = \"x\"\npath = \"src/x.rs\"\n"), classify("src/x.rs", "fn go() {}\n"),
		classify("other/package.json", `{"main":{"not":["a string"]},"bin":3}`), classify("broken/package.json", `{"main":`),
	}
	survey.Link(files)
	var starts []string
	for _, f := range files {
		if f.Entry != "" {
			starts = append(starts, f.Path+": "+f.Entry)
		}
	}
	require.Equal(t, []string{
		"web/lib/index.js: named by package.json", "web/bin/x.js: named by package.json",
		"src/pkg/cli.py: named by pyproject.toml", "src/x.rs: named by Cargo.toml",
	}, starts)
}

func TestTestsAreKnownByTheirNames(t *testing.T) {
	for path, want := range map[string]bool{
		"a_test.go": true, "test_a.py": true, "a.spec.ts": true, "src/FooTest.java": true, "FooTests.cs": true, "spec/a_spec.rb": true, "tests/a.rs": true,
		"contest.go": false, "latest.go": false, "TEST.java": false, "attestation/a.go": false, "AUDIT.java": false, "src/Contest.java": false,
	} {
		require.Equal(t, want, classify(path, "x\n").Test, path)
	}
}

func TestComplexityCountsBranchesDepthAndLength(t *testing.T) {
	flat := "func a() {\n" + strings.Repeat("\tx()\n", 20) + "}\n"
	require.Zero(t, classify("a.go", flat).Complexity)
	branches := "func a() {\n\tif x {\n\t\ty()\n\t}\n\tfor a && b {\n\t}\n}\n"
	require.Equal(t, 3, classify("a.go", branches).Complexity)
	deep := "func a() {\n\tif x {\n\t\tif y {\n\t\t\tif z {\n\t\t\t}\n\t\t}\n\t}\n}\n"
	require.Equal(t, 1+1+2, classify("a.go", deep).Complexity)
	long := "func a() {\n" + strings.Repeat("\tx()\n", 149) + "}\n\nfunc b() {\n\tx()\n}\n"
	require.Equal(t, (150-50)/10, classify("a.go", long).Complexity)
	python := "def a():\n" + strings.Repeat("    x()\n", 99) + "\ndef b():\n    x()\n"
	require.Equal(t, 5, classify("a.py", python).Complexity)
	brace := "int a(void)\n{\n" + strings.Repeat("    x();\n", 98) + "}\n"
	require.Equal(t, 5, classify("a.c", brace).Complexity)
	comments := "func a() {\n\t// if for while case\n\t# if\n\t/* if */\n}\n"
	require.Zero(t, classify("a.go", comments).Complexity)
	require.Equal(t, classify("a.go", deep).Complexity, classify("a.go", strings.ReplaceAll(deep, "\n", "\r\n")).Complexity)
}

func TestNamesSayWhatASourceIsAbout(t *testing.T) {
	for path, want := range map[string]string{
		"internal/auth/check.go": "authentication", "src/parseToken.ts": "parsing secrets", "web/HTTPServer.java": "network", "db/sql_query.go": "queries",
		"lib/upload.rb": "file transfer", "app/AdminPolicy.php": "privileges", "authors.go": "", "signal.go": "", "a.go": "", "views/template.go": "templates",
	} {
		require.Equal(t, want, strings.Join(classify(path, "x\n").Sensitive, " "), path)
	}
	require.Equal(t, []string{"execution", "secrets"}, classify("a.py", "import subprocess\nPASSWORD = 'x'\n").Uses)
}

func TestRiskGrowsWithEachSign(t *testing.T) {
	plain := survey.File{Path: "a.go", Kind: survey.Source, Lines: 100, Complexity: 10, Churn: 2}
	risk := func(change func(*survey.File)) float64 {
		f := plain
		change(&f)
		return survey.Rank([]survey.File{f})[0].Risk
	}
	was := risk(func(*survey.File) {})
	require.Greater(t, risk(func(f *survey.File) { f.Churn = 20 }), was)
	require.Greater(t, risk(func(f *survey.File) { f.Complexity = 200 }), was)
	require.Greater(t, risk(func(f *survey.File) { f.Lines = 900 }), was)
	require.Greater(t, risk(func(f *survey.File) { f.Sensitive = []string{"secrets"} }), was)
	require.Greater(t, risk(func(f *survey.File) { f.Uses = []string{"secrets"} }), was)
	require.Greater(t, risk(func(f *survey.File) { f.Entry = "main package" }), was)
	require.Less(t, risk(func(f *survey.File) { f.Test = true }), was)
	require.Less(t, risk(func(f *survey.File) { f.Kind = survey.Config }), was)
	most := risk(func(f *survey.File) {
		f.Churn, f.Complexity, f.Lines, f.Entry = 1e6, 1e6, 1e6, "x"
		f.Sensitive, f.Uses = []string{"a"}, []string{"a", "b", "c", "d", "e"}
	})
	require.InDelta(t, 100, most, 0)
}

func TestEqualRisksAreOrderedByPathAndTheRestFollows(t *testing.T) {
	files := []survey.File{{Path: "c"}, {Path: "x", Skip: survey.SkipData, Churn: 50}, {Path: "a"}, {Path: "b", Churn: 9}}
	ranked := survey.Rank(files)
	require.Equal(t, []string{"b", "a", "c", "x"}, []string{ranked[0].Path, ranked[1].Path, ranked[2].Path, ranked[3].Path})
	require.Equal(t, "c", files[0].Path, "the argument is not changed")
}

func FuzzClassify(f *testing.F) {
	f.Add("a.go", []byte("// Code generated by x. DO NOT EDIT.\npackage a\n"))
	f.Add("package.json", []byte(`{"main":"../../x","bin":{"":""}}`))
	f.Add("a/../b", []byte("\xff\xfe\x00"))
	f.Add("pyproject.toml", []byte("a=\"b.c:d\""))
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		file := survey.Classify(survey.File{Path: path, Size: int64(len(text))}, text)
		require.Equal(t, path, file.Path)
		require.GreaterOrEqual(t, file.Complexity, 0)
		if file.Reviewed() {
			require.NotEmpty(t, file.Language)
			require.Positive(t, file.Lines)
			require.NotContains(t, path, "\x00")
		} else {
			require.NotEmpty(t, file.Reasons)
		}
		for _, s := range file.Starts {
			require.False(t, strings.HasPrefix(s, "../") || strings.HasPrefix(s, "/"), s)
		}
		ranked := survey.Rank([]survey.File{file})
		require.NoError(t, survey.CheckBatches(ranked, survey.Batches(ranked, survey.Limits{})))
		whole(t, survey.Discovery(survey.Map{Files: ranked}))
	})
}

// Reading a file takes time that grows as its length does.
func BenchmarkClassify(b *testing.B) {
	text := []byte(strings.Repeat("\tif err := f(x, y); err != nil && len(list) > 3 {\n\t\treturn fmt.Errorf(\"x: %w\", err)\n\t}\n", 300))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		survey.Classify(survey.File{Path: "a.go", Size: int64(len(text))}, text)
	}
}

// Cutting is near-linear: the time a file takes is about the same in both.
func BenchmarkBatches(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var files []survey.File
			for i := range n {
				files = append(files, survey.File{
					Path: fmt.Sprintf("d%d/e%d/f%d.go", i/1000, i/50%20, i), Kind: survey.Source, Size: 4000, Lines: 1 + i*7919%400, Complexity: i * 104729 % 300, Churn: i * 31 % 40,
				})
			}
			for b.Loop() {
				survey.Batches(survey.Rank(files), survey.Limits{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/file")
		})
	}
}
