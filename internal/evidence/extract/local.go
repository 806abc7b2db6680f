package extract

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	encodings "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Why a local file is not read. Nothing is said then of what stands in it.
var (
	ErrPacked = errors.New("compressed")
	ErrCoded  = errors.New("in an encoding that cannot be told")
)

// Local reads a file of the user's as the text it is, line by line: nothing is
// taken out of it. Doubt says that its encoding was guessed, so that what is not
// found may stand in it all the same; "" where it is certain. The error says why
// it is not read.
func Local(data []byte) (text, doubt string, err error) {
	switch {
	case len(data) == 0:
		return "", "", nil
	case packed(data):
		return "", "", ErrPacked
	}
	if enc, ok := byteOrderMark(data); ok {
		return decodeWith(enc, data, "")
	}
	if bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) {
		return lineEnds(string(data)), "", nil
	}
	if enc, ok := unmarkedUTF16(data); ok {
		return decodeWith(enc, data, "")
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", "", ErrBinary
	}
	if enc, ok := declaredEncoding(data); ok {
		return decodeWith(enc, data, "")
	}
	if almostUTF8(data) {
		return lineEnds(strings.ToValidUTF8(string(data), "\ufffd")), "some bytes of the file are not of UTF-8", nil
	}
	if isWindows1252(data) {
		return decodeWith(charmap.Windows1252, data, "")
	}
	return guessed(data)
}

// packed reports whether a file is one that other programs unpack or show.
func packed(data []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "PK\x03\x04", "BZh", "\xfd7zXZ", "(\xb5/\xfd", "7z\xbc\xaf", "\x89PNG", "GIF8", "\xff\xd8\xff", "%PDF-"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return false
}

// byteOrderMark is the encoding that a byte order mark names.
func byteOrderMark(data []byte) (encoding.Encoding, bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return encodings.UTF8BOM, true
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM), true
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return encodings.UTF16(encodings.LittleEndian, encodings.ExpectBOM), true
	}
	return nil, false
}

// unmarkedUTF16 is UTF-16 without a mark: of the letters of most languages one byte is
// always the same, and in English zero.
func unmarkedUTF16(data []byte) (encoding.Encoding, bool) {
	head := data[:min(len(data), 4096)&^1]
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	zero := func(at int) bool { return half > 0 && zeros[at]*5 >= half*2 && zeros[1-at]*20 <= half }
	switch {
	case zero(1):
		return encodings.UTF16(encodings.LittleEndian, encodings.IgnoreBOM), true
	case zero(0):
		return encodings.UTF16(encodings.BigEndian, encodings.IgnoreBOM), true
	}
	return nil, false
}

var (
	inMarkup = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:charset|encoding)\s*=\s*["']?\s*([-\w.:]+)`)
	})
	inSource = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)coding[:=]\s*([-\w.]+)`)
	})
)

// declaredEncoding is the encoding that a file says it is in: markup in its head,
// source code in its first two lines (PEP 263).
func declaredEncoding(data []byte) (encoding.Encoding, bool) {
	head := data[:min(len(data), 1024)]
	pattern := inMarkup()
	if !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		lines := bytes.SplitN(head, []byte("\n"), 3)
		head, pattern = bytes.Join(lines[:min(2, len(lines))], []byte("\n")), inSource()
	}
	m := pattern.FindSubmatch(head)
	if m == nil {
		return nil, false
	}
	enc, err := htmlindex.Get(string(m[1]))
	if err != nil || enc == encodings.UTF8 { // the bytes are not of UTF-8
		return nil, false
	}
	return enc, true
}

// Letters and signs that the languages of Western Europe write, beyond ASCII.
const westernLetters = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœŠšŽž€‚„…‘’“”•–—™§©«®°±²³·»¼½¾¡¿£µ\u00a0"

// isWindows1252 reports whether bytes read as Windows' Latin, of which Latin-1 is a
// part, and as nothing else: few beyond ASCII, each a letter beside letters or a
// sign that is none.
func isWindows1252(data []byte) bool {
	letters, beyond := 0, 0
	text := []rune(" " + asWindows1252(data) + " ")
	for i := 1; i+1 < len(text); i++ {
		r := text[i]
		switch {
		case r < utf8.RuneSelf:
			if unicode.IsLetter(r) {
				letters++
			}
		case !strings.ContainsRune(westernLetters, r):
			return false
		default:
			beyond++
			if misplaced(text, i) {
				return false
			}
		}
	}
	return beyond*3 <= letters
}

// misplaced reports whether a sign stands where only a letter of another
// alphabet does: in a word, or a power at the end of one that is no unit.
func misplaced(text []rune, i int) bool {
	r := text[i]
	if unicode.IsLetter(r) || strings.ContainsRune("’·—–…", r) || !unicode.IsLetter(text[i-1]) {
		return false
	}
	if unicode.IsLetter(text[i+1]) || strings.ContainsRune("±¼½¾", r) {
		return true
	}
	const unit = 3 // letters from which on a word is none
	return (r == '²' || r == '³') && i >= unit && unicode.IsLetter(text[i-2]) && unicode.IsLetter(text[i-3])
}

func asWindows1252(data []byte) string {
	out, err := charmap.Windows1252.NewDecoder().Bytes(data[:min(len(data), 256<<10)])
	if err != nil {
		return "\ufffd"
	}
	return string(out)
}

// guessed reads bytes by the letters they would be. Short texts may be guessed
// wrong, so all of it is in doubt.
func guessed(data []byte) (string, string, error) {
	found, err := chardet.NewTextDetector().DetectBest(data[:min(len(data), 64<<10)])
	if err != nil || found.Confidence < 40 || strings.HasPrefix(found.Charset, "ISO-8859-1") || strings.HasPrefix(found.Charset, "UTF") {
		return "", "", ErrCoded
	}
	enc, err := htmlindex.Get(found.Charset)
	if err != nil {
		return "", "", ErrCoded
	}
	text, _, err := decodeWith(enc, data, "")
	if err != nil || strings.ContainsRune(text, utf8.RuneError) {
		return "", "", ErrCoded
	}
	return text, "it is not said in which encoding the file is, and it was read as " + strings.ToLower(found.Charset), nil
}

func decodeWith(enc encoding.Encoding, data []byte, doubt string) (string, string, error) {
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return "", "", ErrCoded
	}
	text := string(bytes.TrimPrefix(out, []byte("\ufeff")))
	if strings.ContainsRune(text, utf8.RuneError) {
		doubt = "some bytes of the file are not of its encoding"
	}
	return lineEnds(text), doubt, nil
}

// lineEnds gives the lines of old Macs, which end with a return, one form with
// others. All else stays as it is.
func lineEnds(text string) string {
	if strings.IndexByte(text, '\r') < 0 || strings.IndexByte(text, '\n') >= 0 {
		return text
	}
	return strings.ReplaceAll(text, "\r", "\n")
}
