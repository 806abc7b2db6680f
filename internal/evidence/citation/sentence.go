package citation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research-council/internal/base/words"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// extent is a part of a block's text, End exclusive.
type extent struct{ from, to int }

func (e extent) contains(at int) bool { return e.from <= at && at < e.to }

// split cuts a text into sentences (UAX 29). What the rules take for an end
// behind an abbreviation, an initial or a list's number is none, and no
// quotation is cut.
func split(text string, whole []extent) []extent {
	var out []extent
	it := sentences.FromString(text)
	for it.Next() {
		e := extent{it.Start(), it.End()}
		if n := len(out); n > 0 && (sentenceContinues(text[out[n-1].from:out[n-1].to], text[e.from:e.to]) || isInside(whole, e.from)) {
			out[n-1].to = e.to
			continue
		}
		out = append(out, e)
	}
	return out
}

// isInside reports whether a place lies within one of some extents, which are in
// order.
func isInside(whole []extent, at int) bool {
	for _, e := range whole {
		if e.from < at && at < e.to {
			return true
		}
		if e.from >= at {
			return false
		}
	}
	return false
}

// sentenceContinues reports whether what looks like a sentence goes on in the next.
func sentenceContinues(before, after string) bool {
	trimmed := strings.TrimRight(before, " ")
	if !strings.HasSuffix(trimmed, ".") {
		return false
	}
	trimmed = strings.TrimSuffix(trimmed, ".")
	word := trimmed[strings.LastIndexAny(trimmed, " (\u00a0")+1:]
	if next, _ := utf8.DecodeRuneInString(after); strings.HasSuffix(before, ".") && (unicode.IsLetter(next) || unicode.IsDigit(next)) {
		return utf8.RuneCountInString(word) < 2 || !unicode.IsUpper(next)
	}
	if r, size := utf8.DecodeRuneInString(word); size == len(word) && unicode.IsUpper(r) {
		return words.Count(trimmed) < 3 || strings.LastIndexByte(trimmed, ' ') > 0 && initial(trimmed)
	}
	if len(word) == len(trimmed) && strings.Trim(word, "0123456789") == "" {
		return true
	}
	if len(word) < 3 && strings.Trim(word, "0123456789") == "" && ordinal(after) {
		return true
	}
	return words.IsAbbreviation(word)
}

// ordinal reports whether a text begins with what German counts with a full
// stop: 6. Dezember, 2. Weltkrieg.
func ordinal(after string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	switch strings.TrimRight(word, ".,;:!?") {
	case "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
		"Jahrhundert", "Jahrhunderts", "Weltkrieg", "Weltkriegs", "Auflage", "Kapitel", "Platz", "Quartal", "Halbjahr", "Mal":
		return true
	}
	return false
}

// initial reports whether a lone capital can be a name's: the word before it
// begins with one, too, as in "Robert A."
func initial(trimmed string) bool {
	fields := strings.Fields(trimmed[max(0, len(trimmed)-80):])
	if len(fields) < 2 {
		return true
	}
	r, _ := utf8.DecodeRuneInString(fields[len(fields)-2])
	return unicode.IsUpper(r)
}
