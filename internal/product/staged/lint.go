package staged

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// maxFaults bounds how many faults of one answer are told.
const maxFaults = 20

// Lint says what is wrong with the claims that the findings or the devil's
// advocate cite, a line for each fault: ids that are not known, and findings
// that rest on nothing. In other roles it says nothing.
func Lint(role string, data []byte, known func(id string) bool) []string {
	l := linter{known: known}
	var err error
	switch role {
	case agent.Findings:
		err = l.findings(data)
	case agent.Advocate:
		err = l.advocate(data)
	}
	if err != nil {
		return []string{"the answer cannot be read: " + err.Error()}
	}
	if n := len(l.faults) - maxFaults; n > 0 {
		l.faults = append(l.faults[:maxFaults:maxFaults], fmt.Sprintf("and %d more of this kind", n))
	}
	return l.faults
}

type linter struct {
	known  func(id string) bool
	faults []string
}

func (l *linter) findings(data []byte) error {
	r, err := decodeAnswer[SynthesisResult](data)
	for i, f := range r.Findings {
		name := named("key_findings", i, f.Finding)
		if cited := l.cite(name, f.Claims); cited == 0 {
			l.faults = append(l.faults, name+" cites no claim; give the ids of the facts it rests on")
		}
	}
	for i, one := range r.Recommendations {
		l.cite(named("recommendations", i, one.Recommendation), one.Claims)
	}
	return err
}

func (l *linter) advocate(data []byte) error {
	r, err := decodeAnswer[AdvocateResult](data)
	for i, one := range r.Risks {
		l.cite(named("risks", i, one.Risk), one.Claims)
	}
	for i, one := range r.Counterarguments {
		l.cite(named("counterarguments", i, one.Argument), one.Claims)
	}
	return err
}

// cite notes the ids that are not known, and counts all.
func (l *linter) cite(name string, ids []string) int {
	cited := 0
	for _, id := range ids {
		if blank(id) {
			continue
		}
		cited++
		if l.known == nil || !l.known(id) {
			l.faults = append(l.faults, fmt.Sprintf("%s cites %s, which is the id of no fact that can be built on", name, quote(id)))
		}
	}
	return cited
}

// named is an entry of a list as a person finds it.
func named(list string, i int, text string) string {
	if text = plain.Line(text, 60); text != "" {
		text = fmt.Sprintf(" (%s)", strings.TrimRight(text, "."))
	}
	return fmt.Sprintf("%s, entry %d%s", list, i+1, text)
}
