package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// script is a set of letters that fonts have or lack together.
type script struct {
	name  string
	spans [][2]rune
	fonts string // that have them, the better first; "" where fonts of Latin text may have them
	tag   string // OpenType's name of it, where letters are joined by rules of the script
	dense bool   // written without blanks: a line may end at nearly any letter
}

// otherScript is what is of no script that is named.
const otherScript = "other"

// scripts are looked for in this order; the last one is of everything else
// beyond what Latin fonts hold. No font goes by one word: XeTeX would try to
// make one of that name where it is missing.
var scripts = sync.OnceValue(func() []script {
	return []script{
		{name: "european", spans: [][2]rune{{0x0180, 0x058f}, {0x10a0, 0x10ff}, {0x1c90, 0x1cbf}, {0x1d00, 0x1fff}, {0x2de0, 0x2dff}, {0xa640, 0xa69f}, {0xa720, 0xa7ff}, {0xab30, 0xab6f}}},
		{
			name: "han", dense: true, spans: [][2]rune{{0x2e80, 0x312f}, {0x3190, 0x9fff}, {0xf900, 0xfaff}, {0xfe30, 0xfe4f}, {0xff00, 0xff9f}, {0xffe0, 0xffef}, {0x1b000, 0x1b16f}, {0x20000, 0x3ffff}},
			fonts: "Noto Serif CJK SC,Noto Sans CJK SC,Source Han Serif SC,Source Han Sans SC,Songti SC,PingFang SC,Hiragino Mincho ProN,Microsoft YaHei,MS Mincho,Yu Mincho,WenQuanYi Zen Hei,WenQuanYi Micro Hei,AR PL UMing CN,AR PL UKai CN,Droid Sans Fallback,Haranoaji Mincho,Arial Unicode MS",
		},
		{
			name: "hangul", spans: [][2]rune{{0x1100, 0x11ff}, {0x3130, 0x318f}, {0xa960, 0xa97f}, {0xac00, 0xd7ff}, {0xffa1, 0xffdc}},
			fonts: "Noto Serif CJK KR,Noto Serif CJK SC,Noto Sans CJK KR,Noto Sans CJK SC,Apple SD Gothic Neo,Malgun Gothic,Baekmuk Batang,WenQuanYi Zen Hei,Droid Sans Fallback,Arial Unicode MS",
		},
		{
			name: "arabic", tag: "arab", spans: [][2]rune{{0x0600, 0x077f}, {0x08a0, 0x08ff}, {0xfb50, 0xfdff}, {0xfe70, 0xfeff}},
			fonts: "Amiri Regular,Noto Naskh Arabic,Noto Sans Arabic,Scheherazade New,Geeza Pro,Times New Roman,DejaVu Sans,Arial Unicode MS",
		},
		{
			name: "hebrew", tag: "hebr", spans: [][2]rune{{0x0590, 0x05ff}, {0xfb1d, 0xfb4f}},
			fonts: "Noto Serif Hebrew,Noto Sans Hebrew,Times New Roman,Arial Hebrew,DejaVu Sans,Arial Unicode MS",
		},
		{
			name: "devanagari", tag: "deva", spans: [][2]rune{{0x0900, 0x097f}, {0xa8e0, 0xa8ff}},
			fonts: "Noto Serif Devanagari,Noto Sans Devanagari,Kohinoor Devanagari,Devanagari MT,Nirmala UI,Lohit Devanagari,Arial Unicode MS",
		},
		{name: "bengali", tag: "beng", spans: [][2]rune{{0x0980, 0x09ff}}, fonts: "Noto Serif Bengali,Noto Sans Bengali,Kohinoor Bangla,Nirmala UI,Lohit Bengali,Arial Unicode MS"},
		{name: "tamil", tag: "taml", spans: [][2]rune{{0x0b80, 0x0bff}}, fonts: "Noto Serif Tamil,Noto Sans Tamil,Tamil MN,Nirmala UI,Lohit Tamil,Arial Unicode MS"},
		{name: "indic", spans: [][2]rune{{0x0a00, 0x0b7f}, {0x0c00, 0x0dff}}, fonts: "Nirmala UI,Noto Sans Telugu,Noto Sans Kannada,Noto Sans Malayalam,Noto Sans Gujarati,Noto Sans Gurmukhi,Noto Sans Sinhala,Arial Unicode MS"},
		{name: "thai", tag: "thai", spans: [][2]rune{{0x0e00, 0x0e7f}}, dense: true, fonts: "Noto Serif Thai,Noto Sans Thai,Leelawadee UI,Arial Unicode MS"},
		{name: otherScript, spans: [][2]rune{{0x0180, 0x10ffff}}, fonts: "DejaVu Sans,Noto Sans Symbols2,Noto Sans Symbols,Noto Emoji,Segoe UI Symbol,Apple Symbols,Arial Unicode MS"},
	}
})

