package export

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
)

// script is a set of letters that fonts have or lack together.
type script struct {
	name  string
	spans [][2]rune
	fonts string // that have them, the better first
	dense bool   // written without blanks: a line may end at nearly any letter
}

// scripts are looked for in this order; the last one is of everything else
// beyond what Latin fonts hold.
var scripts = sync.OnceValue(func() []script {
	return []script{
		{name: "european", spans: [][2]rune{{0x0180, 0x058f}, {0x10a0, 0x10ff}, {0x1c90, 0x1cbf}, {0x1d00, 0x1fff}, {0x2de0, 0x2dff}, {0xa640, 0xa69f}, {0xa720, 0xa7ff}, {0xab30, 0xab6f}}},
		{name: "han", dense: true, spans: [][2]rune{{0x2e80, 0x312f}, {0x3190, 0x9fff}, {0xf900, 0xfaff}, {0xfe30, 0xfe4f}, {0xff00, 0xff9f}, {0xffe0, 0xffef}, {0x1b000, 0x1b16f}, {0x20000, 0x3ffff}},
			fonts: "Noto Serif CJK SC,Noto Sans CJK SC,Source Han Serif SC,Source Han Sans SC,Songti SC,PingFang SC,Hiragino Mincho ProN,SimSun,Microsoft YaHei,MS Mincho,Yu Mincho,WenQuanYi Zen Hei,WenQuanYi Micro Hei,AR PL UMing CN,AR PL UKai CN,Droid Sans Fallback,IPAexMincho,IPAMincho,FandolSong,Haranoaji Mincho,Arial Unicode MS"},
		{name: "hangul", spans: [][2]rune{{0x1100, 0x11ff}, {0x3130, 0x318f}, {0xa960, 0xa97f}, {0xac00, 0xd7ff}, {0xffa1, 0xffdc}},
			fonts: "Noto Serif CJK KR,Noto Serif CJK SC,Noto Sans CJK KR,Noto Sans CJK SC,Apple SD Gothic Neo,AppleMyungjo,Malgun Gothic,Batang,NanumMyeongjo,NanumGothic,UnBatang,Baekmuk Batang,WenQuanYi Zen Hei,Droid Sans Fallback,Arial Unicode MS"},
		{name: "arabic", spans: [][2]rune{{0x0600, 0x077f}, {0x08a0, 0x08ff}, {0xfb50, 0xfdff}, {0xfe70, 0xfeff}},
			fonts: "Amiri,Noto Naskh Arabic,Noto Sans Arabic,Scheherazade New,Geeza Pro,Times New Roman,DejaVu Sans,FreeSerif,Arial Unicode MS"},
		{name: "hebrew", spans: [][2]rune{{0x0590, 0x05ff}, {0xfb1d, 0xfb4f}},
			fonts: "Noto Serif Hebrew,Noto Sans Hebrew,Times New Roman,Arial Hebrew,FreeSerif,DejaVu Sans,Arial Unicode MS"},
		{name: "devanagari", spans: [][2]rune{{0x0900, 0x097f}, {0xa8e0, 0xa8ff}},
			fonts: "Noto Serif Devanagari,Noto Sans Devanagari,Kohinoor Devanagari,Devanagari MT,Nirmala UI,Mangal,Lohit Devanagari,FreeSerif,Arial Unicode MS"},
		{name: "bengali", spans: [][2]rune{{0x0980, 0x09ff}}, fonts: "Noto Serif Bengali,Noto Sans Bengali,Kohinoor Bangla,Nirmala UI,Lohit Bengali,FreeSerif,Arial Unicode MS"},
		{name: "tamil", spans: [][2]rune{{0x0b80, 0x0bff}}, fonts: "Noto Serif Tamil,Noto Sans Tamil,Tamil MN,Nirmala UI,Lohit Tamil,FreeSerif,Arial Unicode MS"},
		{name: "indic", spans: [][2]rune{{0x0a00, 0x0b7f}, {0x0c00, 0x0dff}}, fonts: "Nirmala UI,Noto Sans Telugu,Noto Sans Kannada,Noto Sans Malayalam,Noto Sans Gujarati,Noto Sans Gurmukhi,Noto Sans Sinhala,FreeSerif,Arial Unicode MS"},
		{name: "thai", spans: [][2]rune{{0x0e00, 0x0e7f}}, dense: true, fonts: "Noto Serif Thai,Noto Sans Thai,Thonburi,Leelawadee UI,Norasi,FreeSerif,Arial Unicode MS"},
		{name: "other", spans: [][2]rune{{0x0180, 0x10ffff}}, fonts: "DejaVu Sans,Noto Sans Symbols2,Noto Sans Symbols,Symbola,Noto Emoji,Segoe UI Symbol,Apple Symbols,FreeSerif,Arial Unicode MS"},
	}
})

