package survey

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
)

// How much of a list is written for people; the rest is counted.
const (
	maxRows    = 30
	maxSkipped = 10 // examples of each reason
)

// FileList writes file-list.txt: one reviewed file a line as [Quote] writes it,
// in the order given.
func FileList(files []File) []byte {
	var b bytes.Buffer
	for _, f := range files {
		if f.Reviewed() {
			b.WriteString(Quote(f.Path))
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// ReadFileList reads what [FileList] wrote.
func ReadFileList(text []byte) ([]string, error) {
	var paths []string
	for line := range bytes.Lines(text) {
		s := strings.TrimRight(string(line), "\r\n")
		if s == "" {
			continue
		}
		p, err := Unquote(s)
		if err != nil {
			return nil, fmt.Errorf("read the list of files: %w", err)
		}
		paths = append(paths, p)
	}
	return paths, nil
}

// Discovery writes discovery.md: what the repository is made of, what is
// reviewed, and what is left out and why.
func Discovery(m Map) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Discovery\n\n")
	m.writeHead(&b)
	m.writeLanguages(&b)
	m.writeFolders(&b)
	m.writeEntries(&b)
	m.writeRiskiest(&b)
	m.writeChurn(&b)
	m.writeSkipped(&b)
	return b.Bytes()
}

func (m Map) writeHead(b *bytes.Buffer) {
	files, lines := 0, 0
	for _, f := range m.Files {
		if f.Reviewed() {
			files, lines = files+1, lines+f.Lines
		}
	}
	if m.Name != "" {
		fmt.Fprintf(b, "- Project: %s\n", Code(m.Name))
	}
	if m.Commit != "" {
		fmt.Fprintf(b, "- Commit: %s%s\n", Code(m.Commit), m.branchText())
	}
	if m.Since != "" {
		fmt.Fprintf(b, "- Only files changed since %s\n", Code(m.Since))
	}
	fmt.Fprintf(b, "- Files: %d, of them reviewed %d with %d lines, left out %d\n", len(m.Files), files, lines, len(m.Files)-files)
	if m.History != "" {
		fmt.Fprintf(b, "- History: %s\n", Plain(m.History))
	}
	for _, note := range m.Notes {
		fmt.Fprintf(b, "- %s\n", Plain(note))
	}
	if files == 0 {
		b.WriteString("\nThere is nothing to review.\n")
	}
}

func (m Map) branchText() string {
	s := ""
	if m.Branch != "" {
		s = " on " + Code(m.Branch)
	}
	if m.Dirty {
		s += ", with changes that are not committed"
	}
	return s
}

// tableRow is a row of a table: files that have something in common.
type tableRow struct {
	name  string
	files int
	lines int
}

// tableRows counts reviewed files by name, the most lines first.
func tableRows(files []File, name func(File) string) []tableRow {
	by := map[string]*tableRow{}
	for _, f := range files {
		if !f.Reviewed() {
			continue
		}
		n := name(f)
		if by[n] == nil {
			by[n] = &tableRow{name: n}
		}
		by[n].files++
		by[n].lines += f.Lines
	}
	return slices.SortedFunc(func(yield func(tableRow) bool) {
		for t := range maps.Values(by) {
			if !yield(*t) {
				return
			}
		}
	}, func(a, b tableRow) int {
		return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(b.files, a.files), strings.Compare(a.name, b.name))
	})
}

func (m Map) writeLanguages(b *bytes.Buffer) {
	rows := tableRows(m.Files, func(f File) string { return f.Language })
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Languages\n\n| Language | Files | Lines |\n|---|---:|---:|\n")
	writeTallies(b, rows, Plain)
}

func (m Map) writeFolders(b *bytes.Buffer) {
	rows := tableRows(m.Files, File.Folder)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Folders\n\n| Folder | Files | Lines |\n|---|---:|---:|\n")
	writeTallies(b, rows, Code)
}

func writeTallies(b *bytes.Buffer, rows []tableRow, name func(string) string) {
	for _, t := range rows[:min(len(rows), maxRows)] {
		fmt.Fprintf(b, "| %s | %d | %d |\n", name(t.name), t.files, t.lines)
	}
	rest := tableRow{}
	for _, t := range rows[min(len(rows), maxRows):] {
		rest.files, rest.lines = rest.files+t.files, rest.lines+t.lines
	}
	if n := len(rows) - maxRows; n > 0 {
		fmt.Fprintf(b, "| %d more | %d | %d |\n", n, rest.files, rest.lines)
	}
}

func (m Map) writeEntries(b *bytes.Buffer) {
	var rows []string
	for _, f := range m.Files {
		if f.Reviewed() && f.Entry != "" {
			rows = append(rows, fmt.Sprintf("- %s: %s\n", Code(f.Path), Plain(f.Entry)))
		}
	}
	if len(rows) > 0 {
		slices.Sort(rows)
		b.WriteString("\n## Entry points\n\n")
		writeRows(b, rows, maxRows)
	}
}

// writeRows writes the first rows of a list, and how many there are more.
func writeRows(b *bytes.Buffer, rows []string, most int) {
	for _, row := range rows[:min(len(rows), most)] {
		b.WriteString(row)
	}
	if n := len(rows) - most; n > 0 {
		fmt.Fprintf(b, "- and %d more\n", n)
	}
}

func (m Map) writeRiskiest(b *bytes.Buffer) {
	ranked := slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return !f.Reviewed() || f.Risk == 0 })
	ranked = byRisk(ranked)
	if len(ranked) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Riskiest files\n\n| Risk | File | Why |\n|---:|---|---|\n")
	for _, f := range ranked[:min(len(ranked), maxRows)] {
		fmt.Fprintf(b, "| %.1f | %s | %s |\n", f.Risk, Code(f.Path), Plain(strings.Join(f.Reasons, "; ")))
	}
}

