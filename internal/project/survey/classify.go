package survey

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Classify says what a file is, from its name, its size, its attributes and
// its text: language, kind, lines, whether something starts here, what it is
// about, signs of complexity, and why it is left out if it is. text is the
// whole file, or at least its first [MaxSize]+1 bytes; it is not kept.
//
// The signs of complexity are counted in one pass without a parser: a branch
// word costs one, and one more for each level of indentation beyond the second;
// every ten lines of the longest function beyond fifty cost one.
func Classify(f File, text []byte) File {
	if f.Skip != "" { // the listing knew
		f.Kind = kindOf(language(f.Path, nil))
		return f
	}
	if isOutside(f.Path) {
		return f.skip(SkipName, "its name leads out of the tree")
	}
	f.Language = f.Attributes.Language
	if f.Language == "" {
		f.Language = language(f.Path, text)
	}
	f.Kind = kindOf(f.Language)
	if f.Kind == "" && isMediaName(f.Path) && !isTextBytes(text) {
		f.Kind = Data
	}
	if why := vendored(f); why != "" {
		return f.skip(SkipVendored, why)
	}
	if f.Size > MaxSize {
		return f.skip(SkipLarge, fmt.Sprintf("%d bytes", f.Size))
	}
	if len(text) == 0 {
		return f.skip(SkipEmpty, "0 bytes")
	}
	if f, left := readable(f, text); left {
		return f
	}
	return measure(f, text)
}

// skip leaves a file out.
func (f File) skip(skip, why string) File {
	f.Skip, f.Reasons = skip, []string{why}
	return f
}

// readable leaves out what is no text.
func readable(f File, text []byte) (File, bool) {
	if isBinaryName(f.Path) {
		return f.skip(SkipBinary, "by its extension"), true
	}
	switch encodingOf(text) {
	case isBinary:
		return f.skip(SkipBinary, "zero or control bytes"), true
	case isWide:
		return f.skip(SkipEncoding, "UTF-16 or UTF-32"), true
	case isOther:
		return f.skip(SkipEncoding, "neither UTF-8 nor like Latin-1"), true
	}
	if bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/")) {
		return f.skip(SkipData, "a pointer to a large file elsewhere"), true
	}
	return f, false
}

// measure reads the text and decides the rest.
func measure(f File, text []byte) File {
	s := scan(text)
	f.Lines = s.lines
	if f.Language == "" {
		f.Language = prose // of no known kind
	}
	f.Test = isTestName(f.Path)
	if why := generated(f, text, s); why != "" {
		if isLockFile(strings.ToLower(path.Base(f.Path))) {
			f.Kind = Data
		}
		return f.skip(SkipGenerated, why)
	}
	if f.Lines > MaxLines {
		return f.skip(SkipLarge, fmt.Sprintf("%d lines", f.Lines))
	}
	if s.long*2 > len(text) {
		return f.skip(SkipLines, fmt.Sprintf("its longest line has %d bytes", s.longest))
	}
	if inTestData(f.Path) {
		return f.skip(SkipTestData, "its folder holds data of tests")
	}
	if path.Base(f.Path) == ".gitignore" {
		f.Kind = Data
		return f.skip(SkipData, "what git leaves alone")
	}
	if f = classifyInstructions(f, text); f.Kind == Prose || f.Kind == "" {
		return f.skip(SkipProse, f.Language)
	}
	if f.Kind == Data || f.Kind == Config && !isSmall(f) {
		return f.skip(SkipData, f.Language)
	}
	f.Sensitive = subjects(pathSubjects(f.Path))
	if f.Kind == Source {
		f.Complexity, f.Uses = s.complexity, s.uses
	}
	return setEntry(f, text, s.main)
}

// maxConfigLines is how many lines a file of a data format may have and still be
// configuration somebody wrote.
const maxConfigLines = 1000

func isSmall(f File) bool { return f.Lines <= maxConfigLines && !isTranslation(f.Path) }

// isTranslation reports whether a file lies among translations.
func isTranslation(p string) bool {
	return isInFolderNamed(p, "locales", "locale", "i18n", "translations", "lang")
}

// isInFolderNamed reports whether one of the folders a path lies in has one of these
// names.
func isInFolderNamed(p string, names ...string) bool {
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		if slices.Contains(names, dir) {
			return true
		}
	}
	return false
}

