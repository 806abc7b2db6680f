package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// DigestFile is the name of the digest of a registry among what a seat is given.
const DigestFile = "claims.md"

// DigestLimit bounds a digest, in bytes: about 20,000 tokens of English.
const DigestLimit = 72 << 10

// Bounds of a claim in a digest, in runes.
const (
	digestText   = 400
	digestQuote  = 320
	digestReason = 160
	digestBrief  = 160
)

// Digest is what a model needs to know of a registry, in Markdown of at most limit
// bytes: open conflicts, then the claims, those of one group as one, by the questions
// they answer, the critical and the widely held first. The claims there is no room for are
// told in short, the last by their ids as far as they fit, and the rest is counted.
func Digest(reg Registry, limit int) []byte {
	d := digest{reg: reg, group: map[string]Group{}, known: map[string]Entry{}}
	for _, e := range reg.Entries {
		d.known[e.ID] = e
	}
	for _, g := range reg.Groups {
		for _, id := range g.Members {
			d.group[id] = g
		}
	}
	return d.write(limit)
}

type digest struct {
	reg   Registry
	group map[string]Group
	known map[string]Entry
}

func (d digest) write(limit int) []byte {
	var b strings.Builder
	n := map[State]int{}
	for _, e := range d.reg.Entries {
		n[e.Location.State]++
	}
	facts := len(d.reg.Entries) - n[Reasoned] - n[Unfounded] - n[Withdrawn]
	fmt.Fprintf(&b, "# Claims\n\n%d recorded; quotations located %d, not found %d, not checked %d. Below an id stand its state, what judges say of its passage, who holds it, and which questions it answers; then the claim, its quotation, its source; under it what else is claimed of the same lines.\n",
		len(d.reg.Entries)-n[Withdrawn], n[Located], n[NotFound], facts-n[Located]-n[NotFound])
	if answers := d.answers(limit / 8); answers != "" {
		b.WriteString("\n## What seats recommend\n\n" + answers)
	}
	if withdrawn := d.withdrawn(limit / 16); withdrawn != "" {
		b.WriteString("\n" + withdrawn)
	}
	if open := d.openConflicts(limit / 4); open != "" {
		b.WriteString("\n## Open conflicts\n\n" + open)
	}
	if conditions := d.conditions(limit / 8); conditions != "" {
		b.WriteString("\n## No conflicts: each holds under its condition\n\n" + conditions)
	}
	b.WriteString("\n## What is claimed\n\n")
	d.claims(&b, limit)
	return []byte(b.String())
}

// claims lists the claims up to so many bytes of the whole: as many as there is room for
// with their evidence, while the words of the others find room too; these in short, as far
// as they fit; of the last the ids.
func (d digest) claims(b *strings.Builder, limit int) {
	const reserve = 400 // for the words about the rest
	sets := d.byPassage(d.units())
	left := 0 // what is kept for the rest in short
	for _, set := range sets {
		left += d.briefLen(set)
	}
	for len(sets) > 0 {
		item := d.item(sets[0])
		left -= d.briefLen(sets[0])
		if b.Len()+len(item)+min(left, limit/3)+reserve > limit {
			break
		}
		b.WriteString(item)
		sets = sets[1:]
	}
	rest := slices.Concat(sets...)
	for i := 0; len(rest) > 0; i++ {
		line := d.brief(rest[0])
		if i == 0 {
			line = "\nThe others in short; the tool `list_claims` gives their quotations by id:\n\n" + line
		}
		if b.Len()+len(line)+reserve > limit {
			break
		}
		b.WriteString(line)
		rest = rest[1:]
	}
	if len(rest) > 0 {
		b.WriteString("\n" + d.restLine(rest, limit-b.Len()-1))
	}
}

// brief is a claim in one line.
func (d digest) brief(e Entry) string {
	what := string(e.Location.State)
	if v := e.Verdict(); v != "" && v != Unjudged {
		what += "; " + v
	}
	if same := d.group[e.ID].with(e.ID); len(same) > 1 {
		what += "; the same: " + strings.Join(same[1:], ", ")
	}
	return fmt.Sprintf("- **%s** (%s) %s\n", e.ID, what, plain.Line(e.Text, digestBrief))
}

func (d digest) briefLen(set []Entry) int {
	n := 0
	for _, e := range set {
		n += len(d.brief(e))
	}
	return n
}

