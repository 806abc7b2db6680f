package campaign

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlugBytes is how many bytes a slug may have.
const maxSlugBytes = 64

// Slug is what of a campaign's name may stand in a path: small letters and
// digits of ASCII, with single hyphens between. What it cannot hold, such as
// another script or accents, is told by a short hash of the name behind it, so
// that two names do not become one; case, white space and punctuation alone
// make no difference. The slug of a slug is itself.
func Slug(name string) (string, error) {
	s := slug(name, "campaign")
	if s == "" {
		return "", errors.New("a campaign's name needs a letter or a digit, such as 'solar-storage'")
	}
	return s, nil
}

// slug is the slug of a name, "" where there is neither letter nor digit. The
// word stands where nothing of the name can.
func slug(name, word string) string {
	plain := strings.Join(strings.Fields(strings.ToLower(norm.NFC.String(strings.ToValidUTF8(name, "\ufffd")))), " ")
	var b strings.Builder
	named, lost := false, false
	for _, r := range plain {
		named = named || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsNumber(r)
		lost = lost || r > unicode.MaxASCII && !unicode.IsPunct(r) || r == '#' || r == '+' // C, C# and C++ are three
	}
	for _, r := range norm.NFKD.String(plain) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= 'A' && r <= 'Z': // of a sign such as №
			b.WriteRune(unicode.ToLower(r))
		case !unicode.Is(unicode.Mn, r):
			b.WriteByte('-')
		}
	}
	if !named {
		return ""
	}
	text := hyphens(b.String())
	if text == "" {
		text = word
	}
	if !lost && len(text) <= maxSlugBytes {
		return text
	}
	return withHash(text, plain)
}

// hyphens leaves single hyphens, and none at the ends.
func hyphens(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '-' }), "-")
}

// withHash puts a hash of the name behind what stands for it.
func withHash(text, name string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it cannot fail
	sum := h.Sum64()
	suffix := fmt.Sprintf("-%06x", (sum^sum>>24^sum>>48)&0xffffff)
	return strings.TrimRight(text[:min(len(text), maxSlugBytes-len(suffix))], "-") + suffix
}