func (s script) holds(r rune) bool {
	for _, span := range s.spans {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// scriptOf is the script of a letter; the zero one for what every font has.
func scriptOf(r rune) script {
	if !beyond(r) {
		return script{}
	}
	for _, s := range scripts() {
		if s.holds(r) {
			return s
		}
	}
	return script{}
}

// scriptsIn are the scripts of a text, in their order.
func scriptsIn(text string) []script {
	seen := map[string]bool{}
	for _, r := range text {
		if beyond(r) && !unicode.IsSpace(r) {
			seen[scriptOf(r).name] = true
		}
	}
	var list []script
	for _, s := range scripts() {
		if seen[s.name] {
			list = append(list, s)
		}
	}
	return list
}

// setup defines what the text of a paper needs, whatever template it stands in,
// and looks for fonts that have its letters. It stands before the document
// begins. Where the machine has no such font the letters are not shown, and
// nothing fails.
func setup(text string) string {
	var b strings.Builder
	b.WriteString(`% What the text below needs.
\usepackage{iftex}
\usepackage{array,longtable,booktabs}
\providecommand\citep[2][]{\cite[#1]{#2}}
\providecommand\texorpdfstring[2]{#1}
\makeatletter
\ifPDFTeX
  \def\council@old{OT1}
  \ifx\encodingdefault\council@old\usepackage[T1]{fontenc}\fi
  \usepackage{textcomp}
  \def\UTFviii@undefined@err#1{?}
\else
  \usepackage{fontspec}
`)
	if found := scriptsIn(text); len(found) > 0 {
		i := strings.IndexFunc(text, beyond)
		fmt.Fprintf(&b, "  %% pdflatex would set \"?\" for letters such as %c: use lualatex or xelatex\n", []rune(text[i:])[0])
		b.WriteString(fontSetup(found))
	}
	b.WriteString("\\fi\n\\makeatother\n\\setlength{\\emergencystretch}{3em}\n\\sloppy\n")
	return b.String()
}

// Fonts whose look is near to that of Latin Modern, with the letters of Europe.
const (
	serif = "CMU Serif,Libertinus Serif,Noto Serif,Linux Libertine O,Liberation Serif,Times New Roman,DejaVu Serif,FreeSerif"
	mono  = "CMU Typewriter Text,Noto Sans Mono,DejaVu Sans Mono,Liberation Mono,Menlo,Consolas,Courier New,FreeMono"
)

// fontSetup chooses fonts. LuaTeX takes from the next one what a font lacks;
// XeTeX changes the font with the class of a letter.
func fontSetup(found []script) string {
	var b strings.Builder
	b.WriteString(`  \newcommand\council@pick[1]{\let\council@font\@empty
    \@for\council@try:=#1\do{\ifx\council@font\@empty
      \expandafter\IfFontExistsTF\expandafter{\council@try}{\let\council@font\council@try}{}\fi}}
  \def\council@plain{lmr}
`)
	for _, s := range found {
		if s.fonts != "" {
			fmt.Fprintf(&b, "  \\council@pick{%s}\\let\\council@%s\\council@font\n", s.fonts, s.name)
		}
	}
	b.WriteString("  \\ifLuaTeX\n")
	b.WriteString(luaFonts(found))
	b.WriteString("  \\else\n")
	b.WriteString(xeFonts(found))
	b.WriteString("  \\fi\n")
	return b.String()
}

// luaFonts chooses the fonts of LuaTeX and where lines may end.
func luaFonts(found []script) string { return "" }

// xeFonts chooses the fonts of XeTeX.
func xeFonts(found []script) string { return "" }
