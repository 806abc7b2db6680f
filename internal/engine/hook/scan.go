package hook

import (
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON in one pass and keeps nothing but what it is asked for.
// It is lenient about what it skips: a host's JSON is well formed, and what is
// not must only do no harm.
type scanner struct {
	r   io.Reader
	buf []byte // what has been read
	at  int    // the next byte of it
	end bool   // there is nothing more to read
	raw [16 << 10]byte
}

// fill reads on when the buffer is empty; false at the end.
func (s *scanner) fill() bool {
	for idle := 0; s.at == len(s.buf) && !s.end; idle++ {
		n, err := s.r.Read(s.raw[:])
		s.buf, s.at = s.raw[:n], 0
		s.end = err != nil || idle == maxEmptyReads
	}
	return s.at < len(s.buf)
}

// maxEmptyReads bounds how often a reader may give nothing and no error.
const maxEmptyReads = 100

// byte is the next byte; 0 at the end.
func (s *scanner) byte() byte {
	if s.at == len(s.buf) && !s.fill() {
		return 0
	}
	b := s.buf[s.at]
	s.at++
	return b
}

// peek is the next byte, which stays to be read; 0 at the end.
func (s *scanner) peek() byte {
	if !s.fill() {
		return 0
	}
	return s.buf[s.at]
}

// peekNonSpace is the next byte that is no white space; it stays to be read.
func (s *scanner) peekNonSpace() byte {
	for {
		switch b := s.peek(); b {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return b
		}
	}
}

// accept reads the next byte, white space apart, if it is the wanted one.
func (s *scanner) accept(want byte) bool {
	if s.peekNonSpace() != want {
		return false
	}
	s.at++
	return true
}

// object reads an object; member is called at each value and has to read it.
// It reports whether the object was whole.
func (s *scanner) object(member func(key string)) bool {
	if !s.accept('{') {
		return false
	}
	if s.accept('}') {
		return true
	}
	for s.accept('"') {
		key := s.readStringRest(maxFieldBytes)
		if !s.accept(':') || !s.isValueNext() {
			return false
		}
		member(key)
		if s.accept('}') {
			return true
		}
		if !s.accept(',') {
			return false
		}
	}
	return false
}

// isValueNext reports whether something that may be a value comes next.
func (s *scanner) isValueNext() bool {
	switch s.peekNonSpace() {
	case 0, ',', ':', '}', ']':
		return false
	}
	return true
}

// readString reads a value; "" for one that is no string.
func (s *scanner) readString() string { return s.readStringMax(maxFieldBytes) }

// readStringMax is text of at most so many bytes.
func (s *scanner) readStringMax(most int) string {
	if s.accept('"') {
		return s.readStringRest(most)
	}
	s.skip()
	return ""
}

// readTrue reads a value and reports whether it is true.
func (s *scanner) readTrue() bool {
	yes := s.peekNonSpace() == 't'
	s.skip()
	return yes
}

// readHasElements reads a value and reports whether it is an array with something in it.
func (s *scanner) readHasElements() bool {
	if !s.accept('[') {
		s.skip()
		return false
	}
	if s.accept(']') {
		return false
	}
	s.nested()
	return true
}

// skip reads a value of any type.
func (s *scanner) skip() {
	switch s.peekNonSpace() {
	case '"':
		s.at++
		s.skipString()
	case '{', '[':
		s.at++
		s.nested()
	default:
		s.skipLiteral()
	}
}

// skipLiteral reads a number, true, false or null.
func (s *scanner) skipLiteral() {
	for s.fill() {
		switch s.buf[s.at] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return
		}
		s.at++
	}
}

// nested reads to the end of a bracket that is open.
func (s *scanner) nested() {
	for depth := 1; depth > 0 && s.fill(); {
		switch s.byte() {
		case '"':
			s.skipString()
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
}

// skipString reads over a string behind its opening quote. Each byte is looked at
// once, however quotes and backslashes mingle.
func (s *scanner) skipString() {
	for s.fill() {
		rest := s.buf[s.at:]
		quote := bytes.IndexByte(rest, '"')
		if quote < 0 {
			quote = len(rest)
		}
		at := 0
		for at < quote {
			slash := bytes.IndexByte(rest[at:quote], '\\')
			if slash < 0 {
				break
			}
			at += slash + len(`\"`)
		}
		s.at += max(at, quote)
		switch {
		case at > len(rest): // the escaped byte is yet to be read
			s.at = len(s.buf)
			s.byte()
		case at > quote: // that quote was escaped
		case quote < len(rest):
			s.at++
			return
		}
	}
}

// readStringRest reads a string behind its opening quote; "" for one that is too long to
// keep, or cut off.
func (s *scanner) readStringRest(most int) string {
	var out []byte
	long := false
	for s.fill() {
		switch b := s.byte(); b {
		case '"':
			if long {
				return ""
			}
			return string(out)
		case '\\':
			out = s.escape(out)
		default:
			out = append(out, b)
		}
		if len(out) > most {
			out, long = out[:0], true
		}
	}
	return ""
}

func (s *scanner) escape(out []byte) []byte {
	switch b := s.byte(); b {
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'u':
		return s.unicode(out)
	default:
		return append(out, b)
	}
}

// unicode reads what follows \u. Halves of surrogate pairs belong together; a
// lone one stands for nothing, and what comes after it stands for itself.
func (s *scanner) unicode(out []byte) []byte {
	r := s.hex()
	for utf16.IsSurrogate(r) && s.peek() == '\\' {
		s.at++
		if s.peek() != 'u' {
			return s.escape(utf8.AppendRune(out, utf8.RuneError))
		}
		s.at++
		low := s.hex()
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair)
		}
		out = utf8.AppendRune(out, utf8.RuneError)
		r = low
	}
	return utf8.AppendRune(out, r)
}

// hex reads four hex digits; what is none ends them.
func (s *scanner) hex() rune {
	var r rune
	for range 4 {
		b := s.peek()
		switch {
		case b >= '0' && b <= '9':
			r = r<<4 | rune(b-'0')
		case b >= 'a' && b <= 'f':
			r = r<<4 | rune(b-'a'+10)
		case b >= 'A' && b <= 'F':
			r = r<<4 | rune(b-'A'+10)
		default:
			return utf8.RuneError
		}
		s.at++
	}
	return r
}
