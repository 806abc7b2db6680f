package relation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// mostRunes and mostWords bound a sentence that the rules judge: what is longer says more
// than rules can hold against each other, and takes time that grows with its square.
const (
	mostRunes = 400
	mostWords = 60
)

// isLong reports whether a text is more than a sentence that the rules judge.
func isLong(text string) bool {
	if len(text) <= 2*mostWords {
		return false // each word but the last has a blank behind it
	}
	if len(text) > utf8.UTFMax*mostRunes || len(text) > mostRunes && utf8.RuneCountInString(text) > mostRunes {
		return true
	}
	n := 0
	for range strings.FieldsSeq(text) {
		n++
	}
	return n > mostWords
}

// wording is a sentence as it stands, but for what tells no two apart: white space, a
// first capital, a full stop and how the unit of a number is written, and in English
// articles, how a number or a date is spelled, a contraction, and where "by default"
// stands. Two of one wording say the same. No other word, sign or capital is left out: each
// may decide.
func wording(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "’", "'"))
	for _, stop := range []string{".", "。"} {
		if cut, ok := strings.CutSuffix(text, stop); ok && !strings.HasSuffix(cut, stop) {
			text = strings.TrimSpace(cut)
			break
		}
	}
	text = withSmallFirst(text)
	fields := strings.Fields(text)
	if !isEnglish(fields) {
		return strings.Join(plainUnits(fields), " ")
	}
	if namesMonth(text) {
		fields = strings.Fields(dayMonthYear().ReplaceAllString(text, "$2 $1, $3"))
	}
	fields = plainUnits(fields)
	list := make([]string, 0, len(fields)+4)
	for i, f := range fields {
		if isArticle(f) && i+1 < len(fields) && !countsVaguely(fields[i+1]) {
			continue
		}
		word := strings.TrimRight(f, ",;:")
		list = appendPlain(list, word)
		if mark := f[len(word):]; mark != "" {
			list = append(list, mark)
		}
	}
	return strings.Join(defaultLast(list), " ")
}

// withSmallFirst begins a text with a small letter unless it begins with several capitals.
func withSmallFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if !unicode.IsUpper(first) || !unicode.IsLower(second) && !strings.HasPrefix(text, "A ") {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// isEnglish reports whether a sentence has a word that other languages hardly have: in
// those "a" may say to whom, "an" on what, "ten" which.
func isEnglish(fields []string) bool {
	return slices.ContainsFunc(fields, func(f string) bool {
		switch f {
		case "the", "is", "are", "were", "of", "have", "does", "with":
			return true
		}
		return false
	})
}

// countsVaguely reports whether with an article a word says how many: few, a few.
func countsVaguely(word string) bool {
	switch word {
	case "few", "little", "lot", "bit", "number", "couple", "majority", "minority", "fraction", "only", "more", "less", "most", "least", "same", "other":
		return true
	}
	return false
}

var dayMonthYear = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)? (January|February|March|April|May|June|July|August|September|October|November|December),? (\d{4})\b`)
})

// namesMonth reports whether a text may hold what [dayMonthYear] finds.
func namesMonth(text string) bool {
	return strings.ContainsAny(text, "0123456789") && slices.ContainsFunc(months, func(m string) bool { return strings.Contains(text, m) })
}

var months = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

var thousands = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9]\d{0,2}(,\d{3})+$`) })

var spelled = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
	"thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19",
	"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
	"cannot": "can not", "can't": "can not", "won't": "will not", "don't": "do not", "doesn't": "does not", "didn't": "did not", "isn't": "is not", "aren't": "are not", "wasn't": "was not", "weren't": "were not",
	"hasn't": "has not", "haven't": "have not", "hadn't": "had not", "couldn't": "could not", "wouldn't": "would not", "shouldn't": "should not", "mustn't": "must not",
}

// appendPlain adds the words for one to those before it.
func appendPlain(list []string, word string) []string {
	if plain, ok := spelled[word]; ok {
		return append(list, strings.Fields(plain)...)
	}
	if figures := numberOf(word); figures != "" && word != "one" {
		return append(list, figures)
	}
	if strings.Contains(word, ",") && thousands().MatchString(word) {
		word = strings.ReplaceAll(word, ",", "")
	}
	return append(list, word)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// defaultLast puts "by default," behind a sentence that it begins, unless what follows is
// more than one clause.
func defaultLast(list []string) []string {
	if len(list) < 5 || list[0] != "by" || list[1] != "default" || list[2] != "," || slices.ContainsFunc(list[3:], linksClauses) {
		return list
	}
	rest := slices.Clone(list[3:])
	rest[0] = withSmallFirst(rest[0])
	return append(rest, "by", "default")
}

// linksClauses reports whether a word or a mark may begin another part of a sentence, to
// which what stands at its end would belong.
func linksClauses(word string) bool {
	switch strings.ToLower(word) {
	case "and", "or", "but", "nor", "that", "which", "who", "whom", "whose", "what", "if", "unless", "when", "where", "while", "because", "since", "as", "than", "to", "only", "not", "never", "say", "says", "said", "by", "so":
		return true
	}
	return strings.ContainsAny(word, ",;:?()\"'–—")
}

// isPassive reports whether of two wordings the one says with "was … by" what the other
// says without: X was signed by Y, Y signed X. Each side is a few words of which none
// tells of how much or in which case it holds, and all else is the same.
func isPassive(passive, active string) bool {
	list := strings.Fields(passive)
	by := slices.Index(list, "by")
	if by < 3 || by == len(list)-1 || slices.Contains(list[by+1:], "by") {
		return false
	}
	done, agent := list[:by-2], list[by+1:]
	if len(done) > 6 || len(agent) > 6 || slices.ContainsFunc(slices.Concat(done, agent), unsettlesRoles) {
		return false
	}
	verbs := activeForms(list[by-2], list[by-1])
	other := strings.Fields(active)
	return len(other) == len(done)+len(agent)+1 && slices.Contains(verbs, other[len(agent)]) &&
		equalButFirst(other[:len(agent)], agent) && equalButFirst(other[len(agent)+1:], done)
}

// activeForms are the forms that a regular verb of a passive has without it.
func activeForms(be, participle string) []string {
	root, regular := strings.CutSuffix(participle, "ed")
	if !regular || len(root) < 3 {
		return nil
	}
	switch be {
	case "was", "were":
		return []string{participle}
	case "is", "are":
	default:
		return nil
	}
	forms := []string{root, root + "s", root + "e", root + "es"}
	if r, ok := strings.CutSuffix(root, "i"); ok {
		forms = append(forms, r+"y", r+"ies")
	}
	return forms
}

// unsettlesRoles reports whether with a word it is not certain who does what to whom, or
// to how many.
func unsettlesRoles(word string) bool {
	switch strings.ToLower(word) {
	case "is", "are", "was", "were", "be", "been", "all", "every", "each", "any", "no", "some", "most", "many", "few", "both", "either", "neither", "never", "always", "sometimes", "almost", "nearly",
		"in", "on", "at", "for", "with", "from", "until", "till", "before", "after", "of", "he", "she", "him", "her", "his", "its", "their", "they", "them", "it", "i", "me", "we", "us", "you", "default", "hand", "means", "itself", "themselves", "himself", "herself":
		return true
	}
	return linksClauses(word)
}

// equalButFirst reports whether two runs of words are equal but for a first capital.
func equalButFirst(x, y []string) bool {
	return len(x) == len(y) && len(x) > 0 && withSmallFirst(x[0]) == withSmallFirst(y[0]) && slices.Equal(x[1:], y[1:])
}
