package hook

import (
	"bufio"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

var errNoJSON = errors.New("no JSON object")

// scanner reads JSON in one pass and keeps nothing but what it is asked for.
// It is lenient about what it skips: a host's JSON is well formed, and what is
// not must only do no harm.
type scanner struct {
	r   *bufio.Reader
	err error
}

// next is the next byte that is no white space; 0 at the end.
func (s *scanner) next() byte {
	for {
		b := s.byte()
		if b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b
		}
	}
}

func (s *scanner) byte() byte {
	if s.err != nil {
		return 0
	}
	b, err := s.r.ReadByte()
	if err != nil {
		s.err = err
		return 0
	}
	return b
}

func (s *scanner) back() {
	if s.err == nil {
		s.err = s.r.UnreadByte()
	}
}

// object reads an object; member is called at each value and has to read it.
// It reports whether the object was whole.
func (s *scanner) object(member func(key string)) bool {
	if s.next() != '{' {
		return false
	}
	for s.err == nil {
		switch s.next() {
		case '}':
			return true
		case ',':
		case '"':
			key := s.str(true)
			if s.next() != ':' {
				return false
			}
			member(key)
		default:
			return false
		}
	}
	return false
}

// text reads a value; "" for one that is no string.
func (s *scanner) text() string {
	if b := s.next(); b != '"' {
		s.back()
		s.skip()
		return ""
	}
	return s.str(true)
}

// filled reads a value and reports whether it is an array with something in it.
func (s *scanner) filled() bool {
	if b := s.next(); b != '[' {
		s.back()
		s.skip()
		return false
	}
	empty := s.next() == ']'
	if empty {
		return false
	}
	s.back()
	s.nested(1)
	return true
}

// skip reads a value of any type.
func (s *scanner) skip() {
	switch b := s.next(); b {
	case '"':
		s.str(false)
	case '{', '[':
		s.nested(1)
	default:
		for b != ',' && b != '}' && b != ']' && s.err == nil {
			b = s.byte()
		}
		s.back()
	}
}

// nested reads to the end of the brackets that are open.
func (s *scanner) nested(depth int) {
	for depth > 0 && s.err == nil {
		switch s.byte() {
		case '"':
			s.str(false)
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
}

// str reads a string behind its opening quote. A string that is not kept, or
// is too long to keep, comes back empty.
func (s *scanner) str(keep bool) string {
	if !keep {
		s.pass()
		return ""
	}
	var out []byte
	long := false
	for {
		b := s.byte()
		switch {
		case s.err != nil:
			return ""
		case b == '"':
			if long {
				return ""
			}
			return string(out)
		case b == '\\':
			out = s.escape(out)
		default:
			out = append(out, b)
		}
		if len(out) > mostField {
			out, long = out[:0], true
		}
	}
}

// pass reads over a string as fast as the buffer allows.
func (s *scanner) pass() {
	for s.err == nil {
		chunk, err := s.r.Peek(1)
		if err != nil {
			s.err = err
			return
		}
		if n := s.r.Buffered(); n > 1 {
			chunk, err = s.r.Peek(n)
			if err != nil {
				s.err = err
				return
			}
		}
		for i, b := range chunk {
			if b != '"' && b != '\\' {
				continue
			}
			_, s.err = s.r.Discard(i + 1)
			if b == '"' {
				return
			}
			s.byte()
			chunk = nil
			break
		}
		if chunk != nil {
			_, s.err = s.r.Discard(len(chunk))
		}
	}
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
		return utf8.AppendRune(out, s.unicode())
	default:
		return append(out, b)
	}
}

// unicode reads what follows \u, with the second half of a surrogate pair.
func (s *scanner) unicode() rune {
	r := s.hex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if s.byte() != '\\' {
		s.back()
		return utf8.RuneError
	}
	if s.byte() != 'u' {
		s.back()
		return utf8.RuneError
	}
	return utf16.DecodeRune(r, s.hex())
}

func (s *scanner) hex() rune {
	var r rune
	for range 4 {
		b := s.byte()
		switch {
		case b >= '0' && b <= '9':
			r = r<<4 | rune(b-'0')
		case b >= 'a' && b <= 'f':
			r = r<<4 | rune(b-'a'+10)
		case b >= 'A' && b <= 'F':
			r = r<<4 | rune(b-'A'+10)
		default:
			s.err = errNoJSON
			return utf8.RuneError
		}
	}
	return r
}
