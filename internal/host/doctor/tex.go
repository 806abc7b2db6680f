package doctor

import (
	"context"
	"strings"

	"github.com/research-council/research-council/internal/output/tex"
)

// papers says by what PDFs are made. None is needed: the .tex stays.
func (x exam) papers(context.Context) []Check {
	found := tex.Engines(x.env["PATH"])
	if len(found) == 0 {
		return []Check{newCheck("papers", Note, "no TeX is installed: reports stay .tex files and no PDF is made", "install texlive-xetex and texlive-latex-extra (Debian, Ubuntu) or MacTeX (macOS)")}
	}
	if _, err := x.Find("bibtex"); err != nil {
		return []Check{newCheck("papers", Note, strings.Join(found, ", ")+", and no bibtex: citations in PDFs stay question marks", "install the rest of TeX: texlive-binaries (Debian, Ubuntu)")}
	}
	return []Check{okCheck("papers", "PDFs are made by %s", strings.Join(found, ", "))}
}
