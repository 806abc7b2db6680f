// Package source says what is cited: one identity for each thing, however it
// was written down.
//
// Two references with the same [Source.Key] are the same source: the abstract
// and the PDF of one paper, a page with and without a tracker in its address,
// two places of one file. A wrong merge hides a source, a missed one only
// counts it twice, so whatever is not known to be the same stays apart: the
// query and the case of a path are kept. Nothing is fetched here, and an
// identity does not say that its source exists.
package source

import (
	"strconv"
	"strings"
	"unicode"
)

// Kind is what sort of identity a source has.
type Kind string

// The kinds, in the order in which they are looked for.
const (
	DOI      Kind = "doi"
	ArXiv    Kind = "arxiv"
	PMC      Kind = "pmc"
	PMID     Kind = "pmid"
	ISBN     Kind = "isbn"
	RFC      Kind = "rfc"
	Standard Kind = "standard" // of ISO, NIST, OWASP, IEEE and others; CWE and CVE
	URL      Kind = "url"
	Commit   Kind = "commit" // owner/repository@hash
	File     Kind = "file"
	Other    Kind = "other" // neither an address, nor a number, nor a path

	Experiment Kind = "experiment" // what a seat of the run has had the program run, experiment:E3
)

// Source is the identity of what a reference points to.
type Source struct {
	Kind Kind
	// Key is the same for all references to one source. It begins with the
	// kind and a colon and holds no control characters.
	Key string
	// Path is the cleaned path of a file, as relative as it was written. It
	// may still lead out of any folder: whoever opens it has to hold it in.
	Path string
	// First and Last are the lines referred to in a file or in the output of an
	// experiment, counted from 1; 0 when none are.
	First, Last int
	// URL is an http or https address to link to, all of it visible ASCII; ""
	// when there is none. [Display] gives the name of its host for people.
	URL string
}

// Identify tells what a reference refers to. Any string may come; an
// unreadable one is of kind Other and keyed by its own words.
func Identify(ref string) Source {
	if s, ok := simple(ref); ok {
		return s
	}
	return identify(cleanReference(ref))
}

func identify(ref string) Source {
	if s, ok := parseExperiment(ref); ok {
		return s
	}
	if s, ok := parseIdentifier(ref); ok {
		return s
	}
	if s, ok := standard(ref); ok {
		return s
	}
	if a, ok := parseAddress(ref); ok {
		return a.identify()
	}
	if s, ok := commit(ref); ok {
		return s
	}
	if s, ok := parseFile(ref); ok {
		return s
	}
	return Source{Kind: Other, Key: string(Other) + ":" + strings.Join(strings.Fields(ref), " ")}
}

// Host is the host, and port, in the key of an address; "" in any other key.
func Host(key string) string {
	rest, ok := strings.CutPrefix(key, string(URL)+":")
	if !ok {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// cleanReference drops what cannot be seen, and the brackets of an autolink.
func cleanReference(ref string) string {
	ref = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, ref)
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "<") && strings.HasSuffix(ref, ">") {
		ref = strings.TrimSpace(ref[1 : len(ref)-1])
	}
	return ref
}

func newSource(kind Kind, id, url string) Source {
	return Source{Kind: kind, Key: string(kind) + ":" + id, URL: url}
}

// parseIdentifier reads the references that are no addresses: doi:…, arXiv:…, PMC…,
// PMID…, ISBN…, RFC… and a bare DOI.
func parseIdentifier(ref string) (Source, bool) {
	lower := strings.ToLower(ref)
	for _, urn := range []string{"urn:ietf:", "urn:", "info:"} {
		if rest, ok := strings.CutPrefix(lower, urn); ok {
			lower = rest
			break
		}
	}
	if rest, ok := cutLabel(lower, "doi"); ok || strings.HasPrefix(lower, "10.") {
		if !ok {
			rest = lower
		}
		return fromDOI(cleanReference(percentDecode(strings.TrimPrefix(rest, "/"))))
	}
	if rest, ok := cutLabel(lower, "arxiv"); ok {
		return fromArXiv(rest)
	}
	if rest, ok := cutLabel(lower, "pmcid"); ok {
		return fromPMC(rest)
	}
	if rest, ok := cutLabel(lower, "pmid"); ok {
		return fromPMID(rest)
	}
	if rest, ok := cutLabel(lower, "isbn"); ok {
		return fromISBN(rest)
	}
	if rest, ok := cutLabel(lower, "rfc"); ok {
		return fromRFC(withoutSection(rest))
	}
	return fromPMC(lower)
}

