package jsonl_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/jsonl"
)

// lines is a form of small bounds, over any lines when wide.
func lines(wide bool) jsonl.Format {
	f := jsonl.Format{File: 1 << 20, Line: 2 << 10, Rest: jsonl.RemainderRefusal("are none either")}
	if wide {
		f.List = func(object json.RawMessage) json.RawMessage {
			var holder struct{ List json.RawMessage }
			_ = json.Unmarshal(object, &holder)
			return holder.List
		}
	}
	return f
}

// decode reads records {"n": 1} as "line:n".
func decode(f jsonl.Format, text string) ([]string, []jsonl.Refusal) {
	var list []string
	refused := f.Each(strings.NewReader(text), func(line int, object []byte) string {
		var v struct{ N *int }
		if json.Unmarshal(object, &v) != nil || v.N == nil {
			return "it has no n"
		}
		list = append(list, fmt.Sprintf("%d:%d", line, *v.N))
		return ""
	})
	return list, refused
}

const one, two = `{"n":1}`, `{"n":2}`

func TestWhatStandsAroundRecordsIsPassedOver(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"lines", one + "\n" + two + "\n", []string{"1:1", "2:2"}},
		{"the last line without its end", one + "\n" + two, []string{"1:1", "2:2"}},
		{"Windows ends, a byte order mark", "\ufeff" + one + "\r\n\r\n" + two + "\r\n", []string{"1:1", "3:2"}},
		{"a document", "# Notes\n\n```json\n" + one + "\n```\n<!-- RESEARCH_COMPLETE -->\n", []string{"4:1"}},
		{"an array over lines", "[\n" + one + ",\n  " + two + "\n],\n", []string{"2:1", "3:2"}},
		{"nothing", "", nil},
	} {
		for _, wide := range []bool{false, true} {
			list, refused := decode(lines(wide), c.text)
			require.Equal(t, c.want, list, "%s, wide %t", c.name, wide)
			require.Empty(t, refused, "%s, wide %t", c.name, wide)
		}
	}
}

func TestJSONOverAnyLinesIsReadWhereItMayBe(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		refused    []int // lines
	}{
		{"an array on one line", "[" + one + "," + two + "]", []string{"1:1", "1:2"}, nil},
		{"objects over several lines", "{\n\"n\": 1\n}\n\n{\n\"n\": 2}", []string{"1:1", "5:2"}, nil},
		{"an object that holds a list", "{\"x\": 1,\n\"list\": [\n" + one + ",\n{}," + two + "]}", []string{"3:1", "4:2"}, []int{4}},
		{"one thing after another", one + "[" + two + "]\n" + `{"list":[` + one + "]}", []string{"1:1", "1:2", "2:1"}, nil},
		{"no list under the key", `{"list":null}` + "\n" + one, []string{"2:1"}, []int{1}},
		{"a number", "7\n" + one, []string{"2:1"}, []int{1}},
		{"broken: line by line", "{\n" + one + "\nwords\n" + two, []string{"2:1", "4:2"}, []int{1, 3}},
		{"too long", `{"x":"` + strings.Repeat("x", 2<<10) + `"}` + one, []string{"1:1"}, []int{1}},
	} {
		list, refused := decode(lines(true), c.text)
		require.Equal(t, c.want, list, c.name)
		var at []int
		for _, r := range refused {
			at = append(at, r.Line)
		}
		require.Equal(t, c.refused, at, c.name)
	}
}

func TestALineThatIsNoRecordIsRefusedAndTheNextRead(t *testing.T) {
	long := `{"n":1,"x":"` + strings.Repeat("x", 2<<10) + `"}`
	list, refused := decode(lines(false), strings.Join([]string{one, "well", "[" + one + "]", `{"n":`, long, "\xff\x00", two}, "\n"))
	require.Equal(t, []string{"1:1", "7:2"}, list)
	require.Equal(t, []jsonl.Refusal{
		{Line: 2, Reason: "no JSON object"},
		{Line: 3, Reason: "no JSON object"},
		{Line: 4, Reason: "it has no n"},
		{Line: 5, Reason: "longer than 2 KiB"},
		{Line: 6, Reason: "no JSON object"},
	}, refused)
	f := lines(false)
	f.None = "write one"
	_, refused = decode(f, "null")
	require.Equal(t, []jsonl.Refusal{{Line: 1, Reason: "write one"}}, refused)
}

func TestNothingIsWithoutABound(t *testing.T) {
	_, refused := decode(lines(false), strings.Repeat("no\n", 50))
	require.Len(t, refused, jsonl.MaxTold+1)
	require.Equal(t, jsonl.Refusal{Line: jsonl.MaxTold + 1, Reason: "this and 29 more lines are none either"}, refused[jsonl.MaxTold])

	for _, wide := range []bool{false, true} {
		list, refused := decode(lines(wide), one+strings.Repeat("\n", 1<<20)+two)
		require.Equal(t, []string{"1:1"}, list)
		require.Len(t, refused, 1)
		require.Contains(t, refused[0].Reason, "the file is longer than 1 MiB")
	}

	f := jsonl.Format{Line: 1 << 10, MaxLines: 3}
	list, refused := decode(f, one+"\n\n"+one+"\n"+one+"\n"+one+"\n"+one)
	require.Equal(t, []string{"1:1", "3:1", "4:1"}, list)
	require.Equal(t, []jsonl.Refusal{{Line: 5, Reason: "there are more than 3 records; the rest was not read"}}, refused)
}

