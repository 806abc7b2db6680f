package audit

import (
	"strings"

	"github.com/research-council/research-council/internal/evidence/source"
)

// noteCopies notes the pages whose text repeats another's. Of those that share a
// text the first one cited is called the witness: which was written first
// nobody can tell from the texts.
func (a *auditor) noteCopies() {
	texts := map[string]string{}
	for _, s := range a.sources {
		if s.readable && s.Kind != source.File && s.partial() == "" {
			texts[s.Key] = s.text
		}
	}
	of := source.Copies(texts)
	for _, root := range of {
		of[root] = root
	}
	witness := map[string]string{} // of the sources that repeat one
	for _, s := range a.sources {
		root, ok := of[s.Key]
		switch {
		case !ok:
		case witness[root] == "":
			witness[root] = s.Key
		default:
			s.CopyOf = witness[root]
		}
	}
}

// copyFindings are the findings about sources that share a text, one for each
// text.
func (a *auditor) copyFindings() []Finding {
	var out []Finding
	for _, first := range a.sources {
		var names []string
		for _, s := range a.sources {
			if s.CopyOf == first.Key && s.CopyOf != "" {
				names = append(names, s.Name())
			}
		}
		if len(names) == 0 {
			continue
		}
		verb := "repeats"
		if len(names) > 1 {
			verb = "repeat"
		}
		out = append(out, Finding{
			Kind: "copy", Line: first.Line, Key: first.Key, Times: len(names),
			What: strings.Join(names, ", ") + " " + verb + " the text of " + first.Name() + ": they are one witness",
		})
	}
	return out
}
