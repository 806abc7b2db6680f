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

// nameForm is a name a marker may have: a letter, or letters with a number.
var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z]|[A-Za-z]{1,8}[-_.]?[0-9]{1,4}[a-z]?)$`)
})

// keyTag is a name in capitals, or of several parts: PRIV-WG, I-D.drift.
var keyTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\p{Lu}(?:\p{Lu}[\p{Lu}0-9]+|[\pL0-9]{0,20}(?:[-_.][\pL0-9]{1,20}){1,6})$`)
})

// namesOf reads names in a marker's brackets: a, S1, ref-3, PRIV-WG. They count where a
// reference is called so.
func namesOf(s string) (names []string) {
	if len(s) > 60 {
		return nil
	}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;，、；&", r) }) {
		part = strings.TrimSpace(part)
		if !nameForm().MatchString(part) && !keyTag().MatchString(part) {
			return nil
		}
		names = append(names, strings.ToLower(part))
	}
	return names
}

var attributeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)\s[a-z][a-z0-9_:-]*\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
})

// citeLabels are what a <cite> tag says it refers to: the values of its
// attributes, each perhaps several.
func citeLabels(attributes string) (labels []string) {
	for _, m := range attributeForm().FindAllStringSubmatch(attributes[:min(len(attributes), 500)], 4) {
		for _, part := range strings.FieldsFunc(m[1]+m[2]+m[3], func(r rune) bool { return strings.ContainsRune(",; |", r) }) {
			if !isWebAddress(part) {
				part = strings.ToLower(part)
			}
			labels = append(labels, part)
		}
	}
	return labels
}

// idForms are the labels an entry may have that a tool's id means: the id
// itself, the part of it before a place in the source, the number in that.
func idForms(id string) []string {
	out := []string{id}
	if head := id[:len(id)-len(strings.TrimLeft(id, "abcdefghijklmnopqrstuvwxyz"))]; head != "" {
		id = strings.TrimLeft(id[len(head):], "-_:.#")
		out = append(out, id)
	}
	if at := strings.IndexAny(id, "-:._"); at > 0 {
		out = append(out, id[:at])
	}
	return out
}

// isName reports whether a label is a name, not a number or a footnote's.
func isName(label string) bool {
	return label != "" && label[0] != '^' && (label[0] < '0' || label[0] > '9')
}
