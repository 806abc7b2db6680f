package export

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

var (
	//go:embed report-template.tex
	reportTemplate string
	//go:embed plan-template.tex
	planTemplate string
)

// ErrTemplate says that a template cannot be used, and why.
var ErrTemplate = errors.New("the template cannot be used")

// bibliography marks the list of sources.
const bibliography = "bibliography"

// markerForm is a line of a template that is replaced: a comment, so that the
// template is LaTeX by itself.
var markerForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*%+[ \t]*council:[ \t]*([^\r\n]*?)[ \t]*\r?$`)
})

// paperTemplate is a template that was read.
type paperTemplate struct {
	text    string
	markers []string // in their order
	places  [][]int  // and where they stand
	begin   int      // where the document begins
	end     int      // and where it ends
}

// builtInTemplate is the template of a kind of paper; "" where there is none.
func builtInTemplate(kind string) string {
	switch kind {
	case ReportPaper:
		return reportTemplate
	case PlanPaper:
		return planTemplate
	}
	return ""
}

// readTemplate reads the template of a paper.
func readTemplate(p Paper) (paperTemplate, error) {
	text := builtInTemplate(p.Kind)
	if text == "" {
		return paperTemplate{}, fmt.Errorf("there is no paper %.20q; there are %s and %s", p.Kind, ReportPaper, PlanPaper)
	}
	if p.Template != nil {
		text = string(p.Template)
	}
	l := paperTemplate{text: text, begin: command(text, `\begin{document}`), end: command(text, `\end{document}`)}
	if err := l.checkComplete(); err != nil {
		return paperTemplate{}, err
	}
	known := slices.Sorted(maps.Keys(p.parts()))
	for _, m := range markerForm().FindAllStringSubmatchIndex(text, -1) {
		marker := text[m[2]:m[3]]
		switch {
		case !slices.Contains(known, marker):
			return paperTemplate{}, fmt.Errorf("%w: there is no marker %.40q; there are %s", ErrTemplate, marker, strings.Join(known, ", "))
		case slices.Contains(l.markers, marker):
			return paperTemplate{}, fmt.Errorf("%w: the marker %q stands in it twice", ErrTemplate, marker)
		case m[0] > l.end || m[0] < l.begin && !slices.Contains([]string{"title", "date"}, marker):
			return paperTemplate{}, fmt.Errorf("%w: the marker %q stands outside the document", ErrTemplate, marker)
		}
		l.markers, l.places = append(l.markers, marker), append(l.places, []int{m[0], m[1]})
	}
	return l, nil
}

// command finds a command that is not in a comment; -1 where it is not.
func command(text, name string) int {
	at := 0
	for l := range strings.Lines(text) {
		code := l
		if i := comment(l); i >= 0 {
			code = l[:i]
		}
		if i := strings.Index(code, name); i >= 0 {
			return at + i
		}
		at += len(l)
	}
	return -1
}

// comment is where in a line the comment begins; -1 without one.
func comment(l string) int {
	for i := 0; i < len(l); i++ {
		switch l[i] {
		case '\\':
			i++
		case '%':
			return i
		}
	}
	return -1
}

// checkComplete says what a template lacks to be a document.
func (l paperTemplate) checkComplete() error {
	switch class := command(l.text, `\documentclass`); {
	case !utf8.ValidString(l.text):
		return fmt.Errorf("%w: it is not UTF-8", ErrTemplate)
	case class < 0:
		return fmt.Errorf(`%w: it has no \documentclass`, ErrTemplate)
	case l.begin < class:
		return fmt.Errorf(`%w: it has no \begin{document} behind its \documentclass`, ErrTemplate)
	case l.end < l.begin:
		return fmt.Errorf(`%w: it has no \end{document} behind its \begin{document}`, ErrTemplate)
	}
	return nil
}

// fill puts parts at their markers, the setup before the document and what ends
// it behind all else. A template that names no bibliography gets it at its end.
func (l paperTemplate) fill(parts map[string]string, setup, last string) []byte {
	var b strings.Builder
	at := 0
	put := func(to int, text string, next int) {
		b.WriteString(l.text[at:to])
		b.WriteString(text)
		at = next
	}
	begun := false
	for i, marker := range l.markers {
		if l.places[i][0] > l.begin && !begun {
			put(l.begin, setup, l.begin)
			begun = true
		}
		put(l.places[i][0], strings.TrimRight(parts[marker], "\n"), l.places[i][1])
	}
	if !begun {
		put(l.begin, setup, l.begin)
	}
	if !slices.Contains(l.markers, bibliography) && command(l.text, `\bibliography{`) < 0 {
		put(l.end, parts[bibliography], l.end)
	}
	put(l.end, last, l.end)
	b.WriteString(l.text[at:])
	return []byte(b.String())
}

// headingsBefore are the headings that stand before a marker.
func (l paperTemplate) headingsBefore(marker string) []string {
	i := slices.Index(l.markers, marker)
	if i < 0 {
		return nil
	}
	m := lastSection().FindStringSubmatch(l.text[:l.places[i][0]])
	return m[min(1, len(m)):]
}

var lastSection = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\section\*?\{([^{}]*)\}\s*$`) })
