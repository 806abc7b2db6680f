package librarian

import (
	"path"
	"strings"
)

// form is how a kind of file tells what is said from what is done.
type form struct {
	document   bool     // running text, with headings
	lines      []string // what begins a comment to the end of its line
	open, shut string   // what begins and ends a comment of several lines
	headings   bool     // "#" begins a heading
	underlines bool     // a line of "=", "-" or "~" makes a heading of the line before
	data       bool     // data: no comments
}

// formOf tells the form of a file by its name.
func formOf(name string) form {
	base := strings.ToLower(path.Base(name))
	ext := strings.TrimPrefix(path.Ext(base), ".")
	switch {
	case hasExtension(markdownExt, ext):
		return form{document: true, headings: true, underlines: true, open: "<!--", shut: "-->"}
	case hasExtension(textExt, ext), ext == "" && documentName(base):
		return form{document: true, underlines: true}
	case hasExtension(markupExt, ext):
		return form{document: true, open: "<!--", shut: "-->"}
	case hasExtension(slashExt, ext):
		return form{lines: []string{"//"}, open: "/*", shut: "*/"}
	case ext == "py" || ext == "pyi":
		return form{lines: []string{"#"}, open: `"""`, shut: `"""`}
	case hasExtension(hashExt, ext), strings.HasPrefix(base, "makefile"), strings.HasPrefix(base, "dockerfile"):
		return form{lines: []string{"#"}}
	case hasExtension(dashExt, ext):
		return form{lines: []string{"--"}, open: "{-", shut: "-}"}
	case hasExtension(semicolonExt, ext):
		return form{lines: []string{";", "#"}}
	}
	return form{data: true}
}

func hasExtension(list, ext string) bool { return ext != "" && strings.Contains(list, " "+ext+" ") }

// Kinds of files by the ends of their names.
const (
	markdownExt  = " md markdown mdx mkd qmd rmd "
	textExt      = " txt text rst adoc asciidoc org pod tex texi texinfo wiki textile man 1 2 3 4 5 6 7 8 9 eml log "
	markupExt    = " html htm xhtml xml svg docbook dita "
	slashExt     = " go c h cc cpp cxx hh hpp hxx java js jsx mjs cjs ts tsx mts cts rs swift kt kts scala dart php cs m mm zig v sv proto groovy gradle s d sol css scss less jsonc json5 thrift fs fsx vala hlsl glsl cu cuh "
	hashExt      = " sh bash zsh fish rb pl pm r jl yaml yml toml cfg conf cmake nix tcl awk ex exs cr coffee tf hcl ps1 mk graphql gql properties env "
	dashExt      = " sql lua hs elm ada adb ads vhd vhdl "
	semicolonExt = " lisp cl clj cljs edn el scm rkt ini asm "
)

// documentName reports whether a file without an end to its name is written
// for people.
func documentName(base string) bool {
	for _, n := range []string{"readme", "license", "licence", "copying", "notice", "install", "news", "changes", "changelog", "history", "todo", "authors", "contributing", "faq", "releases"} {
		if strings.HasPrefix(base, n) {
			return true
		}
	}
	return false
}

// specExt are formal descriptions of formats and interfaces.
const specExt = " proto thrift graphql gql wsdl xsd dtd abnf ebnf bnf asn1 asn idl raml avsc "

// shardOf is the shard of a file as a whole.
func shardOf(name string) Shard {
	lowered := strings.ToLower(name)
	base := path.Base(lowered)
	ext := strings.TrimPrefix(path.Ext(base), ".")
	f := formOf(name)
	switch {
	case isPeripheral(lowered):
		return Community
	case f.document, hasExtension(specExt, ext):
		return Official
	}
	return Code
}

// peripheralFolders hold what surrounds a work, and is not the work.
const peripheralFolders = " test tests testdata __tests__ spec specs_test fixtures example examples _examples sample samples demo demos bench benches benchmark benchmarks script scripts contrib misc issues discussions discussion community forum notes meetings mail mailinglist posts blog tools hack .github e2e integration "

