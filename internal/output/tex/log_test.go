package tex

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestWhatALogSaysIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		want []finding
	}{
		"an unknown command": {
			"./paper.tex:6: Undefined control sequence.\nl.6 \\undefinedthing\n               {x}\n",
			[]finding{{kind: broken, file: "paper.tex", line: 6, text: "Undefined control sequence."}},
		},
		"the line that says nothing was made is no error of its own": {
			"./paper.tex:3:  ==> Fatal error occurred, no output PDF file produced!\n!  ==> Fatal error occurred, no output PDF file produced!\n", nil,
		},
		"a package that is not there": {
			"./paper.tex:3: LaTeX Error: File `natbib.sty' not found.\n\nType X to quit\n",
			[]finding{{kind: noFile, file: "paper.tex", line: 3, text: "LaTeX Error: File `natbib.sty' not found.", what: "natbib.sty"}},
		},
		"a package another asks for": {
			"/usr/share/texmf-dist/tex/x/y.sty:45: LaTeX Error: File `z.sty' not found.\n",
			[]finding{{kind: noFile, file: "/usr/share/texmf-dist/tex/x/y.sty", line: 45, text: "LaTeX Error: File `z.sty' not found.", what: "z.sty"}},
		},
		"a letter pdflatex has not": {
			"./paper.tex:9: LaTeX Error: Unicode character П (U+041F)\n               not set up for use with LaTeX.\n\nl.9 П\n",
			[]finding{{kind: noCharacter, file: "paper.tex", line: 9, text: "LaTeX Error: Unicode character П (U+041F)", what: "П"}},
		},
		"a letter written as bytes": {
			"./paper.tex:9: LaTeX Error: Unicode character ^^d0^^9f (U+041F)\n",
			[]finding{{kind: noCharacter, file: "paper.tex", line: 9, text: "LaTeX Error: Unicode character ^^d0^^9f (U+041F)", what: "П"}},
		},
		"a font that is not there": {
			"./paper.tex:3: Package fontspec Error: The font \"No Such Font\" cannot be found.\n",
			[]finding{{kind: noFont, file: "paper.tex", line: 3, text: "Package fontspec Error: The font \"No Such Font\" cannot be found.", what: "No Such Font"}},
		},
		"an argument without an end": {
			"Runaway argument?\n{abc \\par def \\end {document} \n! File ended while scanning use of \\textbf .\n<inserted text> \n",
			[]finding{{text: "File ended while scanning use of \\textbf .", from: "{abc \\par def \\end {document} "}},
		},
		"an error whose line stands below it": {
			"! Missing } inserted.\n<inserted text> \n                }\nl.17 \\end{itemize}\n",
			[]finding{{text: "Missing } inserted.", line: 17}},
		},
		"fonts drawn point by point": {
			"!pdfTeX error: /usr/bin/pdflatex (file ecrm0900): Font ecrm0900 at 600 not found\n ==> Fatal error occurred\n",
			[]finding{{text: "pdfTeX error: /usr/bin/pdflatex (file ecrm0900): Font ecrm0900 at 600 not found"}},
		},
		"letters a font has not": {
			"Missing character: There is no 日 (U+65E5) in font [lmroman10-regular]:+tlig;!\nMissing character: There is no 😀 (\"1F600) in font x!\n",
			[]finding{
				{kind: noGlyph, text: "Missing character: There is no 日 (U+65E5) in font [lmroman10-regular]:+tlig;!", what: "日"},
				{kind: noGlyph, text: "Missing character: There is no 😀 (\"1F600) in font x!", what: "😀"},
			},
		},
		"what stays undefined": {
			"LaTeX Warning: Citation `nope' on page 1 undefined on input line 3.\nPackage natbib Warning: Citation `gone' on page 2 undefined on input line 4.\nLaTeX Warning: Reference `no' on page 1 undefined on input line 5.\n",
			[]finding{
				{kind: noCitation, line: 3, text: "LaTeX Warning: Citation `nope' on page 1 undefined on input line 3.", what: "nope"},
				{kind: noCitation, line: 4, text: "Package natbib Warning: Citation `gone' on page 2 undefined on input line 4.", what: "gone"},
				{kind: noLabel, line: 5, text: "LaTeX Warning: Reference `no' on page 1 undefined on input line 5.", what: "no"},
			},
		},
		"a number beyond all lines": {
			"./paper.tex:99999999999999999999: Oops.\n", []finding{{file: "paper.tex", line: math.MaxInt, text: "Oops."}},
		},
		"nothing": {"", nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, readLog([]byte(c.log))) })
	}
}

func TestWhatBibtexSaysIsRead(t *testing.T) {
	log := "This is BibTeX\nI couldn't open style file plainnatx.bst\n---line 4 of file paper.aux\n : \\bibstyle{plainnatx\nWarning--I didn't find a database entry for \"zz\"\nI was expecting a `,' or a `}'---line 12 of file sources.bib\n"
	require.Equal(t, []finding{
		{kind: noStyle, text: "I couldn't open style file plainnatx.bst", what: "plainnatx"},
		{kind: noCitation, text: `Warning--I didn't find a database entry for "zz"`, what: "zz"},
		{file: "sources.bib", line: 12, text: "I was expecting a `,' or a `}'"},
	}, readBibLog([]byte(log)))
}

func TestALogOfErrorsAloneIsBounded(t *testing.T) {
	require.Len(t, readLog([]byte(strings.Repeat("./paper.tex:1: Oops.\n", 10_000))), maxFindings)
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("./paper.tex:6: Undefined control sequence.\nl.6 \\x\n"))
	f.Add([]byte("Runaway argument?\n{\xff\n! Oops.\n"))
	f.Add([]byte("Missing character: There is no \xd0 (U+FFFFFFFFF) in font\n"))
	f.Add([]byte("I was expecting---line 1 of file x.bib"))
	f.Fuzz(func(t *testing.T, log []byte) {
		source := "\\documentclass{article}\n\\begin{document}\n" + string(log) + "\n\\end{document}"
		for _, found := range append(readLog(log), readBibLog(log)...) {
			if !utf8.ValidString(found.text + found.what) {
				t.Fatalf("%q is no text", found.text)
			}
			c := newTexCopy(source, "")
			lines := len(c.lines)
			if line, how := c.fix(found); how != "" && line > lines {
				t.Fatalf("mended line %d of %d", line, lines)
			}
			if len(c.lines) != lines || strings.Count(c.text(), "\n")+1 != lines {
				t.Fatalf("%q moved the lines", found.text)
			}
		}
	})
}

func FuzzFonts(f *testing.F) {
	f.Add("/usr/share/fonts/a.ttf|0|False|True|0|80|0|A|20-7e a0\n")
	f.Fuzz(func(t *testing.T, said string) {
		for _, font := range parseFonts(said) {
			if strings.ContainsAny(font.file+font.bold+font.italic, "\\{}%#\"'\n") {
				t.Fatalf("%q would mean something to TeX", font.file)
			}
		}
	})
}
