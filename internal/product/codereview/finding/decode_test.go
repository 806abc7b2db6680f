package finding_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/codereview/finding"
)

var hunter = finding.Author{Reviewer: "bug-hunter", Seat: "north", Family: "one", Batch: 3}

// insertUnique is a line of a finding that is right but for some fields.
func insertUnique(fields ...string) string {
	m := map[string]any{
		"severity": "high", "confidence": "High", "file": "cmd/main.go", "line": 12,
		"title": "Index out of range", "description": "n may be len(list).", "code": "x := list[n]",
	}
	for i := 0; i < len(fields); i += 2 {
		m[fields[i]] = json.RawMessage(fields[i+1])
		if fields[i+1] == "" {
			delete(m, fields[i])
		}
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func decode(text string) ([]finding.Finding, []finding.Refusal) {
	return finding.Decode(strings.NewReader(text), hunter)
}

func TestAFindingIsReadAndItsAuthorEntered(t *testing.T) {
	list, refused := decode(insertUnique("severity", `"CRITICAL"`, "confidence", `"low"`, "kind", `"Security"`, "cwe", `"cwe-089"`,
		"category", `"SQL Injection"`, "impact", `"all rows"`, "fix", `"bind"`, "id", `"B1"`, "end_line", `14`,
		"reviewer", `"somebody"`, "state", `"located"`, "batch", `9`, "family", `"other"`) + "\n")
	require.Empty(t, refused)
	require.Equal(t, []finding.Finding{{
		ID: "B1", Kind: finding.Security, Severity: finding.Critical, Confidence: finding.Low, File: "cmd/main.go", Line: 12, EndLine: 14,
		Category: "sql-injection", Title: "Index out of range", Description: "n may be len(list).", Impact: "all rows", Fix: "bind",
		Code: "x := list[n]", CWE: "CWE-89", Reviewer: "bug-hunter", Seat: "north", Family: "one", Batch: 3,
	}}, list)
}

func TestWhatAFieldMayBe(t *testing.T) {
	for _, c := range []struct {
		name, field, value, want string // want is part of the reason, "" when the finding stands
	}{
		{"a kind that is none", "kind", `"style"`, "kind must be one of bugs, security, errors, performance, stack"},
		{"a severity that is none", "severity", `"blocker"`, "severity must be one of critical, high, medium, low, info"},
		{"no severity", "severity", ``, "severity must be one of"},
		{"a number for a severity", "severity", `9`, "severity must be one of"},
		{"a confidence that is none", "confidence", `"90%"`, "confidence must be one of High, Medium, Low"},
		{"no title", "title", `" "`, "title is missing"},
		{"no description", "description", `null`, "description is missing"},
		{"a title without end", "title", `"` + strings.Repeat("x", finding.TitleLimit+1) + `"`, "title is longer"},
		{"a description without end", "description", `"` + strings.Repeat("x", finding.TextLimit+1) + `"`, "description is longer"},
		{"code without end", "code", `"` + strings.Repeat("x", finding.CodeLimit+1) + `"`, "code is longer"},
		{"code that is a list", "code", `["a"]`, "code must be a string"},
		{"no line", "line", ``, "line must be the number"},
		{"line nought", "line", `0`, "line must be the number"},
		{"a negative line", "line", `-4`, "line must be the number"},
		{"half a line", "line", `1.5`, "line must be the number"},
		{"a line beyond all files", "line", `1e300`, "line must be the number"},
		{"an end before the beginning", "end_line", `3`, "end_line must be"},
		{"a weakness that is none", "cwe", `"injection"`, "cwe must be"},
		{"no file", "file", `""`, "file is missing"},
		{"an absolute path", "file", `"/etc/passwd"`, "not an absolute one"},
		{"a drive", "file", `"C:/x.go"`, "not an absolute one"},
		{"a share", "file", `"\\\\host\\x"`, "forward slashes"},
		{"backslashes", "file", `"cmd\\main.go"`, "forward slashes"},
		{"a path that climbs", "file", `"a/../../b"`, "plain path"},
		{"a path with an empty part", "file", `"a//b"`, "plain path"},
		{"an address", "file", `"https://code.invalid/a"`, "plain path"},
		{"a folder", "file", `"a/"`, "plain path"},
		{"a NUL", "file", `"a\u0000.go"`, "has characters"},
		{"a line break", "file", `"a\nb.go"`, "has characters"},
		{"an escape", "file", `"a\u001b[31m.go"`, "has characters"},
		{"a mark that turns the writing round", "file", `"a\u202egpj.go"`, "has characters"},
		{"bytes that are no text", "file", "\"a\xff.go\"", "has characters"},
		{"a path without end", "file", `"` + strings.Repeat("x", finding.PathLimit+1) + `"`, "longer than"},

		{"a path from here", "file", `"./cmd/main.go"`, ""},
		{"a path with blanks and two points", "file", `"a b/..c/d..go"`, ""},
		{"a line in a string", "line", `"12"`, ""},
		{"lines in a string", "line", `"L12-15"`, ""},
		{"a weakness by its number", "cwe", `79`, ""},
		{"no weakness", "cwe", `"N/A"`, ""},
		{"no code", "code", ``, ""},
		{"no category", "category", `null`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := insertUnique("line", "12")
			if c.value == "" || json.Valid([]byte(c.value)) && utf8.ValidString(c.value) {
				line = insertUnique(c.field, c.value)
			} else {
				line = strings.Replace(line, `"cmd/main.go"`, c.value, 1)
			}
			list, refused := decode(line)
			if c.want == "" {
				require.Empty(t, refused)
				require.Len(t, list, 1)
				return
			}
			require.Empty(t, list)
			require.Len(t, refused, 1)
			require.Contains(t, refused[0].Reason, c.want)
			require.NotContains(t, refused[0].Reason, "\n")
			require.NotContains(t, refused[0].Reason, "xxx")
			require.Equal(t, 1, refused[0].Line)
		})
	}
}

func TestARefusalTellsAllThatIsWrong(t *testing.T) {
	_, refused := decode(`{"severity":"bad","line":0}`)
	require.Len(t, refused, 1)
	for _, field := range []string{"severity", "confidence", "file", "line", "title", "description"} {
		require.Contains(t, refused[0].Reason, field)
	}
}

func TestFormsInWhichFindingsComeAreRead(t *testing.T) {
	one, two := insertUnique("id", `"a"`), insertUnique("id", `"b"`, "line", "20")
	pretty := func(s string) string {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		require.NoError(t, e.Encode(json.RawMessage(s)))
		return b.String()
	}
	for _, c := range []struct{ name, text string }{
		{"lines", one + "\n" + two + "\n"},
		{"lines and the mark", one + "\n" + two + "\n\n<!-- RESEARCH_COMPLETE -->\n"},
		{"lines with Windows ends and a byte order mark", "\ufeff" + one + "\r\n" + two + "\r\n"},
		{"lines in a fence", "```jsonl\n" + one + "\n" + two + "\n```\n"},
		{"an array", "[" + one + "," + two + "]"},
		{"an array over lines", "[\n" + one + ",\n" + two + "\n]\n<!-- RESEARCH_COMPLETE -->"},
		{"an object", `{"findings": [` + one + ",\n" + two + `], "summary": "x"}`},
		{"objects over several lines", pretty(one) + "\n" + pretty(two)},
		{"a broken line between", one + "\n{\"severity\": \n" + two},
		{"words between", one + "\nHere is another one:\n" + two},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, _ := decode(c.text)
			require.Len(t, list, 2)
			require.Equal(t, []string{"a", "b"}, []string{list[0].ID, list[1].ID})
		})
	}
}

