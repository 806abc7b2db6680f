package survey

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// language names the language of a file by its name, its extension or the
// program its first line asks for; "" when none is known.
func language(name string, text []byte) string {
	base := strings.ToLower(path.Base(name))
	l := byName(base)
	if l == "" {
		l = byExtension(strings.TrimPrefix(path.Ext(base), "."))
	}
	if kind := kindOf(l); kind == Source || kind == Config {
		return l
	}
	if asked := byInterpreter(interpreter(text)); asked != "" {
		return asked // an installer is called INSTALL too
	}
	if l == "Data" && path.Ext(base) == ".svg" && scripted(text) {
		return "SVG"
	}
	return l
}

// scripted reports whether a drawing holds what a browser runs or loads.
func scripted(text []byte) bool {
	return regexp.MustCompile(`(?i)<script|<foreignobject|javascript:|<\?xml-stylesheet|[\s"'/]on[a-z]+\s*=`).Match(text)
}

// prose is the language of what people write for people.
const prose = "Text"

func byName(base string) string {
	switch base {
	case "makefile", "gnumakefile", "justfile":
		return "Makefile"
	case "dockerfile", "containerfile":
		return "Dockerfile"
	case "cmakelists.txt":
		return "CMake"
	case "jenkinsfile":
		return "Groovy"
	case "rakefile", "gemfile", "podfile", "vagrantfile", "brewfile", "fastfile", "dangerfile", "guardfile", "capfile":
		return "Ruby"
	case "build", "build.bazel", "workspace", "workspace.bazel", "tiltfile":
		return "Starlark"
	case "go.mod", "go.work":
		return "Go module"
	case ".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc", "pkgbuild":
		return "Shell"
	case "procfile", "codeowners", "requirements.txt", "constraints.txt", "manifest.in", "pipfile",
		".gitignore", ".gitattributes", ".gitmodules", ".dockerignore", ".npmrc", ".npmignore", ".eslintignore",
		".editorconfig", ".babelrc", ".eslintrc", ".prettierrc", ".htaccess", ".env", ".flake8", ".pylintrc", ".nvmrc":
		return "Configuration"
	case "license", "licence", "copying", "notice", "authors", "contributors", "maintainers", "changelog", "changes",
		"readme", "install", "news", "todo", "version", "patents":
		return prose
	}
	switch {
	case strings.HasPrefix(base, "dockerfile.") || strings.HasPrefix(base, "containerfile.") || strings.HasSuffix(base, ".dockerfile"):
		return "Dockerfile"
	case strings.HasPrefix(base, ".env."):
		return "Configuration"
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return "Configuration"
	case strings.HasSuffix(base, ".blade.php"):
		return "Blade"
	}
	return ""
}

