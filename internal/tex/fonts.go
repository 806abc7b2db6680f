package tex

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// font is a font file that stands in for characters the paper's fonts have not.
type font struct {
	file   string
	color  bool  // of pictures: XeTeX cannot set it
	mono   bool  // every character is as wide as another
	ranges []run // sorted; nil is all of them
}

// run is the code points from first to last.
type run struct{ first, last rune }

func (f font) has(r rune) bool {
	if f.ranges == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(f.ranges, r, func(c run, r rune) int { return cmp.Compare(c.first, r) })
	return found || i > 0 && r <= f.ranges[i-1].last
}

// mostLacks is how often an engine is asked again for characters it lacked.
const mostLacks = 3

// lack sees to the characters a run has left out: other fonts stand in for
// them, and a question mark for what no font has. It reports whether a new run
// would differ.
func (a *attempt) lack(ctx context.Context, findings []finding) bool {
	if a.aid == nil || a.lacks == mostLacks {
		return false
	}
	a.lacks++
	var fresh []rune
	for _, f := range findings {
		if r := []rune(f.what); f.kind == noGlyph && len(r) == 1 && !slices.Contains(a.lacking, r[0]) && !slices.Contains(fresh, r[0]) {
			fresh = append(fresh, r[0])
		}
	}
	if len(fresh) == 0 {
		return false
	}
	if a.all == nil {
		a.all = a.fontsHere(ctx)
	}
	all := append(slices.Clone(a.lacking), fresh...)
	a.fonts = cover(a.all, all)
	a.lacking = slices.DeleteFunc(slices.Clone(all), func(r rune) bool { return !covered(a.fonts, r) })
	if gone := slices.DeleteFunc(fresh, func(r rune) bool { return covered(a.fonts, r) }); len(gone) > 0 {
		a.tell(a.copy.leaveOut(gone, "no font here has"))
	}
	return true
}

func covered(fonts []font, r rune) bool {
	return slices.ContainsFunc(fonts, func(f font) bool { return f.has(r) })
}

// mostFonts bounds how many fonts stand in; scripts of one paper are fewer.
const mostFonts = 12

// cover chooses few fonts that together have the most of some characters.
func cover(all []font, runes []rune) []font {
	var chosen []font
	left := slices.Clone(runes)
	for len(left) > 0 && len(chosen) < mostFonts {
		best, most := font{}, 0
		for _, f := range all {
			n := 0
			for _, r := range left {
				if f.has(r) {
					n++
				}
			}
			if n > most {
				best, most = f, n
			}
		}
		if most == 0 {
			break
		}
		chosen = append(chosen, best)
		left = slices.DeleteFunc(left, best.has)
	}
	return chosen
}

// fontsHere lists upright fonts of usual weight, those for running text first.
func (a *attempt) fontsHere(ctx context.Context) []font {
	said, err := a.run(ctx, false, "fc-list", ":weight=80:slant=0", "--format", `%{file}|%{index}|%{color}|%{outline}|%{spacing}|%{charset}\n`)
	if err != nil {
		return slices.DeleteFunc(wellKnown(), func(f font) bool {
			_, err := os.Stat(f.file)
			return err != nil
		})
	}
	list := parseFonts(string(said))
	if a.name != "lualatex" {
		list = slices.DeleteFunc(list, func(f font) bool { return f.color })
	}
	return list
}

// wellKnown are fonts with most scripts where fontconfig is not there to ask.
func wellKnown() []font {
	return []font{
		{file: "/Library/Fonts/Arial Unicode.ttf"},
		{file: "/System/Library/Fonts/Supplemental/Arial Unicode.ttf"},
	}
}

// parseFonts reads fc-list's answer. A file's name goes into TeX and Lua, so
// only plain ones are taken.
func parseFonts(said string) []font {
	var list []font
	for line := range strings.SplitSeq(said, "\n") {
		part := strings.SplitN(line, "|", 6)
		if len(part) != 6 || part[1] != "0" || !plainPath(part[0]) {
			continue
		}
		f := font{file: part[0], color: part[2] == "True", mono: part[4] == "100", ranges: parseRanges(part[5])}
		if (f.color || part[3] == "True") && len(f.ranges) > 0 && slices.Contains([]string{".ttf", ".otf", ".ttc"}, filepath.Ext(f.file)) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b font) int {
		return cmp.Or(order(a.color, b.color), order(a.mono, b.mono), order(!serif(a), !serif(b)), cmp.Compare(len(a.file), len(b.file)), cmp.Compare(a.file, b.file))
	})
	return list
}

// order puts what is not so before what is.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func serif(f font) bool { return strings.Contains(filepath.Base(f.file), "Serif") }

