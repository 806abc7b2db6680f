package tex

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// font is a font that stands in for characters the paper's fonts have not.
type font struct {
	file   string // upright, of usual weight
	bold   string // its family's bold and italic files; "" for none
	italic string
	typed  string // another font with the same characters, all equally wide; "" for none
	family string
	color  bool // of pictures: XeTeX cannot set it
	mono   bool
	ranges []codeRange // sorted; nil is all of them
}

// codeRange is the code points from first to last.
type codeRange struct{ first, last rune }

func (f font) has(r rune) bool {
	if f.ranges == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(f.ranges, r, func(c codeRange, r rune) int { return cmp.Compare(c.first, r) })
	return found || i > 0 && r <= f.ranges[i-1].last
}

// maxFontRounds is how often an engine is asked again for characters it lacked.
const maxFontRounds = 3

// substituteFonts sees to the characters a run has left out: other fonts stand in for
// them, and a question mark for what no font has. It reports whether a new run
// would differ.
func (a *attempt) substituteFonts(ctx context.Context, findings []finding) bool {
	if a.fallbackSetup == nil || a.lacks == maxFontRounds {
		return false
	}
	a.lacks++
	var fresh []rune
	for _, f := range findings {
		if r := []rune(f.what); f.kind == noGlyph && len(r) == 1 && !slices.Contains(a.missingCharacters, r[0]) && !slices.Contains(fresh, r[0]) {
			fresh = append(fresh, r[0])
		}
	}
	if len(fresh) == 0 {
		return false
	}
	if a.all == nil {
		a.all = a.availableFonts(ctx)
	}
	all := append(slices.Clone(a.missingCharacters), fresh...)
	a.fonts = chooseFonts(a.all, all)
	a.missingCharacters = slices.DeleteFunc(slices.Clone(all), func(r rune) bool { return !covered(a.fonts, r) })
	if gone := slices.DeleteFunc(fresh, func(r rune) bool { return covered(a.fonts, r) }); len(gone) > 0 {
		a.addProblems(a.copy.replaceCharacters(gone, "no font here has"))
	}
	return true
}

func covered(fonts []font, r rune) bool {
	return slices.ContainsFunc(fonts, func(f font) bool { return f.has(r) })
}

// maxFonts bounds how many fonts stand in; scripts of one paper are fewer.
const maxFonts = 12

// chooseFonts chooses few fonts that together have the most of some characters, one
// script after the other, so that a script is set in one font.
func chooseFonts(all []font, runes []rune) []font {
	var chosen []font
	left := slices.Clone(runes)
	for len(left) > 0 {
		script := scriptOf(left[0])
		group := slices.DeleteFunc(slices.Clone(left), func(r rune) bool { return scriptOf(r) != script })
		left = slices.DeleteFunc(left, func(r rune) bool { return scriptOf(r) == script })
		for len(group) > 0 && len(chosen) < maxFonts {
			if i := fontWithMost(chosen, group); i >= 0 { // it is there already
				group = slices.DeleteFunc(group, chosen[i].has)
				continue
			}
			i := fontWithMost(all, group)
			if i < 0 {
				break
			}
			f := all[i]
			its := slices.DeleteFunc(slices.Clone(group), func(r rune) bool { return !f.has(r) })
			if j := slices.IndexFunc(all, func(o font) bool { return o.mono && !o.color && hasAll(o, its) }); j >= 0 {
				f.typed = all[j].file
			}
			chosen = append(chosen, f)
			group = slices.DeleteFunc(group, f.has)
		}
	}
	return chosen
}

// fontWithMost is the index of the first font that has the most of some characters; -1
// when none has any.
func fontWithMost(fonts []font, runes []rune) int {
	best, count := -1, 0
	for i, f := range fonts {
		n := 0
		for _, r := range runes {
			if f.has(r) {
				n++
			}
		}
		if n > count {
			best, count = i, n
		}
	}
	return best
}

func hasAll(f font, runes []rune) bool {
	return !slices.ContainsFunc(runes, func(r rune) bool { return !f.has(r) })
}

