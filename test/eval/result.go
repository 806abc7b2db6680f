package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Result is what a part has measured.
type Result struct {
	Inputs  string   `json:"inputs,omitempty"` // what was measured on: sizes, seeds
	Tables  []Table  `json:"tables,omitempty"`
	Text    string   `json:"text,omitempty"` // of a part that writes its own tables
	Bars    []Bar    `json:"bars,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Seconds float64  `json:"seconds"`
}

// Table is a table of the document.
type Table struct {
	Head []string   `json:"head"`
	Rows [][]string `json:"rows"`
}

// Bar is a promise and what was measured of it.
type Bar struct {
	What  string `json:"what"`
	Bar   string `json:"bar"`
	Got   string `json:"got"`
	Holds bool   `json:"holds"`
}

// Missed says which bars do not hold.
func (r Result) Missed(name string) error {
	var list []error
	for _, b := range r.Bars {
		if !b.Holds {
			list = append(list, fmt.Errorf("%s: %s is %s, the bar is %s", name, b.What, b.Got, b.Bar))
		}
	}
	if strings.Contains(r.Text, "**missed**") {
		list = append(list, fmt.Errorf("%s: a bar of its own tables is missed", name))
	}
	return errors.Join(list...)
}

// Markdown writes the result for the document. What differs between machines
// and hours, the time it took, is left out.
func (r Result) Markdown() string {
	var b strings.Builder
	if r.Inputs != "" {
		b.WriteString(r.Inputs + "\n\n")
	}
	if len(r.Bars) > 0 {
		t := Table{Head: []string{"promise", "bar", "measured", ""}}
		for _, bar := range r.Bars {
			t.Rows = append(t.Rows, []string{bar.What, bar.Bar, bar.Got, map[bool]string{true: "holds", false: "**missed**"}[bar.Holds]})
		}
		b.WriteString(t.Markdown())
	}
	for _, t := range r.Tables {
		b.WriteString("\n" + t.Markdown())
	}
	b.WriteString(r.Text)
	for _, n := range r.Notes {
		b.WriteString("\n" + n + "\n")
	}
	return b.String()
}

// Markdown writes a table.
func (t Table) Markdown() string {
	var b strings.Builder
	row := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.NewReplacer("|", "\\|", "\n", " ").Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	row(t.Head)
	b.WriteString(strings.Repeat("|---", len(t.Head)) + "|\n")
	for _, r := range t.Rows {
		row(r)
	}
	return b.String()
}

// document puts the results into the marked parts of a document. A part
// without a result stays as it is.
func document(path, results string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("update the document: %w", err)
	}
	text := string(data)
	for _, p := range parts() {
		measured, err := os.ReadFile(filepath.Join(results, p.name+".md"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("update the document: %w", err)
		}
		text, err = insert(text, p.name, string(measured))
		if err != nil {
			return fmt.Errorf("update %s: %w", path, err)
		}
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// insert replaces what stands between the marks of a part.
func insert(text, name, measured string) (string, error) {
	begin, end := "<!-- eval: "+name+" -->", "<!-- end of "+name+" -->"
	between := regexp.MustCompile(`(?s)` + regexp.QuoteMeta(begin) + `.*?` + regexp.QuoteMeta(end))
	if !between.MatchString(text) {
		return "", fmt.Errorf("it has no marks for %s", name)
	}
	return between.ReplaceAllLiteralString(text, begin+"\n"+strings.TrimSpace(measured)+"\n"+end), nil
}

// share writes a part of a whole in percent.
func share(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(part)/float64(whole))
}
