package campaignwork

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// A judge is shown the change, and what was counted of it.

// maxPatchBytes bounds what of a change a critic is shown, in bytes of each part.
const maxPatchBytes = 96 << 10

// dossier is what a critic is shown of a change.
func (s *gate) dossier(ctx context.Context, l testedChange, shown string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s", plain.Line(l.ID+": "+l.Name, 300), quotedSection("The feature, as the list has it", l.Description))
	fmt.Fprintf(&b, "## Counted by the program\n\n- command: `%s`\n- before: %s\n- now: %s\n- acceptance: %s\n", s.testCommand(), l.before, l.after, shown)
	if text := s.uncountedNote(l.after.Result); text != "" {
		fmt.Fprintf(&b, "- Tests are not counted here%s. Whether one was lost has to be seen from the change.\n", text)
	}
	for _, part := range []struct {
		what  string
		names []string
	}{
		{"LOST: ran before and are not there now", l.change.Lost},
		{"SKIPPED: ran before and do not now", l.change.Skipped},
		{"moved", moved(l.change.Moved)},
		{"new", l.change.Added},
		{"red before and now", l.change.Red},
		{"red before, green now", l.change.Fixed},
	} {
		if len(part.names) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", part.what, strings.Join(part.names[:min(len(part.names), 200)], "; "))
		}
	}
	b.WriteString("\n" + quotedSection("What the worker says of it", l.note.Summary))
	tests := l.testFiles()
	var judging, rest []string
	for _, f := range l.work.Files {
		if slices.Contains(tests, f) {
			judging = append(judging, f.Path)
			continue
		}
		rest = append(rest, f.Path)
	}
	for _, part := range []struct {
		heading string
		paths   []string
	}{{"The change in tests, and in what they are held against", judging}, {"The change in everything else", rest}} {
		patch, err := boundedPatch(ctx, l, part.paths)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s", quotedSection(part.heading, patch))
	}
	return b.String(), nil
}

func boundedPatch(ctx context.Context, l testedChange, paths []string) (string, error) {
	patch, err := l.project.Patch(ctx, l.work, paths)
	if err != nil || len(patch) <= maxPatchBytes {
		return string(patch), err
	}
	return fmt.Sprintf("%s\n… %d bytes more: read the files themselves: %s", patch[:maxPatchBytes], len(patch)-maxPatchBytes, listNames(paths)), nil
}

func moved(names map[string]string) []string {
	var list []string
	for _, from := range slices.Sorted(maps.Keys(names)) {
		list = append(list, from+" to "+names[from])
	}
	return list
}

// quotedSection is a foreign text under a heading.
func quotedSection(heading, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return fmt.Sprintf("## %s\n\n%s\n\n", heading, agent.FenceText("data", text))
}