// scriptOf names what characters are set together.
func scriptOf(r rune) string {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xfff0:
		return "Han"
	case unicode.In(r, unicode.Cyrillic, unicode.Greek):
		return "alphabet"
	case unicode.In(r, unicode.Common, unicode.Inherited):
		return "Common"
	}
	return fmt.Sprint(r >> 8) // scripts beyond these lie in blocks of their own
}

// fontForm is how fc-list is asked to name a font.
const fontForm = `%{file}|%{index}|%{color}|%{outline}|%{spacing}|%{weight}|%{slant}|%{family[0]}|%{charset}\n`

// availableFonts lists upright fonts of usual weight, those for running text first.
func (a *attempt) availableFonts(ctx context.Context) []font {
	said, err := a.run(ctx, false, "fc-list", "--format", fontForm)
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
	styles := map[string]string{} // the files of a family's styles
	for line := range strings.SplitSeq(said, "\n") {
		part := strings.SplitN(line, "|", 9)
		if len(part) != 9 || part[1] != "0" || !plainPath(part[0]) || !slices.Contains([]string{".ttf", ".otf", ".ttc"}, filepath.Ext(part[0])) {
			continue
		}
		weight, slant := part[5], part[6]
		styles[part[7]+"|"+weight+"|"+slant] = part[0]
		f := font{file: part[0], family: part[7], color: part[2] == "True", mono: part[4] == "100" || strings.Contains(part[7], "Mono"), ranges: parseRanges(part[8])}
		if weight == "80" && slant == "0" && (f.color || part[3] == "True") && len(f.ranges) > 0 {
			list = append(list, f)
		}
	}
	for i, f := range list {
		list[i].bold, list[i].italic = styles[f.family+"|200|0"], cmp.Or(styles[f.family+"|80|100"], styles[f.family+"|80|110"])
	}
	slices.SortFunc(list, func(a, b font) int {
		return cmp.Or(falseFirst(a.color, b.color), falseFirst(a.mono, b.mono), falseFirst(!serif(a), !serif(b)), falseFirst(a.bold == "", b.bold == ""), cmp.Compare(len(a.file), len(b.file)), cmp.Compare(a.file, b.file))
	})
	return list
}

