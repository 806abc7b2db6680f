// Package retryafter reads how long a server asks to be left alone. Whether it is
// worth the wait, and the waiting, are left to the callers.
package retryafter

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is more than anybody waits: a bound for reckoning.
const maxWait = 1 << 20 * time.Second

// FromHeaders reads what a response's headers ask for, of which get gives one by its
// name. Retry-After-Ms, OpenAI's, in milliseconds, goes before Retry-After (RFC
// 9110, 10.2.3): seconds, or a date, which is taken from now. It is not ok where
// they ask for nothing that can be read: whoever asks again waits then as it
// would have by itself. A wait is at most twelve days.
func FromHeaders(get func(name string) string, now time.Time) (wait time.Duration, ok bool) {
	header := strings.TrimSpace(get("Retry-After"))
	if n, ok := number(strings.TrimSpace(get("Retry-After-Ms"))); ok {
		return boundedDuration(n, time.Millisecond)
	}
	if n, ok := number(header); ok {
		return boundedDuration(n, time.Second)
	}
	at, err := http.ParseTime(header)
	if err != nil || !at.After(now) {
		return 0, false
	}
	return min(at.Sub(now), maxWait), true
}

// number reads a decimal number from 0: servers write parts of a unit too.
func number(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

func boundedDuration(n float64, unit time.Duration) (time.Duration, bool) {
	return time.Duration(min(n, float64(maxWait/unit)) * float64(unit)), n > 0
}
