package tex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/disk"
)

// copyName is the name a build's copy goes by, so that no name of a user's stands
// in an argument.
const copyName = "paper"

// engine is one way of building.
type engine struct {
	name          string
	unicode       bool     // reads all of Unicode
	script        bool     // runs programs in a paper: only where the system holds it
	whole         bool     // runs bibtex and itself as often as needed
	network       bool     // fetches what it lacks
	argv          []string // the program, its options and the file
	fallbackSetup func([]font, []rune) string
}

var texOptions = []string{"-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error"}

// engines are those we know, in the order they are tried for text in any
// script. LuaTeX runs programs of its own kind and XeTeX does not, so XeTeX is
// first. Latexmk does what we do with the same programs and comes after them;
// tectonic fetches what it needs from the network, so it is asked last.
func engines() []engine {
	return []engine{
		{name: "xelatex", unicode: true, argv: texCommand("xelatex"), fallbackSetup: xeFallback},
		{name: "lualatex", unicode: true, script: true, argv: texCommand("lualatex", "--nosocket"), fallbackSetup: luaFallbackFonts},
		{name: "pdflatex", argv: texCommand("pdflatex")},
		{name: "latexmk", unicode: true, whole: true, argv: texCommand("latexmk", "-norc", "-xelatex", "-e", "$max_repeat=5;"), fallbackSetup: xeFallback},
		{name: "tectonic", unicode: true, whole: true, network: true, argv: []string{"tectonic", "-X", "compile", "--untrusted", "--keep-logs", "--keep-intermediates", copyName + ".tex"}, fallbackSetup: xeFallback},
	}
}

// texCommand is the command of an engine that understands TeX's usual options.
func texCommand(name string, more ...string) []string {
	return append(append(append([]string{name}, more...), texOptions...), copyName+".tex")
}

// Engines are the ways of building that can be used here, in the order they are
// tried for text beyond Latin; for Latin text pdflatex is first. Programs are
// looked up in path; "" is the process's PATH.
func Engines(path string) []string {
	var names []string
	for _, e := range installed(path) {
		names = append(names, e.name)
	}
	return names
}

func installed(path string) []engine {
	return slices.DeleteFunc(engines(), func(e engine) bool { return e.script && !canSandbox() || findProgram(path, e.argv[0]) == "" })
}

// choose gives the engines to try, best first.
func choose(o Options, text string) []engine {
	list := installed(o.Path)
	if o.Engine != "" {
		return slices.DeleteFunc(list, func(e engine) bool { return e.name != o.Engine })
	}
	if !o.NonLatin && latin(text) {
		slices.SortStableFunc(list, func(a, b engine) int { return rank(a) - rank(b) })
	}
	return list
}

// rank puts pdflatex first, which is several times as fast as the others.
func rank(e engine) int {
	if e.unicode {
		return 1
	}
	return 0
}

// latin reports whether pdflatex has the letters of a text.
func latin(text string) bool {
	for _, r := range text {
		if r > 0x17f && (r < 0x2010 || r > 0x2026) && !strings.ContainsRune("€™", r) {
			return false
		}
	}
	return true
}

// findProgram finds a program in a PATH; "" when it is not there. Relative entries
// do not count: they would name whatever folder we are in.
func findProgram(path, name string) string {
	if path == "" {
		path = os.Getenv("PATH")
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name+disk.ProgramEnding)
		if info, err := os.Stat(file); err == nil && disk.IsProgram(info) {
			return file
		}
	}
	return ""
}
