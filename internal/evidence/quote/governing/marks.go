package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// markBeside gives a sign beside a passage, in bytes, that says that what its item says is not so, or not
// done: a box that is not ticked, a cross before it, the F behind a statement of a quiz.
func markBeside(text string, start, end int) (from, to int) {
	const few = 3 // words
	line := text[words.RuneStart(text, start-MaxAround):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	passage := text[start:end]
	if m := crossBefore().FindStringSubmatchIndex(line); m != nil && (isBox(line[m[2]:m[3]]) || !hasNegatingWord(passage)) {
		return start - len(line) + m[2], start - len(line) + m[3]
	}
	if m := boxOfPage().FindStringIndex(line); m != nil && !strings.Contains(line[m[0]:], "checked") {
		return start - len(line) + m[0], start - len(line) + m[1]
	}
	if strings.TrimSpace(line) != "" && !isListed(strings.TrimSpace(line)+" x") || words.Count(passage) <= few {
		return 0, 0
	}
	rest, _, _ := strings.Cut(text[end:words.RuneStart(text, end+MaxAround)], "\n")
	if m := falseBehind().FindStringSubmatchIndex(rest); m != nil {
		return end + m[2], end + m[3]
	}
	return 0, 0
}

// crossBefore is the beginning of a line up to a passage, that has a box without a tick or a cross.
var crossBefore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t>]*(?:[-*+•]|\d{1,3}[.)])?[ \t]*(\[ ?\]|\( ?\)|[☐❌❎✗✘✖🚫⛔👎]\x{FE0F}?)[ \t*_"“]*(?:\(?[a-z]\)[ \t]*)?$`)
})

// isBox reports whether a mark is a box without a tick, of which it does not matter what the statement beside it says.
func isBox(mark string) bool { return strings.ContainsAny(mark, "[(☐") }

// boxOfPage is a box of a form before a passage, that somebody may tick.
var boxOfPage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<input\b[^<>]*\btype\s*=\s*["']?(?:checkbox|radio)\b[^<>]*>\s*(?:<label[^<>]*>)?\s*$`)
})

// hasNegatingWord reports whether a passage has a word that negates, and not only one that a prefix does.
func hasNegatingWord(passage string) bool {
	return slices.ContainsFunc(guard.WordsIn(passage, func() string { return guard.Language(passage) }), func(w guard.Word) bool {
		return w.Kind == guard.Negation && !strings.HasSuffix(w.Norm, "-")
	})
}

// falseBehind is the letter alone with which a quiz marks a statement as false, in many languages.
var falseBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[.!]?["”]?[ \t]*((?:[–—-]|→|=|:)[ \t]*(?:F|Л|Н|×|✗|✘|❌)|[(\[](?:F|Л|Н|×|✗|✘|❌)[)\]]|[✗✘❌×])\.?[ \t]*$`)
})

// isTurningLabel reports whether a head is a label of few words, with a colon, that says that what stands
// behind it is not so or no more: "Not included:", "Withdrawn:", "Before 2010:".
func isTurningLabel(bare string) bool {
	const few = 5 // words
	label := strings.Trim(strings.TrimRight(bare, ":："), " *_")
	n := words.Count(label)
	if label == bare || n > few || strings.ContainsAny(label, ",.;!?") {
		return false
	}
	return n > 1 && turnsSection(label) || excludes(label) || withdraws(label) || saysUntil(label)
}
