package quote

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// contractsUnit reports whether what stands behind a number is the first letter of what brackets put
// there, with some consonants of that and its last letter: "bbls." for "barrels", "yds" for "yards".
func contractsUnit(short, long, before string) bool {
	const fewest, most = 2, 5 // letters
	short, long = strings.ToLower(strings.TrimRight(short, ". ")), strings.ToLower(long)
	if !unicode.IsNumber(char.Last(before)) || len(short) < fewest || len(short) > most || len(long) < len(short)+fewest || strings.ContainsAny(lastWords(before, 1), currencies) || strings.ContainsFunc(short+long, func(r rune) bool { return r < 'a' || r > 'z' }) || strings.ContainsAny(short, "aeiou") {
		return false
	}
	if short[0] != long[0] || short[len(short)-1] != long[len(long)-1] {
		return false
	}
	if a := guard.Words("1 " + short); len(a) > 1 && len(guard.Compare(a, guard.Words("1 "+long))) > 0 {
		return false // it is known, and another
	}
	rest := long
	for i := range len(short) {
		if i == 1 && short[1] == short[0] {
			continue // bbls, pp
		}
		at := strings.IndexByte(rest, short[i])
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// pointing is a noun of English that a word behind it says to stand elsewhere in the text, or before
// it: "the order below".
var pointing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)((?:the|this) \p{Ll}+) (?:below|above|aforesaid|just mentioned|referred to|in question|at issue)$`)
})

// namesInFull reports whether brackets name in full what the text only points to, by the same noun and
// by names that stand in the text: "the order of Judge Harcourt" for "the order below".
func namesInFull(text, ours, theirs, language string) bool {
	m := pointing().FindStringSubmatch(strings.TrimSpace(theirs))
	if language != "en" || m == nil {
		return false
	}
	noun, list := nounWords(m[1])[1], nounWords(ours)
	const fewest = 4 // words
	if len(list) < fewest || list[0] != "the" && list[0] != "this" || list[1] != noun || !isPreposition(list[2]) || len(deciding(ours, language)) > 0 {
		return false
	}
	full := strings.ToLower(strings.Join(list[1:], " "))
	if others := regexp.MustCompile(`(?i:\b` + regexp.QuoteMeta(noun) + ` ` + regexp.QuoteMeta(list[2]+" "+list[3]) + ` )\p{Lu}`).FindString(text); others != "" && !strings.Contains(strings.ToLower(strings.Join(strings.Fields(text), " ")), full) {
		return false // another is named
	}
	return !slices.ContainsFunc(strings.Fields(ours)[2:], func(w string) bool {
		return unicode.IsUpper(char.First(w)) && !strings.Contains(text, strings.TrimRight(w, ".,'’s"))
	})
}

var (
	yearTo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i)(?:the|our|its|this) (?:financial |fiscal )?year (?:to|ended|ending|to the end of|ended on|ending on) (?:\d{1,2} )?(\pL+)(?: \d{1,2},)? (\d{4})$`)
	})
	yearOfTwo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i)(?:the|our|its|this) (?:financial |fiscal |reporting )?year (\d{4})[-–/](\d{2}|\d{4})$`)
	})
)

// isSameYear reports whether brackets give by its two years the year that the text gives by its last
// day: "the financial year 2020–21" for "the year to 31 March 2021".
func isSameYear(ours, theirs string) bool {
	m, o := yearOfTwo().FindStringSubmatch(strings.TrimSpace(ours)), yearTo().FindStringSubmatch(strings.TrimSpace(theirs))
	if m == nil || o == nil || strings.EqualFold(o[1], "December") {
		return false
	}
	first, _ := strconv.Atoi(m[1])
	return o[2] == strconv.Itoa(first+1) && strings.HasSuffix(o[2], m[2])
}

// explicit is how brackets begin that say of the word before them what it means.
var explicit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:i\. ?e\.,?|that is,|viz\.,?|d\. ?h\.|c['’]est-à-dire|es decir,?|cioè) (?:(?:the|a|die|der|das|la|le|el|il) )?([\p{L}-]+)$`)
})

// meansNoun reports whether brackets say of the word before them, in one noun, what it means. A noun may
// begin with a "non" and denies nothing.
func meansNoun(inside string) bool {
	m := explicit().FindStringSubmatch(strings.TrimSpace(inside))
	return m != nil && slices.ContainsFunc(strings.Fields("ity ism ness tion sion ance ence ment ung heit keit ité isme dad tà ship ists ers"), func(end string) bool { return strings.HasSuffix(strings.ToLower(m[1]), end) })
}

// isLostThing reports whether a "lost" says which thing is meant, behind an article and before its
// noun, and not that something lost.
func isLostThing(text string, w guard.Word) bool {
	before, behind := nounWords(text[:w.Start]), nounWords(text[w.End:])
	return strings.EqualFold(w.Text, "lost") && len(before) > 0 && len(behind) > 0 && has(articles, "en", before[len(before)-1]) && !isPreposition(behind[0]) && !isAuxiliary(behind[0], "en")
}
