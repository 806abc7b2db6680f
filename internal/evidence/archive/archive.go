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
// it, and never the services by which clouds tell secrets. Behind a proxy, which
// looks names up itself, the guard judges the address as it is written and what
// the name leads to from here, where it leads anywhere. Sizes, times and decompression are bounded; robots.txt and Retry-After
// are kept to; no cookie, password or referrer is sent.
//
// Reading bytes is left to package extract, finding words in them to others.
package archive

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/proxy"
	"github.com/research-council/research-council/internal/evidence/extract"
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
	Status    int            `json:"status,omitempty"` // of HTTP, of the source's last answer; 0 when there was none
	Fetched   time.Time      `json:"fetched"`
	Header    []string       `json:"header,omitempty"` // of the answer with the bytes, "Name: value", in order of names
	MIME      string         `json:"mime,omitempty"`
	Charset   string         `json:"charset,omitempty"`
	Title     string         `json:"title,omitempty"`
	Authors   []string       `json:"authors,omitempty"`
	Published string         `json:"published,omitempty"` // as a date of ISO 8601, or as the page has it
	DOI       string         `json:"doi,omitempty"`       // the page's own, from its metadata
	Extractor string         `json:"extractor,omitempty"`
	Body      string         `json:"body,omitempty"` // SHA-256 of the bytes once decoded, hexadecimal; "" when none came
	Text      string         `json:"text,omitempty"` // SHA-256 of the text; "" when there is none to search
	Bytes     int64          `json:"bytes,omitempty"`
	Chars     int64          `json:"chars,omitempty"` // bytes of the text
	Parts     []extract.Part `json:"parts,omitempty"` // what of the text is article, what stands around it
	Pages     []int          `json:"pages,omitempty"` // where in the text each page of a PDF begins, in bytes
	Warnings  []string       `json:"warnings,omitempty"`
	Rendered  *Rendered      `json:"rendered,omitempty"` // nil when the text was read from the bytes that came
	Version   *Version       `json:"version,omitempty"`  // nil where it is what its address leads to, or not known
	Record    *Record        `json:"record,omitempty"`   // nil when no registry knows it, or none was asked
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

// WasRead reports whether the text was got out of a document, and is not a file of the
// scope as it lies.
func (s Snapshot) WasRead() bool { return s.Extractor != "" }

// Page is the page of a PDF, from 1, on which a byte of the text stands; 0 of what has
// no pages.
func (s Snapshot) Page(at int) int {
	n, exact := slices.BinarySearch(s.Pages, at)
	for exact && n+1 < len(s.Pages) && s.Pages[n+1] == at { // pages without text begin where the next does
		n++
	}
	if exact {
		n++
	}
	return n
}

// Changed begins the warning of a snapshot whose text is another than the one
// before it.
const Changed = "changed"

// Partial gives the warning, if there is one, that says that the text is not
// all of the source: what is not in it may stand in the source all the same.
func (s Snapshot) Partial() (string, bool) {
	for _, kind := range []string{
		extract.Paywall, extract.Truncated, extract.Damaged, extract.SoftNotFound, extract.SearchResults, extract.NoText, extract.Garbled,
	} {
		for _, w := range s.Warnings {
			if extract.HasWarning([]string{w}, kind) {
				return w, true
			}
		}
	}
	return "", false
}

// Record is what a registry of papers says of one.
type Record struct {
	Title     string   `json:"title"`
	Authors   []string `json:"authors,omitempty"` // "Given Family"
	Year      int      `json:"year,omitempty"`    // 0 when unknown
	Retracted bool     `json:"retracted,omitempty"`
	Notice    string   `json:"notice,omitempty"` // what the registry says of retraction, correction or concern
	Source    string   `json:"source"`           // which registry: crossref, arxiv, or doi for another agency's
}

// Options say how to fetch. The zero value fetches nothing private, asks no
// registry and no archive of the web, and leaves the limits at their defaults.
type Options struct {
	UserAgent    string
	AllowPrivate []string // host names (also "*.example"), addresses or CIDRs that may be private or on any port

	// Proxy is what the machine's ways to the world are; the zero value is none.
	// Behind one the guard judges what can be told from here.
	Proxy proxy.Setting

	// Base URLs; "" is not asked.
	Wayback  string // as https://web.archive.org, or https://archive.org for the same
	Crossref string // as https://api.crossref.org
	ArXiv    string // as https://export.arxiv.org
	DOI      string // as https://doi.org; also asked for records that Crossref does not have
	GitHub   string // as https://api.github.com; asked for the commits at which files are read

	// Base URLs of services that know open copies of papers which cannot be read;
	// Unpaywall is asked only with an address of mail, as it wants one.
	OpenAlex  string // as https://api.openalex.org
	Unpaywall string // as https://api.unpaywall.org
	EuropePMC string // as https://www.ebi.ac.uk/europepmc/webservices/rest; it has the texts of papers in PubMed Central
	Contact   string // the address of mail

	Timeout time.Duration // for one request, its body included; 0 is 30 s
	PerHost int           // requests at once to one host, by all processes of the archive; 0 is 2
	Pace    time.Duration // between two requests to one host; 0 is 250 ms, negative is none
	Retries int           // after an attempt that met 429, 503 or a fault of the network; 0 is 2, negative is none
	Again   time.Duration // after which a failure is tried again; 0 is 10 minutes

	// Read gets the text out of what came, one source at a time; nil does it in
	// this process, with nothing between a page and our memory.
	Read Reader

	// PDF, where it is given, reads a PDF better than extract does. An error
	// or no text leaves it to extract.
	PDF func(ctx context.Context, body []byte) (string, error)

	// Render runs the scripts of pages that have no text without them; nil where
	// nobody can, and NotRendered says why.
	Render      Renderer
	NotRendered string

	// Own, where it is given, is asked for a source before the web is: documents that a
	// person keeps, read already.
	Own Shelf

	// What tests put in place of the machine's: the clock, waiting, and where
	// a host's name leads. The guard looks at the addresses all the same.
	Clock   func() time.Time
	Wait    func(context.Context, time.Duration) error
	Resolve func(ctx context.Context, host, port string) ([]netip.AddrPort, error)
}

// Shelf holds documents that were read before.
type Shelf interface {
	// Document gives the one that a key is the identity of, or false.
	Document(key string) (Document, bool, error)
}

// Document is a source that was read before: what is known of it, its bytes and its
// text, under whose hashes it is kept.
type Document struct {
	Snapshot
	Data  []byte
	Words string
}

// withDefaults is the options with the defaults in place.
func (o Options) withDefaults() Options {
	o.AllowPrivate = slices.Clone(o.AllowPrivate)
	for _, base := range []*string{&o.Wayback, &o.Crossref, &o.ArXiv, &o.OpenAlex, &o.Unpaywall, &o.EuropePMC, &o.GitHub, &o.DOI} {
		*base = strings.TrimRight(*base, "/")
	}
	o.Wayback = strings.Replace(o.Wayback, "://archive.org", "://web.archive.org", 1)
	if o.UserAgent == "" {
		o.UserAgent = "research-council"
	}
	setDefault(&o.Timeout, 30*time.Second)
	setDefault(&o.PerHost, 2)
	setDefault(&o.Pace, 250*time.Millisecond)
	setDefault(&o.Retries, 2)
	setDefault(&o.Again, 10*time.Minute)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Wait == nil {
		o.Wait = sleep
	}
	return o
}

func setDefault[T comparable](v *T, fallback T) {
	var zero T
	if *v == zero {
		*v = fallback
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
