package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/source"
)

// references number sources in the order in which they are first cited, and
// keep which of their claims were.
type references struct {
	known   map[string]claim.Entry
	number  map[string]int // of a source, by key
	sources []cited
	records map[string]SourceLine
	unknown map[string]bool // ids that no claim has
	typed   int             // references typed by hand that were left out
	judged  bool            // somebody has judged a claim
	rivals  bool            // a family has judged another's claim
	marked  bool            // a reference has the mark of a reservation
	dropped bool            // a section of the program's was written by hand

	named   map[string]bool // ids that the prose cites, conclusions too
	advised map[string]bool // of these those that it cites where it says what to do
	bare    []claim.Entry   // conclusions that were cited and rest on no fact at all
	remarks []string        // on what was cited in the block that is being written
}

// clone are references that can be tried without a trace.
func (r *references) clone() *references {
	c := *r
	c.number, c.unknown, c.named = maps.Clone(r.number), maps.Clone(r.unknown), maps.Clone(r.named)
	c.sources = slices.Clone(r.sources)
	for i := range c.sources {
		c.sources[i].claims = slices.Clone(c.sources[i].claims)
	}
	c.bare = slices.Clone(r.bare)
	return &c
}

// cited is a source with the claims cited from it, in order.
type cited struct {
	source source.Source
	name   string // as it was first written
	claims []claim.Entry
}

func newReferences(entries []claim.Entry, records map[string]SourceLine) *references {
	judged := slices.ContainsFunc(entries, func(e claim.Entry) bool { return e.Verdict() != "" && e.Verdict() != claim.Unjudged })
	rivals := slices.ContainsFunc(entries, func(e claim.Entry) bool { return e.Support != nil && len(e.Support.Votes) > 0 && !e.Support.Own })
	return &references{known: byID(entries), records: records, number: map[string]int{}, unknown: map[string]bool{}, named: map[string]bool{}, judged: judged, rivals: rivals}
}

// numbered gives the first numbers to the sources given.
func (r *references) numbered(order []cited) *references {
	for i, c := range order {
		r.sources = append(r.sources, cited{source: c.source, name: c.name})
		r.number[c.source.Key] = i + 1
	}
	return r
}

