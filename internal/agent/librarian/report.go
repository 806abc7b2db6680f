package librarian

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Markdown is a result as a seat's report. The marker stands at its end when
// the research is done.
func Markdown(r Result, done bool) []byte {
	w := &writer{Result: r}
	w.writeBlock("# What the files say%s", shardSuffix(r.Shard))
	w.writeBlock("> %s", EscapeProse(plain.Line(r.Topic, 300)))
	w.summary()
	w.findings()
	w.methodology()
	w.open()
	w.sources()
	if done {
		w.writeBlock("%s", agent.Marker)
	}
	return w.Bytes()
}

func shardSuffix(s Shard) string {
	if s == All {
		return ""
	}
	return " (" + string(s) + ")"
}

type writer struct {
	bytes.Buffer
	Result
}

// writeBlock writes a block and the blank line behind it.
func (w *writer) writeBlock(format string, args ...any) { fmt.Fprintf(w, format+"\n\n", args...) }

// Sentences of a summary: of the question itself, and of what was followed.
const (
	directLeads = 4
	otherLeads  = 4
)

func (w *writer) summary() {
	w.writeBlock("## Executive Summary")
	direct := summaryFindings(w.Findings, directLeads, nil, func(f Finding) bool { return f.Theme == "" })
	if len(direct) == 0 {
		direct = summaryFindings(w.Findings, directLeads, nil, func(Finding) bool { return true })
	}
	if len(direct) == 0 {
		w.writeNothingFound()
		return
	}
	w.writeBlock("%s", leadSentences(direct))
	other := summaryFindings(w.Findings, otherLeads, direct, func(f Finding) bool { return f.Theme != "" })
	if len(other) > 0 {
		w.writeBlock("%s", leadSentences(other))
	}
}

// writeNothingFound says that nothing was found, and where it was looked for.
func (w *writer) writeNothingFound() {
	if len(w.Findings) > 0 {
		w.writeBlock("No sentence of these files answers the question by itself. What bears on it stands below under Key Findings, each passage with its place: %s.", plural.Of(len(w.Findings), "passage"))
		return
	}
	w.writeBlock("Nothing was found. %s of %s were searched and none of them answers the question, so this seat has no evidence for or against anything."+
		" That says something about these files and this way of searching alone: the answer may stand in them in other words, or elsewhere.",
		plural.Of(w.Stats.Total(w.Shard), "passage"), plural.Of(w.Stats.Files, "file"))
}

// summaryFindings are the findings with the best sentences for a summary, no two alike,
// in the order of their worth.
func summaryFindings(all []Finding, n int, taken []Finding, fits func(Finding) bool) []Finding {
	best := 0.0
	for _, f := range all {
		best = max(best, f.leadWorth)
	}
	var list []Finding
	for _, f := range all {
		if f.leadWorth > 0 && f.leadWorth >= 0.4*best && fits(f) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.leadWorth, a.leadWorth) })
	var out []Finding
	for _, f := range list {
		have := leadStems(f)
		same := func(o Finding) bool {
			return Similarity(have, leadStems(o)) > 0.5 || f.Theme != "" && f.Theme == o.Theme
		}
		if len(out) < n && !slices.ContainsFunc(taken, same) && !slices.ContainsFunc(out, same) {
			out = append(out, f)
		}
	}
	return out
}

func leadStems(f Finding) map[string]bool {
	m := map[string]bool{}
	for _, s := range words.Stems(f.Lead) {
		m[s] = true
	}
	return m
}

func leadSentences(list []Finding) string {
	parts := make([]string, len(list))
	for i, f := range list {
		parts[i] = fmt.Sprintf("%s (%s)", EscapeProse(f.Lead), span(f.place(f.leadFrom, f.leadTo)))
	}
	return strings.Join(parts, " ")
}

func (w *writer) findings() {
	w.writeBlock("## Key Findings")
	if len(w.Findings) == 0 {
		w.writeBlock("None.")
		return
	}
	old := slices.DeleteFunc(slices.Clone(w.Findings), func(f Finding) bool { return f.New })
	added := slices.DeleteFunc(slices.Clone(w.Findings), func(f Finding) bool { return !f.New })
	w.themes(old)
	if w.Refined {
		w.writeBlock("## New After Reading the Other Reports")
		w.writeBlock("Found in these files by following terms that other seats' reports use and this one did not. Nothing is taken from those reports but the terms.")
		w.themes(added)
		if len(added) == 0 {
			w.writeBlock("Nothing new came up.")
		}
	}
}

// themes writes findings under the term that led to each, the best theme first.
func (w *writer) themes(all []Finding) {
	all = BestFirst(all)
	var order []string
	groups := map[string][]Finding{}
	for _, f := range all {
		if groups[f.Theme] == nil && f.Theme != "" {
			order = append(order, f.Theme)
		}
		groups[f.Theme] = append(groups[f.Theme], f)
	}
	if len(groups[""]) > 0 {
		order = append([]string{""}, order...)
	}
	for _, theme := range order {
		title := theme
		if theme == "" {
			title = "The question itself: " + strings.Join(w.Concepts[:min(len(w.Concepts), 6)], ", ")
		}
		w.writeBlock("### %s", EscapeProse(title))
		for _, f := range groups[theme] {
			w.finding(f)
		}
	}
}

