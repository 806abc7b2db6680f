package extract

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// A typesetter writes the text of a PDF's page with the blanks and line breaks
// that the places of its glyphs show: many documents hold none. The operators
// are those of ISO 32000-1, chapter 9.
type typesetter struct {
	book *pdfResources
	out  strings.Builder
	graphicsState
	saved []graphicsState
	last  glyphPosition // where the last text ended
}

// graphicsState is the part of the graphics state that says where text goes.
type graphicsState struct {
	page, text, line      matrix // from user space, text space and the line's beginning
	face                  *fontFace
	size, scale           float64
	letter, word, leading float64 // spacing
}

type glyphPosition struct{ x, y, size float64 }

// matrix is the first two columns of a transformation: a b c d e f.
type matrix [6]float64

func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// maxFormDepth bounds forms within forms.
const maxFormDepth = 4

// runContent performs a content stream with the fonts and forms of its resources.
func (t *typesetter) runContent(stream, resources pdf.Value, depth int) {
	t.book.limitDecoded(stream)
	if depth == 0 {
		t.graphicsState = graphicsState{page: identity(), text: identity(), line: identity(), scale: 1}
	}
	fonts := resources.Key("Font")
	faces := map[string]*fontFace{} // by the names of this stream: to resolve one may take long
	pdf.Interpret(stream, func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		if op == "Do" && len(args) == 1 && depth < maxFormDepth {
			t.runForm(resources.Key("XObject").Key(args[0].Name()), resources, depth)
			return
		}
		if op == "Tf" && len(args) == 2 {
			name := args[0].Name()
			if faces[name] == nil {
				faces[name] = t.book.face(fonts.Key(name))
			}
			t.face, t.size = faces[name], args[1].Float64()
			return
		}
		t.runOperator(op, args)
	})
}

// runForm performs a form as if it stood in the page.
func (t *typesetter) runForm(form, outer pdf.Value, depth int) {
	if form.Key("Subtype").Name() != "Form" {
		return
	}
	was := t.graphicsState
	if m, ok := matrixOf(values(form.Key("Matrix"))); ok {
		t.page = m.mul(t.page)
	}
	resources := form.Key("Resources")
	if resources.IsNull() {
		resources = outer
	}
	t.runContent(form, resources, depth+1)
	t.graphicsState = was
}

func values(array pdf.Value) []pdf.Value {
	var list []pdf.Value
	for i := range min(array.Len(), 6) {
		list = append(list, array.Index(i))
	}
	return list
}

func matrixOf(args []pdf.Value) (matrix, bool) {
	var m matrix
	if len(args) != len(m) {
		return m, false
	}
	for i := range m {
		m[i] = args[i].Float64()
	}
	return m, true
}

// runOperator performs an operator. One with the wrong number of operands is passed
// over.
func (t *typesetter) runOperator(op string, args []pdf.Value) {
	number := func(i int) float64 { return args[i].Float64() }
	switch {
	case len(args) < operandCount(op):
	case op == "q":
		if len(t.saved) < 256 {
			t.saved = append(t.saved, t.graphicsState)
		}
	case op == "Q":
		if n := len(t.saved) - 1; n >= 0 {
			t.graphicsState, t.saved = t.saved[n], t.saved[:n]
		}
	case op == "cm":
		if m, ok := matrixOf(args); ok {
			t.page = m.mul(t.page)
		}
	case op == "BT":
		t.text, t.line = identity(), identity()
	case op == "Tm":
		if m, ok := matrixOf(args); ok {
			t.text, t.line = m, m
		}
	case op == "Td":
		t.move(number(0), number(1))
	case op == "TD":
		t.leading = -number(1)
		t.move(number(0), number(1))
	case op == "T*":
		t.move(0, -t.leading)
	case op == "TL":
		t.leading = number(0)
	case op == "Tc":
		t.letter = number(0)
	case op == "Tw":
		t.word = number(0)
	case op == "Tz":
		t.scale = number(0) / 100
	case op == "Tj":
		t.show(args[0].RawString())
	case op == "'":
		t.move(0, -t.leading)
		t.show(args[0].RawString())
	case op == `"`:
		t.word, t.letter = number(0), number(1)
		t.move(0, -t.leading)
		t.show(args[2].RawString())
	case op == "TJ":
		t.showAll(args[0])
	}
}