// vendored says why a file is somebody else's.
func vendored(f File) string {
	switch f.Attributes.Vendored {
	case "set":
		return "by .gitattributes"
	case "unset":
		return ""
	}
	for dir := range strings.SplitSeq(path.Dir(f.Path), "/") {
		switch strings.ToLower(dir) {
		case "vendor", "node_modules", "third_party", "third-party", "thirdparty", "bower_components", "jspm_packages",
			"pods", "carthage", "godeps", "site-packages", ".venv", "venv", ".tox", ".bundle", ".yarn", ".pnpm-store",
			".terraform", "elm-stuff", ".gradle":
			return "in " + Quote(dir+"/")
		}
	}
	switch path.Base(f.Path) {
	case "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", ".pnp.cjs", ".pnp.js":
		return "a wrapper its tool wrote"
	}
	return ""
}

// isBinaryName reports whether an extension is one of files that are no text.
func isBinaryName(p string) bool {
	switch extension(p) {
	case "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "tar", "jar", "war", "class", "o", "a", "so", "dylib", "dll", "exe", "lib",
		"pyc", "wasm", "pkl", "onnx", "pt", "npz":
		return true
	}
	return isMediaName(p)
}

// isMediaName reports whether an extension is one of files that are no text and
// that nothing is run from: pictures, sound, letters, documents, tables, keys.
func isMediaName(p string) bool {
	switch extension(p) {
	case "png", "jpg", "jpeg", "gif", "webp", "ico", "icns", "bmp", "tiff", "psd", "avif", "heic", "pdf", "woff", "woff2", "ttf", "otf", "eot",
		"mp3", "mp4", "wav", "ogg", "webm", "mov", "avi", "flac", "docx", "xlsx", "pptx", "odt", "db", "sqlite", "sqlite3", "parquet", "npy",
		"safetensors", "keystore", "jks", "p12", "der", "gpg":
		return true
	}
	return false
}

func extension(p string) string { return strings.ToLower(strings.TrimPrefix(path.Ext(p), ".")) }

// isTextBytes reports whether bytes are text, which no picture is.
func isTextBytes(text []byte) bool {
	e := encodingOf(text)
	return (e == isText || e == isEightBit) && !bytes.HasPrefix(text, []byte("%PDF-"))
}

// isTestName reports whether a file tests others, by its name.
func isTestName(p string) bool {
	if isInFolderNamed(p, "test", "tests", "__tests__", "spec", "specs", "e2e", "testing", "androidtest", "unittest", "unittests") {
		return true
	}
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	low := strings.ToLower(stem)
	for _, end := range []string{"_test", "_tests", ".test", ".spec", "_spec", "-test", "-spec"} {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	for _, end := range []string{"Test", "Tests", "Spec", "IT", "TestCase"} {
		if rest, is := strings.CutSuffix(stem, end); is && rest != "" && !upper(rest[len(rest)-1]) {
			return true
		}
	}
	return strings.HasPrefix(low, "test_") || low == "conftest"
}

// inTestData reports whether a file lies in a folder of data for tests.
func inTestData(p string) bool {
	return isInFolderNamed(p, "testdata", "fixtures", "__fixtures__", "test_data", "test-data", "test-fixtures", "cassettes", "goldens")
}

// generated says why nobody wrote a file by hand.
func generated(f File, text []byte, s textSigns) string {
	switch f.Attributes.Generated {
	case "set":
		return "by .gitattributes"
	case "unset":
		return ""
	}
	base := strings.ToLower(path.Base(f.Path))
	if isLockFile(base) {
		return "a lock file"
	}
	if isInFolderNamed(f.Path, "__snapshots__") || strings.HasSuffix(base, ".snap") || strings.HasSuffix(base, ".golden") {
		return "a snapshot of tests"
	}
	if isGeneratedName(base) {
		return "its name is that of a generator's output"
	}
	if script(f.Language) && (strings.Contains(base, ".min.") || strings.Contains(base, ".bundle.") || isInFolderNamed(f.Path, "dist")) {
		return "built from other files"
	}
	if script(f.Language) && s.lines > 0 && len(text)/s.lines > 500 {
		return "minified"
	}
	if line := generatedLine(text); line != "" {
		return "it says so: " + Quote(line)
	}
	return ""
}

// script reports whether files of a language are often built from others.
func script(language string) bool {
	return language == "JavaScript" || language == "CSS" || language == "TypeScript"
}

func isLockFile(base string) bool {
	switch base {
	case "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock", "go.sum", "go.work.sum",
		"cargo.lock", "gemfile.lock", "poetry.lock", "pipfile.lock", "pdm.lock", "uv.lock", "composer.lock", "mix.lock", "pubspec.lock",
		"podfile.lock", "cartfile.resolved", "package.resolved", "flake.lock", "packages.lock.json", "gradle.lockfile",
		".terraform.lock.hcl", "stack.yaml.lock", "cabal.project.freeze", "module.bazel.lock", "conan.lock", "paket.lock":
		return true
	}
	return false
}

// isGeneratedName reports whether a name is one that generators give.
func isGeneratedName(base string) bool {
	for _, end := range []string{
		".pb.go", ".pb.gw.go", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.cc", ".pb.h", "_pb.js", "_pb.ts", "_pb.d.ts", "_pb.rb",
		".pb.swift", ".pb.dart", ".pbobjc.h", ".pbobjc.m", ".g.dart", ".freezed.dart", ".g.cs", ".designer.cs", ".js.map", ".css.map",
		".generated.go", ".generated.ts", ".generated.cs", ".gen.go", ".gen.ts", "_generated.go", "_generated.rs", "_string.go",
	} {
		if strings.HasSuffix(base, end) && base != end {
			return true
		}
	}
	return strings.HasPrefix(base, "zz_generated.")
}

// declaration matches a line of a comment, its marks taken off, by which a
// generator owns up to a file. It has to begin the line: text about generated
// files is no such line.
var declaration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Code generated .*DO NOT EDIT\.?$|@generated\b|<auto-generated` +
		`|(?i:(?:this|the following) (?:file|code) (?:is|was|has been) (?:an )?(?:automatically |auto-?)?generated\b` +
		`|(?:auto-?|automatically )generated (?:by|from|file|code)\b.*(?:do not|don't|compiler)` +
		`|generated (?:by|from|with|using|file|code|automatically)\b.*do not (?:edit|modify|change)` +
		`|generated by the protocol buffer compiler|autogenerated by \w+ compiler` +
		`|do not (?:edit|modify|change)\b.*\bgenerated\b|warning:? .*\bgenerated\b.*do not ))`)
})