func (w *writer) finding(f Finding) {
	where := span(f.Cite())
	if f.Head != "" && !strings.Contains(f.Said, f.Head) {
		where += ", " + map[bool]string{true: "under ", false: "at "}[f.Shard == Official || formOf(f.Path).document] + span(plain.Line(f.Head, 120))
	}
	w.writeBlock("%s\n\n%s", where, strings.TrimRight(blockQuote(f), "\n"))
}

var shardWords = map[Shard]string{
	All:       "all files",
	Official:  "documentation, package and design comments, and specifications",
	Code:      "declarations with their comments",
	Community: "tests, examples, change logs, notes and scripts",
}

func (w *writer) methodology() {
	w.writeBlock("## Methodology")
	w.writeBlock("This report is extractive: no model wrote or judged it. A program searched a full-text index of %s (%s), of which this seat looks at %s: %s. It chose sentences by how many of the question's terms they and their passage hold, how rare these terms are, how they read, and how much they differ from one another. What is quoted stands at the lines given; comment signs and line breaks are left out of quoted text.",
		plural.Of(w.Stats.Files, "file"), plural.Of(w.Stats.Total(All), "passage"), shardWords[w.Shard], plural.Of(w.Stats.Total(w.Shard), "passage"))
	w.writeBlock("It cannot understand, compare or weigh what it quotes, follow an argument over several places, or notice what is said in words the question and the passages found do not share. A sentence may be out of date or hold under conditions that stand elsewhere.")
	w.writeBlock("Terms of the question, those that tell most first: %s.", orNone(w.Concepts))
	for i, s := range w.Steps {
		what := "the question itself"
		if i > 0 {
			what = "followed terms " + orNone(s.Followed)
		}
		fmt.Fprintf(w, "- Iteration %d: %s; %s.\n", i+1, what, plural.Of(s.New, "new finding"))
	}
	if w.Refined {
		fmt.Fprintf(w, "- Refinement: terms of other reports %s; of these, %s led to nothing new here.\n", orNone(w.Suggested), orNone(w.Barren))
	}
	w.WriteByte('\n')
	if w.Dry {
		w.writeBlock("It ended because nothing new came up.")
	}
	if len(w.Unmet) > 0 {
		w.writeBlock("Terms that stand in files, and in nothing that was found: %s.", codeList(w.Unmet))
	}
	if len(w.Undefined) > 0 {
		w.writeBlock("Names that are mentioned, and never declared or explained under a heading of their own: %s.", codeList(w.Undefined))
	}
	w.leftOut()
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return codeList(list)
}

// leftOut says what was not looked at.
func (w *writer) leftOut() {
	var parts []string
	for reason, n := range w.Stats.Skipped {
		parts = append(parts, fmt.Sprintf("%s (%d)", reason, n))
	}
	slices.Sort(parts)
	if len(parts) > 0 {
		w.writeBlock("Files left out: %s.", strings.Join(parts, ", "))
	}
	if w.Changed > 0 {
		w.writeBlock("Findings dropped because their file has changed since it was indexed: %d.", w.Changed)
	}
}

func (w *writer) open() {
	w.writeBlock("## Open Questions")
	var b strings.Builder
	if len(w.Missing) > 0 {
		fmt.Fprintf(&b, "- Of the question, these terms stand in no file that was read: %s.\n", codeList(w.Missing))
	}
	if b.Len() == 0 {
		b.WriteString("- None that a search for words can see.\n")
	}
	w.writeBlock("%s", strings.TrimRight(b.String(), "\n"))
}

func (w *writer) sources() {
	w.writeBlock("## Sources")
	places := map[string][]string{}
	var order []string
	all := slices.Clone(w.Findings)
	slices.SortStableFunc(all, func(a, b Finding) int { return a.From - b.From })
	for _, f := range all {
		at := cmp.Or(f.Address, f.Path)
		if places[at] == nil {
			order = append(order, at)
		}
		_, lines, _ := strings.Cut(cite("", f.From, f.To), ":")
		places[at] = append(places[at], lines)
	}
	slices.Sort(order)
	for _, at := range order {
		fmt.Fprintf(w, "- %s, lines %s\n", span(at), strings.Join(places[at], ", "))
	}
	if len(order) == 0 {
		w.WriteString("None.\n")
	}
	w.WriteByte('\n')
}

// Claims is a result as JSON Lines, one claim for each finding, the best first:
// the sentence that states it, the words of the file and where they stand.
func Claims(r Result) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, f := range BestFirst(r.Findings) {
		_ = enc.Encode(map[string]string{"text": f.Claim(), "quote": claim.Readable(f.Path, f.Quote), "source": f.Cite()}) // strings into memory: it cannot fail
	}
	return b.Bytes()
}

// Claim is what a finding claims.
func (f Finding) Claim() string {
	if f.Prose {
		return strings.Join(strings.Fields(readable(DropInvisible(f.Lead))), " ")
	}
	what := plain.Line(f.Head, 160)
	if what == "" {
		what = plain.Line(f.Said, 160)
	}
	return fmt.Sprintf("In %s stands: %s", cmp.Or(f.Address, f.Path), what)
}
