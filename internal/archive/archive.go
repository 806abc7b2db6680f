// Package archive fetches sources and keeps what came: the bytes, the text,
// and what became of the fetch.
//
// A source is fetched once for a run, however many seats and processes ask for
// it and however they write its address. Everything is stored under its hash,
// so that what was read can be checked years later and off line. What a source
// could not be read for is a [State] with a reason, never an error: errors are
// those of the archive itself.
//
// A page is a stranger. No private address is dialled, neither by name nor by
// redirect nor by a name that changes its mind, unless the user has allowed
// it; sizes, times and decompression are bounded; robots.txt and Retry-After
// are kept to; no cookie, password or referrer is sent.
//
// Reading bytes is left to package extract, finding words in them to others.
package archive

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"time"

	"research-council/internal/extract"
)

// State says what a reference leads to.
type State string

const (
	Live           State = "live"
	Moved          State = "moved"           // it is elsewhere for good, and was read there
	Blocked        State = "blocked"         // it is there and is not shown to us
	Stale          State = "stale"           // dead, an archived copy exists and was taken
	Gone           State = "gone"            // dead
	LikelyInvented State = "likely-invented" // dead and never archived; only where an archive of the web was asked
	Unreachable    State = "unreachable"     // an outage, a time-out, refused by guard or robots: a reason, never a verdict
)

// Readable reports whether the text of such a source can be searched.
func (s State) Readable() bool { return s == Live || s == Moved || s == Stale }

// Snapshot is what came of one fetch. Strings from the web are cleaned of all
// that is not printable, but they are the web's words.
type Snapshot struct {
	Key       string         `json:"key"`                 // the source's identity
	Asked     string         `json:"asked"`               // the reference as it was written
	Final     string         `json:"final,omitempty"`     // the address the bytes came from
	Redirects []string       `json:"redirects,omitempty"` // the addresses before it, in order
	State     State          `json:"state"`
	Reason    string         `json:"reason,omitempty"` // for people, one line; "" for Live alone
	Status    int            `json:"status,omitempty"` // of HTTP, of the last answer; 0 when there was none
	Fetched   time.Time      `json:"fetched"`
	Header    []string       `json:"header,omitempty"` // the last answer's, "Name: value", in order of names
	MIME      string         `json:"mime,omitempty"`
	Charset   string         `json:"charset,omitempty"`
	Title     string         `json:"title,omitempty"`
	Authors   []string       `json:"authors,omitempty"`
	Published string         `json:"published,omitempty"` // as a date of ISO 8601, or as the page has it
	Extractor string         `json:"extractor,omitempty"`
	Body      string         `json:"body,omitempty"` // SHA-256 of the bytes once decoded, hexadecimal; "" when none came
	Text      string         `json:"text,omitempty"` // SHA-256 of the text; "" unless State.Readable
	Bytes     int64          `json:"bytes,omitempty"`
	Chars     int64          `json:"chars,omitempty"` // bytes of the text
	Parts     []extract.Part `json:"parts,omitempty"` // what of the text is article, what stands around it
	Warnings  []string       `json:"warnings,omitempty"`
	Record    *Record        `json:"record,omitempty"` // nil when no registry knows it, or none was asked
}

// Aside reports whether a passage of the text stands outside the article: in
// a menu, a comment, a footer. Both are bytes, end exclusive.
func (s Snapshot) Aside(start, end int) bool {
	for _, p := range s.Parts {
		if p.Kind == extract.Aside && start >= p.Start && end <= p.End {
			return true
		}
	}
	return false
}

// Record is what a registry of papers says of one.
type Record struct {
	Title     string   `json:"title"`
	Authors   []string `json:"authors,omitempty"` // "Given Family"
	Year      int      `json:"year,omitempty"`    // 0 when unknown
	Retracted bool     `json:"retracted,omitempty"`
	Notice    string   `json:"notice,omitempty"` // what the registry says of retraction, correction or concern
	Source    string   `json:"source"`           // which registry: crossref or arxiv
}

// Options say how to fetch. The zero value fetches nothing private, asks no
// registry and no archive of the web, and leaves the limits at their defaults.
type Options struct {
	UserAgent    string
	AllowPrivate []string // host names (also "*.example"), addresses or CIDRs that may be private or on any port

	// Base URLs without a slash at the end; "" is not asked.
	Wayback  string // as https://web.archive.org
	Crossref string // as https://api.crossref.org
	ArXiv    string // as https://export.arxiv.org
	DOI      string // as https://doi.org

	Timeout time.Duration // for one attempt, redirects and body included; 0 is 30 s
	PerHost int           // requests at once to one host, by all processes of the archive; 0 is 2
	Pace    time.Duration // between two requests to one host; 0 is 250 ms, negative is none
	Retries int           // of an attempt that met 429, 503 or a fault of the network; 0 is 2, negative is none
	Again   time.Duration // after which a failure is tried again; 0 is 10 minutes

	// PDF, where it is given, reads a PDF better than extract does. An error
	// or no text leaves it to extract.
	PDF func(ctx context.Context, body []byte) (string, error)

	// What tests put in place of the machine's: the clock, waiting, and where
	// a host's name leads. The guard looks at the addresses all the same.
	Clock   func() time.Time
	Wait    func(context.Context, time.Duration) error
	Resolve func(ctx context.Context, host, port string) ([]netip.AddrPort, error)
}

// Archive is a folder of snapshots. It may be used by many goroutines, and one
// folder by several processes at once.
type Archive struct{}

// Damage is something in an archive that is not what it was.
type Damage struct {
	Path string // relative to the archive
	Line int    // of the index, from 1; 0 elsewhere
	Key  string // the source it belongs to
	What string
}

var errNotBuilt = errors.New("not built yet")

// Open opens or creates an archive in a folder.
func Open(dir string, o Options) (*Archive, error) { return nil, errNotBuilt }

// Fetch gives the snapshot of a source: the stored one, or a new one where
// there is none, or where the stored one is a failure of some age. An error is
// one of the archive or of ctx, never of the source.
func (a *Archive) Fetch(ctx context.Context, ref string) (Snapshot, error) {
	return Snapshot{}, errNotBuilt
}

// Refetch fetches a source whatever is stored. Where its text is another than
// before, a warning says so.
func (a *Archive) Refetch(ctx context.Context, ref string) (Snapshot, error) {
	return Snapshot{}, errNotBuilt
}

// Lookup gives the newest snapshot of a source.
func (a *Archive) Lookup(key string) (Snapshot, bool) { return Snapshot{}, false }

// Snapshots gives the newest snapshot of each source, in the order in which
// they were first fetched.
func (a *Archive) Snapshots() []Snapshot { return nil }

// Text gives the text of a snapshot.
func (a *Archive) Text(s Snapshot) (string, error) { return "", errNotBuilt }

// Bytes gives the bytes of a snapshot.
func (a *Archive) Bytes(s Snapshot) ([]byte, error) { return nil, errNotBuilt }

// Check holds everything stored against its hash.
func (a *Archive) Check() []Damage { return nil }

// WriteWARC writes all snapshots as one file of WARC 1.1.
func (a *Archive) WriteWARC(w io.Writer) error { return errNotBuilt }

// Mismatch says in what a citation differs from the record, or "".
func (r Record) Mismatch(title string, authors []string, year int) string { return "" }