func (s script) contains(r rune) bool {
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
		if s.contains(r) {
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
		b.WriteString(fontSetup(found, text))
	}
	b.WriteString("\\fi\n\\makeatother\n\\setlength{\\emergencystretch}{3em}\n\\sloppy\n")
	return b.String()
}

// Fonts whose look is near to that of Latin Modern, with the letters of Europe.
const (
	serif = "CMU Serif,Libertinus Serif,Noto Serif,Linux Libertine O,Liberation Serif,Times New Roman,DejaVu Serif,Latin Modern Roman"
	mono  = "CMU Typewriter Text,Noto Sans Mono,DejaVu Sans Mono,Liberation Mono,Courier New,Latin Modern Mono"
)

// fontSetup chooses fonts, unless the template has chosen its own for the text.
// LuaTeX takes what a font lacks from the next one of a list; XeTeX changes the
// font with the class of a letter, and back at its end.
func fontSetup(found []script, text string) string {
	var lua, xe strings.Builder
	dense, serifs, monos := false, "Latin Modern Roman", "Latin Modern Mono"
	for _, s := range found {
		dense = dense || s.dense
		if s.fonts == "" {
			serifs, monos = serif, mono
			xe.WriteString("    \\council@roman{}\n")
			continue
		}
		fmt.Fprintf(&lua, "    \\council@next{%s}{%s}\n", s.fonts, fontOption("script=", s.tag))
		fmt.Fprintf(&xe, "    \\council@script{%s}{%s}{%s}{%s}\n", s.name, s.fonts, fontOption("Script=", s.fontspecName()), characterClasses(s, text))
	}
	lua.WriteString("    \\directlua{luaotfload.add_fallback('council', {\\council@chain})}\n    \\council@roman{RawFeature={fallback=council}}\n")
	lua.WriteString(luaLines)
	if dense {
		xe.WriteString("    \\XeTeXlinebreaklocale \"zh\"\n    \\XeTeXlinebreakskip=0pt plus 1pt\n")
	}
	return fmt.Sprintf(fontMacros, serifs, monos) + "  \\ifLuaTeX\n" + luaMacros + lua.String() + "  \\else\n" + xeMacros + xe.String() + "  \\fi\n"
}

// fontspecName is what fontspec calls a script that has rules of its own.
func (s script) fontspecName() string {
	if s.tag == "" {
		return ""
	}
	return titleOf(s.name)
}

// fontOption chooses the rules of a script, if it has some.
func fontOption(option, script string) string {
	if script == "" {
		return ""
	}
	return option + script
}

// characterClasses are the letters of a script for XeTeX, as spans of hexadecimal
// numbers: whole blocks, but where these are long only the letters of the text.
func characterClasses(s script, text string) string {
	var out []string
	for _, span := range s.spans {
		if span[1] <= 0xffff && s.name != otherScript {
			out = append(out, fmt.Sprintf("%04X/%04X", span[0], span[1]))
		}
	}
	single := map[rune]bool{}
	for _, r := range text {
		if (r > 0xffff || s.name == otherScript) && scriptOf(r).name == s.name {
			single[r] = true
		}
	}
	for _, r := range slices.Sorted(maps.Keys(single)) {
		out = append(out, fmt.Sprintf("%04X/%04X", r, r))
	}
	return strings.Join(out, ",")
}

// fontMacros find the first installed font of a list, and change the fonts of
// the text where no template has.
const fontMacros = `  \newcommand\council@pick[1]{\let\council@font\@empty
    \@for\council@try:=#1\do{\ifx\council@font\@empty
      \expandafter\IfFontExistsTF\expandafter{\council@try}{\let\council@font\council@try}{}\fi}}
  \newcommand\council@set[3]{\council@pick{#2}\ifx\council@font\@empty\else
    \edef\council@do{\noexpand#1{\council@font}}\council@do[#3]\fi}
  \def\council@plain{lmr}
  \newcommand\council@roman[1]{\edef\council@now{\rmdefault}\ifx\council@now\council@plain
    \council@set\setmainfont{%s}{#1}
    \council@set\setmonofont{%s}{#1}\fi}
`

const luaMacros = `    \let\council@chain\@empty
    \newcommand\council@next[2]{\council@pick{#1}\ifx\council@font\@empty\else
      \edef\council@chain{\council@chain'\council@font:mode=harf;#2',}\fi}
`

