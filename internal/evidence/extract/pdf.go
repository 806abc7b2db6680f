package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	maxPages   = 3000
	maxPDFText = 16 << 20
	maxDecoded = 256 << 20 // bytes that a document's pages may unfold to, in all
)

// errPDFTooLarge ends the reading of a PDF that is larger inside than out, or sends
// its reader in circles.
var errPDFTooLarge = errors.New("the document unfolds, or is read again, without an end")

// fromPDF reads a PDF page by page. A page that cannot be read is left out,
// with a warning.
func fromPDF(body []byte) (Document, error) {
	d := Document{MIME: "application/pdf", Charset: "utf-8", Extractor: "ledongthuc-pdf/" + Version}
	file, count, err := openPDF(body)
	if err != nil || count == 0 {
		if mended, ok := rebuildPDF(body); ok {
			file, count, err = openPDF(mended)
			d.addWarning(Damaged, "its table of objects was made anew from what could be found")
		}
	}
	if err != nil {
		d.addWarning(Damaged, Line(err.Error()))
		return d, fmt.Errorf("read PDF: %w", err)
	}
	pages, bad := min(count, maxPages), 0
	var texts []string
	doc := &pdfResources{faces: map[string]*fontFace{}, left: maxDecoded}
	for i, length := 1, 0; i <= pages && length < maxPDFText; i++ {
		text, err := pageText(file, doc, i)
		if errors.Is(err, errPDFTooLarge) {
			bad += pages - i + 1
			break
		}
		if err != nil {
			bad++
		}
		length += len(text)
		texts = append(texts, text)
	}
	info := pdfInfo(file)
	d.Title, d.Published = info.title, info.published
	d.Authors = info.authors
	d.setPages(texts)
	switch {
	case bad > 0:
		d.addWarning(Damaged, fmt.Sprintf("%d of %d pages could not be read", bad, pages))
	case count > maxPages:
		d.addWarning(Truncated, fmt.Sprintf("the first %d of %d pages", maxPages, count))
	}
	return d, nil
}

// openPDF opens a PDF and counts its pages. The library's panics become
// errors.
func openPDF(body []byte) (file *pdf.Reader, pages int, err error) {
	defer recoverError(&err)
	budget := &cappedReaderAt{of: bytes.NewReader(body), left: 256<<20 + 100*int64(len(body))}
	if file, err = pdf.NewReader(budget, int64(len(body))); err != nil {
		return nil, 0, err
	}
	return file, file.NumPage(), nil
}

// pageText gives what was read of a page until an error.
func pageText(file *pdf.Reader, doc *pdfResources, n int) (text string, err error) {
	t := typesetter{book: doc}
	defer func() { text = t.out.String() }()
	defer recoverError(&err)
	page := file.Page(n)
	if page.V.IsNull() {
		return "", errors.New("no such page")
	}
	if contents := page.V.Key("Contents"); !contents.IsNull() {
		t.runContent(contents, page.Resources(), 0)
	}
	return "", nil
}

func recoverError(err *error) {
	switch r := recover().(type) {
	case nil:
	case error:
		*err = r
	default:
		*err = fmt.Errorf("%v", r)
	}
}

// pdfInfo is the document's own account of itself.
func pdfInfo(file *pdf.Reader) (m meta) {
	defer func() {
		if recover() != nil {
			m = meta{}
		}
	}()
	info := file.Trailer().Key("Info")
	m.title = shortField(info.Key("Title").Text())
	m.addAuthors(strings.FieldsFunc(shortField(info.Key("Author").Text()), func(r rune) bool { return r == ';' })...)
	m.published = pdfDate(shortField(info.Key("CreationDate").Text()))
	return m
}

// pdfDate reads "D:20240131…" (ISO 32000-1, 7.9.4).
func pdfDate(s string) string {
	s = strings.TrimPrefix(s, "D:")
	if len(s) < 8 || strings.Trim(s[:8], "0123456789") != "" {
		return ""
	}
	return s[:4] + "-" + s[4:6] + "-" + s[6:8]
}

// cappedReaderAt ends a reader that takes far more than there is.
type cappedReaderAt struct {
	of   io.ReaderAt
	left int64
}

func (m *cappedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := m.of.ReadAt(p, at)
	if m.left -= int64(n) + 1; m.left < 0 {
		panic(errPDFTooLarge)
	}
	return n, err
}