// operandCount is how many operands an operator takes.
func operandCount(op string) int {
	switch op {
	case "cm", "Tm":
		return 6
	case `"`:
		return 3
	case "Td", "TD":
		return 2
	case "TL", "Tc", "Tw", "Tz", "Tj", "'", "TJ":
		return 1
	}
	return 0
}

func (t *typesetter) move(x, y float64) {
	t.line = matrix{1, 0, 0, 1, x, y}.mul(t.line)
	t.text = t.line
}

// showAll shows strings with shifts between them, in thousandths of the size.
func (t *typesetter) showAll(array pdf.Value) {
	for i := range array.Len() {
		part := array.Index(i)
		if part.Kind() == pdf.String {
			t.show(part.RawString())
			continue
		}
		t.advance(-part.Float64() / 1000 * t.size * t.scale)
	}
}

func (t *typesetter) advance(x float64) { t.text = matrix{1, 0, 0, 1, x, 0}.mul(t.text) }

// show writes a string and moves on by its width.
func (t *typesetter) show(raw string) {
	if t.face == nil || t.out.Len() > maxPDFText {
		return
	}
	text := t.face.decode(raw)
	from := t.position()
	codes, blanks, width := t.face.measure(raw)
	t.advance((width/1000*t.size + float64(codes)*t.letter + float64(blanks)*t.word) * t.scale)
	if strings.TrimSpace(text) == "" && text != "" {
		text = " "
	}
	if text == "" {
		return
	}
	t.out.WriteString(t.separatorBefore(from, text))
	t.out.WriteString(text)
	t.last = t.position()
}

func (t *typesetter) position() glyphPosition {
	m := t.text.mul(t.page)
	size := t.size * max(abs(m[3]), abs(m[1]), abs(m[0]))
	return glyphPosition{m[4], m[5], abs(size)}
}

func abs(x float64) float64 { return max(x, -x) }

// separatorBefore is what separates the last text from the next. The figures are parts
// of the size of the type: a blank is about a quarter of it, narrowed to an
// eighth at worst where lines are set full; a line is at least half of it away.
func (t *typesetter) separatorBefore(next glyphPosition, text string) string {
	if t.out.Len() == 0 {
		return ""
	}
	size := max(t.last.size, next.size, 0.1)
	gap, rise := next.x-t.last.x, abs(next.y-t.last.y)
	switch {
	case rise > 0.6*size, gap < -1.5*size, gap > 20*size && rise > 0:
		return "\n"
	case gap > 0.13*size && text[0] != ' ' && !strings.HasSuffix(t.out.String()[max(t.out.Len()-1, 0):], " "):
		return " "
	}
	return ""
}

// pdfResources is what the pages of a document have in common.
type pdfResources struct {
	faces map[string]*fontFace // by their dictionaries
	left  int64                // bytes that pages may still unfold to
}

func (b *pdfResources) face(font pdf.Value) *fontFace {
	key := font.String()
	if b.faces[key] == nil {
		b.faces[key] = newFace(font)
	}
	return b.faces[key]
}

// limitDecoded ends the reading of a document that unfolds to more than any has.
func (b *pdfResources) limitDecoded(stream pdf.Value) {
	parts := []pdf.Value{stream}
	if stream.Kind() == pdf.Array {
		parts = nil
		for i := range stream.Len() {
			parts = append(parts, stream.Index(i))
		}
	}
	for _, p := range parts {
		if p.Kind() != pdf.Stream {
			continue
		}
		n, err := io.Copy(io.Discard, io.LimitReader(p.Reader(), b.left+1))
		if b.left -= n; b.left < 0 {
			panic(errPDFTooLarge)
		}
		if err != nil && n == 0 {
			panic(err)
		}
	}
}

