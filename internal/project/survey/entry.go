package survey

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// setEntry says what starts at a file, and what a manifest starts elsewhere.
// main is whether its text has a main function.
func setEntry(f File, text []byte, main bool) File {
	f.Entry = entryByName(f)
	if f.Entry == "" && !f.Test {
		f.Entry = entryByText(f, text, main)
	}
	switch path.Base(f.Path) {
	case "package.json":
		f.Starts = packageStarts(f.Path, text)
	case "Cargo.toml", "pyproject.toml":
		f.Starts = tomlStarts(f.Path, text)
	}
	return f
}

// entryByName says what starts at a file because of its place and name.
func entryByName(f File) string {
	base := path.Base(f.Path)
	low := strings.ToLower(base)
	switch {
	case f.Language == "Dockerfile":
		return "container image"
	case strings.HasPrefix(f.Path, ".github/workflows/"), strings.HasPrefix(f.Path, ".circleci/"), strings.HasPrefix(f.Path, ".ci/"),
		strings.HasPrefix(f.Path, ".buildkite/"), strings.HasPrefix(f.Path, ".woodpecker/"):
		return "continuous integration"
	}
	switch low {
	case ".gitlab-ci.yml", ".travis.yml", "jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml", "cloudbuild.yaml",
		".drone.yml", "action.yml", "action.yaml":
		return "continuous integration"
	case "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "procfile", "serverless.yml", "app.yaml", "fly.toml":
		return "deployment"
	case "makefile", "gnumakefile", "justfile", "rakefile", "taskfile.yml":
		return "build"
	case "hooks.json":
		return "hooks"
	}
	return ""
}

// entryByText says what starts at a source file.
func entryByText(f File, text []byte, main bool) string {
	base := strings.ToLower(path.Base(f.Path))
	switch base {
	case "__main__.py", "manage.py", "wsgi.py", "asgi.py", "setup.py":
		return "Python program"
	case "main.ts", "server.ts", "server.js", "main.js", "main.tsx", "main.jsx":
		return "program"
	case "index.php":
		return "web program"
	}
	if strings.HasPrefix(string(text[:min(len(text), 2)]), "#!") {
		if parent := path.Base(path.Dir(f.Path)); f.Executable || parent == "bin" || parent == "scripts" || parent == "hooks" {
			return "script"
		}
	}
	if !main {
		return ""
	}
	switch f.Language {
	case "Go":
		if mainPackage(text) {
			return "main package"
		}
	case "C", "C++", "Java", "C#", "Rust", "Kotlin", "Scala", "Dart", "Zig", "Swift", "D":
		return "main function"
	case "Python":
		if bytes.Contains(text, []byte("__main__")) {
			return "Python program"
		}
	}
	return ""
}

// mainPackage reports whether a Go file holds the main function of a program.
func mainPackage(text []byte) bool {
	if !bytes.Contains(text, []byte("\nfunc main()")) {
		return false
	}
	for line := range bytes.Lines(text) {
		if rest, is := bytes.CutPrefix(line, []byte("package ")); is {
			name := bytes.Fields(rest)
			return len(name) > 0 && string(name[0]) == "main"
		}
	}
	return false
}

const maxStarts = 100 // paths that one manifest may name

// packageStarts are the files a package.json names as programs.
func packageStarts(manifest string, text []byte) []string {
	var p struct {
		Main, Module json.RawMessage
		Bin          json.RawMessage
	}
	if json.Unmarshal(text, &p) != nil {
		return nil
	}
	var starts []string
	for _, raw := range []json.RawMessage{p.Main, p.Module, p.Bin} {
		var one string
		var more map[string]string
		switch {
		case json.Unmarshal(raw, &one) == nil:
			starts = append(starts, one)
		case json.Unmarshal(raw, &more) == nil:
			for _, s := range more {
				starts = append(starts, s)
			}
		}
	}
	return resolveStarts(manifest, starts)
}

// tomlKeys are the lines of a manifest that name a program: a path in Cargo's,
// a function of a module in Python's.
var tomlKeys = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(?:path\s*=\s*["']([^"']+\.rs)["']|[\w"'-]+\s*=\s*["']([A-Za-z_][\w.]*):[A-Za-z_][\w.]*["'])`)
})

func tomlStarts(manifest string, text []byte) []string {
	var starts []string
	for _, m := range tomlKeys().FindAllSubmatch(text, maxStarts) {
		if len(m[1]) > 0 {
			starts = append(starts, string(m[1]))
			continue
		}
		module := strings.ReplaceAll(string(m[2]), ".", "/") + ".py"
		starts = append(starts, module, "src/"+module)
	}
	return resolveStarts(manifest, starts)
}

// resolveStarts makes paths relative to a manifest those of the tree.
func resolveStarts(manifest string, starts []string) []string {
	slices.Sort(starts)
	var list []string
	for _, s := range starts[:min(len(starts), maxStarts)] {
		if p := path.Join(path.Dir(manifest), s); !isOutside(p) {
			list = append(list, p)
		}
	}
	return slices.Compact(list)
}

// Link marks the files that manifests among them name as entry points: package.json
// (main, module, bin), Cargo.toml and pyproject.toml. It changes the files in place.
func Link(files []File) {
	at := map[string]string{} // by path, its manifest
	for _, f := range files {
		for _, s := range f.Starts {
			at[s] = path.Base(f.Path)
		}
	}
	if len(at) == 0 {
		return
	}
	for i := range files {
		f := &files[i]
		if !f.Reviewed() || f.Entry != "" || f.Kind != Source {
			continue
		}
		ext := path.Ext(f.Path)
		bare := strings.TrimSuffix(f.Path, ext)
		for _, name := range []string{f.Path, bare, strings.TrimSuffix(bare, "/index"), bare + ".js"} {
			if manifest, is := at[name]; is {
				f.Entry = "named by " + manifest
				break
			}
		}
	}
}
