package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// readNumber reads a number with what is joined to it: digits, groups, a decimal
// part, ranges, dates and times, a sign before it, a unit behind it.
func (s *scanner) readNumber(i int) int {
	end, plain := s.digitsEnd(i)
	start := i
	text := s.text[i:end]
	if !plain {
		text = normaliseNumber(text)
	}
	if at, power := s.exponentStart(i); power {
		start, text = at, "^"+text
	} else if at, minus := s.minusStart(i); minus {
		start, text = at, "-"+text
	}
	kind := Number
	if start == i && looksLikeDate(text) {
		kind = Date
	}
	return s.addWithSuffix(kind, text, start, end)
}

// digitsEnd gives the end of a number, and whether it is digits of ASCII alone.
func (s *scanner) digitsEnd(i int) (end int, plain bool) {
	plain = true
	j := i
	group := 0 // digits since the last separator
	first := true
	for j < len(s.text) {
		c := s.text[j]
		if c >= '0' && c <= '9' {
			j, group = j+1, group+1
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[j:])
		if c >= utf8.RuneSelf && unicode.IsDigit(r) {
			j, group, plain = j+size, group+1, false
			continue
		}
		if !s.continuesNumber(r, j+size, group, first) {
			break
		}
		first = first && isSpace(r)
		j, group, plain = j+size, 0, false
	}
	return j, plain
}

// continuesNumber reports whether a rune behind digits goes on with the number.
// A blank does before three digits, so that 1 000 is the number it was meant
// to be; all groups before it are of blanks too.
func (s *scanner) continuesNumber(r rune, next, group int, spacedSoFar bool) bool {
	if next >= len(s.text) {
		return false
	}
	d, size := utf8.DecodeRuneInString(s.text[next:])
	if !unicode.IsDigit(d) {
		return false
	}
	switch r {
	case '.', ',', '٫', '٬', '_', '’', '\'':
		return true
	}
	if plainJoiner(r) != 0 {
		return true
	}
	if !isSpace(r) || !spacedSoFar || group > 3 {
		return false
	}
	n := 0
	for unicode.IsDigit(d) {
		n++
		next += size
		d, size = utf8.DecodeRuneInString(s.text[next:])
	}
	return n == 3 && !unicode.IsLetter(d) && d != '.' && d != ',' && d != '-' && d != '–' && d != '/' && d != ':'
}

func isSpace(r rune) bool {
	return r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009'
}

// exponentStart reports whether a number is a power.
func (s *scanner) exponentStart(i int) (int, bool) {
	if i > 0 && s.text[i-1] == '^' {
		return i - 1, true
	}
	return i, false
}

// minusStart reports whether a minus stands before a number: one that ties it to
// nothing before.
func (s *scanner) minusStart(i int) (int, bool) {
	r, size := utf8.DecodeLastRuneInString(s.text[:i])
	if r != '-' && r != '−' && r != '–' && r != '‐' && r != '‑' {
		return i, false
	}
	before, _ := utf8.DecodeLastRuneInString(s.text[:i-size])
	if i == size {
		return 0, true
	}
	if words.IsAlphanumeric(before) || before == ')' || before == ']' || before == '%' || before == '-' {
		return i, false
	}
	return i - size, true
}

// normaliseNumber gives the plain form of a number: digits of ASCII, no marks between
// thousands, a point before the decimals, "-" in a range.
func normaliseNumber(text string) string {
	var out strings.Builder
	from := 0
	for i, r := range text {
		join := plainJoiner(r)
		if join == 0 {
			continue
		}
		out.WriteString(figure(text[from:i]))
		out.WriteByte(join)
		from = i + utf8.RuneLen(r)
	}
	out.WriteString(figure(text[from:]))
	return out.String()
}

// plainJoiner is the plain form of what makes one of two numbers, 0 for other runes.
func plainJoiner(r rune) byte {
	switch r {
	case '-', '–', '‑', '−', '‐':
		return '-'
	case '/', '⁄':
		return '/'
	case ':':
		return ':'
	}
	return 0
}

// figure is the value of one number without ranges.
func figure(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9' || r == '.' || r == ',':
			return r
		case r == '٫':
			return '.'
		case unicode.IsDigit(r):
			return digit(r)
		}
		return -1 // ' _ and blanks part thousands
	}, text)
	dots, commas := strings.Count(text, "."), strings.Count(text, ",")
	switch {
	case dots > 0 && commas > 0 && strings.LastIndex(text, ".") > strings.LastIndex(text, ","):
		return strings.ReplaceAll(text, ",", "")
	case dots > 0 && commas == 1:
		return strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	case commas > 0 && thousands(text, ","):
		return strings.ReplaceAll(text, ",", "")
	case commas == 1:
		return strings.Replace(text, ",", ".", 1)
	case dots > 1 && thousands(text, "."):
		return strings.ReplaceAll(text, ".", "")
	}
	return text
}

// digit is the digit of ASCII with the value of another.
func digit(r rune) rune {
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return '0' + (r - zero)
}

// thousands reports whether marks part groups of three digits.
func thousands(text, mark string) bool {
	groups := strings.Split(text, mark)
	if len(groups[0]) == 0 || len(groups[0]) > 3 || groups[0] == "0" {
		return false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return false
		}
	}
	return true
}

// looksLikeDate reports whether a number looks like a year, a range of years or a day.
func looksLikeDate(text string) bool {
	if len(text) == 10 && (text[4] == '-' && text[7] == '-' || text[2] == '/' && text[5] == '/') {
		return true
	}
	if len(text) == 9 && text[4] == '-' {
		return looksLikeDate(text[:4]) && looksLikeDate(text[5:])
	}
	return len(text) == 4 && (text[0] == '1' && text[1] >= '5' || text[0] == '2' && text[1] <= '1') && strings.Trim(text, "0123456789") == ""
}

// addWithSuffix adds a number and what letters follow it at once.
func (s *scanner) addWithSuffix(kind Kind, text string, start, end int) int {
	const most = 64 // letters that may be a suffix or a unit
	tail := end
	for tail < len(s.text) && tail-end < most {
		r, size := utf8.DecodeRuneInString(s.text[tail:])
		if isUnspacedScript(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		tail += size
	}
	letters := s.text[end:tail]
	switch {
	case letters == "":
		s.add(kind, text, start, end)
		s.symbolAt = end
		return end
	case s.lex.suffix[letters] != nil:
		s.add(kind, text, start, end)
		s.add(Magnitude, s.lex.suffix[letters].norm, end, tail)
	case s.lex.symbols[letters] != nil && !(kind == Date && letters == "s"):
		s.add(kind, text, start, end)
		s.add(Unit, s.lex.symbols[letters].norm, end, tail)
	case len(letters) > 4: // "5percent": blanks were lost
		s.add(kind, text, start, end)
		return end
	default: // 1990s, 3rd, 2D
		s.add(Number, text+letters, start, tail)
	}
	s.symbolAt = tail
	return tail
}
