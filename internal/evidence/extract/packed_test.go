package extract_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/extract"
)

// testdata/lake.docx and lake.epub were made by pandoc 2.17 of one text.
func document(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

// packed is a packed document of these files, names and contents in turn.
func packed(t testing.TB, files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		require.NoError(t, err)
		_, err = io.WriteString(f, files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestDocumentsOfOfficesAndBooksAreRead(t *testing.T) {
	for name, mime := range map[string]string{"lake.docx": extract.MIMEWord, "lake.epub": extract.MIMEBook} {
		for _, said := range []string{"", "application/octet-stream", "application/zip", mime} {
			d, err := extract.Text(document(t, name), said, "")
			require.NoError(t, err, name)
			require.Equal(t, mime, d.MIME)
			require.Equal(t, "The Depth of the Lake", d.Title, name)
			require.Equal(t, []string{"Ada Marsh"}, d.Authors, name)
			if mime == extract.MIMEBook { // the other says when its file was made
				require.Equal(t, "2019-06-01", d.Published)
			}
			require.Empty(t, d.Warnings)
			require.Equal(t, []extract.Part{{Kind: extract.Article, End: len(d.Text)}}, d.Parts, "nothing of it stands around an article")
			for _, line := range []string{
				"The surveyors measured the lake in 2019 and found it to be 187 metres deep at its deepest point, north of the island.",
				"2019 | 187 m", "- Pike stay above twenty metres in summer.", "4.2 °C all year round", "The sounding line was calibrated in March 2019.",
			} {
				require.Contains(t, d.Text, line, name)
			}
		}
	}
}

func word(body string) string {
	return `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body + `</w:body></w:document>`
}

func TestOfADocumentWhatAReaderSees(t *testing.T) {
	p := func(runs string) string { return "<w:p>" + runs + "</w:p>" }
	r := func(text string) string { return "<w:r><w:t>" + text + "</w:t></w:r>" }
	for name, c := range map[string]struct{ body, want string }{
		"words cut into runs":         {p(r("meas") + r("ured")), "measured"},
		"inserted, deleted":           {p(r("kept") + "<w:ins>" + r(" put in") + "</w:ins><w:del><w:r><w:delText> NOT</w:delText></w:r></w:del>"), "kept put in"},
		"moved away":                  {p("<w:moveFrom>" + r("NOT") + "</w:moveFrom><w:moveTo>" + r("here") + "</w:moveTo>"), "here"},
		"hidden":                      {p("<w:r><w:rPr><w:vanish/></w:rPr><w:t>NOT</w:t></w:r>" + r("seen")), "seen"},
		"hidden no more":              {p("<w:r><w:rPr><w:vanish w:val=\"0\"/></w:rPr><w:t>seen</w:t></w:r>"), "seen"},
		"a field's instructions":      {p("<w:r><w:instrText>NOT</w:instrText></w:r>" + r("seen")), "seen"},
		"tabs and breaks":             {p("<w:pPr><w:tabs><w:tab w:val=\"left\" w:pos=\"9\"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"), "a\tb\nc"},
		"a box of text in a picture":  {p("<mc:AlternateContent><mc:Choice><w:txbxContent>" + p(r("in the box")) + "</w:txbxContent></mc:Choice><mc:Fallback>" + p(r("NOT")) + "</mc:Fallback></mc:AlternateContent>" + r("around")), "in the box\naround"},
		"tables in cells":             {"<w:tbl><w:tr><w:tc>" + p(r("a")) + "<w:tbl><w:tr><w:tc>" + p(r("b")) + "</w:tc><w:tc>" + p(r("c")) + "</w:tc></w:tr></w:tbl></w:tc><w:tc>" + p(r("d")) + "</w:tc></w:tr></w:tbl>", "a b | c | d"},
		"a table that lays out pages": {"<w:tbl><w:tr><w:tc>" + p(r(strings.Repeat("long ", 500))) + p(r("after")) + "</w:tc></w:tr></w:tbl>", "\nafter"},
	} {
		d, err := extract.Text(packed(t, "word/document.xml", word(c.body)), "", "")
		require.NoError(t, err, name)
		require.Contains(t, d.Text, c.want, name)
		require.NotContains(t, d.Text, "NOT", name)
	}
}

const container = `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`

// book is a book of chapters, names and contents in turn, in the order of their names
// in the list.
func book(chapters ...string) []string {
	var items, spine string
	files := []string{"META-INF/container.xml", container}
	for i := 0; i < len(chapters); i += 2 {
		items += `<item id="` + chapters[i] + `" href="` + chapters[i] + `" media-type="application/xhtml+xml"/>`
		spine = `<itemref idref="` + chapters[i] + `"/>` + spine
		files = append(files, "OPS/"+chapters[i], chapters[i+1])
	}
	return append(files, "OPS/book.opf", `<package xmlns="http://www.idpf.org/2007/opf"><manifest>`+items+`</manifest><spine>`+spine+`</spine></package>`)
}

func TestTheChaptersOfABookAreReadInTheirOrder(t *testing.T) {
	d, err := extract.Text(packed(t, book("two.xhtml", "<html><body><p>Second.</p></body></html>", "one.xhtml", "<html><body><p>First.</p></body></html>")...), "", "")
	require.NoError(t, err)
	require.Equal(t, "First.\n\nSecond.", d.Text)
}

func TestABookIsReadNoFurtherThanItself(t *testing.T) {
	d, err := extract.Text(packed(t, book("../../../../etc/hostname", "<p>x</p>", "a.xhtml", "<p>Here.</p>")...), "", "")
	require.NoError(t, err)
	require.Equal(t, "Here.", d.Text)
	require.Contains(t, d.Warnings[0], "1 of 2 chapters could not be read: etc/hostname is missing in it")
}

func TestABookThatIsLockedSaysSo(t *testing.T) {
	files := append(book("a.xhtml", "\x00\x01\x02"), "META-INF/encryption.xml",
		`<encryption><EncryptedData><CipherData><CipherReference URI="OPS/a.xhtml"/></CipherData></EncryptedData></encryption>`)
	d, err := extract.Text(packed(t, files...), "", "")
	require.ErrorContains(t, err, "read EPUB: its text is encrypted")
	require.Equal(t, []string{"damaged document: its text is encrypted"}, d.Warnings)
}

func TestAPackedDocumentUnfoldsToSoMuchAndNoMore(t *testing.T) {
	bomb := strings.Repeat(" ", 65<<20)
	_, err := extract.Text(packed(t, "word/document.xml", word(bomb)), "", "")
	require.ErrorContains(t, err, "it unfolds to more than 64 MiB")
	_, err = extract.Text(packed(t, book("a.xhtml", bomb)...), "", "")
	require.ErrorContains(t, err, "it unfolds to more than 64 MiB")
	var many []string
	for range 20_001 {
		many = append(many, "a", "")
	}
	_, err = extract.Text(packed(t, append(many, book("a.xhtml", "<p>x</p>")...)...), "", "")
	require.Error(t, err)
}

func TestADocumentThatIsCutOrDamagedSaysSo(t *testing.T) {
	whole := document(t, "lake.docx")
	_, err := extract.Text(whole[:len(whole)/2], "", "")
	require.Error(t, err)
	d, err := extract.Text(packed(t, "word/document.xml", strings.TrimSuffix(word("<w:p><w:r><w:t>Read so far.</w:t></w:r></w:p><w:p>"), "</w:body></w:document>")), "", "")
	require.NoError(t, err)
	require.Equal(t, "Read so far.", d.Text)
	require.True(t, extract.HasWarning(d.Warnings, extract.Damaged))
	_, err = extract.Text(packed(t, "a.txt", "a"), "", "")
	require.ErrorIs(t, err, extract.ErrBinary, "another archive is no document")
}

func FuzzWord(f *testing.F) {
	f.Add(word("<w:p><w:r><w:t>a</w:t></w:r></w:p>"), word(""))
	f.Add(word("<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl></w:p></w:tr>"), "<")
	f.Fuzz(func(t *testing.T, main, notes string) {
		d, _ := extract.Text(packed(t, "word/document.xml", main, "word/footnotes.xml", notes, "docProps/core.xml", notes), "", "")
		limitRead(t, d)
	})
}

func FuzzBook(f *testing.F) {
	f.Add(container, `<package><manifest><item id="a" href="a" media-type="text/html"/></manifest><spine><itemref idref="a"/></spine></package>`, "<p>a")
	f.Add("<container>", "<package", "\x00")
	f.Fuzz(func(t *testing.T, container, opf, chapter string) {
		d, _ := extract.Text(packed(t, "META-INF/container.xml", container, "OPS/book.opf", opf, "OPS/a", chapter), "", "")
		limitRead(t, d)
	})
}

func FuzzPackedBytes(f *testing.F) {
	f.Add(document(f, "lake.docx"))
	f.Add(document(f, "lake.epub"))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, _ := extract.Text(append([]byte("PK\x03\x04"), body...), "", "")
		limitRead(t, d)
	})
}