// numberForm is the number of a source where it is cited.
var numberForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\\\[(\d+)\\\]\]\(#`) })

// asRead are the sources in the order in which a text cites them; nil where they have it.
func (r *references) asRead(text []byte) []cited {
	var order []cited
	seen := map[int]bool{}
	add := func(n int) {
		if n > 0 && n <= len(r.sources) && !seen[n] {
			seen[n] = true
			order = append(order, r.sources[n-1])
		}
	}
	for _, m := range numberForm().FindAllSubmatch(text, -1) {
		n, _ := strconv.Atoi(string(m[1])) // what is no number of ours is passed over
		add(n)
	}
	for n := range r.sources {
		add(n + 1)
	}
	if slices.EqualFunc(order, r.sources, func(a, b cited) bool { return a.source.Key == b.source.Key }) {
		return nil
	}
	return order
}

// citedIDs lists the claims cited so far, source by source.
func (r *references) citedIDs() []string {
	var list []string
	for _, s := range r.sources {
		for _, e := range s.claims {
			list = append(list, e.ID)
		}
	}
	return list
}

// cite writes the references of a citation, and behind them what is to be said
// against its claims. Without a known claim it is "".
func (r *references) cite(citation string) string {
	var known []claim.Entry
	for _, id := range ids(citation) {
		e, ok := r.known[id]
		if !ok {
			r.unknown[id] = true
			continue
		}
		known = append(known, e)
		r.named[id] = true
	}
	return r.bareLinks(known) + r.referenceLinks(known) + r.remarked(known) + withPrefix(" ", r.doubtsText(known))
}

// remark marks a citation about which something stands below its paragraph.
const remark = "‡"

// remarked notes of which claims a part of the ground is gone, and gives the mark of it.
func (r *references) remarked(cited []claim.Entry) string {
	mark := ""
	for _, e := range cited {
		if e.Location.State != claim.Reasoned || e.Location.Reason == "" {
			continue
		}
		mark = remark
		said := fmt.Sprintf("A part of what %s rests on no longer holds (%s); the rest of it stands.", e.ID, strings.TrimRight(escapeForeign(e.Location.Reason, 200), "."))
		if !slices.Contains(r.remarks, said) {
			r.remarks = append(r.remarks, said)
		}
	}
	return mark
}

// takeRemarks are the remarks on what was cited since they were last taken, as a
// paragraph.
func (r *references) takeRemarks() []string {
	if len(r.remarks) == 0 {
		return nil
	}
	said := remark + " " + strings.Join(r.remarks, " ")
	r.remarks = nil
	return []string{said}
}

// bareLinks cites conclusions that rest on no fact at all, by their ids: they have no
// source to be cited by.
func (r *references) bareLinks(cited []claim.Entry) string {
	var b strings.Builder
	for _, e := range cited {
		if len(r.facts([]claim.Entry{e})) > 0 {
			continue
		}
		if !slices.ContainsFunc(r.bare, func(o claim.Entry) bool { return o.ID == e.ID }) {
			r.bare = append(r.bare, e)
		}
		fmt.Fprintf(&b, `[\[%s\]](#%s "%s")`, e.ID, anchor(e.ID), e.ID)
	}
	return b.String()
}

// doubtsText says of which claims the quotation was not located, or the passage
// says otherwise. What is a reservation alone has a mark at its reference: see
// [references.reserved].
func (r *references) doubtsText(cited []claim.Entry) string {
	var parts []string
	for _, d := range []struct {
		is   func(claim.Entry) bool
		what string
	}{
		{func(e claim.Entry) bool { return e.Location.State == claim.NotFound }, "quotation not found"},
		{func(e claim.Entry) bool {
			return e.Location.State != claim.NotFound && e.Location.State != claim.Located && !e.Kind.RestsOnClaims() && !e.IsWithdrawn()
		}, "quotation not checked"},
		{claim.Entry.IsWithdrawn, "withdrawn"},
		{func(e claim.Entry) bool { return e.Location.State == claim.Unfounded }, "what it rests on does not hold"},
		{func(e claim.Entry) bool { return e.Verdict() == claim.Contradicts && !e.Kind.RestsOnClaims() }, "contradicted by its passage"},
		{func(e claim.Entry) bool { return e.Verdict() == claim.Contradicts && e.Kind.RestsOnClaims() }, "does not follow, as judges have voted"},
	} {
		var ids []string
		for _, e := range cited {
			if d.is(e) {
				ids = append(ids, e.ID)
			}
		}
		switch {
		case len(ids) == 0:
		case len(cited) == 1:
			parts = append(parts, d.what)
		default:
			parts = append(parts, enumerate(ids)+": "+d.what)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// reservation marks references to claims that are cited with a reservation.
const reservation = "†"

// reserved says which reservation there is about a claim whose passage was located;
// "" for none. What holds of all claims, that nobody or none but their own family
// has judged them, is said once at the head of the report, and is none here.
func (r *references) reserved(e claim.Entry) string {
	switch {
	case e.Location.State == claim.Located && len(e.Location.Findings) > 0:
		return escapeForeign(e.Location.Findings[0].String(), 200)
	case e.Verdict() == claim.Qualifies:
		return "the passage supports it in part" + withPrefix(": ", escapeForeign(e.Support.Reason, 200))
	case e.Verdict() == claim.Undecided:
		return "the judges disagree"
	case e.Verdict() == claim.Unjudged && r.judged:
		return "unjudged"
	case e.Verified() && e.Support.Own && r.rivals:
		return "judged by the model that made it alone"
	}
	return ""
}

// legend explains the mark of reservations, where it stands in the text.
func (r *references) legend() []string {
	if !r.marked {
		return nil
	}
	return []string{reservation + " Cited with a reservation, which stands at its quotation in the " + sourceList + "."}
}

// maxGrounds is how many sources of what a conclusion rests on are cited with it. All
// stand in the registry.
const maxGrounds = 3

// referenceLinks writes one reference for each source of the claims, to the first of
// its claims. The link's title names them, and site and date of the source. What rests
// on other claims has the sources of these, and is named in the title of the first.
func (r *references) referenceLinks(entries []claim.Entry) string {
	var order []int
	var drawn string
	for _, e := range entries {
		if e.Kind.RestsOnClaims() {
			drawn += e.ID + ", "
		}
	}
	named, marks := map[int][]string{}, map[int]string{}
	cite := func(e claim.Entry) {
		for _, n := range r.citeClaim(e) {
			if named[n] == nil {
				order = append(order, n)
			}
			named[n] = append(named[n], e.ID)
			if r.reserved(e) != "" {
				marks[n], r.marked = reservation, true
			}
		}
	}
	for _, e := range entries {
		if !e.Kind.RestsOnClaims() {
			cite(e)
		}
	}
	own := len(order)
	for _, e := range r.facts(entries) {
		if !slices.ContainsFunc(entries, func(o claim.Entry) bool { return o.ID == e.ID }) && len(order) < own+maxGrounds {
			cite(e)
		}
	}
	var b strings.Builder
	for _, n := range order {
		fmt.Fprintf(&b, `[\[%d\]](#%s "%s%s%s")%s`, n, anchor(named[n][0]), drawn, strings.Join(named[n], ", "), r.siteAndDate(n), marks[n])
		drawn = ""
	}
	return b.String()
}

// facts are the facts among claims, and those that the others rest on, each once.
func (r *references) facts(entries []claim.Entry) []claim.Entry {
	var list []claim.Entry
	seen := map[string]bool{}
	var visit func(e claim.Entry)
	visit = func(e claim.Entry) {
		if seen[e.ID] {
			return
		}
		seen[e.ID] = true
		if !e.Kind.RestsOnClaims() {
			list = append(list, e)
		}
		for _, id := range e.RestsOn {
			if under, known := r.known[id]; known {
				visit(under)
			}
		}
	}
	for _, e := range entries {
		visit(e)
	}
	return list
}

// siteAndDate is where a source is, and when it was published, for a link's title;
// "" for what is no web page.
func (r *references) siteAndDate(n int) string {
	key := r.sources[n-1].source.Key
	host := hostForm().FindString(source.Host(key))
	return withPrefix(" — ", host) + withPrefix(" — ", dateForm().FindString(r.records[key].Published))
}

var (
	hostForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}.-]{1,80}$`) })
	dateForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?`) })
)