// isPeripheral reports whether a file surrounds the work: tests, examples, scripts,
// logs of changes, what people wrote about it. The name is in small letters.
func isPeripheral(name string) bool {
	dirs := strings.Split(path.Dir(name), "/")
	for _, d := range dirs {
		if hasExtension(peripheralFolders, d) {
			return true
		}
	}
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	for _, end := range []string{"_test", "-test", ".test", ".spec", "_spec", "_bench", "_example"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	for _, begin := range []string{"test_", "example_", "changelog", "changes", "history", "news", "release", "todo", "contributing", "authors", "code_of_conduct", "roadmap", "ideas", "minutes"} {
		if strings.HasPrefix(base, begin) {
			return true
		}
	}
	switch path.Ext(base) {
	case ".sh", ".bash", ".ps1", ".bat", ".log", ".eml", ".mbox", ".ipynb", ".patch", ".diff":
		return true
	}
	return false
}

// kinds says what each line is.
func (f form) kinds(lines []string) []byte {
	kinds := make([]byte, len(lines))
	inside, fenced := false, ""
	for i, raw := range lines {
		line := strings.TrimSpace(raw)
		switch {
		case f.document && fenced != "":
			kinds[i] = codeLine
			if strings.HasPrefix(line, fenced) {
				fenced = ""
			}
		case inside:
			kinds[i] = commentLine
			inside = !strings.Contains(line, f.shut)
		case line == "":
			kinds[i] = blankLine
		case f.document:
			kinds[i] = f.documentKind(line, raw)
			if fence := fenceOf(line); fence != "" && f.headings {
				kinds[i], fenced = codeLine, fence
			}
			if f.underlines && i > 0 && isUnderline(line) && kinds[i-1] == proseLine {
				kinds[i-1], kinds[i] = headLine, headLine
			}
		default:
			kinds[i], inside = f.sourceKind(line)
		}
	}
	return kinds
}

func fenceOf(line string) string {
	for _, f := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, f) {
			return f
		}
	}
	return ""
}

func (f form) documentKind(line, raw string) byte {
	switch {
	case f.headings && strings.HasPrefix(line, "#") && strings.Contains(line, " "):
		return headLine
	case f.open != "" && len(line) > 2 && line[0] == '<' && isHeading(line):
		return headLine
	case line[0] == '|', strings.HasPrefix(line, "<script"), strings.HasPrefix(line, "<style"):
		return codeLine
	case f.open == "" && strings.HasPrefix(raw, "= "), f.open == "" && strings.HasPrefix(raw, "== "):
		return headLine
	}
	return proseLine
}

func isHeading(line string) bool {
	return (line[1] == 'h' || line[1] == 'H') && line[2] >= '1' && line[2] <= '6'
}

// isUnderline reports whether a line only underlines.
func isUnderline(line string) bool {
	return len(line) >= 3 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "" || strings.Trim(line, "~") == "")
}

// sourceKind tells a comment from code, and whether the comment goes on.
func (f form) sourceKind(line string) (kind byte, inside bool) {
	for _, begin := range f.lines {
		if rest, ok := strings.CutPrefix(line, begin); ok {
			if isDirective(rest) {
				return codeLine, false
			}
			return commentLine, false
		}
	}
	if f.open == "" || !strings.HasPrefix(line, f.open) {
		return codeLine, false
	}
	return commentLine, !strings.Contains(line[len(f.open):], f.shut)
}

// isDirective reports whether a comment speaks to a tool: go:build, nolint:,
// +build, !/bin/sh.
func isDirective(rest string) bool {
	if rest == "" {
		return false
	}
	if rest[0] == '!' || strings.HasPrefix(rest, " +build") || strings.HasPrefix(rest, "line ") {
		return true
	}
	name, _, ok := strings.Cut(rest, ":")
	return ok && lower(rest[0]) && !strings.Contains(name, " ")
}

// textSpan is where in a line that says something the words begin and end: behind
// the comment's sign, the list's bullet, before the comment's end.
func textSpan(line string, kind byte) (start, end int, bullet bool) {
	end = len(strings.TrimRight(line, " \t\r"))
	start = len(line) - len(strings.TrimLeft(line, " \t\ufeff"))
	if kind == commentLine {
		start += commentSignLength(line[start:max(start, end)])
		for _, shut := range []string{"*/", "-->", `"""`, "-}"} {
			if strings.HasSuffix(line[:end], shut) && end-len(shut) >= start {
				end = len(strings.TrimRight(line[:end-len(shut)], " \t*"))
			}
		}
	}
	for start < end && (line[start] == ' ' || line[start] == '\t') {
		start++
	}
	n := BulletLength(line[min(start, end):end])
	return min(start+n, end), end, n > 0
}

// commentSigns begin a line of a comment, the longest first.
var commentSigns = []string{"<!--", `"""`, "////", "///", "//!", "//", "/**", "/*", "*", "###", "##", "#", "---", "--", "{-", ";;;;", ";;;", ";;", ";"}

func commentSignLength(s string) int {
	for _, l := range commentSigns {
		if strings.HasPrefix(s, l) && !(l == "*" && len(s) > 1 && s[1] != ' ' && s[1] != '/') {
			return len(l)
		}
	}
	return 0
}

// BulletLength is the length of the mark of a list's item, with the blank behind.
func BulletLength(s string) int {
	if len(s) > 2 && strings.IndexByte("-*+>", s[0]) >= 0 && s[1] == ' ' {
		return 2
	}
	n := 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 && len(s) > 2 && lower(s[0]) {
		n = 1 // a. b. c.
	}
	if n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return n + 2
	}
	return 0
}
