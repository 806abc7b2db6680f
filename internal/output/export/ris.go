package export

import (
	"strings"

	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/evidence/source"
)

// ris writes the references in the format of Research Information Systems:
// lines of a tag of two letters, two blanks, a dash, a blank and the value,
// each ended by CR and LF.
func (e *parsedPublication) ris() []byte {
	var b strings.Builder
	for _, r := range e.references {
		add := func(tag, value string) {
			if value = line(value); value != "" {
				b.WriteString(tag + "  - " + value + "\r\n")
			}
		}
		add("TY", r.risType())
		add("ID", r.Key)
		add("TI", r.Name)
		for _, p := range r.authors() {
			add("AU", p.ris())
		}
		add("PY", r.Source.year())
		switch r.ID.Kind {
		case source.DOI:
			add("DO", r.identifier())
		case source.ISBN:
			add("SN", r.identifier())
		case source.ArXiv, source.PMC, source.PMID, source.RFC:
			add("M1", strings.ToUpper(string(r.ID.Kind))+" "+r.identifier())
		}
		add("UR", r.address())
		if !r.Source.Fetched.IsZero() {
			add("Y2", r.Source.Fetched.UTC().Format("2006/01/02"))
		}
		add("N1", r.notes())
		add("C1", provenance.Line(e.ID)) // the first of the fields that are everybody's own
		b.WriteString("ER  - \r\n\r\n")
	}
	return []byte(b.String())
}

func (r *reference) risType() string {
	switch r.ID.Kind {
	case source.DOI, source.PMC, source.PMID:
		return "JOUR"
	case source.ArXiv:
		return "UNPB"
	case source.ISBN:
		return "BOOK"
	case source.RFC:
		return "STAND"
	case source.URL:
		return "ELEC"
	}
	return "GEN"
}

// ris writes a name. A comma parts the family name from the rest.
func (p person) ris() string {
	if p.Literal != "" {
		return strings.ReplaceAll(p.Literal, ",", "")
	}
	return p.Family + ", " + p.Given
}
