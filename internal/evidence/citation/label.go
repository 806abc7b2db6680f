package citation

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var (
	labelWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:(?:sources?|refs?|references?|cite|citations?|quellen?|来源|资料|引用|文献|参考)\s*[.:：#]?\s*)`)
	})
	labelForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^#?([0-9]{1,4})(?:\s*[-–—~]\s*#?([0-9]{1,4}))?$`)
	})
	labelPage = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:pp?\.?|pages?|§+|sections?|sec\.|ch\.|chapter|fig\.|table|lines?|第|S\.)\s*[0-9ivx]`)
	})
)

// labelsOf reads what stands in a marker's brackets: numbers and ranges of
// numbers. It gives none for anything else. Soft ones look like a year, or like
// an index that counts from 0.
func labelsOf(s string) (labels []string, soft bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 200 {
		return nil, false
	}
	if word := labelWord().FindString(s); word != "" {
		s = strings.TrimSpace(s[len(word):])
	}
	if s == "" || s[0] != '#' && (s[0] < '0' || s[0] > '9') {
		return nil, false
	}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;，、；&", r) }) {
		part = strings.Trim(part, " \u00a0[]")
		if part == "" {
			continue
		}
		m := labelForm().FindStringSubmatch(part)
		if m == nil {
			if len(labels) > 0 && labelPage().MatchString(part) {
				continue
			}
			return nil, false
		}
		soft = soft || unlikely(m[1])
		label := strings.TrimLeft(m[1], "0")
		if m[2] != "" {
			label += "-" + strings.TrimLeft(m[2], "0")
		}
		if label == "" {
			label = "0"
		}
		labels = append(labels, label)
	}
	return labels, soft
}

// unlikely reports numbers no marker has, unless a reference does.
func unlikely(digits string) bool { return len(digits) > 3 || strings.Trim(digits, "0") == "" }

// maxRange bounds a range of markers.
const maxRange = 100

// labelRange reads a range of labels.
func labelRange(label string) (from, to int, ok bool) {
	a, b, ok := strings.Cut(label, "-")
	if !ok {
		return 0, 0, false
	}
	from, errA := strconv.Atoi(a)
	to, errB := strconv.Atoi(b)
	return from, to, errA == nil && errB == nil && from < to && to-from <= maxRange
}