// falseFirst puts what is not so before what is.
func falseFirst(a, b bool) int {
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
func parseRanges(text string) []codeRange {
	var list []codeRange
	for word := range strings.FieldsSeq(text) {
		from, to, isRange := strings.Cut(word, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseInt(from, 16, 32)
		last, err2 := strconv.ParseInt(to, 16, 32)
		if err1 == nil && err2 == nil && first <= last && last <= unicode.MaxRune {
			list = append(list, codeRange{rune(first), rune(last)})
		}
	}
	slices.SortFunc(list, func(a, b codeRange) int { return cmp.Compare(a.first, b.first) })
	return list
}

// xeFallback is TeX, in one line, by which XeTeX takes some characters from other
// fonts: each font has a class of characters, and where the class changes the
// font does.
func xeFallback(fonts []font, runes []rune) string {
	var b strings.Builder
	b.WriteString(`\makeatletter` + xeStyle + `\AtBeginDocument{\XeTeXinterchartokenstate=1 `)
	if slices.ContainsFunc(runes, unspaced) {
		b.WriteString(`\XeTeXlinebreaklocale "zh"\XeTeXlinebreakskip=0pt plus .1em `)
	}
	for i := range fonts {
		fmt.Fprintf(&b, `\newXeTeXintercharclass\counciltex@class%s`, numberName(i))
	}
	for i, f := range fonts {
		xeFont(&b, numberName(i), f)
		for _, other := range []string{"0", "1", "2", "3", `\e@alloc@intercharclass@top`} {
			fmt.Fprintf(&b, `\XeTeXinterchartoks %s \counciltex@class%s={\counciltex@font%[2]s}`, other, numberName(i))
			fmt.Fprintf(&b, `\XeTeXinterchartoks \counciltex@class%s %s={\selectfont}`, numberName(i), other)
		}
	}
	for i := range fonts { // after the others: a new class may have the number of one
		for j := range fonts {
			fmt.Fprintf(&b, `\XeTeXinterchartoks \counciltex@class%s \counciltex@class%s={`, numberName(i), numberName(j))
			if i != j {
				fmt.Fprintf(&b, `\counciltex@font%s`, numberName(j))
			}
			b.WriteByte('}')
		}
	}
	for _, r := range runes {
		i := slices.IndexFunc(fonts, func(f font) bool { return f.has(r) })
		fmt.Fprintf(&b, `\XeTeXcharclass"%X=\counciltex@class%s`, r, numberName(i))
	}
	return b.String() + `}\makeatother `
}

// xeFont defines the command that changes to a font in the size and style of
// the text around, loading it once for each.
func xeFont(b *strings.Builder, name string, f font) {
	for style, file := range map[string]string{"m": f.file, "b": f.bold, "i": f.italic, "t": f.typed} {
		fmt.Fprintf(b, `\def\counciltex@file%s%s{%s}`, name, style, cmp.Or(file, f.file))
	}
	fmt.Fprintf(b, `\def\counciltex@font%s{\counciltex@style`, name)
	fmt.Fprintf(b, `\expandafter\ifx\csname counciltex@%s/\counciltex@s/\f@size\endcsname\relax`, name)
	fmt.Fprintf(b, `\expandafter\global\expandafter\font\csname counciltex@%s/\counciltex@s/\f@size\endcsname="[\csname counciltex@file%[1]s\counciltex@s\endcsname]" at \f@size pt\relax\fi`, name)
	fmt.Fprintf(b, `\csname counciltex@%s/\counciltex@s/\f@size\endcsname}`, name)
}

// xeStyle finds the style of the text around: typed, bold, italic or usual.
const xeStyle = `\def\counciltex@it{it}\def\counciltex@style{\edef\counciltex@t{\ttdefault}\edef\counciltex@s{\ifx\f@family\counciltex@t t\else\if b\expandafter\@car\f@series\@nil b\else\ifx\f@shape\counciltex@it i\else m\fi\fi\fi}}`

// numberName names a number in letters, as a command's name needs it.
func numberName(i int) string { return string(rune('A' + i)) }

// unspaced reports whether a character's script breaks lines without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// luaFallbackFonts is the same for LuaTeX: fonts are given the others to fall back on,
// and lines may break between ideographs.
func luaFallbackFonts(fonts []font, _ []rune) string {
	var b strings.Builder
	b.WriteString(`\directlua{`)
	style := map[string]func(font) string{
		"": func(f font) string { return f.file }, "bold": func(f font) string { return f.bold },
		"italic": func(f font) string { return f.italic }, "mono": func(f font) string { return f.typed },
	}
	for _, name := range slices.Sorted(maps.Keys(style)) {
		fmt.Fprintf(&b, `luaotfload.add_fallback("counciltex%s",{`, name)
		for _, f := range fonts {
			mode := "node"
			if f.color {
				mode = "harf"
			}
			fmt.Fprintf(&b, `"[%s]:mode=%s;",`, cmp.Or(style[name](f), f.file), mode)
		}
		b.WriteString("}) ")
	}
	b.WriteString(strings.ReplaceAll(luaFallback, "\n", " "))
	b.WriteString("}")
	return b.String()
}

// luaFallback holds no character that means something to TeX.
const luaFallback = `
local define=luatexbase.remove_from_callback("define_font","luaotfload.define_font")
local function style(name)
 name=name:lower()
 for _,s in ipairs({"mono","bold","italic"}) do if name:find(s) then return s end end
 return ""
end
luatexbase.add_to_callback("define_font",function(name,size,id)
 if type(name)=="string" and name:find(":") and not name:find("fallback=") then
  local quote=name:sub(-1)=='"' and '"' or ""
  name=name:sub(1,-1-quote:len())
  if not name:find("[:;]$") then name=name..";" end
  name=name.."fallback=counciltex"..style(name)..";"..quote
 end
 return define(name,size,id)
end,"counciltex.define_font")
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
end,"counciltex.break")`
