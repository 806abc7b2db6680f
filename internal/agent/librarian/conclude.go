package librarian

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/evidence/claim"

	"research-council/internal/base/plural"
)

// sectionsOf says which section of a campaign's report each part of a
// synthesis belongs to; what the program counts itself is left out.
func sectionsOf(heading string) string {
	switch heading {
	case "Executive Summary":
		return "executive-summary"
	case "Areas of Strong Consensus", "Areas of Disagreement or Nuance", "Novel Insights":
		return "analysis"
	case "Remaining Open Questions":
		return "open-questions"
	}
	return ""
}

// concludeTurn writes the prose of a campaign's report: the parts of a synthesis,
// each into its section.
func (d TurnIO) concludeTurn(a assignment, topic string) error {
	texts, err := d.readFiles(a.Inputs)
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		return refusalError("there is no registry to make a report of")
	}
	reg, err := claim.ParseRegistry([]byte(texts[len(texts)-1]))
	if err != nil {
		return refusalError("the registry cannot be read: " + err.Error())
	}
	sections := cutSections(Synthesise(topic, reg.Entries, nil))
	folder := filepath.Join(filepath.Dir(a.Claims), "sections", "report")
	for key, text := range sections {
		if err := d.Write(filepath.Join(folder, key+".md"), text); err != nil {
			return fmt.Errorf("write the section %s: %w", key, err)
		}
	}
	words := fmt.Sprintf("%d sections of %s", len(sections), plural.Of(len(reg.Entries), "claim"))
	if err := d.Write(a.Report, []byte(words+"\n\n"+agent.Marker+"\n")); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return d.writeEvent(event{Type: resulted, Text: words})
}

// cutSections cuts a synthesis into sections.
func cutSections(text []byte) map[string][]byte {
	sections := map[string][]byte{}
	key, heading := "", ""
	for line := range bytes.Lines(text) {
		if title, ok := strings.CutPrefix(string(line), "## "); ok {
			heading = strings.TrimSpace(title)
			if key = sectionsOf(heading); key == "analysis" {
				line = []byte("### " + heading + "\n")
			} else {
				continue
			}
		}
		if key != "" && !bytes.Contains(line, []byte(agent.Marker)) {
			sections[key] = append(sections[key], line...)
		}
	}
	return sections
}
