package main

import (
	"bytes"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	readability "codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/research-council/research-council/internal/evidence/extract"
)

// reader gives the article of a page.
type reader struct {
	name    string
	article func(page []byte, address string) string
}

// readers are what is compared, ours first.
func readers() []reader {
	return []reader{
		{"ours", ours},
		{"go-readability", plainReadability},
		{"all that is visible", everything},
	}
}

func ours(page []byte, address string) string {
	d, err := extract.Text(page, "text/html", address)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range d.Parts {
		if p.Kind == extract.Article {
			b.WriteString(d.Text[p.Start:p.End])
		}
	}
	return b.String()
}

func everything(page []byte, address string) string {
	d, err := extract.Text(page, "text/html", address)
	if err != nil {
		return ""
	}
	return strings.Replace(d.Text, extract.Separator, "\n", 1)
}

// plainReadability is the library as its own users call it.
func plainReadability(page []byte, address string) string {
	base, err := url.Parse(address)
	if err != nil {
		return ""
	}
	var text io.Reader = bytes.NewReader(page)
	if !utf8.Valid(page) { // the library takes every page for UTF-8
		if text, err = charset.NewReader(text, "text/html"); err != nil {
			return ""
		}
	}
	found, err := readability.FromReader(text, base)
	if err != nil || found.Node == nil {
		return ""
	}
	var article bytes.Buffer // told in the same way as the others, so that its choice is compared
	if err := html.Render(&article, found.Node); err != nil {
		return ""
	}
	return everything(article.Bytes(), "")
}
