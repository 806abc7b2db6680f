package guard

import (
	"strings"
	"unicode/utf8"
)

// numerals are the digits and magnitudes of Chinese and Japanese.
const (
	numerals   = "零〇一二三四五六七八九十百千万萬亿億兆两兩"
	magnitudes = "百千万萬亿億兆"
)

// readUnspaced reads a run of a script without blanks between words: at each place the
// longest word of the lexicon, else a numeral, else nothing.
func (s *scanner) readUnspaced(i int) int {
	for i < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !isUnspacedScript(r) {
			break
		}
		s.initial = false
		if end := s.addLongestEntry(i, r); end > i {
			i = end
			continue
		}
		if strings.ContainsRune(numerals, r) {
			i = s.readUnspacedNumeral(i)
			continue
		}
		i += size
	}
	return i
}

// addLongestEntry adds the longest word that begins at a place, and gives its end; the
// place itself when none does.
func (s *scanner) addLongestEntry(i int, r rune) int {
	most := min(s.lex.longest[r], len(s.text)-i)
	for end := i + most; end > i; end-- {
		if w := s.lex.words[s.text[i:end]]; w != nil {
			if w.kind != "" {
				s.add(w.kind, w.norm, i, end)
			}
			return end
		}
	}
	return i
}

func (s *scanner) readUnspacedNumeral(i int) int {
	end := i
	magnitude := len(s.words) > 0 && s.words[len(s.words)-1].End == i && s.words[len(s.words)-1].Kind == Number
	for end < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if !strings.ContainsRune(numerals, r) {
			break
		}
		magnitude = magnitude && strings.ContainsRune(magnitudes, r)
		end += size
	}
	kind := Number
	if magnitude {
		kind = Magnitude
	}
	s.add(kind, simplified(s.text[i:end]), i, end)
	return end
}

func simplified(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '萬':
			return '万'
		case '億':
			return '亿'
		case '兩':
			return '两'
		case '零':
			return '〇'
		}
		return r
	}, text)
}
