package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"research-council/internal/plural"
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
	fmt.Fprintf(&b, "# Review of %s\n\n", text(cmp.Or(f.Root, "the repository"), shownName))
	f.overview(&b)
	if f.Files == 0 && f.Status == "completed" { // of what nobody was to read nothing is said
		if len(f.LeftOut)+len(f.Deleted) > 0 {
			b.WriteString("## Not seen\n\n")
			f.leftOut(&b)
		}
		return []byte(b.String())
	}
	f.severities(&b)
	f.findings(&b)
	f.themes(&b)
	f.falsePositives(&b)
	f.unseen(&b)
	f.method(&b)
	return []byte(b.String())
}

func (f Final) overview(b *strings.Builder) {
	fmt.Fprintf(b, "%s, %s, %s", plural.Forms(f.Files, "file", "files"), plural.Forms(f.Lines, "line", "lines"), plural.Forms(f.Batches, "batch", "batches"))
	if f.Commit != "" {
		fmt.Fprintf(b, ", at commit %s", shown(f.Commit))
	}
	if f.Since != "" {
		fmt.Fprintf(b, ", what changed since %s alone", shown(f.Since))
	}
	b.WriteString(".\n\n")
	if f.Status != "" && f.Status != "completed" {
		fmt.Fprintf(b, "The review ended as %s: %s. What follows is what was there.\n\n", text(f.Status, shownName), text(f.Reason, shownText))
	}
	if len(f.Unseen) > 0 {
		b.WriteString("Parts of the code were not seen by every reviewer; see [Not seen](#not-seen).\n\n")
	}
	if len(f.Unread) > 0 {
		fmt.Fprintf(b, "%s may be code, and nobody has read %s; see [Not seen](#not-seen).\n\n",
			plural.Forms(len(f.Unread), "file that was left out", "files that were left out"), Them(len(f.Unread)))
	}
	if f.Unjudged != "" {
		fmt.Fprintf(b, "There is no synthesis: %s. The findings stand as the reviewers wrote them; no synthesizer has looked for false ones.\n\n", text(f.Unjudged, shownText))
	}
	if f.Summary != "" {
		fmt.Fprintf(b, "%s\n\n", paragraphs("In the words of the synthesizer: ", f.Summary))
	}
}

func (f Final) severities(b *strings.Builder) {
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
		c.Confidence[High], c.Confidence[Medium], c.Confidence[Low], c.Confirmed, c.Disputed, len(f.dismissed()), c.State[Located]+c.State[Moved], c.Total)
}

func (f Final) findings(b *strings.Builder) {
	b.WriteString("## Findings\n\n")
	all := arranged(Standing(f.Findings))
	if len(all) == 0 {
		b.WriteString("None.\n\n")
	}
	told := map[string]bool{} // ids whose pattern was told with a graver one
	for i, m := range all {
		fmt.Fprintf(b, "### %d. %s: %s\n\n", i+1, m.Severity, prose(m.Title))
		head(b, m.Finding)
		voices(b, m)
		if len(m.Also) > 0 && !told[m.ID] {
			pattern(b, m)
		}
		for _, p := range m.Also {
			told[p.ID] = true
		}
		body(b, m.Finding)
		outputs(b, m)
		b.WriteByte('\n')
	}
}

// voices is who says a finding, and what others say of it.
func voices(b *strings.Builder, m Merged) {
	fmt.Fprintf(b, "- Id: %s\n", text(m.ID, shownName))
	fmt.Fprintf(b, "- Found by: %s%s\n", text(strings.Join(m.Reviewers, ", "), shownText), families(m))
	if others := severities(m); len(others) > 0 {
		fmt.Fprintf(b, "- Severity: as %s says; others say %s\n", text(cmp.Or(m.SeverityBy, "one"), shownName), text(strings.Join(others, ", "), shownName))
	}
	if places := elsewhere(m); places != "" {
		fmt.Fprintf(b, "- Also: %s\n", places)
	}
	if m.Status == Disputed || m.Status == Confirmed {
		fmt.Fprintf(b, "- Second look: %s\n", m.Status)
	}
	for _, j := range m.Judgements {
		fmt.Fprintf(b, "- %s\n", verdict(j))
	}
	for _, t := range m.Trials {
		fmt.Fprintf(b, "- %s\n", tried(t))
	}
}

func families(m Merged) string {
	if len(m.Families) == 0 {
		return ""
	}
	return " (" + text(strings.Join(m.Families, ", "), shownText) + ")"
}

// severities are those that members give and that are not the finding's.
func severities(m Merged) []string {
	var list []string
	for _, f := range m.Members {
		if f.Severity != m.Severity {
			list = with(list, f.Severity)
		}
	}
	return list
}

// mostPlaces bounds the places told with a finding.
const mostPlaces = 20

// elsewhere are the places of members that are not the finding's own.
func elsewhere(m Merged) string {
	var places []string
	for _, f := range m.Members {
		if f.File != m.File || f.Line != m.Line {
			if place := where(f.File, f.Line, f.Line); !slices.Contains(places, place) && len(places) < mostPlaces {
				places = append(places, place)
			}
		}
	}
	return strings.Join(places, ", ")
}

func verdict(j Judgement) string {
	return fmt.Sprintf("Judged %s by %s: %s", words(j.Verdict), text(cmp.Or(j.By, "somebody"), shownName), cmp.Or(prose(j.Reason), "no reason given"))
}

// words are a verdict as people write it.
func words(verdict string) string { return strings.ReplaceAll(verdict, "_", " ") }