func TestRefusalsNameTheirLine(t *testing.T) {
	bad := `{"severity":"high"}`
	for _, c := range []struct {
		name, text string
		line       int
	}{
		{"lines", insertUnique() + "\n\n" + bad + "\n", 3},
		{"a broken line", insertUnique() + "\n\n{\"a\":\n", 3},
		{"an array", "[\n\n" + insertUnique() + ",\n" + bad + "]", 4},
		{"an object", "{\"x\": 1,\n\"findings\": [\n" + insertUnique() + ",\n" + bad + "]}", 4},
		{"behind a fence", "```\n" + insertUnique() + "\n" + bad + "\n```", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, refused := decode(c.text)
			require.Len(t, list, 1)
			require.Len(t, refused, 1)
			require.Equal(t, c.line, refused[0].Line, refused[0].Reason)
		})
	}
}

func TestIdsAreOnesOwn(t *testing.T) {
	list, refused := decode(strings.Join([]string{insertUnique("id", `"x"`), insertUnique("id", `"x"`), insertUnique(), insertUnique("id", `"L3"`), insertUnique("id", `"../<b>"`)}, "\n"))
	require.Empty(t, refused)
	var ids []string
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	require.Equal(t, []string{"x", "L2", "L3", "L4", "b"}, ids)
}

