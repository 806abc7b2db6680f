package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
)

// Theme is what several findings have in common.
type Theme struct {
	Title    string   `json:"title"`
	Text     string   `json:"text"`
	Findings []string `json:"findings"` // ids of merged findings
}

// Gap is a part of the code that a reviewer has not seen.
type Gap struct {
	Reviewer string `json:"reviewer"`
	Batch    int    `json:"batch"`
	Reason   string `json:"reason"`
}

// Skipped is a file that no reviewer was given.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`        // in a word or two
	Why    string `json:"why,omitempty"` // the details
}

// Seat is who reviewed.
type Seat struct {
	Name, Role, Model, Family, Outcome string
}

// Final is all that a report of a review is made of.
type Final struct {
	Root           string // the repository's name
	Commit, Since  string // what was reviewed; with Since only what changed after it
	Files, Lines   int
	Batches        int
	Findings       []Merged       // those taken out may be among them
	False          []Merged       // those taken out, where they are not
	Dropped        map[string]int // by reviewer, findings whose code is not in the files
	Outside        map[string]int // by reviewer, findings in files that are not reviewed
	Refused        map[string]int // by reviewer, lines that are no finding
	Themes         []Theme
	Summary        string // the synthesizer's; "" when there is none
	Unjudged       string // why there is no synthesis though one was asked for
	Testing        bool   // the second look could have commands run on a copy of the code
	NoTesting      string // why it could not; "" where nobody has said
	Unseen         []Gap
	LeftOut        map[string]int // files that were not reviewed, by the reason
	Skipped        []Skipped      // some of them, by name
	Unread         []Skipped      // those of them that may be code
	Deleted        []string       // files that a change has taken away
	Seats          []Seat
	Cost           string // in words; "" where it is not known
	Began, Ended   time.Time
	Status, Reason string // how the review ended; completed is the good end
}

// Report is REVIEW_REPORT.md. All numbers in it are counted here.
func Report(f Final) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of %s\n\n", escapeText(cmp.Or(f.Root, "the repository"), shownName))
	f.writeOverview(&b)
	if f.Files == 0 && f.Status == "completed" { // of what nobody was to read nothing is said
		if len(f.LeftOut)+len(f.Deleted) > 0 {
			b.WriteString("## Not seen\n\n")
			f.writeLeftOut(&b)
		}
		return []byte(b.String())
	}
	f.writeSeverities(&b)
	f.writeFindings(&b)
	f.writeThemes(&b)
	f.writeFalsePositives(&b)
	f.writeUnseen(&b)
	f.writeMethod(&b)
	return []byte(b.String())
}

func (f Final) writeOverview(b *strings.Builder) {
	fmt.Fprintf(b, "%s, %s, %s", plural.Forms(f.Files, "file", "files"), plural.Forms(f.Lines, "line", "lines"), plural.Forms(f.Batches, "batch", "batches"))
	if f.Commit != "" {
		fmt.Fprintf(b, ", at commit %s", codeName(f.Commit))
	}
	if f.Since != "" {
		fmt.Fprintf(b, ", what changed since %s alone", codeName(f.Since))
	}
	b.WriteString(".\n\n")
	if f.Status != "" && f.Status != "completed" {
		fmt.Fprintf(b, "The review ended as %s: %s. What follows is what was there.\n\n", escapeText(f.Status, shownName), escapeText(f.Reason, shownText))
	}
	if len(f.Unseen) > 0 {
		b.WriteString("Parts of the code were not seen by every reviewer; see [Not seen](#not-seen).\n\n")
	}
	if len(f.Unread) > 0 {
		fmt.Fprintf(b, "%s may be code, and nobody has read %s; see [Not seen](#not-seen).\n\n",
			plural.Forms(len(f.Unread), "file that was left out", "files that were left out"), ItOrThem(len(f.Unread)))
	}
	if f.Unjudged != "" {
		fmt.Fprintf(b, "There is no synthesis: %s. The findings stand as the reviewers wrote them; no synthesizer has looked for false ones.\n\n", escapeText(f.Unjudged, shownText))
	}
	if f.Summary != "" {
		fmt.Fprintf(b, "%s\n\n", paragraphs("In the words of the synthesizer: ", f.Summary))
	}
}

