package plain

import "strings"

// Slug is what of a text may stand in a name: small letters and digits of ASCII, with single
// hyphens between; "" where it has none. It ends with the letter by which it has limit bytes
// or, behind a hyphen, one more.
func Slug(s string, limit int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		switch {
		case b.Len() >= limit:
			return b.String()
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	return b.String()
}
