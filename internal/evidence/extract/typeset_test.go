package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/extract"
)

// onePage is a PDF with one page: its content, and a form that it may show by
// the name X1.
func onePage(content, form string) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X1 6 0 R /Image 7 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Matrix [1 0 0 1 0 -100] /Length %d >>\nstream\n%s\nendstream", len(form), form),
		"<< /Type /XObject /Subtype /Image /Length 0 >>\nstream\n\nendstream",
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return []byte(b.String())
}

func TestEveryWayToShowTextInAPDFIsRead(t *testing.T) {
	for name, c := range map[string]struct{ content, form, want string }{
		"one string":                           {"BT /F1 10 Tf 1 0 0 1 50 700 Tm (one two) Tj ET", "", "one two"},
		"lines by their distance":              {"BT /F1 10 Tf 50 700 Td (one) Tj 0 -12 Td (two) Tj ET", "", "one two"},
		"lines by a distance that stays":       {"BT /F1 10 Tf 50 700 TD (one) Tj 0 -12 TD (two) Tj T* (three) Tj ET", "", "one two three"},
		"lines that show what they begin with": {"BT /F1 10 Tf 14 TL 50 700 Td (one) Tj (two) ' 1 0 (three) \" ET", "", "one two three"},
		"letters that are moved together":      {"BT /F1 10 Tf 50 700 Td [(hea) 20 (p) -15 (s)] TJ ET", "", "heaps"},
		"words that are moved apart":           {"BT /F1 10 Tf 50 700 Td [(one) -600 (two)] TJ ET", "", "one two"},
		"wide words, letters and scale":        {"BT /F1 10 Tf 1 Tc 2 Tw 80 Tz 50 700 Td (one two) Tj ET", "", "one two"},
		"a page that is moved and put back":    {"q 1 0 0 1 0 -50 cm BT /F1 10 Tf 50 700 Td (one) Tj ET Q BT /F1 10 Tf 50 600 Td (two) Tj ET", "", "one two"},
		"a form within the page":               {"BT /F1 10 Tf 50 700 Td (one) Tj ET /X1 Do BT /F1 10 Tf 50 500 Td (three) Tj ET", "BT /F1 10 Tf 50 700 Td (two) Tj ET", "one two three"},
		"a form that shows itself":             {"BT /F1 10 Tf 50 700 Td (one) Tj ET /X1 Do", "/X1 Do", "one"},
		"a picture shows no text":              {"BT /F1 10 Tf 50 700 Td (one) Tj ET /Image Do /Missing Do", "", "one"},
		"too few operands":                     {"BT /F1 10 Tf 50 700 Td (one) Tj 5 Td Tj TJ ' Tm cm Q Q ET", "", "one"},
	} {
		d, err := extract.Text(onePage(c.content, c.form), "application/pdf", "")
		require.NoError(t, err, name)
		require.Equal(t, c.want, strings.Join(strings.Fields(d.Text), " "), name)
	}
}

func TestAPageThatSendsItsReaderOn(t *testing.T) {
	for content, next := range map[string]string{
		"0; url=https://a.example/new":    "https://a.example/new",
		"3;URL='https://a.example/new'":   "https://a.example/new",
		"1 ; url = https://a.example/new": "https://a.example/new",
		"60; url=https://a.example/new":   "", // its reader has time to read it
		"0":                               "",
		"0; https://a.example/new":        "",
		"soon; url=https://a.example/new": "",
		"0; urn:a":                        "",
	} {
		page := fmt.Sprintf(`<html><head><meta http-equiv="Refresh" content="%s"></head><body><p>It has moved.</p></body></html>`, content)
		d, err := extract.Text([]byte(page), "text/html; charset=utf-8", "https://a.example/old")
		require.NoError(t, err)
		require.Equal(t, next, d.Next, content)
	}
	page := `<html><head><meta http-equiv="refresh" content="0; url=https://a.example/ads"></head><body><article>` + strings.Repeat("<p>"+long+"</p>", 20) + `</article></body></html>`
	d, err := extract.Text([]byte(page), "text/html; charset=utf-8", "https://a.example/old")
	require.NoError(t, err)
	require.Empty(t, d.Next, "what shows something itself is read")
}

func TestAPageThatCannotBeTakenApartIsReadAsText(t *testing.T) {
	page := "<html><head><title>On lakes</title><script>var hidden</script></head><body><nav>Home</nav><p>The lake is deep &amp; cold.</p></body></html>"
	d := extract.StreamText([]byte(page), "text/html; charset=utf-8", "https://a.example/lake")
	require.Equal(t, "On lakes", d.Title)
	require.Contains(t, d.Text, "The lake is deep & cold.")
	require.NotContains(t, d.Text, "hidden")
	require.True(t, extract.HasWarning(d.Warnings, extract.NoArticle))
}

func TestTextGotByOtherMeansIsCleaned(t *testing.T) {
	d := extract.PlainDocument("The\u202e lake\x00 is deep.\n", "application/pdf", "pdftotext/1")
	require.Equal(t, "pdftotext/1", d.Extractor)
	require.Equal(t, extract.NormaliseText("The\u202e lake\x00 is deep."), d.Text)
	require.NotContains(t, d.Text, "\u202e")
	require.Equal(t, []extract.Part{{extract.Article, 0, len(d.Text)}}, d.Parts)
}
