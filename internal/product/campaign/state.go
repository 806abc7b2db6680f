package campaign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// What a state's Status may be.
const (
	InProgress  = "in_progress"
	Complete    = "complete"
	Failed      = "failed"
	Cancelled   = "cancelled"
	OutOfBudget = "out_of_budget"
)

// Statuses lists them.
func Statuses() []string { return []string{InProgress, Complete, Failed, Cancelled, OutOfBudget} }

// Headings of the state file's body.
const (
	currentPhase   = "Current Phase"
	originalPrompt = "Original Prompt"
	completed      = "Completed Phases"
	researching    = "Research Progress"
	planning       = "Planning Progress"
	implementing   = "Implementation Progress"
	blockers       = "Blockers"
	restoration    = "Context Restoration Files"
)

// field is a value of the state file: of the front matter under a key, of the
// body under a label.
type field struct {
	key      string
	value    any   // a pointer to the value: of an int, a string, a bool or a Phase
	form     form  // of a string
	phase    Phase // the phase it is about, where a campaign without that leaves it out
	omitZero bool  // left out while it is zero
}

// form is how a string is written.
type form int

const (
	quote form = iota // between quotation marks, whatever it holds
	word              // bare where it can be, as hooks and people read it
	item              // so too, with none for nothing
)

// front are the fields of the front matter, in order.
func (s *State) front() []field {
	return []field{
		{key: "workflow_type", value: &s.Type, form: word},
		{key: "name", value: &s.Name},
		{key: "research_id", value: &s.Run, form: word},
		{key: "status", value: &s.Status, form: word},
		{key: "reason", value: &s.Reason, omitZero: true},
		{key: "current_phase", value: &s.Phase},
		{key: "iteration", value: &s.Iteration},
		{key: "total_iterations_research", value: &s.Researching, phase: PhaseA},
		{key: "total_iterations_planning", value: &s.Planning, phase: PhaseB},
		{key: "total_iterations_coding", value: &s.Coding},
		{key: "sources_cited", value: &s.Sources, phase: PhaseA},
		{key: "findings_count", value: &s.Findings, phase: PhaseA},
		{key: "new_findings_last_iteration", value: &s.New, phase: PhaseA},
		{key: "consecutive_low_findings", value: &s.Low, phase: PhaseA},
		{key: "phase_transition_threshold", value: &s.Threshold, phase: PhaseA},
		{key: "plan_stable_iterations", value: &s.Steady, phase: PhaseB, omitZero: true},
		{key: "plan_hash", value: &s.Tally.Plan, omitZero: true},
		{key: "features_total", value: &s.Total},
		{key: "features_complete", value: &s.Tally.Complete},
		{key: "features_failed", value: &s.Lost},
		{key: "features_blocked", value: &s.Blocked, omitZero: true},
		{key: "plan_source", value: &s.PlanSource, omitZero: true},
		{key: "last_feature_worked_on", value: &s.Feature, omitZero: true},
		{key: "last_feature_passed", value: &s.Passed, omitZero: true},
		{key: "last_iteration_failed", value: &s.Tally.Failed, omitZero: true},
		{key: "problem", value: &s.Problem, omitZero: true},
	}
}

// bodyFields are the fields of the body, by the heading they stand under.
func (s *State) bodyFields(heading string) []field {
	switch heading {
	case researching:
		return []field{
			{key: "Sources consulted", value: &s.Sources},
			{key: "Key findings", value: &s.Findings},
			{key: "Open questions", value: &s.Questions},
			{key: "Sections in report", value: &s.Sections},
		}
	case planning:
		return []field{
			{key: "Components designed", value: &s.Components},
			{key: "Critic issues resolved", value: &s.Resolved},
			{key: "Open design decisions", value: &s.Decisions},
		}
	case implementing:
		return []field{
			{key: "Features total", value: &s.Total},
			{key: "Features complete", value: &s.Tally.Complete},
			{key: "Features failed", value: &s.Lost},
			{key: "Last completed feature", value: &s.Last, form: item},
			{key: "Next feature", value: &s.Next, form: item},
		}
	}
	return nil
}

// noFeature stands in the body where there is no feature to name.
const noFeature = "-"

