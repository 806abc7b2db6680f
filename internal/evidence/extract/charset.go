package extract

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// toUTF8 gives the bytes as UTF-8, the name of the encoding they are in, and
// a warning when that is not the declared one. The order is HTML's: a byte
// order mark, the header, the page itself, a guess.
func toUTF8(body []byte, mime string) (text, name string, warnings []string) {
	enc, name, certain := charset.DetermineEncoding(body, mime)
	declared := name
	switch {
	case name == "utf-8" && utf8.Valid(body):
		return string(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))), name, nil
	case name == "utf-8" && almostUTF8(body):
		// a few torn letters: the page is what it says
		return strings.ToValidUTF8(string(body), string(utf8.RuneError)), name, []string{
			WrongCharset + ": some bytes are not of " + name,
		}
	case name != "utf-8" && utf8.Valid(body) && !strings.HasPrefix(name, "utf-16") && name != "iso-2022-jp":
		enc, name = encoding.Nop, "utf-8"
	case name == "utf-8" || !certain:
		enc, name = guess(body)
	}
	if certain && name != declared && !ascii(body) {
		warnings = append(warnings, fmt.Sprintf("%s: declared %s, read as %s", WrongCharset, declared, name))
	}
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil { // decoders of web encodings replace; should one not, what is valid is kept
		out = bytes.ToValidUTF8(body, []byte(string(utf8.RuneError)))
	}
	if bad := bytes.Count(out, []byte(string(utf8.RuneError))); bad*200 > len(out) && len(warnings) == 0 {
		warnings = append(warnings, WrongCharset+": many bytes are not of "+name)
	}
	return string(bytes.TrimPrefix(out, []byte("\xef\xbb\xbf"))), name, warnings
}

// almostUTF8 reports whether at most one letter in two hundred of those
// outside ASCII is broken, as where a page was cut or joined between bytes.
func almostUTF8(body []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		i += size
	}
	return bad <= 2 && good > 4*bad || bad*200 < good
}

func ascii(body []byte) bool {
	for _, c := range body {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// guess tells an undeclared encoding by its letters; Windows' Latin where
// nothing speaks for another.
func guess(body []byte) (encoding.Encoding, string) {
	found, err := chardet.NewHtmlDetector().DetectBest(body[:min(len(body), 64<<10)])
	if err == nil && found.Confidence >= 40 && found.Charset != "UTF-8" {
		if enc, err := htmlindex.Get(found.Charset); err == nil {
			if name, err := htmlindex.Name(enc); err == nil {
				return enc, name
			}
		}
	}
	enc, name := charset.Lookup("windows-1252")
	return enc, name
}
