package audit

import (
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Unchecked is the state of a source that was not looked at. The others are
// the archive's; a local file is live or gone.
const Unchecked archive.State = "unchecked"

// Note says what an audit does not say.
const Note = "Whether a source supports its statement is not judged; that a quotation and its numbers stand in the source is."

// Result is what an audit came to.
type Result struct {
	Report    string `json:"report"` // file or address
	Title     string `json:"title,omitempty"`
	Words     int    `json:"words"`
	Sentences int    `json:"sentences"`
	Offline   bool   `json:"offline"`         // nothing was fetched
	Scope     string `json:"scope,omitempty"` // the folder of local files, absolute; set by who opened it
	Run       string `json:"run,omitempty"`   // the run of ours whose scope that is
	Grade     Grade  `json:"grade"`

	Understood bool            `json:"understood"`     // how it cites could be read; where not, it has no grade
	Seen       []citation.Seen `json:"seen,omitempty"` // what stands where markers do, where it could not

	Counts     Counts      `json:"counts"`
	Findings   []Finding   `json:"findings"` // the worst first, then by line
	Sources    []Source    `json:"sources"`
	Statements []Statement `json:"statements"`           // that refer to sources
	Quotations []Quotation `json:"quotations,omitempty"` // that stand below an entry of the list of sources
	Note       string      `json:"note"`
}

// quotations are all quotations of the report.
func (r Result) quotations() []Quotation {
	var all []Quotation
	for _, st := range r.Statements {
		all = append(all, st.Quotations...)
	}
	return append(all, r.Quotations...)
}

// Source is something the report cites. References with one identity are one.
type Source struct {
	Key        string          `json:"key,omitempty"`
	Kind       source.Kind     `json:"kind,omitempty"`
	Address    string          `json:"address,omitempty"` // as it is first written
	Labels     []string        `json:"labels,omitempty"`
	References []int           `json:"references"` // of the report, in order
	Line       int             `json:"line"`       // of the first of them
	Cited      int             `json:"cited"`      // statements that refer to it
	State      archive.State   `json:"state"`
	Reason     string          `json:"reason,omitempty"`
	Final      string          `json:"final,omitempty"` // where it was read
	Title      string          `json:"title,omitempty"` // as the page has it
	Warnings   []string        `json:"warnings,omitempty"`
	Snapshot   string          `json:"snapshot,omitempty"` // SHA-256 of the archived bytes
	Record     *archive.Record `json:"record,omitempty"`
	Retracted  bool            `json:"retracted,omitempty"`
	Notice     string          `json:"notice,omitempty"`
	Mismatch   string          `json:"mismatch,omitempty"` // in what the citation differs from the record
	CopyOf     string          `json:"copy_of,omitempty"`  // key of the source whose text it repeats
}

// Name is what to call a source in a sentence.
func (s Source) Name() string {
	switch {
	case len(s.Labels) > 0:
		return "[" + s.Labels[0] + "]"
	case s.Address != "":
		return s.Address
	}
	return "a reference"
}

// Statement is a sentence with references and what came of checking it.
type Statement struct {
	Text       string      `json:"text"`
	Line       int         `json:"line"`
	Markers    []string    `json:"markers"` // as the report has them; those that lead nowhere too
	Sources    []int       `json:"sources"` // places in Result.Sources; none where no marker leads anywhere
	Quotations []Quotation `json:"quotations,omitempty"`
	Numbers    []Number    `json:"numbers,omitempty"`
	Coverage   float64     `json:"coverage,omitempty"` // the share of its words, by weight, within 200 words of its best source
	About      Check       `json:"about"`              // whether a source of it speaks of its matter
	Why        string      `json:"why,omitempty"`      // it could not be told
}

// Check is what came of looking.
type Check string

// The answers: yes, no, and that it could not be looked for, which is neither.
const (
	Yes     Check = "yes"
	No      Check = "no"
	Unknown Check = "unchecked"
)

// Quotation is what came of looking for a quotation.
type Quotation struct {
	Text     string          `json:"text"`
	Line     int             `json:"line"`
	State    claim.State     `json:"state"`
	Reason   string          `json:"reason,omitempty"`
	Source   int             `json:"source"` // the place in Result.Sources of the one it was found in, or of the first it should be in
	Tier     string          `json:"tier,omitempty"`
	Passage  string          `json:"passage,omitempty"`
	Start    int             `json:"start,omitempty"` // bytes of the passage in the source's text
	End      int             `json:"end,omitempty"`
	Aside    bool            `json:"aside,omitempty"`     // it stands in a menu, a comment, a footer
	Findings []guard.Finding `json:"findings,omitempty"`  // deciding words in which it differs
	Nearest  string          `json:"nearest,omitempty"`   // the passage nearest to it, where it was not found
	Instead  string          `json:"stands_in,omitempty"` // key of another source of the report that holds it
}

// Number is what came of looking for a number of a statement.
type Number struct {
	stated.Number
	State   Check  `json:"state"`
	Rounded bool   `json:"rounded,omitempty"`   // the source has a more exact one
	Instead string `json:"stands_in,omitempty"` // key of another source of the report that holds it
}

// Counts are what an audit counted. Nothing leaves a denominator: what could
// not be read is counted as such.
type Counts struct {
	Statements int `json:"statements"` // sentences with references
	About      int `json:"about"`      // whose source speaks of their matter
	NotAbout   int `json:"not_about"`
	References int `json:"references"` // entries and links
	Sources    int `json:"sources"`    // different ones
	Read       int `json:"read"`       // whose text could be read
	Unread     int `json:"unread"`     // that nobody could or would read: out of reach, blocked, not looked at, without text
	Copies     int `json:"copies"`     // that repeat another's text

	States map[archive.State]int `json:"states"` // of sources

	Quotations   int `json:"quotations"`
	Located      int `json:"located"`
	NotFound     int `json:"not_found"`
	Numbers      int `json:"numbers"` // that tell something
	NumbersFound int `json:"numbers_found"`
	NumbersNot   int `json:"numbers_not_found"`
	Structure    int `json:"structure"` // faults of structure
}

// Severity orders findings.
type Severity string

// The severities, the worst first. Remarks are no faults of the report: an
// outage, a page that has moved.
const (
	Grave  Severity = "grave"
	Fault  Severity = "fault"
	Slight Severity = "slight"
	Remark Severity = "remark"
)

// Finding is one thing to mend, or to know.
type Finding struct {
	Kind     string   `json:"kind"` // one of [Kinds]
	Severity Severity `json:"severity"`
	Line     int      `json:"line"`             // of the report; 0 for the whole of it
	What     string   `json:"what"`             // a sentence that explains it
	Report   string   `json:"report,omitempty"` // the report's words it is about
	Source   string   `json:"source,omitempty"` // the source's words beside it
	Key      string   `json:"key,omitempty"`    // the source's identity
	Times    int      `json:"times,omitempty"`
}

// Kind is a sort of finding.
type Kind struct {
	Name     string
	Severity Severity
	What     string // in a few words
	Reads    bool   // it is found by reading sources
}

// Kinds are all sorts of findings, the worst first.
func Kinds() []Kind {
	return []Kind{
		{"invented", Grave, "a source that is not there and never was archived", true},
		{"altered", Grave, "a quotation whose deciding words differ from the source's", true},
		{"unlocated", Grave, "a quotation its source does not hold", true},
		{"retracted", Grave, "a paper that was retracted", true},
		{"mismatch", Grave, "an identifier that belongs to another paper", true},
		{"wrong-source", Grave, "a statement its source does not speak of", true},
		{"dead", Grave, "a source that is gone", true},
		{"dangling", Grave, "a marker without a reference", false},
		{"no-sources", Grave, "no source at all", false},
		{"no-list", Grave, "markers without a list of sources", false},
		{"style", Fault, "a way to refer to sources that is not understood", false},
		{"number", Fault, "a number its source does not hold", true},
		{"stale", Fault, "a source that is gone, with an archived copy", true},
		{"aside", Fault, "a quotation from a menu, a comment or a footer", true},
		{"differs", Fault, "a quotation that was found with words to look at", true},
		{"no-address", Fault, "a reference that leads nowhere", false},
		{"bad-address", Fault, "an address that is none", false},
		{"elsewhere", Fault, "a marker that links elsewhere than its reference", false},
		{"empty-link", Fault, "a link without an address", false},
		{"other-host", Fault, "a link whose words name another host than it leads to", false},
		{"ambiguous", Fault, "a marker that can mean several references", false},
		{"same-label", Fault, "two references of one number or name", false},
		{"no-markers", Fault, "a list of sources nothing refers to", false},
		{"leftover", Fault, "a writing tool's token left in the text", false},
		{"bad-lines", Fault, "lines a file does not have", true},
		{"duplicate", Slight, "one source listed twice", false},
		{"copy", Slight, "a source that repeats another's text", true},
		{"unused", Slight, "a reference nothing refers to", false},
		{"second-list", Slight, "a second list of sources", false},
		{"gap", Slight, "numbers left out of the list", false},
		{"warning", Remark, "a page that shows less than it has", true},
		{"moved", Remark, "a source that is elsewhere now", true},
		{"blocked", Remark, "a source that is not shown to programs", true},
		{"unreachable", Remark, "a source that could not be fetched", true},
		{"outside", Remark, "a file that lies outside of the scope", true},
		{"unchecked", Remark, "a quotation that could not be looked for", true},
	}
}

func severity(kind string) Severity {
	for _, k := range Kinds() {
		if k.Name == kind {
			return k.Severity
		}
	}
	return Fault
}
