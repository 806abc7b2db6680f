package claim

import (
	"regexp"
	"strings"
	"sync"

	"research-council/internal/guard"
)

var decidingForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)-?\d+(?:[.,]\d+)*\s?%?|\b(?:not|no|never|cannot|without|none|nor|neither|only|more|less|increas\w+|decreas\w+|all|some|most|few|may|might|about)\b|n't|\B\s[A-Z][\pL\d]+`)
})

// deciding are the words that decide what a text says.
func deciding(text string) string {
	return strings.ToLower(strings.Join(decidingForm().FindAllString(text, -1), "\x00"))
}

func compare(a, b string) []guard.Finding {
	if deciding(a) == deciding(b) {
		return nil
	}
	return []guard.Finding{{Kind: guard.Number, Quote: deciding(a), Text: deciding(b)}}
}
