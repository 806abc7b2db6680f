package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// token is a word of a folded text: a run of letters and digits, with points
// and commas before digits; where a script has no blanks, a letter.
type token struct {
	low        string // in small letters
	start, end int
}

func tokens(text string) []token {
	list := make([]token, 0, len(text)/6+1)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !char.IsOfWord(r) {
			i += size
			continue
		}
		end := i + size
		if !words.Unspaced(r) {
			end = tokenEnd(text, end)
		}
		list = append(list, token{strings.ToLower(text[i:end]), i, end})
		i = end
	}
	return list
}

func tokenEnd(text string, end int) int {
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if r == '.' || r == ',' {
			before := text[end-1]
			after, _ := utf8.DecodeRuneInString(text[end+size:])
			if before < '0' || before > '9' || !unicode.IsDigit(after) {
				break
			}
		} else if !char.IsOfWord(r) || words.Unspaced(r) {
			break
		}
		end += size
	}
	return end
}