// Where a declaration may stand: in the comment a file begins with.
const (
	headLines = 40
	headBytes = 8 << 10
)

// generatedLine is the line by which a text says that it was generated.
func generatedLine(text []byte) string {
	head := text[:min(len(text), headBytes)]
	if !bytes.Contains(head, []byte("enerated")) && !bytes.Contains(head, []byte("ENERATED")) {
		return "" // the common case, at no cost
	}
	n, block := 0, false
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		if n++; n > headLines || !leading(line, &block) {
			return ""
		}
		words := bytes.TrimSpace(bytes.Trim(line, "/*#;-!% \t<>\"'"))
		if bytes.Contains(line, []byte("<auto-generated")) {
			return "<auto-generated>"
		}
		if declaration().Match(words) {
			return string(words)
		}
	}
	return ""
}

// leading reports whether a line may stand above the first line of code. block
// is whether a comment of several lines is open.
func leading(line []byte, block *bool) bool {
	if *block {
		*block = !closesComment(line)
		return true
	}
	switch {
	case len(line) == 0:
		return true
	case bytes.HasPrefix(line, []byte("/*")), bytes.HasPrefix(line, []byte("<!--")), bytes.HasPrefix(line, []byte("(*")), bytes.HasPrefix(line, []byte("{-")):
		*block = !closesComment(line)
		return true
	case bytes.HasPrefix(line, []byte(`"""`)), bytes.HasPrefix(line, []byte(`'''`)):
		*block = len(line) < 6 || !bytes.HasSuffix(line, line[:3])
		return true
	}
	return comment(line) || bytes.HasPrefix(line, []byte("<?")) || bytes.HasPrefix(line, []byte("<!")) || bytes.HasPrefix(line, []byte("<%"))
}

func closesComment(line []byte) bool {
	for _, end := range []string{"*/", "-->", "*)", "-}", `"""`, `'''`} {
		if bytes.HasSuffix(line, []byte(end)) && len(line) >= len(end) {
			return true
		}
	}
	return false
}

// classifyInstructions tells Markdown that an agent obeys from Markdown that people read:
// it decides what runs, so it is reviewed.
func classifyInstructions(f File, text []byte) File {
	if f.Language != "Markdown" || f.Attributes.Documentation == "set" {
		return f
	}
	skill := path.Base(f.Path) == "SKILL.md"
	if !skill && !slices.Contains([]string{"agents", "commands", "prompts"}, path.Base(path.Dir(f.Path))) {
		return f
	}
	front, is := bytes.CutPrefix(text, []byte("---\n"))
	if at := bytes.Index(front, []byte("\n---")); is && at >= 0 && bytes.Contains(front[:at], []byte("description:")) {
		f.Language, f.Kind = "Agent instructions", Config
	}
	return f
}
