package council_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/handbook"
	"github.com/research-council/research-council/internal/project/survey"
)

// The reviewers of code are shown what to write; here it is held to what the
// program reads.

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// section is the text below a heading of the second level.
func section(t *testing.T, file, heading string) string {
	t.Helper()
	_, after, found := strings.Cut(text(t, file), "\n## "+heading+"\n")
	require.True(t, found, "%s has a section %q", file, heading)
	below, _, _ := strings.Cut(after, "\n## ")
	return strings.TrimSpace(below)
}

// objects are the lines of a text that are JSON objects.
func objects(text string) []string {
	return regexp.MustCompile(`(?m)^\{".*\}$`).FindAllString(text, -1)
}

// example is a piece of code that a text shows, as the file it is said to be
// from would hold it.
type example struct{ file, text string }

var fence = regexp.MustCompile("(?s)\n```[a-z]+\n\\S+ (example/\\S+), from line (\\d+)\n(.*?)```\n")

func examples(t *testing.T, text string) []example {
	t.Helper()
	var list []example
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		from, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		list = append(list, example{m[1], strings.Repeat("\n", from-1) + m[3]})
	}
	require.Equal(t, strings.Count(text, "\n```")/2, len(list), "each piece of code says where it is from")
	return list
}

func TestTheReviewersHaveTheirParts(t *testing.T) {
	for _, name := range finding.Reviewers() {
		rest := text(t, "agents/"+name+".md")
		for _, part := range []string{
			"\n## What you look for\n", "\n## What is no finding\n", "\n## How to read a batch\n", "\n## Severity and confidence\n",
			"\n## What you write\n", "`" + marker.CompleteMarker + "`", "\n## Examples\n", "No finding.", "\n## Before you end\n",
			"disprove it", "Would you bet on it?", "is data", "is an instruction to you",
		} {
			_, after, found := strings.Cut(rest, part)
			require.True(t, found, "%s: %q, in its order", name, part)
			rest = after
		}
	}
}

// What holds for all reviewers is said to each in the same words.
func TestTheReviewersAreToldTheSame(t *testing.T) {
	first := "agents/" + finding.Reviewers()[0] + ".md"
	for _, name := range finding.Reviewers() {
		file := "agents/" + name + ".md"
		for _, heading := range []string{"How to read a batch", "What you write"} {
			require.Equal(t, section(t, first, heading), section(t, file, heading), "%s: %s", name, heading)
		}
		severity := func(file string) []string {
			return regexp.MustCompile("(?m)^- `.*$").FindAllString(section(t, file, "Severity and confidence"), -1)
		}
		require.Equal(t, severity(first), severity(file), name)
		require.Contains(t, section(t, file, "What is no finding"), strings.Join(finding.Reviewers(), ", "))
	}
}

func TestTheReviewersKnowTheProgramsWords(t *testing.T) {
	defined := regexp.MustCompile("(?m)^- `([A-Za-z]+)`:")
	for _, name := range finding.Reviewers() {
		var words []string
		for _, m := range defined.FindAllStringSubmatch(section(t, "agents/"+name+".md", "Severity and confidence"), -1) {
			words = append(words, m[1])
		}
		require.Equal(t, append(finding.Severities(), finding.Confidences()...), words, name)
	}
}

// A reviewer that does as the examples do is understood, and its findings are
// found where they were said to be.
func TestTheExamplesOfReviewersAreFindings(t *testing.T) {
	slug := regexp.MustCompile("`([a-z0-9-]+)`")
	for _, name := range finding.Reviewers() {
		file := "agents/" + name + ".md"
		lines := objects(section(t, file, "Examples"))
		pieces := examples(t, section(t, file, "Examples"))
		require.Len(t, lines, 2, name)
		require.Equal(t, len(lines), len(pieces), "%s: a finding for each piece of code", name)

		list, refused := finding.Decode(strings.NewReader(strings.Join(lines, "\n")), finding.Author{Reviewer: name})
		require.Empty(t, refused, name)
		require.Len(t, list, len(lines), name)
		var known []string
		for _, m := range slug.FindAllStringSubmatch(section(t, file, "What you look for"), -1) {
			known = append(known, m[1])
		}
		for i, f := range list {
			require.Equal(t, finding.KindOf(name), f.Kind, name)
			require.Contains(t, known, f.Category, "%s: it is one of those listed", name)
			require.NotEmpty(t, f.Impact, name)
			require.NotEmpty(t, f.Fix, name)
			require.Equal(t, pieces[i].file, f.File)
			at := finding.Index(pieces[i].text).Locate(f)
			require.Equal(t, finding.Located, at.State, "%s, %s: %s", name, f.Title, at.Reason)
			require.Equal(t, []int{f.Line, f.EndLine}, []int{at.Line, at.EndLine}, f.Title)
			require.LessOrEqual(t, strings.Count(f.Code, "\n"), 11, "%s: twelve lines at most", f.Title)
		}
		require.Empty(t, finding.Merge(list)[0].Also, "%s: each example shows another fault", name)
	}
}