func TestWhatIsReadBeforeAFaultCounts(t *testing.T) {
	for _, c := range []struct {
		wide bool
		want string
	}{{false, "reading stopped: no disk"}, {true, "reading stopped here: no disk"}} {
		in := io.MultiReader(strings.NewReader(one+"\n"), iotest.ErrReader(errors.New("no disk")))
		list, refused := jsonl.Decode(in, lines(c.wide), func(object []byte) (string, string) { return string(object), "" })
		require.Equal(t, []string{one}, list)
		require.Equal(t, []jsonl.Refusal{{Line: 2, Reason: c.want}}, refused)
	}
}

// Lines are those of the file, whatever the bound; what is too long is told,
// and the places of the others are right.
func TestLinesAreThoseOfTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.StringMatching(`[ab\r]{0,40}`)).Draw(t, "lines"), "\n")
		most := rapid.IntRange(1, 40).Draw(t, "most")
		var want, got []string
		for line := range strings.Lines(text) {
			want = append(want, line)
		}
		for l, err := range jsonl.Lines(iotest.HalfReader(strings.NewReader(text)), most) {
			require.NoError(t, err)
			require.Equal(t, len(got)+1, l.Number)
			full := want[len(got)]
			require.True(t, strings.HasPrefix(text[l.At:], full))
			require.Equal(t, len(full) > most, l.Long)
			if !l.Long {
				require.Equal(t, full, string(l.Text))
			}
			got = append(got, full)
		}
		require.Equal(t, want, got)
	})
}

func TestALineTooLongIsNotHeld(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 100)+"\nnext"), 16)
	buf, size, err := jsonl.ReadLine(in, []byte("kept"), 50)
	require.NoError(t, err)
	require.Equal(t, "kept", string(buf))
	require.EqualValues(t, 101, size)
	buf, size, err = jsonl.ReadLine(in, buf, 50)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "keptnext", string(buf))
	require.EqualValues(t, 4, size)
}

func FuzzEach(f *testing.F) {
	for _, seed := range []string{one + "\n" + two, "[" + one + "]", `{"list":[` + one + `]}`, "{\"list\":\n", "[[[[", "{}{}[]", `{"list":null}`, "\ufeff```\n{\n", "\xff\xfe{\x00", ",\n],\n#"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, wide bool) {
		form := lines(wide)
		last, taken := 0, 0
		refused := form.Each(strings.NewReader(text), func(line int, object []byte) string {
			require.Equal(t, byte('{'), object[0])
			require.LessOrEqual(t, len(object), form.Line)
			require.GreaterOrEqual(t, line, max(1, last))
			require.LessOrEqual(t, line, strings.Count(text, "\n")+1)
			last = line
			taken++
			return "seen"
		})
		require.LessOrEqual(t, len(refused), jsonl.MaxTold+2)
		require.GreaterOrEqual(t, len(refused), min(taken, jsonl.MaxTold))
		for _, r := range refused {
			require.NotEmpty(t, r.Reason)
			require.NotContains(t, r.Reason, "\n")
		}
	})
}

// What is looked at of an input is still there to be read.
func TestOneValueOverManyLinesIsToldFromJSONLines(t *testing.T) {
	const most = 1 << 20
	for text, single := range map[string]bool{
		"":                               false,
		"\n \n":                          false,
		"{\n \"a\": 1\n}\n":              true,
		"\n\n[\n {\"a\":1},\n":           true,
		"{\"a\": [1,\n2]}\n":             true,
		"{\"a\":1}\n{\"a\":2}\n":         false,
		"{\"a\":1}":                      false,
		"[1]\n":                          false,
		"{\"cut\": \"in the middle\n{}":  true,
		"{\"broken\" 1}\n{\"a\":2}\n":    false,
		"words\n{\n":                     false,
		"{":                              true,
		strings.Repeat("x", 200_000):     false,
		"{" + strings.Repeat(" ", 70000): true,
	} {
		all, got, err := jsonl.IsSingle(iotest.OneByteReader(strings.NewReader(text)), most)
		require.NoError(t, err)
		require.Equal(t, single, got, "%.40q", text)
		left, err := io.ReadAll(all)
		require.NoError(t, err)
		require.Equal(t, text, string(left))
	}
	in := strings.NewReader("{" + strings.Repeat(" ", 300_000))
	_, _, err := jsonl.IsSingle(in, 1000)
	require.NoError(t, err)
	require.NotZero(t, in.Len(), "no more is looked at than was said")
	_, single, err := jsonl.IsSingle(io.MultiReader(strings.NewReader("{ "), iotest.ErrReader(errors.New("gone"))), most)
	require.EqualError(t, err, "gone")
	require.False(t, single)
}