func (f Final) writeSeverities(b *strings.Builder) {
	c := Count(f.Findings)
	b.WriteString("## Severities\n\n| severity | findings |")
	for _, k := range Kinds() {
		fmt.Fprintf(b, " %s |", k)
	}
	b.WriteString("\n|---|---:|" + strings.Repeat("---:|", len(Kinds())) + "\n")
	cells := map[[2]string]int{}
	for _, m := range f.Findings {
		if m.Stands() {
			cells[[2]string{m.Severity, m.Kind}]++
		}
	}
	for _, s := range Severities() {
		fmt.Fprintf(b, "| %s | %d |", s, c.Severity[s])
		for _, k := range Kinds() {
			fmt.Fprintf(b, " %d |", cells[[2]string{s, k}])
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "| all | %d |", c.Total)
	for _, k := range Kinds() {
		fmt.Fprintf(b, " %d |", c.Kind[k])
	}
	fmt.Fprintf(b, "\n\nConfidence: High %d, Medium %d, Low %d. Confirmed by a second look: %d. Disputed: %d. Taken out as false: %d. Their code is in the file for %d of %d.\n\n",
		c.Confidence[High], c.Confidence[Medium], c.Confidence[Low], c.Confirmed, c.Disputed, len(f.allDismissed()), c.State[Located]+c.State[Moved], c.Total)
}

func (f Final) writeFindings(b *strings.Builder) {
	b.WriteString("## Findings\n\n")
	all := sorted(NotDismissed(f.Findings))
	if len(all) == 0 {
		b.WriteString("None.\n\n")
	}
	told := map[string]bool{} // ids whose pattern was told with a graver one
	for i, m := range all {
		fmt.Fprintf(b, "### %d. %s: %s\n\n", i+1, m.Severity, escapeProse(m.Title))
		writeHeader(b, m.Finding)
		writeVoices(b, m)
		if len(m.Also) > 0 && !told[m.ID] {
			pattern(b, m)
		}
		for _, p := range m.Also {
			told[p.ID] = true
		}
		writeBody(b, m.Finding)
		outputs(b, m)
		b.WriteByte('\n')
	}
}

// writeVoices is who says a finding, and what others say of it.
func writeVoices(b *strings.Builder, m Merged) {
	fmt.Fprintf(b, "- Id: %s\n", escapeText(m.ID, shownName))
	fmt.Fprintf(b, "- Found by: %s%s\n", escapeText(strings.Join(m.Reviewers, ", "), shownText), families(m))
	if others := severities(m); len(others) > 0 {
		fmt.Fprintf(b, "- Severity: as %s says; others say %s\n", escapeText(cmp.Or(m.SeverityBy, "one"), shownName), escapeText(strings.Join(others, ", "), shownName))
	}
	if places := otherLines(m); places != "" {
		fmt.Fprintf(b, "- Also: %s\n", places)
	}
	if m.Status == Disputed || m.Status == Confirmed {
		fmt.Fprintf(b, "- Second look: %s\n", m.Status)
	}
	for _, j := range m.Judgements {
		fmt.Fprintf(b, "- %s\n", verdictText(j))
	}
	for _, t := range m.Trials {
		fmt.Fprintf(b, "- %s\n", tried(t))
	}
}

func families(m Merged) string {
	if len(m.Families) == 0 {
		return ""
	}
	return " (" + escapeText(strings.Join(m.Families, ", "), shownText) + ")"
}

// severities are those that members give and that are not the finding's.
func severities(m Merged) []string {
	var list []string
	for _, f := range m.Members {
		if f.Severity != m.Severity {
			list = insertUnique(list, f.Severity)
		}
	}
	return list
}

// maxPlaces bounds the places told with a finding.
const maxPlaces = 20

// otherLines are the places of members that are not the finding's own.
func otherLines(m Merged) string {
	var places []string
	for _, f := range m.Members {
		if f.File != m.File || f.Line != m.Line {
			if place := linesText(f.File, f.Line, f.Line); !slices.Contains(places, place) && len(places) < maxPlaces {
				places = append(places, place)
			}
		}
	}
	return strings.Join(places, ", ")
}

func verdictText(j Judgement) string {
	return fmt.Sprintf("Judged %s by %s: %s", verdictWords(j.Verdict), escapeText(cmp.Or(j.By, "somebody"), shownName), cmp.Or(escapeProse(j.Reason), "no reason given"))
}

// verdictWords are a verdict as people write it.
func verdictWords(verdict string) string { return strings.ReplaceAll(verdict, "_", " ") }

// pattern is where else the pattern of a finding is.
func pattern(b *strings.Builder, m Merged) {
	var places []string
	for _, p := range m.Also {
		places = append(places, linesText(p.File, p.Line, p.Line))
	}
	if m.AlsoMore > 0 {
		places = append(places, fmt.Sprintf("%d more", m.AlsoMore))
	}
	fmt.Fprintf(b, "- Same category in this folder: %s\n", strings.Join(places, ", "))
}

func (f Final) writeThemes(b *strings.Builder) {
	if len(f.Themes) == 0 {
		return
	}
	known := map[string]string{}
	for _, m := range slices.Concat(f.Findings, f.False) {
		known[m.ID] = placeText(m.Finding)
	}
	b.WriteString("## Across the code\n\n")
	for _, t := range f.Themes {
		fmt.Fprintf(b, "### Theme: %s\n\n%s\n\n", escapeProse(t.Title), paragraphs("What: ", t.Text))
		for _, id := range t.Findings {
			if place, ok := known[id]; ok {
				fmt.Fprintf(b, "- %s at %s\n", escapeText(id, shownName), place)
			}
		}
		b.WriteByte('\n')
	}
}

// allDismissed are the findings taken out, each once.
func (f Final) allDismissed() []Merged {
	told := map[string]bool{}
	var all []Merged
	for _, m := range slices.Concat(f.False, Dismissed(f.Findings)) {
		if !told[m.ID] {
			told[m.ID] = true
			all = append(all, m)
		}
	}
	return all
}

func (f Final) writeFalsePositives(b *strings.Builder) {
	all := f.allDismissed()
	b.WriteString("## False positives\n\n")
	if len(all) == 0 {
		b.WriteString("None was taken out.\n\n")
		return
	}
	for _, m := range all {
		fmt.Fprintf(b, "- %s %s (%s, %s)\n", escapeText(m.ID, shownName), escapeProse(m.Title), m.Severity, placeText(m.Finding))
		for _, j := range m.Judgements {
			fmt.Fprintf(b, "  - %s\n", verdictText(j))
		}
		for _, t := range m.Trials {
			fmt.Fprintf(b, "  - %s\n", tried(t))
		}
	}
	b.WriteByte('\n')
}

func (f Final) writeUnseen(b *strings.Builder) {
	b.WriteString("## Not seen\n\n")
	switch {
	case len(f.Unseen) == 0 && len(f.Unread) > 0:
		b.WriteString("Every reviewer has read every batch, and what was left out is in none.\n\n")
	case len(f.Unseen) == 0:
		b.WriteString("Every reviewer has read every batch.\n\n")
	}
	for _, g := range f.Unseen {
		fmt.Fprintf(b, "- Batch %d by %s: %s\n", g.Batch, escapeText(g.Reviewer, shownName), escapeText(g.Reason, shownText))
	}
	if len(f.Unseen) > 0 {
		b.WriteByte('\n')
	}
	f.writeLeftOut(b)
}

// writeLeftOut names what no reviewer was given: what may be code one by one, the
// rest by its reason.
func (f Final) writeLeftOut(b *strings.Builder) {
	for _, s := range f.Unread {
		fmt.Fprintf(b, "- Unread: %s, %s\n", codeName(s.File), escapeText(strings.TrimSuffix(s.Reason+": "+s.Why, ": "), shownText))
	}
	for _, name := range f.Deleted[:min(len(f.Deleted), maxNamed)] {
		fmt.Fprintf(b, "- Deleted: %s\n", codeName(name))
	}
	if more := len(f.Deleted) - maxNamed; more > 0 {
		fmt.Fprintf(b, "- Deleted: %d more\n", more)
	}
	for _, reason := range sortedKeys(f.LeftOut) {
		fmt.Fprintf(b, "- Left out, %s: %s%s\n", escapeText(reason, shownName), plural.Forms(f.LeftOut[reason], "file", "files"), f.skippedNames(reason))
	}
	if len(f.LeftOut)+len(f.Deleted) > 0 {
		b.WriteByte('\n')
	}
}

// maxNamed bounds the names that are told of one sort.
const maxNamed = 20

// skippedNames are the files left out for a reason, as many as are known by name.
func (f Final) skippedNames(reason string) string {
	var names []string
	for _, s := range f.Skipped {
		if s.Reason == reason && len(names) < maxNamed {
			names = append(names, codeName(s.File))
		}
	}
	if len(names) == 0 {
		return ""
	}
	if more := f.LeftOut[reason] - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return ": " + strings.Join(names, ", ")
}

// ItOrThem stands for so many things.
func ItOrThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func sortedKeys(m map[string]int) []string {
	var list []string
	for k := range m {
		list = insertUnique(list, k)
	}
	return list
}

// testing says what the second look has had run.
func (f Final) testing() string {
	const alone = "The second look judges from the code alone: nothing was run"
	n := 0
	for _, m := range slices.Concat(f.Findings, f.False) {
		n += len(m.Trials)
	}
	switch {
	case n > 0:
		return fmt.Sprintf("The second look had the program run %s on a copy of the code, confined and without network; each stands with its finding. Where none stands, it judged from the code alone, whatever its reason says.", plural.Of(n, "command"))
	case f.Testing:
		return alone + ", though it could have had tests run on a copy of the code."
	case f.NoTesting != "":
		return fmt.Sprintf("%s, since %s.", alone, escapeText(f.NoTesting, shownText))
	}
	return alone + "."
}

func (f Final) writeMethod(b *strings.Builder) {
	b.WriteString("## Method\n\n")
	b.WriteString("Five reviewers read each batch, each for one kind of fault. The program looked every quotation up in its file, put what several said of one place together and counted. ")
	b.WriteString("More reviewers make a finding surer, not graver; its severity is the highest that one says whose quotation stands in the file. ")
	fmt.Fprintf(b, "%s\n\n", f.testing())
	for _, r := range sortedKeys(f.Dropped) {
		fmt.Fprintf(b, "- Dropped of %s, for the code quoted is not in the file: %d\n", escapeText(r, shownName), f.Dropped[r])
	}
	for _, r := range sortedKeys(f.Outside) {
		fmt.Fprintf(b, "- Dropped of %s, for it lies outside of what was reviewed: %d\n", escapeText(r, shownName), f.Outside[r])
	}
	for _, r := range sortedKeys(f.Refused) {
		fmt.Fprintf(b, "- Refused of %s, lines that are no finding: %d\n", escapeText(r, shownName), f.Refused[r])
	}
	for _, s := range f.Seats {
		fmt.Fprintf(b, "- Seat %s as %s: %s %s, %s\n", escapeText(s.Name, shownName), escapeText(s.Role, shownName), escapeText(s.Family, shownName), escapeText(s.Model, shownName), escapeText(s.Outcome, shownText))
	}
	if f.Cost != "" {
		fmt.Fprintf(b, "- Cost: %s\n", f.Cost)
	}
	if !f.Began.IsZero() && !f.Ended.IsZero() {
		fmt.Fprintf(b, "- From %s to %s\n", f.Began.UTC().Format(time.RFC3339), f.Ended.UTC().Format(time.RFC3339))
	}
}
