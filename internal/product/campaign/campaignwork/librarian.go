package campaignwork

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// sectionsOf says which section of a campaign's report each part of a
// synthesis belongs to; "" for what the program says itself.
func sectionsOf(heading string) string {
	switch heading {
	case "Executive Summary":
		return "executive-summary"
	case "Key Findings", "Areas of Strong Consensus":
		return "analysis"
	case "Remaining Open Questions":
		return "open-questions"
	}
	return ""
}

// LibrarianRoles are the parts the librarian plays in campaigns, by name, beyond
// those it plays everywhere.
func LibrarianRoles() map[string]librarian.Role {
	return map[string]librarian.Role{agent.Conclude: arrangeReport}
}

// arrangeReport writes the prose of a campaign's report without a model: the parts
// of a synthesis, each into its section.
func arrangeReport(_ context.Context, t *librarian.Turn) error {
	texts, err := t.Inputs(0)
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		return librarian.Refusal("there is no registry to make a report of")
	}
	reg, err := claim.ParseRegistry([]byte(texts[len(texts)-1]))
	if err != nil {
		return librarian.Refusal("the registry cannot be read: " + err.Error())
	}
	sections := cutSections(librarian.Synthesise(librarian.Question{Topic: t.Topic}, reg.Entries, nil))
	for key, text := range sections {
		if err := t.WriteFile(filepath.Join("sections", "report", key+".md"), text); err != nil {
			return fmt.Errorf("write the section %s: %w", key, err)
		}
	}
	words := fmt.Sprintf("%s of %s", plural.Of(len(sections), "section"), plural.Of(len(reg.Entries), "claim"))
	return t.Report([]byte(words+"\n\n"+agent.Marker+"\n"), words)
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
