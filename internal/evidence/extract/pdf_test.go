package extract_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/extract"
)

const measured = "The election timeout is 150 ms to 300 ms."

// packedPDF is a PDF of one page whose objects, but the page's content, are packed
// in a stream. It has no table of objects, nor an end.
func packedPDF(t testing.TB) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 10 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		"null",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}
	var heads, bodies strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&heads, "%d %d ", i+1, bodies.Len())
		bodies.WriteString(o + "\n")
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := w.Write([]byte(heads.String() + bodies.String()))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	content := "BT /F1 10 Tf 50 700 Td (" + measured + ") Tj ET"
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%PDF-1.5\n10 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(content), content)
	fmt.Fprintf(&b, "11 0 obj\n<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n",
		len(objects), heads.Len(), packed.Len(), packed.Bytes())
	return b.Bytes()
}

func TestAPDFWhoseTableIsBrokenIsReadAndSaidToBeDamaged(t *testing.T) {
	whole := onePage("BT /F1 10 Tf 50 700 Td ("+measured+") Tj ET", "")
	cut := func(mark string) []byte { return whole[:bytes.LastIndex(whole, []byte(mark))] }
	for name, file := range map[string][]byte{
		"it begins in the wrong place": slices.Concat(cut("startxref"), []byte("startxref\n17\n%%EOF\n")),
		"the table is lost":            cut("xref\n0 "),
		"the end is lost":              cut("startxref"),
		"a line stands before it":      append([]byte("From a mail\r\n"), whole...),
		"objects packed in a stream":   packedPDF(t),
	} {
		d, err := extract.Text(file, "application/pdf", "")
		require.NoError(t, err, name)
		require.Equal(t, measured, d.Text, name)
		require.True(t, extract.HasWarning(d.Warnings, extract.Damaged), name)
	}
	d, err := extract.Text(whole, "application/pdf", "")
	require.NoError(t, err)
	require.Empty(t, d.Warnings, "what is whole is not mended")
}

func TestWhatCannotBeMendedIsDamaged(t *testing.T) {
	for name, file := range map[string]string{
		"no objects":               "%PDF-1.4\n",
		"no catalogue":             "%PDF-1.4\n1 0 obj\n<< /Type /Pages >>\nendobj\n",
		"encrypted":                "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Encrypt 2 0 R >>",
		"a stream that is no such": "%PDF-1.4\n1 0 obj\n<< /Type /ObjStm /N 3 /First 9 >>\nstream\nwords\nendstream",
	} {
		d, err := extract.Text([]byte(file), "application/pdf", "")
		require.Error(t, err, name)
		require.Empty(t, d.Text, name)
		require.True(t, extract.HasWarning(d.Warnings, extract.Damaged), name)
	}
}

func TestTextThatNobodySeesIsToldAndNotSearched(t *testing.T) {
	english := strings.Repeat("The measured value stays below the limit in every one of the series. ", 8)
	shift := func(by rune) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == '.' {
				return r
			}
			return r + by
		}, english)
	}
	for name, c := range map[string]struct {
		text    string
		garbled bool
	}{
		"English":                 {english, false},
		"Polish":                  {strings.Repeat("Współczynnik zmierzono w każdym z przypadków, a wynik wpisano do księgi. ", 8), false},
		"Czech":                   {strings.Repeat("Čtvrtek přinesl zprávy o tom, že výsledky jsou známy všem. ", 8), false},
		"Chinese":                 {strings.Repeat("湖水是該地區最深的，測量自一九零三年起。", 20), false},
		"Russian":                 {strings.Repeat("Озеро самое глубокое в этом краю, и его вода прозрачна. ", 8), false},
		"a table of numbers":      {strings.Repeat("12.4 17.9 km 33 % 1903 ", 30), false},
		"a few words":             {"Fig. 3 (b) rhythm", false},
		"one letter not told":     {english + "\ufffd\ufffd", false},
		"letters shifted by 29":   {shift(-29), true},
		"letters shifted by 3":    {shift(3), true},
		"letters for private use": {strings.Repeat("\ue012\ue034 ", 60), true},
		"letters not told":        {strings.Repeat("the \ufffd\ufffd \ufffd ", 60), true},
		"codes of control":        {strings.Repeat("\x01\x02 \x03", 60), true},
	} {
		d := extract.PlainDocument(c.text+"\f"+measured+"\f", "application/pdf", "x/1")
		require.Equal(t, c.garbled, extract.HasWarning(d.Warnings, extract.Garbled), name)
		require.Contains(t, d.Text, measured, "%s: the other page is read", name)
		require.Equal(t, c.garbled, d.Text == measured, name)
	}
	d := extract.PlainDocument(shift(-29), "application/pdf", "x/1")
	require.Empty(t, d.Text)
	require.True(t, extract.HasWarning(d.Warnings, extract.Garbled))
	require.True(t, extract.HasWarning(d.Warnings, extract.NoText))
}

func TestJoinedLettersAreWrittenApart(t *testing.T) {
	d := extract.PlainDocument("The eﬃcient oﬀice: ﬁfty ﬂoors, shuﬄed.", "application/pdf", "x/1")
	require.Equal(t, "The efficient office: fifty floors, shuffled.", d.Text)
}

// A font that lists thousands of letters was searched for each that is shown.
func TestAFontOfManyLettersIsReadInTime(t *testing.T) {
	var cmap, codes strings.Builder
	cmap.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange\n")
	const letters = 20_000
	for i := range letters / 100 {
		cmap.WriteString("100 beginbfchar\n")
		for j := range 100 {
			fmt.Fprintf(&cmap, "<%04x> <%04x>\n", 100*i+j, 0x4e00+100*i+j)
		}
		cmap.WriteString("endbfchar\n")
	}
	cmap.WriteString("endcmap end end")
	for i := range 150_000 {
		fmt.Fprintf(&codes, "%04x", letters-1-i%1000)
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\nBT /F1 10 Tf 50 700 Td <%s> Tj ET\nendstream", codes.Len()+35, codes.String()),
		"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
		"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Song >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", cmap.Len(), cmap.String()),
	} {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	began := time.Now()
	d, err := extract.Text([]byte(b.String()), "application/pdf", "")
	require.NoError(t, err)
	require.Equal(t, 150_000, strings.Count(d.Text, "")-1)
	require.Less(t, time.Since(began), 30*time.Second)
}

func FuzzDamagedPDF(f *testing.F) {
	f.Add(packedPDF(f))
	f.Add(onePage("BT /F1 10 Tf 50 700 Td ("+measured+") Tj ET", "")[:900])
	f.Add([]byte("%PDF-1.4\n1 0 obj\n<< /Type /ObjStm /N 999999 /First 99999999 >>\nstream\nx"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := extract.Text(append([]byte("%PDF-1.5\n"), file...), "application/pdf", "")
		require.True(t, err == nil || extract.HasWarning(d.Warnings, extract.Damaged))
	})
}
