package citation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// readAddress reads a bare address at i; 0 when there is none.
func (s *inlineReader) readAddress(i int) int {
	rest := s.raw[i:min(len(s.raw), i+maxAddress)]
	if !isWebAddress(rest) {
		return 0
	}
	if before, _ := utf8.DecodeLastRuneInString(s.raw[:i]); before < utf8.RuneSelf && isWordRune(before) {
		return 0
	}
	url := TrimURL(rest)
	if n := len(s.open); n > 0 && i+len(url) > s.open[n-1].until {
		url = rest[:s.open[n-1].until-i]
	}
	if !strings.Contains(strings.TrimPrefix(url, "www."), ".") && !strings.Contains(url, "//localhost") && !strings.Contains(url, "//[") {
		end := max(i+1, i+len(url))
		s.writeRaw(i, end)
		return end
	}
	if len(s.open) > 0 { // the words of a link to it
		s.writeRaw(i, i+len(url))
		return i + len(url)
	}
	s.addAutolink(i, i+len(url), url)
	return i + len(url)
}

// TrimURL gives the address at the beginning of a text, without what the
// sentence around it left at its end. A closing bracket belongs to it when it
// has been opened in it.
func TrimURL(s string) string {
	round, square, end := 0, 0, len(s)
scan:
	for i, r := range s {
		switch r {
		case '(':
			round++
		case ')':
			round--
		case '[':
			square++
			if i+1 < len(s) && (s[i+1] == '^' || s[i+1] >= '0' && s[i+1] <= '9') {
				square = -1 // a marker
			}
		case ']':
			square--
			if strings.HasPrefix(s[i:], "](") {
				square = -1
			}
		}
		if round < 0 || square < 0 || unicode.IsSpace(r) || isHidden(r) || strings.ContainsRune("<>\"“”«»「」『』，。；：、（）【】《》！？|`\u2502", r) {
			end = i
			break scan
		}
	}
	return strings.TrimRight(s[:end], ".,;:!?'*_~\\([{")
}