// Encode writes the state file: front matter of one line a field, which hooks
// scan, and a body for people. No value breaks a line, and no line of the
// prompt can pass for one of the file: it stands indented, without control
// characters.
func (s State) Encode() []byte {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range s.front() {
		if !s.omits(f) {
			fmt.Fprintf(&b, "%s: %s\n", f.key, f.text())
		}
	}
	fmt.Fprintf(&b, "---\n\n# Autonomous Workflow State: %s\n", escaped(plain.Line(s.Name, maxTextRunes)))
	fmt.Fprintf(&b, "\n## %s\n%s\n", currentPhase, s.Phase)
	fmt.Fprintf(&b, "\n## %s\n\n%s", originalPrompt, indented(s.Prompt))
	s.encodePhases(&b)
	for _, heading := range []string{researching, planning, implementing} {
		fmt.Fprintf(&b, "\n## %s\n", heading)
		for _, f := range s.bodyFields(heading) {
			fmt.Fprintf(&b, "- %s: %s\n", f.key, f.text())
		}
	}
	s.encodeBlockers(&b)
	s.encodeFiles(&b)
	return []byte(b.String())
}

// omits reports whether a field says nothing in this campaign.
func (s *State) omits(f field) bool {
	foreign := f.phase != "" && s.Type == Implement.Type()
	return (f.omitZero || foreign) && f.zero()
}

func (f field) zero() bool {
	switch v := f.value.(type) {
	case *int:
		return *v == 0
	case *string:
		return *v == ""
	case *bool:
		return !*v
	}
	return false
}

func (f field) text() string {
	switch v := f.value.(type) {
	case *int:
		return strconv.Itoa(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *Phase:
		return quoted(string(*v))
	case *string:
		switch {
		case f.form == item && *v == "":
			return noFeature
		case f.form != quote && bareWord(*v):
			return *v
		}
		return quoted(*v)
	}
	return ""
}

// quoted writes a string as Go and YAML both read it.
func quoted(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\ufffd")) }

// bareWord reports whether a string may stand without quotation marks.
func bareWord(s string) bool {
	for i, r := range []byte(s) {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || r != '_' && r != '-') {
			return false
		}
	}
	return s != ""
}

// cleanPrompt is a prompt as the file can hold it.
func cleanPrompt(prompt string) string {
	return plain.Trimmed(prompt)
}

const indent = "    "

func indented(prompt string) string {
	if prompt = cleanPrompt(prompt); prompt == "" {
		return ""
	}
	return indent + strings.ReplaceAll(prompt, "\n", "\n"+indent) + "\n"
}

// encodePhases writes the check boxes: of the mode's phases, and of whatever
// else is done.
func (s State) encodePhases(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n", completed)
	for _, p := range phases() {
		box := " "
		if slices.Contains(s.Done, p) {
			box = "x"
		}
		if box == "x" || slices.Contains(modeOf(s.Type).Phases(), p) {
			fmt.Fprintf(b, "- [%s] %s\n", box, p)
		}
	}
}

func phases() []Phase { return []Phase{PhaseA, PhaseB, PhaseC} }

// modeOf is the mode of a type, "" when there is none.
func modeOf(kind string) Mode {
	for _, m := range Modes() {
		if m.Type() == kind {
			return m
		}
	}
	return ""
}

func (s State) encodeBlockers(b *strings.Builder) {
	for i, text := range s.Blockers {
		if i == 0 {
			fmt.Fprintf(b, "\n## %s\n", blockers)
		}
		fmt.Fprintf(b, "- %s\n", escaped(plain.Line(text, maxTextRunes)))
	}
}

// thisFile stands behind the first file to read.
const thisFile = " (this file)"

func (s State) encodeFiles(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n", restoration)
	note := thisFile
	for i, name := range plainNames(s.Files) {
		fmt.Fprintf(b, "%d. %s%s\n", i+1, name, note)
		note = ""
	}
}

// markdownSpecial are the characters that could make more than text of a line of
// Markdown.
const markdownSpecial = "\\`*_[]<>&#|~!"

// escaped is text as Markdown shows it literally.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(markdownSpecial, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unescaped is what was escaped.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(markdownSpecial, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
