package claim

import (
	"regexp"
	"sync"
)

// PointsElsewhere are the words with which a claim begins by pointing to what stands
// somewhere else, such as "In the same run" or "It"; "" where it does not. They are known
// in English alone.
func PointsElsewhere(text string) string { return pointing().FindString(text) }

var pointing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:After|Before|By|During|For|From|In|Of|On|Under|With|Without) (?:the same|that|this|those|these|such an?) \pL+|It|He|She|They|This|That|These|Those)\b`)
})