func TestNothingIsWithoutEnd(t *testing.T) {
	list, refused := decode(insertUnique() + "\n" + `{"title":"` + strings.Repeat("x", finding.LineLimit) + `"}` + "\n" + insertUnique("line", "2") + "\nx")
	require.Len(t, list, 2)
	require.Equal(t, "longer than 256 KiB", refused[0].Reason)

	list, refused = decode(strings.Repeat(insertUnique()+"\n", finding.MaxFindings+30))
	require.Len(t, list, finding.MaxFindings)
	require.Len(t, refused, finding.RefusalLimit+1)
	require.Equal(t, finding.MaxFindings+finding.RefusalLimit+1, refused[finding.RefusalLimit].Line)

	list, refused = decode(strings.Repeat(" ", finding.FileLimit-5) + "\n" + insertUnique() + "\n")
	require.Empty(t, list)
	require.Contains(t, refused[len(refused)-1].Reason, "longer than 4 MiB")
}

func TestAFileThatCannotBeReadToItsEndGivesWhatWasRead(t *testing.T) {
	in := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(insertUnique())))
	list, refused := finding.Decode(in, hunter)
	require.Empty(t, list)
	require.Contains(t, refused[len(refused)-1].Reason, "reading stopped here: timeout")

	list, refused = finding.Decode(iotest.ErrReader(errors.New("no disk")), hunter)
	require.Empty(t, list)
	require.Equal(t, []finding.Refusal{{Line: 1, Reason: "reading stopped here: no disk"}}, refused)
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		insertUnique(), "[" + insertUnique() + "]", `{"findings":[` + insertUnique() + `]}`, insertUnique() + "\n<!-- RESEARCH_COMPLETE -->\n", "{\"findings\":\n", "[[[[", "{}{}[]",
		`{"findings":null,"judgements":[{}]}`, insertUnique("line", `"1-2-3"`), insertUnique("cwe", `"CWE-CWE-1"`), insertUnique("code", `"\u0000\r\n\t"`), "\xff\xfe{\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, refused := decode(text)
		ids := map[string]bool{}
		for _, got := range list {
			require.Contains(t, finding.Severities(), got.Severity)
			require.Contains(t, finding.Confidences(), got.Confidence)
			require.Contains(t, finding.Kinds(), got.Kind)
			require.True(t, got.Line > 0 && got.EndLine >= got.Line)
			require.False(t, strings.HasPrefix(got.File, "/") || strings.ContainsAny(got.File, "\\\x00\n\r\x1b"))
			require.False(t, slices.Contains(strings.Split(got.File, "/"), ".."))
			require.NotEmpty(t, got.Title)
			require.False(t, ids[got.ID], "two of id %s", got.ID)
			ids[got.ID] = true
			again, no := decode(mustJSON(got))
			require.Empty(t, no)
			require.Equal(t, got.Title, again[0].Title)
			require.Equal(t, got.File, again[0].File)
		}
		require.LessOrEqual(t, len(refused), finding.RefusalLimit+1)
		for _, r := range refused {
			require.NotEmpty(t, r.Reason)
			require.Positive(t, r.Line)
			require.NotContains(t, r.Reason, "\n")
		}
		finding.DecodeJudgements(strings.NewReader(text), "x")
	})
}

func FuzzLocate(f *testing.F) {
	f.Add(source, "n := len(list)\n…\nreturn list[n]", 3)
	f.Add("a\na\na\n", "a\na", 2)
	f.Fuzz(func(t *testing.T, text, code string, line int) {
		got := finding.Index(text).Locate(finding.Finding{Line: line, Code: code})
		require.Contains(t, []string{finding.Located, finding.Moved, finding.Missing}, got.State)
		if !got.IsLocated() {
			return
		}
		require.True(t, got.Line >= 1 && got.EndLine >= got.Line && got.EndLine <= strings.Count(text, "\n")+1)
		again := finding.Index(text).Locate(finding.Finding{Line: got.Line, Code: code})
		require.Equal(t, finding.Located, again.State, "what was found is found there")
		require.Equal(t, got.Line, again.Line)
	})
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("write %v: %v", v, err))
	}
	return string(data)
}