func (m Map) writeChurn(b *bytes.Buffer) {
	changed := slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return !f.Reviewed() || f.Churn == 0 })
	slices.SortFunc(changed, func(a, b File) int {
		return cmp.Or(cmp.Compare(b.Churn, a.Churn), strings.Compare(a.Path, b.Path))
	})
	if len(changed) == 0 {
		return
	}
	b.WriteString("\n## Changed most\n\n")
	for _, f := range changed[:min(len(changed), maxSkipped)] {
		fmt.Fprintf(b, "- %s: %s\n", Code(f.Path), plural.Of(f.Churn, "commit"))
	}
}

func (m Map) writeSkipped(b *bytes.Buffer) {
	by := map[string][]string{}
	for _, f := range m.Files {
		if !f.Reviewed() {
			by[f.Skip] = append(by[f.Skip], fmt.Sprintf("- %s: %s\n", Code(f.Path), Plain(strings.Join(f.Reasons, "; "))))
		}
	}
	if len(by) == 0 {
		return
	}
	b.WriteString("\n## Left out\n")
	for _, skip := range slices.Sorted(maps.Keys(by)) {
		rows := by[skip]
		slices.Sort(rows)
		fmt.Fprintf(b, "\n### %s (%d)\n\n", Plain(skip), len(rows))
		writeRows(b, rows, maxSkipped)
	}
}

// BatchPlan writes batch-plan.md: the batches in the order of review, with
// their files.
func BatchPlan(batches []Batch) []byte {
	var b bytes.Buffer
	files, lines := 0, 0
	for _, batch := range batches {
		files, lines = files+len(batch.Files), lines+batch.Lines
	}
	fmt.Fprintf(&b, "# Batch plan\n\nBatches: %d, files: %d, lines: %d. The riskiest come first; every file is in exactly one batch.\n", len(batches), files, lines)
	for _, batch := range batches {
		fmt.Fprintf(&b, "\n## Batch %d\n\n%s, %s, risk %.1f\n\n", batch.Number, plural.Of(len(batch.Files), "file"), plural.Of(batch.Lines, "line"), batch.Risk)
		for _, f := range batch.Files {
			fmt.Fprintf(&b, "- %s: %s, risk %.1f\n", Code(f.Path), plural.Of(f.Lines, "line"), f.Risk)
		}
	}
	return b.Bytes()
}
