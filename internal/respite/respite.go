// Package respite reads how long a server asks to be left alone. Whether it is
// worth the wait, and the waiting, are left to the callers.
package respite

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest is more than anybody waits: a bound for reckoning.
const longest = 1 << 20 * time.Second

// Asked reads the value of a Retry-After header (RFC 9110, 10.2.3): seconds, or
// a date, which is taken from now. It is not ok when it says neither. It is
// never less than nothing, and at most twelve days.
func Asked(header string, now time.Time) (wait time.Duration, ok bool) {
	header = strings.TrimSpace(header)
	if n, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(n, 0), int(longest/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longest), true
}