// units are the entries, of each group the one it is known by, in the order in which
// they matter.
func (d digest) units() []Entry {
	var list []Entry
	for _, e := range d.reg.Entries {
		if g, grouped := d.group[e.ID]; (!grouped || g.ID == e.ID) && !e.IsWithdrawn() {
			list = append(list, e)
		}
	}
	held := func(e Entry) int { return max(len(d.group[e.ID].Families), len(e.Families)) }
	slices.SortStableFunc(list, func(a, b Entry) int {
		return cmp.Or(
			-cmp.Compare(boolRank(d.isCritical(a)), boolRank(d.isCritical(b))),
			-cmp.Compare(boolRank(a.Location.State == Located), boolRank(b.Location.State == Located)),
			cmp.Compare(firstQuestion(a), firstQuestion(b)),
			-cmp.Compare(held(a), held(b)),
			byID(a.ID, b.ID))
	})
	return list
}

// byPassage puts claims together whose passages lie within each other's, the first as it
// comes and those of its lines behind it: what several have read is not quoted again.
func (d digest) byPassage(units []Entry) [][]Entry {
	var sets [][]Entry
	at := map[string][]int{} // the sets of a source's text
	for _, e := range units {
		text := e.Location.Text
		one := e.Location.State == Located && len(e.Passages) < 2 && text != "" && e.Location.Start < e.Location.End
		if one {
			if i := slices.IndexFunc(at[text], func(set int) bool {
				l := sets[set][0].Location
				return l.holds(e.Location) || e.Location.holds(l)
			}); i >= 0 {
				sets[at[text][i]] = append(sets[at[text][i]], e)
				continue
			}
			at[text] = append(at[text], len(sets))
		}
		sets = append(sets, []Entry{e})
	}
	return sets
}

// holds reports whether a passage lies within one of the same text.
func (l Location) holds(o Location) bool { return l.Start <= o.Start && o.End <= l.End }

func boolRank(is bool) int {
	if is {
		return 1
	}
	return 0
}

func firstQuestion(e Entry) string {
	if len(e.Questions) == 0 {
		return "~" // behind all of them
	}
	return slices.Min(e.Questions)
}

func (d digest) isCritical(e Entry) bool {
	return e.Critical || slices.ContainsFunc(d.group[e.ID].Members, func(id string) bool { return d.known[id].Critical })
}