// An example that a reviewer repeats is no finding anywhere: its file is not
// there, and its code stands in no other text of ours.
func TestTheExamplesOfReviewersAreNowhere(t *testing.T) {
	require.NoDirExists(t, "example")
	var list []finding.Finding
	for _, name := range finding.Reviewers() {
		found, _ := finding.Decode(strings.NewReader(strings.Join(objects(text(t, "agents/"+name+".md")), "\n")), finding.Author{Reviewer: name})
		for _, f := range found {
			require.True(t, strings.HasPrefix(f.File, "example/"), f.File)
		}
		list = append(list, found...)
	}
	for _, root := range []string{"agents", "cmd", "commands", "docs", "internal", "prompts", "skills", "test"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			if d.IsDir() || root == "agents" || !d.Type().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			if len(data) > 1<<20 {
				return nil
			}
			at := finding.Index(string(data))
			for _, f := range list {
				found := at.Locate(f)
				require.False(t, found.IsLocated(), "%s stands in %s", f.Title, path)
			}
			return nil
		}))
	}
}

func TestTheExamplesOfDiscoveryAreNotes(t *testing.T) {
	const file = "agents/discovery.md"
	lines := objects(section(t, file, "Examples"))
	require.Len(t, lines, 3)
	notes, refused := handbook.DecodeNotes(strings.NewReader(strings.Join(lines, "\n")))
	require.Empty(t, refused)
	for _, n := range notes {
		require.True(t, strings.HasPrefix(n.Folder+n.File, "example/"), n)
	}
	sound, left := handbook.ValidNotes(notes, func(string) bool { return false })
	require.Empty(t, left)
	require.Equal(t, notes, sound)
	require.NotEmpty(t, notes[0].Conventions)
	require.NotEmpty(t, notes[0].Pitfalls)
	require.NotEmpty(t, notes[2].Note)
	require.Contains(t, section(t, file, "What you write"), "`"+marker.CompleteMarker+"`")
}

func TestTheExamplesOfTheSynthesizerAreRead(t *testing.T) {
	part := section(t, "agents/synthesizer.md", "A review of code")
	lines := objects(part)
	require.Len(t, lines, 4)
	answer, refused := codereview.DecodeSynthesis([]byte(strings.Join(lines, "\n")), "synthesizer")
	require.Empty(t, refused)
	require.Equal(t, finding.SaysFalse, answer.Judgements[0].Verdict)
	require.Equal(t, finding.SaysDuplicate, answer.Judgements[1].Verdict)
	require.Len(t, answer.Themes, 1)
	require.NotRegexp(t, `[0-9]`, answer.Summary, "it counts nothing, as it is told")
	for _, id := range append(answer.Themes[0].Findings, answer.Judgements[0].ID, answer.Judgements[1].ID, answer.Judgements[1].Of) {
		require.True(t, strings.HasPrefix(id, "example-"), "no finding is called so: %s", id)
	}
	require.Contains(t, part, "`"+marker.CompleteMarker+"`")
}

// What the command takes, its hint says, and the host calls the hook for it.
func TestTheCommandThatReviewsIsHeldToTheProgram(t *testing.T) {
	const file = "commands/full-review.md"
	matter := texts(t)[file]
	require.Equal(t, true, matter["disable-model-invocation"], "only a person begins what costs so much")
	hint, _ := matter["argument-hint"].(string)
	for _, f := range request.ReviewFlags() {
		if f.Name != "no-docs" { // another word for --docs off
			require.Contains(t, hint, "[--"+f.Name, "an option that nobody is told of")
		}
	}
	require.Len(t, regexp.MustCompile(`--[a-z-]+`).FindAllString(hint, -1), len(request.ReviewFlags())-1)
	require.Contains(t, hint, "--docs "+strings.Join(codereview.Docs(), "|"))
	require.Contains(t, hint, "--fail-on "+strings.Join(finding.Severities(), "|"))
	require.Contains(t, text(t, "hooks/hooks.json"), `"matcher": "research-council:full-review"`)
	require.NotContains(t, text(t, file), "$ARGUMENTS", "the hook reads them, no model does")
}

func TestTheLimitsOfABatchInTheTextAreTheProgramsOwn(t *testing.T) {
	require.Contains(t, text(t, "skills/council-guide/SKILL.md"),
		fmt.Sprintf("at most %d files or %d,%03d lines", survey.BatchFiles, survey.BatchLines/1000, survey.BatchLines%1000))
}
