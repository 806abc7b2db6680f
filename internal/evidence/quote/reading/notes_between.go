package reading

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// notesBetween gives the lines of notes that stand at the end of a page between two sentences of its
// text: apart from that, with a mark that a word of the page has. The lines above and below the end of
// the page are those that are not known to be of it.
func notesBetween(lines []pageLine, above, below []int) []int {
	const most = 12 // lines
	if len(below) == 0 || len(above) < 2 || unicode.IsLower(char.First(lines[below[0]].said())) || countOfWords(lines[below[0]].said()) < prose {
		return nil
	}
	if last := lines[above[0]].said(); isOpenAtBreak(last) && !footShape().MatchString(last) && countOfWords(last) >= prose*2 {
		return nil // it goes on
	}
	for k, i := range above[:min(len(above)-1, most)] {
		m := noteMark().FindStringSubmatch(lines[i].said())
		if m == nil || above[k+1] >= i-1 || !char.IsSentenceStop(char.Last(strings.TrimRight(lines[above[k+1]].said(), `)”"’»]`))) {
			continue
		}
		mark := m[1] + m[2] + m[3]
		if strings.Trim(m[0], "()[].:/") != m[0] || !isMarkOfWord(lines, above[k+1:], mark) || !hasWordsOfNote(lines, above[:k+1], mark) || hasParagraph(lines, above[:k+1]) {
			return nil
		}
		return above[:k+1]
	}
	return nil
}

// hasWordsOfNote reports whether a note, given upwards, has words behind its mark, and no number that
// a row of a table has there.
func hasWordsOfNote(lines []pageLine, note []int, mark string) bool {
	said := strings.TrimSpace(strings.TrimPrefix(lines[note[len(note)-1]].said(), mark))
	if said == "" && len(note) > 1 {
		said = lines[note[len(note)-2]].said()
	}
	return unicode.IsLetter(char.First(said)) && (len(strings.Fields(said)) > 2 || isAddress(said))
}

// isMarkOfWord reports whether a word on one of some lines has a mark behind it: no formula as "CO2".
func isMarkOfWord(lines []pageLine, among []int, mark string) bool {
	behind := `[.,;:)”"’»«']*` + regexp.QuoteMeta(mark)
	if _, err := strconv.Atoi(mark); err != nil {
		behind = `[.,;:)”"’']*\s?` + regexp.QuoteMeta(mark)
	}
	marked := regexp.MustCompile(`(?:\p{Ll}{2}|\pL{3}|\][.,;:])` + behind + `(?:[^\pL\d]|$)`)
	return slices.ContainsFunc(among, func(i int) bool { return marked.MatchString(lines[i].said()) })
}
