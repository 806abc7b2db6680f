package extract

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// Where an EPUB says what it holds (EPUB 3.3, 4.2.6).
const (
	bookContainer  = "META-INF/container.xml"
	bookEncryption = "META-INF/encryption.xml"
)

// container names the file that describes a book.
type container struct {
	Roots []struct {
		Path string `xml:"full-path,attr"`
	} `xml:"rootfiles>rootfile"`
}

// bookPackage describes a book: its files, and the order they are read in.
type bookPackage struct {
	Items []struct {
		ID   string `xml:"id,attr"`
		Href string `xml:"href,attr"`
		Type string `xml:"media-type,attr"`
	} `xml:"manifest>item"`
	Spine []struct {
		Item string `xml:"idref,attr"`
	} `xml:"spine>itemref"`
}

// encryption names the files that are encrypted.
type encryption struct {
	Data []struct {
		Of struct {
			URI string `xml:"URI,attr"`
		} `xml:"CipherData>CipherReference"`
	} `xml:"EncryptedData"`
}

// maxChapter bounds a chapter that is taken apart as a page is, in bytes; a longer one
// is read as it comes.
const maxChapter = 4 << 20

// readBook reads the chapters of an EPUB in their order, as pages without anything
// around an article.
func (d *Document) readBook(files *packedFiles) error {
	d.Extractor = "epub/" + Version
	chapters, m, err := bookChapters(files)
	if err != nil {
		return err
	}
	d.Title, d.Authors, d.Published = m.title, m.authors, m.published
	locked := lockedFiles(files)
	var texts []string
	size, bad := 0, 0
	var why error
	for _, name := range chapters {
		if size >= maxPackedText {
			d.addWarning(Truncated, "there is more text in it than is read")
			break
		}
		data, err := files.read(name)
		if err == nil && locked[name] {
			err = errLocked
		}
		if err != nil {
			bad++
			why = err
			continue
		}
		text := chapterText(data)
		size += len(text)
		texts = append(texts, text)
	}
	if size == 0 && why != nil {
		return why
	}
	d.setText([]string{NormaliseText(strings.Join(texts, "\n\n"))}, nil)
	if bad > 0 {
		d.addWarning(Damaged, fmt.Sprintf("%d of %d chapters could not be read: %s", bad, len(chapters), Line(why.Error())))
	}
	return nil
}

// bookChapters are the names of the files of a book that are read, in their order, and
// what it says of itself.
func bookChapters(files *packedFiles) (names []string, m meta, err error) {
	var c container
	if err := files.decode(bookContainer, &c); err != nil {
		return nil, m, err
	}
	if len(c.Roots) == 0 {
		return nil, m, errors.New("it does not say where its chapters are")
	}
	root := c.Roots[0].Path
	data, err := files.read(root)
	if err != nil {
		return nil, m, err
	}
	m.dublinCore(data)
	var p bookPackage
	if err := decoder(data).Decode(&p); err != nil {
		return nil, m, err
	}
	byID := map[string]string{}
	for _, i := range p.Items {
		if t := plainMIME(i.Type); t == "application/xhtml+xml" || t == "text/html" || t == "text/x-oeb1-document" {
			byID[i.ID] = inBook(root, i.Href)
		}
	}
	seen := map[string]bool{}
	for _, s := range p.Spine {
		if name := byID[s.Item]; name != "" && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, m, errors.New("it lists no chapters")
	}
	return names, m, nil
}

// inBook is the name of a file that another one of a book refers to.
func inBook(from, href string) string {
	href, _, _ = strings.Cut(href, "#")
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	return strings.TrimPrefix(path.Join("/", path.Dir(from), href), "/")
}

// lockedFiles are the files of a book that are encrypted.
func lockedFiles(files *packedFiles) map[string]bool {
	var e encryption
	locked := map[string]bool{}
	if files.decode(bookEncryption, &e) != nil {
		return locked
	}
	for _, data := range e.Data {
		locked[inBook("", data.Of.URI)] = true
	}
	return locked
}

// decode reads a file of XML into a value.
func (p *packedFiles) decode(name string, to any) error {
	data, err := p.read(name)
	if err != nil {
		return err
	}
	if err := decoder(data).Decode(to); err != nil {
		var wrong *xml.SyntaxError
		if errors.As(err, &wrong) {
			return fmt.Errorf("%s cannot be read: %w", name, wrong)
		}
		return err
	}
	return nil
}

// chapterText is what a reader sees of a chapter.
func chapterText(data []byte) string {
	text, _, _ := toUTF8(data, "application/xhtml+xml")
	if len(text) <= maxChapter {
		if doc, ok := parse(text); ok {
			return strings.Join(lineTexts(lines(doc)), "\n")
		}
	}
	visible, _ := streamText(text)
	return visible
}