// fontFace is a font: how its codes read and how wide they are.
type fontFace struct {
	encoder pdf.TextEncoding
	wide    bool // codes have two bytes
	untold  bool // it does not tell its letters: a code is taken for the number of one
	widths  map[int]float64
	other   float64           // width of a code that is not listed, in thousandths
	letters map[string]string // what codes stand for, once it was asked
}

// defaultWidth is the width of a letter that is not given, in thousandths.
const defaultWidth = 500

func newFace(font pdf.Value) *fontFace {
	read := pdf.Font{V: font}
	f := &fontFace{encoder: read.Encoder(), widths: map[int]float64{}, other: defaultWidth, letters: map[string]string{}}
	if font.Key("Subtype").Name() == "Type0" {
		f.untold = font.Key("ToUnicode").IsNull() && strings.HasPrefix(font.Key("Encoding").Name(), "Identity")
		f.composite(font.Key("DescendantFonts").Index(0))
		return f
	}
	first, list := int(font.Key("FirstChar").Int64()), font.Key("Widths")
	for i := range min(list.Len(), 256) {
		f.widths[first+i] = list.Index(i).Float64()
	}
	return f
}

// composite reads the widths of a font whose codes have two bytes: a first
// code and a list of widths, or a first and last code and the width of all.
func (f *fontFace) composite(font pdf.Value) {
	f.wide, f.other = true, 1000
	if w := font.Key("DW"); !w.IsNull() {
		f.other = w.Float64()
	}
	list := font.Key("W")
	left := 1 << 17 // widths that are set, the same ones again too
	for i := 0; i+1 < list.Len() && left > 0; {
		first, next := int(list.Index(i).Int64()), list.Index(i+1)
		if next.Kind() == pdf.Array {
			for j := range min(next.Len(), left) {
				left--
				f.widths[first+j] = next.Index(j).Float64()
			}
			i += 2
			continue
		}
		last := min(int(next.Int64()), first+left-1)
		for c := first; c <= last; c++ {
			left--
			f.widths[c] = list.Index(i + 2).Float64()
		}
		i += 3
	}
}

// decode reads a string code by code, each asked for once: fonts list thousands.
func (f *fontFace) decode(raw string) string {
	if f.encoder == nil {
		return raw
	}
	step := 1
	if f.wide {
		step = 2
	}
	var b strings.Builder
	for i := 0; i < len(raw); i += step {
		code := raw[i:min(i+step, len(raw))]
		letter, known := f.letters[code]
		if !known {
			letter = f.encoder.Decode(code)
			if l := ligature(code[0]); !f.wide && l != "" && letter == string(utf8.RuneError) {
				letter = l
			}
			if f.untold && len(code) == 2 {
				letter = string(rune(code[0])<<8 | rune(code[1]))
			}
			f.letters[code] = letter
		}
		b.WriteString(letter)
	}
	return b.String()
}

// ligature is what a code without a name stands for in the fonts of TeX, in
// its encodings OT1 and T1, "" for none.
func ligature(code byte) string {
	switch code {
	case 0x0B, 0x1B:
		return "ff"
	case 0x0C, 0x1C:
		return "fi"
	case 0x0D, 0x1D:
		return "fl"
	case 0x0E, 0x1E:
		return "ffi"
	case 0x0F, 0x1F:
		return "ffl"
	}
	return ""
}

// measure gives the number of codes, of blanks among them, and the width in
// thousandths.
func (f *fontFace) measure(raw string) (codes, blanks int, width float64) {
	step := 1
	if f.wide {
		step = 2
	}
	for i := 0; i+step <= len(raw); i += step {
		code := int(raw[i])
		if f.wide {
			code = code<<8 | int(raw[i+1])
		} else if code == ' ' {
			blanks++
		}
		w, ok := f.widths[code]
		if !ok {
			w = f.other
		}
		codes++
		width += w
	}
	return codes, blanks, width
}