func byExtension(ext string) string {
	switch ext {
	case "go":
		return "Go"
	case "c", "h":
		return "C"
	case "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp":
		return "C++"
	case "m", "mm":
		return "Objective-C"
	case "cs", "csx":
		return "C#"
	case "fs", "fsx", "fsi":
		return "F#"
	case "vb", "vbs":
		return "Visual Basic"
	case "java":
		return "Java"
	case "kt", "kts":
		return "Kotlin"
	case "scala", "sc", "sbt":
		return "Scala"
	case "groovy", "gradle", "gvy":
		return "Groovy"
	case "clj", "cljs", "cljc", "edn":
		return "Clojure"
	case "js", "mjs", "cjs", "jsx":
		return "JavaScript"
	case "ts", "mts", "cts", "tsx":
		return "TypeScript"
	case "vue":
		return "Vue"
	case "svelte":
		return "Svelte"
	case "astro":
		return "Astro"
	case "coffee":
		return "CoffeeScript"
	case "py", "pyi", "pyw", "pyx", "pxd":
		return "Python"
	case "rb", "rake", "gemspec", "ru", "podspec":
		return "Ruby"
	case "erb", "haml", "slim", "ejs", "hbs", "handlebars", "mustache", "j2", "jinja", "jinja2", "twig", "liquid", "njk", "tmpl", "gotmpl", "tpl", "ftl", "pug", "jade":
		return "Template"
	case "php", "php5", "phtml", "inc":
		return "PHP"
	case "pl", "pm", "t", "pod":
		return "Perl"
	case "raku", "rakumod":
		return "Raku"
	case "lua":
		return "Lua"
	case "r":
		return "R"
	case "jl":
		return "Julia"
	case "rs":
		return "Rust"
	case "swift":
		return "Swift"
	case "dart":
		return "Dart"
	case "zig":
		return "Zig"
	case "nim":
		return "Nim"
	case "d", "di":
		return "D"
	case "v", "sv", "svh", "vh":
		return "Verilog"
	case "vhd", "vhdl":
		return "VHDL"
	case "hs", "lhs":
		return "Haskell"
	case "ml", "mli":
		return "OCaml"
	case "elm":
		return "Elm"
	case "ex", "exs", "eex", "heex", "leex":
		return "Elixir"
	case "erl", "hrl":
		return "Erlang"
	case "lisp", "lsp", "cl", "el", "scm", "ss", "rkt":
		return "Lisp"
	case "f", "for", "f77", "f90", "f95", "f03", "f08":
		return "Fortran"
	case "pas", "pp", "dpr":
		return "Pascal"
	case "adb", "ads":
		return "Ada"
	case "cob", "cbl", "cpy":
		return "COBOL"
	case "asm", "s", "nasm":
		return "Assembly"
	case "cu", "cuh":
		return "CUDA"
	case "glsl", "vert", "frag", "hlsl", "wgsl", "metal":
		return "Shader"
	case "sol":
		return "Solidity"
	case "move":
		return "Move"
	case "sh", "bash", "zsh", "ksh", "bats", "fish":
		return "Shell"
	case "ps1", "psm1", "psd1":
		return "PowerShell"
	case "bat", "cmd":
		return "Batch"
	case "awk", "sed":
		return "AWK"
	case "tcl":
		return "Tcl"
	case "sql", "psql", "plsql", "pls", "pck", "tsql", "ddl":
		return "SQL"
	case "graphql", "gql", "graphqls":
		return "GraphQL"
	case "proto", "thrift", "avdl", "capnp", "fbs":
		return "Interface definition"
	case "html", "htm", "xhtml", "jsp", "jspx", "asp", "aspx", "cshtml", "razor", "vbhtml":
		return "HTML"
	case "mdx":
		return "MDX"
	case "patch", "diff":
		return "Patch"
	case "css", "scss", "sass", "less", "styl":
		return "CSS"
	case "tf", "tfvars", "hcl", "nomad":
		return "HCL"
	case "nix":
		return "Nix"
	case "bzl", "star":
		return "Starlark"
	case "cmake":
		return "CMake"
	case "mk", "mak":
		return "Makefile"
	case "rego":
		return "Rego"
	case "cue", "jsonnet", "libsonnet", "dhall", "pkl":
		return "Configuration language"
	case "ipynb":
		return "Jupyter Notebook"
	case "yaml", "yml":
		return "YAML"
	case "toml":
		return "TOML"
	case "ini", "cfg", "conf", "config", "properties", "cnf", "env", "service", "socket", "timer", "rules":
		return "Configuration"
	case "json", "json5", "jsonc", "webmanifest":
		return "JSON"
	case "xml", "xsd", "xsl", "xslt", "wsdl", "plist", "csproj", "vbproj", "fsproj", "vcxproj", "props", "targets", "pom", "xaml", "storyboard", "xib", "resx":
		return "XML"
	case "md", "markdown", "mdown", "mkd":
		return "Markdown"
	case "txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "bib", "textile", "rtf", "1", "3", "5", "8":
		return "Text"
	case "csv", "tsv", "jsonl", "ndjson", "geojson", "svg", "po", "pot", "srt", "vtt", "arff", "pem", "crt", "cer", "log", "eml", "ics", "dot", "drawio", "puml", "mmd":
		return "Data"
	}
	return ""
}

// kindOf is what files of a language hold.
func kindOf(language string) Kind {
	switch language {
	case "":
		return ""
	case "Markdown", "Text":
		return Prose
	case "Data":
		return Data
	case "YAML", "TOML", "JSON", "XML", "Configuration", "Go module":
		return Config
	}
	return Source
}

func byInterpreter(program string) string {
	switch program {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "bats":
		return "Shell"
	case "python", "pypy":
		return "Python"
	case "node", "nodejs", "bun":
		return "JavaScript"
	case "deno", "ts-node", "tsx":
		return "TypeScript"
	case "perl":
		return "Perl"
	case "ruby", "jruby":
		return "Ruby"
	case "php":
		return "PHP"
	case "lua", "luajit":
		return "Lua"
	case "rscript":
		return "R"
	case "awk", "gawk", "sed":
		return "AWK"
	case "tclsh", "wish", "expect":
		return "Tcl"
	case "pwsh":
		return "PowerShell"
	case "groovy":
		return "Groovy"
	case "make":
		return "Makefile"
	case "swift":
		return "Swift"
	}
	return ""
}

// interpreter is the program a first line "#!…" asks for, without folder and
// version: "python" of "#!/usr/bin/env -S python3.12 -u".
func interpreter(text []byte) string {
	line, _, _ := bytes.Cut(text[:min(len(text), 256)], []byte("\n"))
	rest, is := bytes.CutPrefix(line, []byte("#!"))
	if !is {
		return ""
	}
	for _, word := range strings.Fields(string(rest)) {
		name := path.Base(word)
		if name == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		return strings.ToLower(strings.TrimRight(name, "0123456789."))
	}
	return ""
}