// pattern is where else the pattern of a finding is.
func pattern(b *strings.Builder, m Merged) {
	var places []string
	for _, p := range m.Also {
		places = append(places, where(p.File, p.Line, p.Line))
	}
	if m.AlsoMore > 0 {
		places = append(places, fmt.Sprintf("%d more", m.AlsoMore))
	}
	fmt.Fprintf(b, "- Same category in this folder: %s\n", strings.Join(places, ", "))
}

func (f Final) themes(b *strings.Builder) {
	if len(f.Themes) == 0 {
		return
	}
	known := map[string]string{}
	for _, m := range slices.Concat(f.Findings, f.False) {
		known[m.ID] = at(m.Finding)
	}
	b.WriteString("## Across the code\n\n")
	for _, t := range f.Themes {
		fmt.Fprintf(b, "### Theme: %s\n\n%s\n\n", prose(t.Title), paragraphs("What: ", t.Text))
		for _, id := range t.Findings {
			if place, ok := known[id]; ok {
				fmt.Fprintf(b, "- %s at %s\n", text(id, shownName), place)
			}
		}
		b.WriteByte('\n')
	}
}

// dismissed are the findings taken out, each once.
func (f Final) dismissed() []Merged {
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

func (f Final) falsePositives(b *strings.Builder) {
	all := f.dismissed()
	b.WriteString("## False positives\n\n")
	if len(all) == 0 {
		b.WriteString("None was taken out.\n\n")
		return
	}
	for _, m := range all {
		fmt.Fprintf(b, "- %s %s (%s, %s)\n", text(m.ID, shownName), prose(m.Title), m.Severity, at(m.Finding))
		for _, j := range m.Judgements {
			fmt.Fprintf(b, "  - %s\n", verdict(j))
		}
		for _, t := range m.Trials {
			fmt.Fprintf(b, "  - %s\n", tried(t))
		}
	}
	b.WriteByte('\n')
}

func (f Final) unseen(b *strings.Builder) {
	b.WriteString("## Not seen\n\n")
	switch {
	case len(f.Unseen) == 0 && len(f.Unread) > 0:
		b.WriteString("Every reviewer has read every batch, and what was left out is in none.\n\n")
	case len(f.Unseen) == 0:
		b.WriteString("Every reviewer has read every batch.\n\n")
	}
	for _, g := range f.Unseen {
		fmt.Fprintf(b, "- Batch %d by %s: %s\n", g.Batch, text(g.Reviewer, shownName), text(g.Reason, shownText))
	}
	if len(f.Unseen) > 0 {
		b.WriteByte('\n')
	}
	f.leftOut(b)
}

// leftOut names what no reviewer was given: what may be code one by one, the
// rest by its reason.
func (f Final) leftOut(b *strings.Builder) {
	for _, s := range f.Unread {
		fmt.Fprintf(b, "- Unread: %s, %s\n", shown(s.File), text(strings.TrimSuffix(s.Reason+": "+s.Why, ": "), shownText))
	}
	for _, name := range f.Deleted[:min(len(f.Deleted), mostNamed)] {
		fmt.Fprintf(b, "- Deleted: %s\n", shown(name))
	}
	if more := len(f.Deleted) - mostNamed; more > 0 {
		fmt.Fprintf(b, "- Deleted: %d more\n", more)
	}
	for _, reason := range keys(f.LeftOut) {
		fmt.Fprintf(b, "- Left out, %s: %s%s\n", text(reason, shownName), plural.Forms(f.LeftOut[reason], "file", "files"), f.named(reason))
	}
	if len(f.LeftOut)+len(f.Deleted) > 0 {
		b.WriteByte('\n')
	}
}

// mostNamed bounds the names that are told of one sort.
const mostNamed = 20

// named are the files left out for a reason, as many as are known by name.
func (f Final) named(reason string) string {
	var names []string
	for _, s := range f.Skipped {
		if s.Reason == reason && len(names) < mostNamed {
			names = append(names, shown(s.File))
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

// Them stands for so many things.
func Them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func keys(m map[string]int) []string {
	var list []string
	for k := range m {
		list = with(list, k)
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
		return fmt.Sprintf("%s, since %s.", alone, text(f.NoTesting, shownText))
	}
	return alone + "."
}

func (f Final) method(b *strings.Builder) {
	b.WriteString("## Method\n\n")
	b.WriteString("Five reviewers read each batch, each for one kind of fault. The program looked every quotation up in its file, put what several said of one place together and counted. ")
	b.WriteString("More reviewers make a finding surer, not graver; its severity is the highest that one says whose quotation stands in the file. ")
	fmt.Fprintf(b, "%s\n\n", f.testing())
	for _, r := range keys(f.Dropped) {
		fmt.Fprintf(b, "- Dropped of %s, for the code quoted is not in the file: %d\n", text(r, shownName), f.Dropped[r])
	}
	for _, r := range keys(f.Outside) {
		fmt.Fprintf(b, "- Dropped of %s, for it lies outside of what was reviewed: %d\n", text(r, shownName), f.Outside[r])
	}
	for _, r := range keys(f.Refused) {
		fmt.Fprintf(b, "- Refused of %s, lines that are no finding: %d\n", text(r, shownName), f.Refused[r])
	}
	for _, s := range f.Seats {
		fmt.Fprintf(b, "- Seat %s as %s: %s %s, %s\n", text(s.Name, shownName), text(s.Role, shownName), text(s.Family, shownName), text(s.Model, shownName), text(s.Outcome, shownText))
	}
	if f.Cost != "" {
		fmt.Fprintf(b, "- Cost: %s\n", f.Cost)
	}
	if !f.Began.IsZero() && !f.Ended.IsZero() {
		fmt.Fprintf(b, "- From %s to %s\n", f.Began.UTC().Format(time.RFC3339), f.Ended.UTC().Format(time.RFC3339))
	}
}
