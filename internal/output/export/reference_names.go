package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Lengths of what a reference's key is made of: readable letters of the
// source's identity, and hexadecimal digits of its hash.
const (
	keyWords = 40
	keyHash  = 8
)

// newKey gives a source a key for BibTeX. It follows from the source's identity
// alone, so that it is the same in every export and every run; where two would
// have one key, the later gets its whole hash.
func (e *parsedPublication) newKey(s source.Source) string {
	sum := sha256.Sum256([]byte(s.Key))
	digits := hex.EncodeToString(sum[:])
	key := slug(s.Key) + "-" + digits[:keyHash]
	if e.names[key] {
		key = slug(s.Key) + "-" + digits
	}
	e.names[key] = true
	return key
}

// slug keeps letters and digits of ASCII, with a dash for what is between.
func slug(s string) string { return cmp.Or(plain.Slug(s, keyWords), "source") }

// person is an author. A name that may be that of a group is not taken apart.
type person struct {
	Family, Given string
	Literal       string // the whole name, where it is not known what it is made of
}

// authors reads the authors of a source. "Family, Given" is a person anywhere;
// registries of papers write "Given Family", and what a page says may be the
// name of anything.
func (r *reference) authors() []person {
	paper := false
	switch r.ID.Kind {
	case source.DOI, source.ArXiv, source.PMC, source.PMID:
		paper = true
	}
	var list []person
	for _, name := range r.Source.Authors {
		list = append(list, personOf(name, paper))
	}
	return list
}

func personOf(name string, paper bool) person {
	family, given, found := strings.Cut(name, ", ")
	if found && family != "" && given != "" && !strings.Contains(given, ",") && !isGroupName(family, given) {
		return person{Family: family, Given: given}
	}
	words := strings.Fields(name)
	if !paper || len(words) < 2 || len(words) > 4 || strings.Contains(name, ",") {
		return person{Literal: name}
	}
	last := len(words) - 1
	return person{Family: words[last], Given: strings.Join(words[:last], " ")}
}

// isGroupName reports whether what looks like "Family, Given" is the name of a group.
func isGroupName(family, given string) bool {
	family, given = " "+strings.ToLower(family)+" ", strings.Trim(strings.ToLower(given), ".")
	return strings.Contains(family, " and ") || strings.Contains(family, "&") ||
		slices.Contains([]string{"inc", "ltd", "llc", "corp", "co", "gmbh", "ag", "plc", "s.a", "b.v"}, given)
}

// identifier is a source's number within its kind, as the DOI of one.
func (r *reference) identifier() string {
	_, id, _ := strings.Cut(r.ID.Key, ":")
	return id
}

// address is where a source is, fit to stand unquoted in LaTeX and RIS; "" when it
// is nowhere.
func (r *reference) address() string { return encodeField(r.ID.URL) }

// encodeField encodes what cannot stand in a field that readers take as it is,
// such as an address or a DOI: braces that would end it, bytes beyond ASCII.
func encodeField(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c <= ' ' || c >= 0x7f || strings.IndexByte("{}\\^`|<>\"", c) >= 0:
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// notes says what became of fetching a source, what is held against it and what
// is kept of it.
func (r *reference) notes() string {
	return strings.Join(slices.DeleteFunc([]string{r.remarks(), r.archivedBytes()}, func(s string) bool { return s == "" }), "; ")
}

// remarks are what is held against a source, and why it was not fetched.
func (r *reference) remarks() string {
	var parts []string
	s := r.Source
	if s.Retracted {
		parts = append(parts, "RETRACTED")
	}
	if s.Notice != "" {
		parts = append(parts, s.Notice)
	}
	if s.State != "" && s.State != "live" {
		parts = append(parts, strings.TrimSuffix(s.State+": "+s.Reason, ": "))
	}
	return strings.Join(parts, "; ")
}

// archivedBytes names the bytes that are kept of a source.
func (r *reference) archivedBytes() string {
	if !isHash(r.Source.Body) {
		return ""
	}
	return "archived as SHA-256 " + r.Source.Body
}

func isHash(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 2*sha256.Size
}
