// Package claim holds the registry of what seats have claimed.
//
// A claim is a sentence, the quotation meant to prove it, and the source that
// is said to hold the quotation. [Decode] reads what a seat wrote, [Register]
// gives every claim an id that never changes, [Locate] looks for each
// quotation in its source. What a seat says about its sources is no evidence:
// only a quotation that the program found itself is located, and one it could
// not look for is unchecked, with the reason, never counted as found or not.
//
// Whether a passage supports its claim, and where claims disagree, is left to
// others.
package claim

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"research-council/internal/source"
)

// Draft is one claim as a seat made it.
type Draft struct {
	Text   string // the claim, a sentence
	Quote  string // the words of the source, verbatim; "" when none were given
	Source string // a URL, another reference, or path:first-last
	Seat   string // who claims it
	Round  string // the stage in which: research or refinement
}

// Entry is one claim of the registry.
type Entry struct {
	ID       string   `json:"id"` // C1, C2, …: never given twice, never changed
	Text     string   `json:"text"`
	Quote    string   `json:"quote,omitempty"`
	Source   string   `json:"source"` // as the first seat wrote it
	Key      string   `json:"key"`    // the source's identity
	Seats    []string `json:"seats"`  // who claims it, the first first
	Rounds   []string `json:"rounds"` // and in which stages
	Location Location `json:"location"`
}

// State says what came of looking for a quotation.
type State string

const (
	Located   State = "located"   // it stands in the source
	NotFound  State = "not-found" // the source was read and does not hold it, or there is no such source
	Unchecked State = "unchecked" // it could not be looked for; the reason says why
)

// Location is where a quotation stands in its source.
type Location struct {
	State   State  `json:"state"`
	Reason  string `json:"reason,omitempty"`  // why not, or what was wrong with the reference
	Tier    string `json:"tier,omitempty"`    // how alike passage and quotation are
	First   int    `json:"first,omitempty"`   // the passage's first and last line, from 1
	Last    int    `json:"last,omitempty"`    //
	Nearest string `json:"nearest,omitempty"` // the source's passage nearest to a quotation that was not found
}

// Library gives the texts of sources.
type Library interface {
	// Text gives the text of a source and the number of its first line. The
	// reference is a file's path without lines, or whatever else was cited.
	// ErrRemote says that the source is not a local one; an error that wraps
	// [io/fs.ErrNotExist] that there is no such source. Any other error is a
	// reason not to have looked.
	Text(source string) (text string, firstLine int, err error)
}

// ErrRemote says that a source is not to be had without fetching it.
var ErrRemote = errors.New("not a local source")

// Register adds drafts to a registry and returns the new one. Entries of the
// old one keep their ids. A claim made again, by the same or another seat, is
// the same entry: that is one with the same words about the same source, white
// space, a first capital and a full stop aside. Case is not folded further,
// because mW is not MW. Where both give quotations and these differ there are
// two entries, unless the old quotation was not found: then the new one mends
// it.
func Register(old []Entry, drafts []Draft) []Entry {
	r := registry{entries: make([]Entry, 0, len(old)+len(drafts)), same: map[string][]int{}}
	for _, e := range old {
		e.Seats, e.Rounds = slices.Clone(e.Seats), slices.Clone(e.Rounds)
		r.add(e)
	}
	for _, d := range drafts {
		r.register(d)
	}
	return r.entries
}

type registry struct {
	entries []Entry
	same    map[string][]int // entries of the same claim about the same source
	last    int              // the highest number given
}

func (r *registry) add(e Entry) {
	r.last = max(r.last, idNumber(e.ID))
	k := likeness(e.Text, e.Key)
	r.same[k] = append(r.same[k], len(r.entries))
	r.entries = append(r.entries, e)
}

func (r *registry) register(d Draft) {
	key := source.Identify(d.Source).Key
	for _, fits := range []func(*Entry, Draft) bool{(*Entry).quotes, (*Entry).takes} {
		for _, i := range r.same[likeness(d.Text, key)] {
			if e := &r.entries[i]; fits(e, d) {
				e.join(d)
				return
			}
		}
	}
	r.add(Entry{
		ID: "C" + strconv.Itoa(r.last+1), Text: d.Text, Quote: d.Quote, Source: d.Source, Key: key,
		Seats: list(d.Seat), Rounds: list(d.Round), Location: Location{State: Unchecked, Reason: "not looked for yet"},
	})
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// quotes reports whether a draft of the same claim gives the same quotation.
func (e *Entry) quotes(d Draft) bool { return plain(d.Quote) == plain(e.Quote) }

// takes reports whether a draft of the same claim can be this entry.
func (e *Entry) takes(d Draft) bool {
	return d.Quote == "" || e.Quote == "" || e.Location.State == NotFound
}

// join adds a draft of the same claim. A quotation replaces a missing one or
// one that was not found, and takes its reference along.
func (e *Entry) join(d Draft) {
	if d.Seat != "" && !slices.Contains(e.Seats, d.Seat) {
		e.Seats = append(e.Seats, d.Seat)
	}
	if d.Round != "" && !slices.Contains(e.Rounds, d.Round) {
		e.Rounds = append(e.Rounds, d.Round)
	}
	mends := e.Location.State == NotFound && (d.Quote != e.Quote || d.Source != e.Source)
	if d.Quote != "" && (e.Quote == "" || mends) {
		e.Quote, e.Source = d.Quote, d.Source
		e.Location = Location{State: Unchecked, Reason: "not looked for yet"}
	}
}

// likeness is the same for claims that are word for word the same.
func likeness(text, key string) string {
	text = strings.TrimSuffix(plain(text), ".")
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if unicode.IsLower(second) {
		text = string(unicode.ToLower(first)) + text[size:]
	}
	return text + "\x00" + key
}

// plain has single blanks for white space.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

// idNumber is the number of an id, 0 for what is no id.
func idNumber(id string) int {
	digits, ok := strings.CutPrefix(id, "C")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || len(digits) > 9 {
		return 0
	}
	return n
}

// Failed gives the claims of a seat whose quotations were not found, for the
// seat to mend.
func Failed(entries []Entry, seat string) []Entry {
	var failed []Entry
	for _, e := range entries {
		if e.Location.State == NotFound && slices.Contains(e.Seats, seat) {
			failed = append(failed, e)
		}
	}
	return failed
}
