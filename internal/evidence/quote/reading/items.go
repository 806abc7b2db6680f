package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// enumerator is a letter or a number before an item of a list, which counts up.
var enumerator = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(\(?(?:[a-z]|[ivx]{1,4}|[1-9]\d?)[.)])[ \t]+`)
})

// itemEdits takes out the letters and numbers of items that count up, line by line: a list may be
// typed with other marks, or with none.
func itemEdits(text string) []Edit {
	const roman = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv "
	place := func(mark string) (letter, numeral int) {
		mark = strings.Trim(mark, "().")
		if isDigit(mark[0]) {
			for _, d := range mark {
				letter = letter*10 + int(d-'0')
			}
			return letter, 0
		}
		if at := strings.Index(" "+roman, " "+mark+" "); at >= 0 {
			numeral = strings.Count(roman[:at], " ") + 1
		}
		if len(mark) == 1 {
			letter = int(mark[0]-'a') + 1
		}
		return letter, numeral
	}
	var list []Edit
	last, lastNumeral, taken := 0, 0, false
	var before Edit
	for _, m := range enumerator().FindAllStringSubmatchIndex(text, -1) {
		e := Edit{From: m[2], To: m[1]}
		n, numeral := place(text[m[2]:m[3]])
		counts := (last > 0 && n == last+1 || lastNumeral > 0 && numeral == lastNumeral+1) && (taken || beginsItems(text, before.From))
		if counts && !taken {
			list = append(list, before)
		}
		if counts {
			list = append(list, e)
		}
		last, lastNumeral, taken, before = n, numeral, counts, e
	}
	return list
}

// beginsItems reports whether a mark at the beginning of a line may be that of a list's first
// item, and is not the end of a sentence that was wrapped there: a sentence, a clause or a
// paragraph ends before it.
func beginsItems(text string, at int) bool {
	line := strings.LastIndexByte(text[:at], '\n')
	before := strings.TrimRight(text[:max(line, 0)], " \t")
	return before == "" || strings.ContainsRune("\n.:;,!?：。；", char.Last(before))
}

// HasEnumerator reports whether a line of a text begins with a letter or a number as items of lists do.
func HasEnumerator(text string) bool { return enumerator().MatchString(text) }

// WithoutItemMarks reads a text without the letters and numbers of the items of its lists. Time is linear.
func WithoutItemMarks(text string) *Text {
	r := Of(text)
	r.rewrite(itemEdits(r.text))
	return r
}

// letterBullet is an "o" before an item, as documents in plain letters have it for a bullet.
var letterBullet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([ \t]+)(o(?: {2,}|\t))\S`) })

// bulletEdits puts a bullet for each "o" that begins items: two or more stand as far in, each at
// the beginning of a paragraph, below another item or behind a colon.
func bulletEdits(text string) []Edit {
	if !slices.ContainsFunc([]string{" o  ", "\to  ", " o\t", "\to\t"}, func(bullet string) bool { return strings.Contains(text, bullet) }) {
		return nil
	}
	var list []Edit
	margin := ""
	for _, m := range letterBullet().FindAllStringSubmatchIndex(text, -1) {
		at := text[m[2]:m[3]]
		before := strings.TrimRight(text[:m[2]], " \t")
		above := ""
		if strings.HasSuffix(before, "\n") {
			above = strings.TrimSpace(char.Line(text, len(before)-1))
		}
		if above != "" && !strings.HasSuffix(above, ":") && !strings.HasPrefix(above, "o ") && len(list) == 0 {
			continue
		}
		if len(list) > 0 && at != margin {
			continue
		}
		margin = at
		list = append(list, Edit{From: m[4], To: m[5], With: "• "})
	}
	if len(list) < 2 {
		return nil
	}
	return list
}