// luaLines does what LuaTeX leaves to packages: it lets a line end between
// letters of scripts that are written without blanks, but not before a sign that
// closes nor behind one that opens, and turns scripts that are written from the
// right.
const luaLines = `    \directlua{
      local glyph = node.id('glyph')
      local close, open = {}, {}
      for _, c in utf8.codes('、。，．：；？！）」』】〉》〕｝］…ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.;:!?)') do close[c] = true end
      for _, c in utf8.codes('（「『【〈《〔｛［') do open[c] = true end
      local function dense(c) return c >= 0x2E80 and c < 0xA000 or c >= 0xF900 and c < 0xFB00 or c >= 0xFF00 and c < 0xFFF0 or c >= 0x20000 and c < 0x40000 end
      local function right(c) return c >= 0x590 and c < 0x900 or c >= 0xFB1D and c < 0xFE00 or c >= 0xFE70 and c < 0xFEFF end
      local function breaks(head, n, m)
        if n.id == glyph and m.id == glyph and (dense(n.char) or dense(m.char)) and not close[m.char] and not open[n.char] then
          local g = node.new('glue')
          g.stretch = 6554
          node.insert_after(head, n, g)
        end
      end
      local function turn(head, first, last)
        local from, to = node.new('dir'), node.new('dir')
        from.dir, to.dir = '+TRT', '-TRT'
        node.insert_before(head, first, from)
        node.insert_after(head, last, to)
      end
      if next(luatexbase.callback_descriptions('hyphenate')) == nil then
        luatexbase.add_to_callback('hyphenate', function(head, tail)
          lang.hyphenate(head, tail)
          local n, first, last = head, nil, nil
          while n do
            local m = n.next
            if n.id == glyph and right(n.char) then
              first, last = first or n, n
            elseif first and n.id == glyph then
              turn(head, first, last)
              first = nil
            end
            if m then breaks(head, n, m) elseif first then turn(head, first, last) end
            n = m
          end
          return true
        end, 'council')
      end
    }
`

// xeMacros change to the font of a script before its first letter and back
// behind its last. They open no group: a class of letters that somebody else
// has made could leave it open.
const xeMacros = `    \XeTeXinterchartokenstate=1
    \ifdefined\e@alloc@intercharclass@top\let\council@edge\e@alloc@intercharclass@top\else\chardef\council@edge=255 \fi
    \newXeTeXintercharclass\council@none\newXeTeXintercharclass\council@none\newXeTeXintercharclass\council@none
    \newcount\council@letter
    \let\council@inner\@empty
    \let\council@all\@empty
    \newcommand\council@enter[1]{\ifx\council@inner\@empty\let\council@outer\f@family\fi
      \def\council@inner{#1}\fontfamily{council#1}\selectfont}
    \newcommand\council@leave{\ifx\council@inner\@empty\else
      \let\council@inner\@empty\fontfamily{\council@outer}\selectfont\fi}
    \def\council@span#1/#2\council@class#3{\council@letter="#1
      \loop\XeTeXcharclass\council@letter=#3\relax
      \ifnum\council@letter<"#2 \advance\council@letter1 \repeat}
    \newcommand\council@switch[2]{\expandafter\let\expandafter\council@class\csname council@class@#1\endcsname
      \XeTeXinterchartoks #2 \council@class={\council@enter{#1}}
      \XeTeXinterchartoks \council@class #2={\council@leave}}
    \newcommand\council@between[2]{\XeTeXinterchartoks \csname council@class@#1\endcsname \csname council@class@#2\endcsname={\council@enter{#2}}}
    \newcommand\council@script[4]{\council@pick{#2}\ifx\council@font\@empty\else
      \expandafter\newXeTeXintercharclass\csname council@class@#1\endcsname
      \edef\council@do{\noexpand\newfontfamily\expandafter\noexpand\csname council@font@#1\endcsname{\council@font}}
      \council@do[NFSSFamily=council#1,#3]
      \council@switch{#1}{0}\council@switch{#1}{1}\council@switch{#1}{2}\council@switch{#1}{3}\council@switch{#1}{\council@edge}
      \@for\council@one:=\council@all\do{\council@between{\council@one}{#1}\council@between{#1}{\council@one}}
      \edef\council@all{\council@all\ifx\council@all\@empty\else,\fi#1}
      \@for\council@one:=#4\do{\edef\council@do{\noexpand\council@span\council@one\noexpand\council@class{\csname council@class@#1\endcsname}}\council@do}\fi}
`
