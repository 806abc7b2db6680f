package campaign

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Papers that have sections of prose.
const (
	Report = "report"
	Plan   = "plan"
)

// component begins the key of every section on a component; components is where
// these stand in the plan.
const (
	component  = "component-"
	components = "components"
)

// ReportSections are the keys of the report's prose, in its order. The key
// findings, between background and analysis, are the program's own.
func ReportSections() []string {
	return []string{"executive-summary", "background", "analysis", "open-questions", "methodology"}
}

// PlanSections are the keys of the plan's prose, in its order. "components" is
// the place of the sections component-<name>, no key itself.
func PlanSections() []string {
	return []string{"vision", "architecture", components, "technology", "defensibility", "risks", "sequence", "decisions"}
}

// SectionKey is the key under which a section of a paper is kept, as it may
// stand in a path. A component is named freely; the key of a key is itself.
func SectionKey(kind, name string) (string, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	var keys []string
	switch kind {
	case Report:
		keys = ReportSections()
	case Plan:
		keys = slices.DeleteFunc(PlanSections(), func(key string) bool { return key == components })
	default:
		return "", fmt.Errorf("there is no paper %.20q; there are %s and %s", kind, Report, Plan)
	}
	if slices.Contains(keys, name) {
		return name, nil
	}
	if rest, is := strings.CutPrefix(name, component); is && kind == Plan {
		if s := slug(rest, "part"); s != "" {
			return component + s, nil
		}
		return "", fmt.Errorf("the component of the section %.40q needs a letter or a digit in its name", name)
	}
	if kind == Plan {
		keys = append(keys, component+"<name>")
	}
	return "", fmt.Errorf("the %s has no section %.40q; there are %s", kind, name, strings.Join(keys, ", "))
}

// MissingSections are the sections a plan needs and does not have, by their
// keys, in the plan's order; "components" where no component is described. A
// section that holds headings, comments and placeholders alone is missing.
func MissingSections(texts map[string][]byte) []string {
	described := false
	for key, text := range texts {
		described = described || strings.HasPrefix(key, component) && hasContent(text)
	}
	var missing []string
	for _, key := range PlanSections() {
		if key == components && !described || key != components && !hasContent(texts[key]) {
			missing = append(missing, key)
		}
	}
	return missing
}

var (
	comments    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`) })
	headings    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s{0,3}#{1,6}(?:\s.*)?$`) })
	placeholder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:todo|tbd|tba|tbc|fixme|xxx|placeholder|lorem ipsum)\b`)
	})
	letters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\p{L}{2,}`) })
)

// hasContent reports whether a section says something.
func hasContent(text []byte) bool {
	for _, nothing := range []*regexp.Regexp{comments(), headings(), placeholder()} {
		text = nothing.ReplaceAll(text, []byte("\n"))
	}
	return letters().Match(text)
}

// NormalisePlan is what a plan says, for comparing it with what it said before:
// without comments, and with a single space wherever there is space.
func NormalisePlan(plan []byte) []byte {
	return bytes.Join(bytes.Fields(comments().ReplaceAll(plan, nil)), []byte(" "))
}
