package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
)

// idForm is how a run's id looks. Nothing else gets into a command.
var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{6}$`) })

// runID is the run's id where it is one, to be put into commands.
func (p *page) runID() string {
	if !idForm().MatchString(p.ID) {
		return "RUN"
	}
	return p.ID
}

// nextSteps are commands that go on from here.
func (p *page) nextSteps() []string {
	id := p.runID()
	steps := []string{"council verify " + id}
	if p.countState(claim.NotFound) > 0 {
		steps = append(steps, "council claims "+id+" --state not-found")
	}
	if p.countState(claim.Unchecked) > 0 {
		steps = append(steps, "council claims "+id+" --state unchecked")
	}
	if len(p.Registry.Conflicts) > 0 {
		steps = append(steps, "council claims "+id+" --conflicts")
	}
	if topic := shellWord(p.Topic); topic != "" {
		steps = append(steps, "council run"+p.gapFlags()+" -- "+topic)
	}
	return append(steps, "council export "+id+" --to html,bib")
}

// gapFlags are those of a run that would close gaps of this one.
func (p *page) gapFlags() string {
	out := ""
	if id := p.runID(); id == p.ID {
		out += " --previous " + id
	}
	if slices.Contains(scope.Modes(), p.Plan.Mode) {
		out += " --mode " + string(p.Plan.Mode)
	}
	if p.Debate == nil && slices.ContainsFunc(p.Registry.Conflicts, score.IsOpen) {
		out += " --debate force"
	}
	if p.Scope == "" && !slices.ContainsFunc(p.Registry.Entries, func(e claim.Entry) bool { return score.IsEvidence(e) && e.Type == claim.Code }) {
		out += " --scope ."
	}
	return out
}

// longestWord bounds a question that is repeated in a command, in runes: one
// cut short would be another question.
const longestWord = 1000

// shellWord quotes foreign words so that a POSIX shell takes them for one
// word, whatever they are; "" where that would be no line to paste.
func shellWord(s string) string {
	whole := plain.Line(s, longestWord+1)
	if whole == "" || len([]rune(whole)) > longestWord {
		return ""
	}
	return "'" + strings.ReplaceAll(whole, "'", `'\''`) + "'"
}
