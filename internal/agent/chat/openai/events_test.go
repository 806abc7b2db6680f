package openai

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// readEvents reads a stream to its end.
func readEvents(from io.Reader) (list []string, err error) {
	for event, broken := range events(from) {
		if broken != nil {
			return list, broken
		}
		list = append(list, event)
	}
	return list, nil
}

func TestEventsOfAStream(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   []string
	}{
		"two":                                 {"data: a\n\ndata: b\n\n", []string{"a", "b"}},
		"no space after the colon":            {"data:a\n\n", []string{"a"}},
		"one space is taken, a second is not": {"data:  a\n\n", []string{" a"}},
		"lines of one event":                  {"data: a\ndata:\ndata: b\n\n", []string{"a\n\nb"}},
		"other fields":                        {"event: error\nid: 7\nretry: 9\ndata: a\n\n", []string{"a"}},
		"comments":                            {": ping\n\n:\ndata: a\n: b\n\n", []string{"a"}},
		"a field that only begins so":         {"database: x\n\ndata: a\n\n", []string{"a"}},
		"a colon in the data":                 {"data: {\"a\": 1}\n\n", []string{`{"a": 1}`}},
		"CRLF":                                {"data: a\r\n\r\n", []string{"a"}},
		"empty events":                        {"\n\ndata:\n\ndata\n\ndata: a\n\n\n\n", []string{"a"}},
		"one that is not closed":              {"data: a\n\ndata: b\n", []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readEvents(strings.NewReader(c.stream))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestAnEventHasABound(t *testing.T) {
	line := "data: " + strings.Repeat("x", 1<<20) + "\n"
	for name, stream := range map[string]string{
		"in one line":   "data: " + strings.Repeat("x", maxEvent) + "\n\n",
		"in many lines": strings.Repeat(line, maxEvent>>20+1) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readEvents(strings.NewReader("data: a\n\n" + stream))
			require.Error(t, err)
			require.Equal(t, []string{"a"}, got)
		})
	}
}

func TestAStreamThatBreaksSaysSo(t *testing.T) {
	got, err := readEvents(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, []string{"a"}, got)
}

// FuzzEvents reads any bytes: the same events come however the bytes arrive,
// and events written as a stream are read as they were.
func FuzzEvents(f *testing.F) {
	for _, stream := range []string{"", "data: a\n\n", "data: a\ndata:b\n\n: c\n\n", "data:\r\n\r\ndata: [DONE]\n\n", "data: \r\ndata:\r\n\n"} {
		f.Add([]byte(stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := readEvents(bytes.NewReader(stream))
		require.NoError(t, err)
		slowly, err := readEvents(iotest.OneByteReader(bytes.NewReader(stream)))
		require.NoError(t, err)
		require.Equal(t, got, slowly)

		var again strings.Builder
		for _, event := range got {
			require.NotEmpty(t, event)
			again.WriteString("data: " + strings.ReplaceAll(event, "\n", "\r\ndata: ") + "\r\n\r\n")
		}
		read, err := readEvents(strings.NewReader(again.String()))
		require.NoError(t, err)
		require.Equal(t, got, read)
	})
}
