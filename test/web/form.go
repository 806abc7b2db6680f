package web

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// Encode is a body in one of the encodings gzip, deflate, br and zstd; in any
// other it is as it was.
func Encode(encoding string, body []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw-deflate":
		w, _ = flate.NewWriter(&b, flate.DefaultCompression) // the level is a good one
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b) // without options there is nothing to refuse
	default:
		return body
	}
	_, err := w.Write(body)
	if err = firstErr(err, w.Close()); err != nil { // a buffer takes everything
		panic(err)
	}
	return b.Bytes()
}

func firstErr(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// Bomb is a small body that unfolds to size bytes.
func Bomb(encoding string, size int) string {
	return string(Encode(encoding, bytes.Repeat([]byte("<p>a</p>"), size/8)))
}

// PDF is a document of one page for each text, with the words of a line set
// apart by their places alone, as typesetting programs write them. The text
// may hold what Latin-1 has.
func PDF(title, author string, pages ...string) string {
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "", widths(),
		fmt.Sprintf("<</Title(%s)/Author(%s)/CreationDate(D:20240203040506Z)>>", pdfString(title), pdfString(author)),
	}
	var kids []string
	for _, text := range pages {
		content := lines(text)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", len(objects)+2),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content))
		kids = append(kids, fmt.Sprintf("%d 0 R", len(objects)-1))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", strings.Join(kids, " "), len(kids))
	return assemble(objects)
}

// PDFBomb is a document whose only page unfolds to size bytes.
func PDFBomb(size int) string {
	content := Encode("deflate", bytes.Repeat([]byte("                "), size/16))
	return assemble([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[5 0 R]/Count 1>>", widths(), "<<>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 6 0 R>>",
		fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", len(content), content),
	})
}

// PDFOfWidths is a document with a text in a font whose letters have two bytes
// each, and of which list gives the widths.
func PDFOfWidths(list, text string) string {
	var content strings.Builder
	content.WriteString("BT /F1 10 Tf 1 0 0 1 50 740 Tm <")
	for _, r := range text {
		fmt.Fprintf(&content, "%04x", r)
	}
	content.WriteString("> Tj ET")
	return assemble([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[5 0 R]/Count 1>>",
		"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/W[" + list + "]>>]>>", "<<>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents 6 0 R>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", content.Len(), content.String()),
	})
}

// widths is a font with letters of one width, 500 thousandths of its size.
func widths() string {
	return "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 0/LastChar 255/Widths[" +
		strings.Repeat("500 ", 256) + "]>>"
}

// lines sets a text in lines of at most 80 letters, each word at its place.
func lines(text string) string {
	var b strings.Builder
	b.WriteString("BT /F1 10 Tf\n")
	x, y := 0, 740
	for para := range strings.SplitSeq(text, "\n") {
		for word := range strings.FieldsSeq(para) {
			if x+len(word) > 80 {
				x, y = 0, y-14
			}
			fmt.Fprintf(&b, "1 0 0 1 %d %d Tm (%s) Tj\n", 50+5*x, y, pdfString(word))
			x += len([]rune(word)) + 1
		}
		x, y = 0, y-14
	}
	b.WriteString("ET")
	return b.String()
}

// pdfString is a text within the parentheses of a PDF string.
func pdfString(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '(' || r == ')' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, "\\%03o", r)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

func assemble(objects []string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, a := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", a)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.String()
}