// answers lists the recommendations that hold by question, with who holds them, in so
// many bytes at most.
func (d digest) answers(limit int) string {
	var b strings.Builder
	for _, a := range Answers(d.reg) {
		for _, p := range a.Positions {
			line := fmt.Sprintf("- %s: %s (%s; %s)\n", a.Question, plain.Line(d.known[p.IDs[0]].Text, digestText), strings.Join(p.IDs, ", "), strings.Join(p.Seats, ", "))
			if b.Len()+len(line) <= limit {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

// withdrawn names the claims that nobody makes any more, with those that hold instead, in so
// many bytes at most.
func (d digest) withdrawn(limit int) string {
	line, n := "Withdrawn, and not to be cited:", 0
	at := map[string]int{}
	for i, e := range d.reg.Entries {
		at[e.ID] = i
	}
	for _, e := range d.reg.Entries {
		if !e.IsWithdrawn() {
			continue
		}
		name := e.ID
		if now := replacement(d.reg.Entries, at, e.ID); now != e.ID {
			name += " (now " + now + ")"
		}
		switch {
		case len(line)+len(name) < limit-16:
			line, n = line+" "+name, n+1
		default:
			return line + " and more.\n"
		}
	}
	if n == 0 {
		return ""
	}
	return line + ".\n"
}

// openConflicts lists what nobody has settled, in so many bytes at most; not what all who
// compared it call the same.
func (d digest) openConflicts(limit int) string {
	var b strings.Builder
	conflicts := slices.Clone(d.reg.Conflicts)
	slices.SortStableFunc(conflicts, func(a, b Conflict) int { return boolRank(b.Answers) - boolRank(a.Answers) })
	for _, c := range conflicts {
		possible := ""
		if c.Possible {
			possible = "possibly, "
		}
		if c.Possible && len(c.SaidBy) > 0 {
			possible = "possibly, said by " + plain.Line(strings.Join(c.SaidBy, " and "), digestReason) + ", "
		}
		line := fmt.Sprintf("- %s: %s%s against %s%s\n", c.ID, possible, d.sideIDs(c.A), d.sideIDs(c.B), prefixed(": ", plain.Line(c.Detail, digestReason)))
		if c.IsOpen() && !c.IsNone() && b.Len()+len(line) <= limit {
			b.WriteString(line)
		}
	}
	return b.String()
}

// sideIDs are the claims of one side, as far as a line has room.
func (d digest) sideIDs(id string) string {
	const most = 8
	ids := d.group[id].with(id)
	return strings.Join(ids[:min(len(ids), most)], ", ")
}

// conditions lists claims that both hold, each under its condition, in so many bytes
// at most.
func (d digest) conditions(limit int) string {
	var b strings.Builder
	for _, r := range d.reg.Relations {
		line := fmt.Sprintf("- %s and %s: %s\n", r.A, r.B, plain.Line(r.Condition, digestReason))
		if r.Kind == relation.Condition && r.Condition != "" && b.Len()+len(line) <= limit {
			b.WriteString(line)
		}
	}
	return b.String()
}

// item is a claim with what the others of its group add, and others of the same lines.
func (d digest) item(set []Entry) string {
	var b strings.Builder
	for i, e := range set {
		head, indent := "- ", "  "
		if i > 0 {
			head, indent = "  - of the same lines: ", "    "
		}
		fmt.Fprintf(&b, "%s**%s** (%s) %s\n", head, e.ID, strings.Join(d.facts(e), "; "), plain.Line(e.Text, digestText))
		if i == 0 || !set[0].Location.holds(e.Location) {
			d.evidence(&b, e)
		}
		for _, id := range d.group[e.ID].Members {
			if m, known := d.known[id]; known && id != e.ID {
				fmt.Fprintf(&b, "%s- the same: %s (%s)%s\n", indent, id, strings.Join(d.facts(m), "; "), d.otherWords(e, m))
			}
		}
	}
	return b.String()
}

// otherWords are those of a claim of the group that has another source.
func (d digest) otherWords(e, m Entry) string {
	if m.Key == e.Key {
		return ""
	}
	return prefixed(" “", plain.Line(m.Quote, digestQuote/2)+"”") + " " + plain.Line(m.Source, digestReason)
}

func (d digest) evidence(b *strings.Builder, e Entry) {
	if e.Kind.RestsOnClaims() {
		fmt.Fprintf(b, "  %s, rests on %s\n", e.Kind, plain.Line(strings.Join(e.RestsOn, ", "), digestReason))
		return
	}
	if len(e.Passages) > 1 {
		for _, p := range e.Passages {
			fmt.Fprintf(b, "  “%s” %s\n", plain.Line(p.Quote, digestQuote), plain.Line(p.Source, digestReason))
		}
		return
	}
	if e.Quote != "" {
		fmt.Fprintf(b, "  “%s” %s\n", plain.Line(e.Quote, digestQuote), plain.Line(e.Source, digestReason))
		return
	}
	fmt.Fprintf(b, "  no quotation; %s\n", plain.Line(e.Source, digestReason))
}

// facts are what is known of a claim beside its words.
func (d digest) facts(e Entry) []string {
	facts := []string{string(e.Location.State) + prefixed(", ", d.reasonNotLocated(e))}
	if v := e.Verdict(); v != "" && v != Unjudged {
		facts = append(facts, v+prefixed(": ", plain.Line(cmp.Or(e.Support.Reason, e.Support.Objection()), digestReason)))
	}
	facts = append(facts, strings.Join(e.Seats, ", "))
	if len(e.Questions) > 0 {
		facts = append(facts, strings.Join(e.Questions, ", "))
	}
	var objected []string
	for _, o := range e.Contradicts {
		objected = addUnique(objected, o.ID)
	}
	if len(objected) > 0 {
		facts = append(facts, "contradicts "+strings.Join(objected, ", ")+" by its seat's word")
	}
	for _, f := range []struct {
		is   bool
		name string
	}{{e.Critical, "critical"}, {e.Blast, "a recommendation rests on it"}, {e.Pitfall, "a pitfall"}} {
		if f.is {
			facts = append(facts, f.name)
		}
	}
	return facts
}

func (d digest) reasonNotLocated(e Entry) string {
	if e.Location.State == Located {
		return plain.Line(e.Location.Doubt, digestReason)
	}
	return plain.Line(e.Location.Reason, digestReason)
}

// restLine names claims for which there was no room, as far as there is room for it.
func (d digest) restLine(rest []Entry, room int) string {
	const ending = " and %d more. The tool `list_claims` shows them by id, question or words.\n"
	line := fmt.Sprintf("%d more claims stand in the registry:", len(rest))
	for i, e := range rest {
		if len(line)+len(e.ID)+len(ending)+12 > room {
			return line + fmt.Sprintf(ending, len(rest)-i)
		}
		line += " " + e.ID
	}
	return line + ". The tool `list_claims` shows them by id, question or words.\n"
}

// prefixed puts a mark before words, if there are any.
func prefixed(mark, words string) string {
	if words == "" || words == "”" {
		return ""
	}
	return mark + words
}
