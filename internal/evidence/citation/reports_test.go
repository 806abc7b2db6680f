package citation_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/citation"
)

// specimen is what a report of testdata/reports cites, by somebody who has not
// seen how it is read.
type specimen struct {
	ID, File   string
	Citations  []wantedStatement
	Count      int      `json:"count_statements"`
	Marks      int      `json:"count_marks"`
	Complete   bool     `json:"citations_complete"` // all citations are listed
	Unattached []string `json:"unattached_sources"`
	Traps      []string `json:"not_citations"`
	Defects    []wantedDefect
	Understood bool
}

type wantedStatement struct {
	Begins     string   `json:"statement_begins"`
	Targets    []string // addresses as they are written, each once
	Normalised []string `json:"targets_normalised"`
}

type wantedDefect struct {
	Code     string
	What     string
	Times    int
	Optional bool
}

// faultOf are the faults by which a defect is reported.
var faultOf = map[string]citation.Fault{
	"mark_without_entry":         citation.Dangling,
	"entry_never_cited":          citation.Unused,
	"list_without_marks":         citation.NoMarkers,
	"section_list_without_marks": citation.NoMarkers,
	"unresolvable_mark":          citation.Leftover,
	"number_twice_in_list":       citation.SameLabel,
	"number_with_two_addresses":  citation.SameLabel,
	"ambiguous_mark":             citation.Ambiguous,
	"link_text_shows_other_host": citation.OtherHost,
	"same_url_two_numbers":       citation.Duplicate,
	"source_without_address":     citation.NoAddress,
	"invalid_address":            citation.NoAddress,
	"empty_target":               citation.EmptyLink,
}

func specimens(t *testing.T) []specimen {
	f, err := os.Open(filepath.Join("testdata", "reports", "expected.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	var out []specimen
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s specimen
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		out = append(out, s)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, out)
	return out
}

func (s specimen) parse(t *testing.T) citation.Document {
	text, err := os.ReadFile(filepath.Join("testdata", "reports", s.File))
	require.NoError(t, err)
	d, err := citation.Parse(text, "")
	require.NoError(t, err)
	return d
}

// differences are the ways in which a document differs from what a report
// cites.
func (s specimen) differences(d citation.Document) []string {
	var out []string
	say := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	taken := map[int]bool{}
	for _, want := range s.Citations {
		i := slices.IndexFunc(d.Statements, func(st citation.Statement) bool { return begins(st.Text, want.Begins) })
		if i < 0 {
			say("not read: %q", want.Begins)
			continue
		}
		taken[i] = true
		if got := targets(d, d.Statements[i]); !slices.Equal(got, sorted(want.Targets)) && (want.Normalised == nil || !slices.Equal(got, sorted(want.Normalised))) {
			say("%q leads to %v, not to %v", want.Begins, got, want.Targets)
		}
	}
	marks := 0
	for i, st := range d.Statements {
		marks += len(st.Markers)
		if s.Complete && !taken[i] {
			say("no citation: %q to %v", st.Text, targets(d, st))
		}
	}
	if len(d.Statements) != s.Count {
		say("%d statements, not %d", len(d.Statements), s.Count)
	}
	if marks != s.Marks {
		say("%d marks, not %d", marks, s.Marks)
	}
	for _, address := range s.Unattached {
		if !slices.ContainsFunc(d.References, func(r citation.Reference) bool { return r.URL == address }) {
			say("not listed: %s", address)
		}
	}
	return append(out, s.faults(d)...)
}

// faults are the defects that are not found, and the findings that are none.
func (s specimen) faults(d citation.Document) []string {
	var out []string
	expected := map[citation.Fault]bool{}
	for _, want := range s.Defects {
		fault, known := faultOf[want.Code]
		expected[fault] = true
		if want.Optional || want.Code == "inconsistent_numbers" { // what a report says twice is not compared
			continue
		}
		times := 0
		findings := 0
		for _, f := range d.Findings {
			if known && f.Fault == fault {
				times += max(1, f.Times)
				findings++
			}
		}
		if times != want.Times || findings != 1 {
			out = append(out, fmt.Sprintf("defect %s %d times: %d findings, %d times", want.Code, want.Times, findings, times))
		}
	}
	if s.Understood != d.Understood {
		out = append(out, fmt.Sprintf("understood: %v; seen: %v", d.Understood, d.Seen))
	}
	for _, f := range d.Findings {
		if f.Fault == citation.Style && !s.Understood {
			continue
		}
		if !expected[f.Fault] && (f.Fault != citation.NoSources || s.Count > 0) {
			out = append(out, "no defect: "+string(f.Fault)+": "+f.Detail)
		}
	}
	return out
}

// begins reports whether a statement begins with some words, however they are
// emphasised or spaced.
func begins(text, with string) bool {
	only := func(s string) string {
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" *_`\u00a0\u202f\u3000", r) }), "")
	}
	return strings.HasPrefix(only(text), only(with))
}

func targets(d citation.Document, s citation.Statement) []string {
	var out []string
	for _, ref := range s.References {
		if url := d.References[ref].URL; url != "" {
			out = append(out, url)
		}
	}
	return sorted(out)
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	for i := range s {
		s[i], _, _ = strings.Cut(s[i], "#:~:text=") // where in the page a browser is to look
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// unread are reports that are not read as they ought to be: (Abendroth 2022),
// which the list does not have, is written like (Stand 2021), which is no
// citation.
var unread = []string{"a02-de-autor-jahr"}

func TestReportsOfAllMakesAreRead(t *testing.T) {
	for _, s := range specimens(t) {
		t.Run(s.ID, func(t *testing.T) {
			if diff := s.differences(s.parse(t)); slices.Contains(unread, s.ID) {
				require.NotEmpty(t, diff, "it is read now")
			} else {
				require.Empty(t, diff, strings.Join(diff, "\n"))
			}
		})
	}
}
