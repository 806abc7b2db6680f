package extract

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Version is part of every [Document.Extractor]: the text of the same bytes
// may differ between versions, never within one.
const Version = "2"

// ErrBinary says that the bytes hold nothing to read: an image, an archive, a
// program.
var ErrBinary = errors.New("no text in it")

// Text reads a source. The MIME type is that of the Content-Type header, with
// its parameters, or ""; what the bytes plainly are goes before what they are
// said to be. The URL is the address they came from, "" when there is none.
//
// An error is [ErrBinary], or says that a document is too damaged to be read;
// what can be told is in the document all the same.
func Text(body []byte, mime, url string) (Document, error) {
	kind := sniff(body, mime)
	switch kind { // of these the end says what is where
	case "application/pdf":
		return fromPDF(body)
	case MIMEWord, MIMEBook:
		return fromPacked(body, kind)
	}
	body, cut := limitRead(body)
	d, err := readByKind(body, mime, url, kind)
	d.Warnings = append(d.Warnings, cut...)
	return d, err
}

func readByKind(body []byte, mime, url, kind string) (Document, error) {
	switch kind {
	case "text/html", "application/xhtml+xml":
		return fromHTML(body, mime, url, kind)
	case "":
		return Document{MIME: plainMIME(mime), Warnings: []string{NoText + ": " + declaredMIME(mime)}}, ErrBinary
	}
	if isJATS(body, kind) {
		return fromJATS(body, kind)
	}
	text, name, warning := toUTF8(body, mime)
	d := Document{MIME: kind, Charset: name, Extractor: "plain/" + Version, Warnings: warning}
	d.setText([]string{NormaliseText(text)}, nil)
	return d, nil
}

// MaxRead bounds what is read of a source that is no PDF, in bytes.
const MaxRead = 16 << 20

// limitRead is as much of a source as is read, and what there is to say of it.
func limitRead(body []byte) ([]byte, []string) {
	if len(body) <= MaxRead {
		return body, nil
	}
	return body[:MaxRead], []string{fmt.Sprintf("%s: the first %d of %d MiB were read", Truncated, MaxRead>>20, len(body)>>20)}
}

// PlainDocument makes a document of text that was got from a PDF by other means, as
// the name of the extractor says. A form feed ends a page.
func PlainDocument(text, mime, extractor string) Document {
	d := Document{MIME: mime, Charset: "utf-8", Extractor: extractor}
	d.setPages(strings.Split(strings.TrimSuffix(text, "\f"), "\f"))
	return d
}

// setText puts article and aside together.
func (d *Document) setText(article, aside []string) {
	text := strings.TrimSpace(strings.Join(article, "\n"))
	rest := strings.TrimSpace(strings.Join(aside, "\n"))
	d.Text, d.Parts = text, nil
	if text != "" {
		d.Parts = append(d.Parts, Part{Article, 0, len(text)})
	}
	if rest != "" {
		d.Text += Separator + rest
		d.Parts = append(d.Parts, Part{Aside, len(d.Text) - len(rest), len(d.Text)})
	}
	if d.Text == "" {
		d.addWarning(NoText, "nothing readable was found")
	}
}

func (d *Document) addWarning(what, detail string) {
	d.Warnings = append(d.Warnings, what+": "+detail)
}

// HasWarning reports whether one of the warnings is of a kind.
func HasWarning(warnings []string, kind string) bool {
	for _, w := range warnings {
		if rest, ok := strings.CutPrefix(w, kind); ok && (rest == "" || rest[0] == ':') {
			return true
		}
	}
	return false
}

// plainMIME is a MIME type without parameters, in lower case.
func plainMIME(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return shortField(strings.ToLower(mime))
}

func declaredMIME(mime string) string {
	if m := plainMIME(mime); m != "" {
		return m
	}
	return "unknown bytes"
}

// sniff says what the bytes are, "" for what holds no text. A page that
// stands where a PDF was promised is a page, and the other way round.
func sniff(body []byte, mime string) string {
	said := plainMIME(mime)
	head := body[:min(len(body), 1024)]
	if bytes.Contains(head, []byte("%PDF-")) {
		return "application/pdf"
	}
	if kind := packedKind(body); kind != "" {
		return kind
	}
	html := looksLikeHTML(head)
	switch {
	case said == "text/html", said == "application/xhtml+xml":
		if binary(head) {
			return ""
		}
		return said
	case html && (said == "" || said == "application/octet-stream" || said == "application/pdf" || strings.HasSuffix(said, "xml")):
		return "text/html"
	case binary(head):
		return ""
	case said == "" || said == "application/octet-stream" || said == "application/pdf":
		return "text/plain"
	case isTextMIME(said):
		return said
	}
	return ""
}

// isTextMIME reports whether a MIME type is read as it is.
func isTextMIME(mime string) bool {
	switch mime {
	case "application/json", "application/xml", "application/yaml", "application/toml", "application/javascript",
		"application/x-ndjson", "application/x-tex", "application/x-yaml", "application/x-sh", "application/sql":
		return true
	}
	return strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+json") || strings.HasSuffix(mime, "+xml")
}

// looksLikeHTML reports whether bytes begin as a page does, with a tag of the
// document, a comment or a document type.
func looksLikeHTML(head []byte) bool {
	s := strings.ToLower(string(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\f")))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<script", "<meta"} {
		if strings.HasPrefix(s, tag) {
			return true
		}
	}
	return (strings.HasPrefix(s, "<!--") || strings.HasPrefix(s, "<?xml")) && strings.Contains(s, "<html")
}

// binary reports whether bytes hold NUL and are no UTF-16 text.
func binary(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return false
	}
	return bytes.IndexByte(head, 0) >= 0
}