func plainPath(path string) bool {
	return filepath.IsAbs(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return !(r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/_.+ -", r)))
	})
}

// parseRanges reads hexadecimal code points and ranges of them.
func parseRanges(text string) []run {
	var list []run
	for word := range strings.FieldsSeq(text) {
		from, to, isRange := strings.Cut(word, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseInt(from, 16, 32)
		last, err2 := strconv.ParseInt(to, 16, 32)
		if err1 == nil && err2 == nil && first <= last && last <= unicode.MaxRune {
			list = append(list, run{rune(first), rune(last)})
		}
	}
	slices.SortFunc(list, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	return list
}

// xeAid is TeX, in one line, by which XeTeX takes some characters from other
// fonts: each font has a class of characters, and where the class changes the
// font does.
func xeAid(fonts []font, runes []rune) string {
	var b strings.Builder
	b.WriteString(`\makeatletter\AtBeginDocument{\XeTeXinterchartokenstate=1 `)
	if slices.ContainsFunc(runes, unspaced) {
		b.WriteString(`\XeTeXlinebreaklocale "zh"\XeTeXlinebreakskip=0pt plus .1em `)
	}
	for i := range fonts {
		fmt.Fprintf(&b, `\newXeTeXintercharclass\council@class%s`, letters(i))
	}
	for i, f := range fonts {
		xeFont(&b, letters(i), f)
		for _, other := range []string{"0", "1", "2", "3", `\e@alloc@intercharclass@top`} {
			fmt.Fprintf(&b, `\XeTeXinterchartoks %s \council@class%s={\council@font%[2]s}`, other, letters(i))
			fmt.Fprintf(&b, `\XeTeXinterchartoks \council@class%s %s={\selectfont}`, letters(i), other)
		}
	}
	for i := range fonts { // after the others: a new class may have the number of one
		for j := range fonts {
			fmt.Fprintf(&b, `\XeTeXinterchartoks \council@class%s \council@class%s={`, letters(i), letters(j))
			if i != j {
				fmt.Fprintf(&b, `\council@font%s`, letters(j))
			}
			b.WriteByte('}')
		}
	}
	for _, r := range runes {
		i := slices.IndexFunc(fonts, func(f font) bool { return f.has(r) })
		fmt.Fprintf(&b, `\XeTeXcharclass"%X=\council@class%s`, r, letters(i))
	}
	return b.String() + `}\makeatother `
}

// xeFont defines the command that changes to a font in the size of the text
// around, loading it once for each size.
func xeFont(b *strings.Builder, name string, f font) {
	fmt.Fprintf(b, `\def\council@font%s{\expandafter\ifx\csname council@%[1]s@\f@size\endcsname\relax`, name)
	fmt.Fprintf(b, `\expandafter\global\expandafter\font\csname council@%s@\f@size\endcsname="[%s]" at \f@size pt\relax\fi`, name, f.file)
	fmt.Fprintf(b, `\csname council@%s@\f@size\endcsname}`, name)
}

// letters names a number in letters, as a command's name needs it.
func letters(i int) string { return string(rune('A' + i)) }

// unspaced reports whether a character's script breaks lines without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// luaAid is the same for LuaTeX: fonts are given the others to fall back on,
// and lines may break between ideographs.
func luaAid(fonts []font, _ []rune) string {
	var files []string
	for _, f := range fonts {
		mode := "node"
		if f.color {
			mode = "harf"
		}
		files = append(files, fmt.Sprintf(`"[%s]:mode=%s;"`, f.file, mode))
	}
	return `\directlua{luaotfload.add_fallback("council",{` + strings.Join(files, ",") + `})` + luaFallback + `}`
}

// luaFallback may hold no character that means something to TeX.
const luaFallback = `
local define=luatexbase.remove_from_callback("define_font","luaotfload.define_font")
luatexbase.add_to_callback("define_font",function(name,size,id)
 if type(name)=="string" and name:find(":") and not name:find("fallback=") then
  if name:sub(-1)=="\string"" then name=name:sub(1,-2)..";fallback=council;\string"" else name=name..";fallback=council;" end
 end
 return define(name,size,id)
end,"council.define_font")
local glyph=node.id("glyph")
local function wide(n) return n and n.id==glyph and n.char>0x2E80 and n.char<0xA000 end
luatexbase.add_to_callback("pre_linebreak_filter",function(head)
 local n=head
 while n do
  if wide(n) and wide(n.next) then
   local glue=node.new("glue") glue.stretch=65536
   head=node.insert_after(head,n,glue)
  end
  n=n.next
 end
 return head
end,"council.break")`