// cutLabel gives what follows a label and the colon, dash or blanks behind it.
func cutLabel(ref, label string) (string, bool) {
	rest, ok := strings.CutPrefix(ref, label)
	return strings.TrimLeft(rest, ": -"), ok
}

// parseExperiment reads experiment:E3, with or without lines.
func parseExperiment(ref string) (Source, bool) {
	s := Source{Kind: Experiment}
	s.First, s.Last, ref = cutLines(ref)
	id, ok := cutLabel(strings.ToLower(ref), string(Experiment))
	number, numbered := strings.CutPrefix(id, "e")
	number = strings.TrimLeft(number, "0")
	s.Key = string(Experiment) + ":E" + number
	return s, ok && numbered && digits(number, 6)
}

func fromDOI(id string) (Source, bool) {
	id, ok := parseDOI(id, true)
	if !ok {
		return Source{}, false
	}
	if rest, ok := strings.CutPrefix(id, "10.48550/arxiv."); ok {
		if s, ok := fromArXiv(rest); ok {
			return s, true
		}
	}
	return newSource(DOI, id, "https://doi.org/"+doiEscape.Replace(escapePath(id))), true
}

func fromArXiv(id string) (Source, bool) {
	id, ok := arXivID(id)
	return newSource(ArXiv, id, "https://arxiv.org/abs/"+id), ok
}

func fromPMC(id string) (Source, bool) {
	id, ok := strings.CutPrefix(id, "pmc")
	return newSource(PMC, id, "https://pmc.ncbi.nlm.nih.gov/articles/PMC"+id+"/"), ok && digits(id, 9)
}

func fromPMID(id string) (Source, bool) {
	return newSource(PMID, id, "https://pubmed.ncbi.nlm.nih.gov/"+id+"/"), digits(id, 9)
}

func fromRFC(id string) (Source, bool) {
	id = strings.TrimLeft(id, "0")
	return newSource(RFC, id, "https://www.rfc-editor.org/rfc/rfc"+id), digits(id, 5)
}

// digits reports whether s is one to most decimal digits.
func digits(s string, most int) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// fromISBN takes an ISBN-10 or ISBN-13 whose check digit is right; both forms
// of one book have the key of the longer.
func fromISBN(id string) (Source, bool) {
	id = strings.ToUpper(strings.NewReplacer("-", "", " ", "", "‐", "", "‑", "", "–", "").Replace(id))
	for _, label := range []string{"10:", "13:"} {
		id = strings.TrimPrefix(id, label)
	}
	switch {
	case len(id) == 10 && digits(id[:9], 9) && isbn10Check(id[:9]) == id[9]:
		id = "978" + id[:9]
		id += string(isbn13Check(id))
	case len(id) == 13 && digits(id, 13) && isbn13Check(id[:12]) == id[12]:
	default:
		return Source{}, false
	}
	return newSource(ISBN, id, ""), true
}

// isbn10Check is the check character of ISO 2108:1992: weights 10 to 2, modulo
// 11, X for ten.
func isbn10Check(nine string) byte {
	sum := 0
	for i := range len(nine) {
		sum += (10 - i) * int(nine[i]-'0')
	}
	return "0123456789X"[(11-sum%11)%11]
}

// isbn13Check is the check digit of ISO 2108:2005: weights 1 and 3 in turn,
// modulo 10.
func isbn13Check(twelve string) byte {
	sum := 0
	for i := range len(twelve) {
		sum += (1 + i%2*2) * int(twelve[i]-'0')
	}
	return byte('0' + (10-sum%10)%10)
}

// line is a line number, or 0 for what is none.
func line(s string) int {
	s = strings.TrimLeft(s, "lL")
	if !digits(s, 9) {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