// citeClaim notes that a claim is cited and gives the numbers of its sources.
func (r *references) citeClaim(e claim.Entry) []int {
	var numbers []int
	for _, p := range e.Evidence() {
		s := source.Identify(p.Source)
		n, ok := r.number[s.Key]
		if !ok {
			r.sources = append(r.sources, cited{source: s, name: p.Source})
			n = len(r.sources)
			r.number[s.Key] = n
		}
		c := &r.sources[n-1]
		if !slices.ContainsFunc(c.claims, func(o claim.Entry) bool { return o.ID == e.ID }) {
			c.claims = append(c.claims, e)
		}
		if !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// anchor is where a claim's quotation stands in the list of sources.
func anchor(id string) string { return strings.ToLower(id) }

// list writes the list of sources, each with the quotations of its claims.
func (r *references) list() []string {
	var out []string
	for i, c := range r.sources {
		if i > 0 {
			out = append(out, "")
		}
		marker := fmt.Sprintf("%d. ", i+1)
		indent := strings.Repeat(" ", len(marker))
		snapshot := onlySnapshot(c)
		out = append(out, marker+lineStart(sourceText(c))+withPrefix(", ", r.record(c.source.Key))+withPrefix(", snapshot ", foreignCode(snapshot)), "")
		for _, e := range c.claims {
			out = append(out, indent+"- "+r.quotation(e, i+1, snapshot))
		}
	}
	for i, e := range r.bare {
		if i == 0 && len(out) > 0 {
			out = append(out, "", "Of no source:", "")
		}
		out = append(out, fmt.Sprintf(`- <a id="%s"></a>%s: %s, %s.`, anchor(e.ID), e.ID, e.Kind, escapeForeign(e.Location.Reason, 200)))
	}
	return out
}

// onlySnapshot is the archived bytes that all located claims of a source were found
// in; "" where there are none or several.
func onlySnapshot(c cited) string {
	only := ""
	for _, e := range c.claims {
		for _, p := range e.Evidence() {
			switch s := p.Location.Snapshot; {
			case s == "" || s == only || source.Identify(p.Source).Key != c.source.Key:
			case only != "":
				return ""
			default:
				only = s
			}
		}
	}
	return only
}

// record writes what is known of a source.
func (r *references) record(key string) string {
	s, ok := r.records[key]
	if !ok {
		return ""
	}
	var parts []string
	add := func(format, words string) {
		if words != "" {
			parts = append(parts, fmt.Sprintf(format, words))
		}
	}
	add("“%s”", escapeForeign(s.Title, 300))
	add("%s", escapeForeign(someAuthors(s.Authors), 200))
	add("%s", escapeForeign(s.Published, 40))
	add("%s", strings.ReplaceAll(escapeForeign(s.State, 40), "-", " ")+withPrefix(": ", strings.TrimRight(escapeForeign(s.Reason, 200), ".")))
	add("read in the form of %s", escapeForeign(s.Version, 100))
	if !s.Fetched.IsZero() {
		add("fetched %s", s.Fetched.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if s.Retracted {
		parts = append(parts, "**RETRACTED**")
	}
	add("%s", escapeForeign(s.Notice, 300))
	return strings.Join(parts, ", ")
}

// someAuthors names the first authors of a source.
func someAuthors(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and others"
	}
	return enumerate(names)
}

// sourceText writes what a source is and where it leads.
func sourceText(c cited) string {
	label := escapeForeign(c.name, 200)
	switch c.source.Kind {
	case source.File:
		return foreignCode(c.source.Path)
	case source.URL:
		label = strings.ReplaceAll(strings.ReplaceAll(escape(c.source.URL), `\:`, ":"), `\.`, ".") // within a link no other begins
	case source.ArXiv:
		label = escape("arXiv:" + strings.TrimPrefix(c.source.Key, "arxiv:"))
	case source.DOI, source.PMC, source.PMID, source.ISBN, source.RFC:
		kind, id, _ := strings.Cut(c.source.Key, ":")
		label = strings.ToUpper(kind) + " " + escape(id)
	}
	switch {
	case label == "":
		return "A source that was not named"
	case c.source.URL == "":
		return label
	}
	return fmt.Sprintf("[%s](<%s>)", label, c.source.URL)
}

// Bounds on what of a claim a final report shows, in runes; the registry has
// the whole.
const (
	maxQuote = 600
	maxText  = 400
)

// quotation writes what a claim quotes of a source, what came of looking for it, and the
// reservation there is. The anchor before it is where references lead. The source's
// snapshot is not repeated.
func (r *references) quotation(e claim.Entry, n int, snapshot string) string {
	head := e.ID
	passages := e.Evidence()
	if r.number[source.Identify(passages[0].Source).Key] == n {
		head = fmt.Sprintf(`<a id="%s"></a>%s`, anchor(e.ID), e.ID)
	}
	var said []string
	for i, p := range passages {
		if r.number[source.Identify(p.Source).Key] != n {
			continue
		}
		words := "no quotation"
		if p.Quote != "" {
			words = "“" + shortened(p.Quote, maxQuote) + "”" + omissions(p.Location, maxQuote)
		}
		if len(passages) > 1 {
			words = fmt.Sprintf("(%d of %d) ", i+1, len(passages)) + words
		}
		said = append(said, words+" — "+location(p.Location, snapshot))
	}
	return head + ": " + strings.Join(said, " ") + withPrefix(" "+reservation+" ", sentence(r.reserved(e)))
}

// sentence ends words with a full stop, if there are any.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	if strings.HasSuffix(words, "…") {
		return words
	}
	return strings.TrimRight(words, ".") + "."
}

// omissions writes what stands in the gaps of a quotation, behind it; "" for none.
func omissions(l claim.Location, most int) string {
	var gaps []string
	for _, g := range l.LeftOut {
		gaps = append(gaps, "“"+shortened(g, most)+"”")
	}
	if len(gaps) == 0 {
		return ""
	}
	return " (left out: " + strings.Join(gaps, "; ") + ")"
}

func location(l claim.Location, snapshot string) string {
	reason := escapeForeign(l.Reason, 200)
	switch l.State {
	case claim.Located:
		where := "line "
		if l.First != l.Last {
			where = "lines "
		}
		where = "located at " + where + claim.Lines(l.First, l.Last)
		if l.Tier != "" {
			where += " (" + escapeForeign(l.Tier, 20) + ")"
		}
		return where + withPrefix("; ", reason) + withPrefix("; ", place(l, snapshot)) + "."
	case claim.NotFound:
		return "**NOT FOUND**" + withPrefix(": ", reason) + "."
	case claim.Withdrawn:
		return "withdrawn by its author" + withPrefix(": ", reason) + "."
	}
	return "not checked" + withPrefix(": ", reason) + "."
}

// place is where the passage stands in the archived copy: bytes of its text, and
// the hash of the bytes that came, where the source does not name it.
func place(l claim.Location, snapshot string) string {
	switch {
	case l.Snapshot == "":
		return ""
	case l.Snapshot == snapshot:
		return fmt.Sprintf("bytes %d-%d", l.Start, l.End)
	}
	return fmt.Sprintf("bytes %d-%d of the text of snapshot %s", l.Start, l.End, foreignCode(l.Snapshot))
}

// withPrefix puts a mark before words, if there are any.
func withPrefix(mark, words string) string {
	if words == "" {
		return ""
	}
	return mark + words
}

// enumerate writes "a, b and c".
func enumerate(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
