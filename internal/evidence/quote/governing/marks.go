package governing

import (
	"regexp"
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
	if m := crossBefore().FindStringSubmatchIndex(line); m != nil && !HasNegation(passage, func() string { return guard.Language(passage) }) {
		return start - len(line) + m[2], start - len(line) + m[3]
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
	return regexp.MustCompile(`^[ \t>]*(?:[-*+•]|\d{1,3}[.)])?[ \t]*(\[ ?\]|[☐❌❎✗✘✖🚫⛔👎]\x{FE0F}?)[ \t*_"“]*$`)
})

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
