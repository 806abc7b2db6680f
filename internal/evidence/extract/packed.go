package extract

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The kinds of documents that are folders of files, packed as one.
const (
	MIMEWord = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	MIMEBook = "application/epub+zip"
)

// Bounds of a packed document. A file of a kilobyte may unfold to a gigabyte.
const (
	maxPackedFiles = 20_000
	maxUnfolded    = 64 << 20 // bytes that are unfolded of it, in all
	maxPackedText  = 16 << 20 // bytes of text
)

// Why a packed document is not read.
var (
	errUnpacksTooLarge = fmt.Errorf("it unfolds to more than %d MiB", maxUnfolded>>20)
	errTooManyFiles    = fmt.Errorf("it holds more than %d files", maxPackedFiles)
	errLocked          = errors.New("its text is encrypted")
)

// packedFiles are the files in a packed document, by their names in it: nothing is
// written anywhere, and a name leads to no other file.
type packedFiles struct {
	byName map[string]*zip.File
	left   int64 // bytes that may still be unfolded
}

// looksPacked reports whether bytes begin as such a document does.
func looksPacked(body []byte) bool { return bytes.HasPrefix(body, []byte("PK\x03\x04")) }

// IsPacked reports whether bytes are a packed document of a kind that is read.
func IsPacked(body []byte) bool { return packedKind(body) != "" }

// packedKind is the kind of a packed document, "" for one that is not read.
func packedKind(body []byte) string {
	if !looksPacked(body) {
		return ""
	}
	files, err := openPacked(body)
	switch {
	case errors.Is(err, errTooManyFiles) && bytes.Contains(body[:min(len(body), 1024)], []byte(MIMEBook)):
		return MIMEBook
	case err != nil:
		return brokenKind(body)
	case files.byName[bookContainer] != nil:
		return MIMEBook
	case files.byName[wordMain] != nil:
		return MIMEWord
	}
	return ""
}

// brokenKind tells what a packed document was before its end, where the names of its
// files stand, was lost.
func brokenKind(body []byte) string {
	switch {
	case bytes.Contains(body[:min(len(body), 1024)], []byte("mimetype"+MIMEBook)):
		return MIMEBook
	case bytes.Contains(body, []byte(wordMain)):
		return MIMEWord
	}
	return ""
}

func openPacked(body []byte) (*packedFiles, error) {
	r, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, err
	}
	if len(r.File) > maxPackedFiles {
		return nil, errTooManyFiles
	}
	p := &packedFiles{byName: make(map[string]*zip.File, len(r.File)), left: maxUnfolded}
	for _, f := range r.File {
		if p.byName[f.Name] == nil { // of two with one name, readers show the first
			p.byName[f.Name] = f
		}
	}
	return p, nil
}

// read unfolds a file.
func (p *packedFiles) read(name string) ([]byte, error) {
	f := p.byName[name]
	switch {
	case f == nil:
		return nil, fmt.Errorf("%s is missing in it", Line(name))
	case f.Flags&1 != 0:
		return nil, errLocked
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, p.left+1))
	if p.left -= int64(len(data)); p.left < 0 {
		p.left = 0
		return nil, errUnpacksTooLarge
	}
	return data, err
}

// decoder reads XML in UTF-8, or in another encoding that it names.
func decoder(data []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(name string, in io.Reader) (io.Reader, error) {
		all, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		text, _, _ := toUTF8(all, "text/xml; charset="+name)
		return strings.NewReader(text), nil
	}
	return d
}

// fromPacked reads a packed document.
func fromPacked(body []byte, kind string) (Document, error) {
	d := Document{MIME: kind, Charset: "utf-8"}
	files, err := openPacked(body)
	if err == nil {
		if kind == MIMEBook {
			err = d.readBook(files)
		} else {
			err = d.readWord(files)
		}
	}
	if err != nil {
		d.addWarning(Damaged, Line(err.Error()))
		return d, fmt.Errorf("read %s: %w", map[string]string{MIMEBook: "EPUB", MIMEWord: "DOCX"}[kind], err)
	}
	return d, nil
}

// dublinCore takes what a document says of itself in the terms of Dublin Core.
func (m *meta) dublinCore(data []byte) {
	in := decoder(data)
	for {
		t, err := in.Token()
		if err != nil {
			return
		}
		start, ok := t.(xml.StartElement)
		if !ok || !strings.Contains(start.Name.Space, "purl.org/dc/") && start.Name.Space != "dc" && start.Name.Space != "dcterms" {
			continue
		}
		var text string
		if in.DecodeElement(&text, &start) != nil {
			return
		}
		m.addDublinCore(start.Name.Local, shortField(Line(text)))
	}
}

func (m *meta) addDublinCore(term, text string) {
	switch {
	case text == "":
	case term == "title" && m.title == "":
		m.title = text
	case term == "creator":
		m.addAuthors(text)
	case (term == "date" || term == "created") && m.published == "" && len(text) >= 4:
		m.published = text[:min(len(text), len("2006-01-02"))]
	}
}
