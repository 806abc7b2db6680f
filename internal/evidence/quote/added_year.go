package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// addedYear is a year in brackets beside a day or a month, which stands before it or, where dates begin
// with the year, behind it.
var (
	addedYear = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[\[［](?:of |de |del |do |, ?)?(\d{4})[년年]?(?: г\.| r\.)?[\]］]`)
	})
	dateBefore = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\d{1,2}(?:\.|er|º|°|st|nd|rd|th)?(?: de| of)? (\p{L}{3,12})\.?|(\p{L}{3,12})\.? \d{1,2}(?:st|nd|rd|th)?|\d{1,2}月\d{1,2}日|\d{1,2}월 ?\d{1,2}일|\d{1,2}[月월]|(\p{L}{3,12}))[, ]*$`)
	})
	dateBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ ?(?:\d{1,2}月(?:\d{1,2}日)?|\d{1,2}월(?: ?\d{1,2}일)?)`)
	})
	yearBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:st|nd|rd|th)?\.?,?\s+(?:de |of |del |do )?(\d{4})(?:\D|$)`)
	})
	yearBefore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d{4})[年년]\s?$`) })
)

// checkAddedYears reports whether the years that a quoter has put beside days and months are not other ones
// than the text has for them: with the same date there, or wherever it names that day with its year. Where
// it names none, the date is shown.
func checkAddedYears(s *search, quoted string, m Match) (gaps []Span, ok bool) {
	for _, at := range addedYear().FindAllStringSubmatchIndex(quoted, -1) {
		year := quoted[at[2]:at[3]]
		if strings.Contains(s.text, quoted[at[0]:at[1]]) {
			continue // the brackets are the text's
		}
		date := dateBehind().FindString(quoted[at[1]:])
		if date == "" {
			date = monthBefore(quoted[:at[0]], s.language())
		}
		if date = strings.Trim(date, " ,"); date == "" {
			continue
		}
		isDay := strings.ContainsAny(date, "0123456789") && !strings.HasSuffix(date, "月") && !strings.HasSuffix(date, "월")
		var years []string
		var shown []Span
		here := ""
		for i := range char.Occurrences(s.text, date) {
			if last := char.Last(s.text[:i]); unicode.IsDigit(last) || unicode.IsLetter(last) && unicode.IsLetter(char.First(date)) {
				continue
			}
			given := ""
			if y := yearBehind().FindStringSubmatch(s.text[i+len(date) : min(len(s.text), i+len(date)+16)]); y != nil {
				given = y[1]
			} else if y := yearBefore().FindStringSubmatch(s.text[max(0, i-8):i]); y != nil {
				given = y[1]
			}
			if given != "" {
				years = append(years, given)
			}
			if i >= m.Start-1 && i < m.End {
				here = given
				if given == "" {
					shown = append(shown, Span{i, i + len(date)})
				}
			}
		}
		switch {
		case here != "" && here != year, here == "" && isDay && len(years) > 0 && !slices.Contains(years, year):
			s.recordRefused(m.Start, m.End, 0, []guard.Finding{{Kind: guard.Date, Quote: year, Text: strings.Join(years[:1], "")}})
			return nil, false
		case !slices.Contains(years, year):
			gaps = append(gaps, shown...)
		}
	}
	return gaps, true
}

// monthBefore is the day of a month, or the month, with which a text ends.
func monthBefore(text, language string) string {
	found := dateBefore().FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	if month := found[1] + found[2] + found[3]; month != "" && !slices.ContainsFunc(deciding(found[0], language), func(w guard.Word) bool {
		return w.Kind == guard.Date && len(w.Norm) <= 2
	}) {
		return ""
	}
	return found[0]
}
