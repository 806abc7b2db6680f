package proc

import (
	"bufio"
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// text is anything a path, an argument or an entry of an environment may be.
func text() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.ByteRange(1, 255)), func(b []byte) string { return string(b) })
}

func pid() *rapid.Generator[Identity] {
	return rapid.Custom(func(t *rapid.T) Identity {
		return Identity{rapid.IntMin(1).Draw(t, "pid"), text().Draw(t, "start")}
	})
}

func TestAnOrderIsReadAsItWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := Spec{
			Argv: rapid.SliceOfN(text(), 1, 5).Draw(t, "argv"), Env: rapid.SliceOfN(text(), 0, 5).Draw(t, "env"),
			Dir: text().Draw(t, "dir"), Stdin: text().Draw(t, "stdin"), Stdout: text().Draw(t, "stdout"), Stderr: text().Draw(t, "stderr"),
			Grace: time.Duration(rapid.Int64().Draw(t, "grace")), Mark: text().Draw(t, "mark"), MaxOutput: rapid.Int64().Draw(t, "most"),
		}
		order, err := given.encode()
		require.NoError(t, err)
		got, err := readOrder(bufio.NewReader(bytes.NewReader(order)))
		require.NoError(t, err)
		require.Equal(t, given, got)
		cut := rapid.IntRange(0, len(order)-1).Draw(t, "cut")
		_, err = readOrder(bufio.NewReader(bytes.NewReader(order[:cut])))
		require.Error(t, err, "half an order is none")
	})
}

func TestWordsAreHeardAsTheyWereTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		told := rapid.SliceOf(rapid.Custom(func(t *rapid.T) report {
			return report{
				child: pid().Draw(t, "child"), err: text().Draw(t, "error"), gone: rapid.Bool().Draw(t, "gone"),
				code: rapid.Int().Draw(t, "code"), signal: text().Draw(t, "signal"), ended: rapid.Bool().Draw(t, "ended"), flooded: rapid.Bool().Draw(t, "flood"),
				cpu: time.Duration(rapid.Int64().Draw(t, "cpu")), maxRSS: rapid.Int64().Draw(t, "memory"),
				left: rapid.Map(rapid.SliceOf(pid()), func(list []Identity) []Identity { return append([]Identity(nil), list...) }).Draw(t, "left"),
			}
		})).Draw(t, "words")
		var pipe bytes.Buffer
		for _, w := range told {
			require.NoError(t, w.write(&pipe))
		}
		r := bufio.NewReader(&pipe)
		for _, w := range told {
			got, err := readReport(r)
			require.NoError(t, err)
			require.Equal(t, w, got)
		}
		_, err := readReport(r)
		require.Error(t, err, "all is said")
	})
}

func TestANulIsToldInNoMessage(t *testing.T) {
	_, err := Spec{Argv: []string{"echo", "a\x00b"}}.encodeOrder()
	require.ErrorIs(t, err, errNUL)
	var pipe bytes.Buffer
	require.NoError(t, report{err: "open a\x00b"}.write(&pipe))
	w, err := readReport(bufio.NewReader(&pipe))
	require.NoError(t, err)
	require.Equal(t, "open a?b", w.err)
}

func TestAnOrderOfAnotherReleaseIsNotTaken(t *testing.T) {
	_, err := readOrder(bufio.NewReader(strings.NewReader("2\x00council-keeper-0\x00true\x00")))
	require.ErrorIs(t, err, errProtocol)
}

// FuzzMessages: whatever comes is an error or is what it would be told as.
func FuzzMessages(f *testing.F) {
	order, err := Spec{Argv: []string{"sh", "-c", "true"}, Env: []string{"A=b"}, Dir: "/", Mark: "M=1"}.encode()
	require.NoError(f, err)
	var told bytes.Buffer
	require.NoError(f, report{child: Identity{1, "boot/2"}, left: []Identity{{3, "4"}}}.write(&told))
	for _, seed := range [][]byte{order, told.Bytes(), nil, []byte("-1\x00"), []byte("99999999999999999999\x00"), []byte(strconv.Itoa(math.MaxInt) + "\x00a\x00")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := readOrder(bufio.NewReader(bytes.NewReader(data))); err == nil {
			again, err := s.encode()
			require.NoError(t, err)
			same, err := readOrder(bufio.NewReader(bytes.NewReader(again)))
			require.NoError(t, err)
			require.Equal(t, s, same)
		}
		if w, err := readReport(bufio.NewReader(bytes.NewReader(data))); err == nil {
			var again bytes.Buffer
			require.NoError(t, w.write(&again))
			same, err := readReport(bufio.NewReader(&again))
			require.NoError(t, err)
			require.Equal(t, w, same)
		}
	})
}
