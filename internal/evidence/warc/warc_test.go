package warc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/warc"
	"github.com/research-council/research-council/test/readers"
	warcfile "github.com/research-council/research-council/test/readers/warc"
)

func sample() []warc.Record {
	at := time.Date(2024, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n"
	return []warc.Record{
		{Type: warc.Info, Date: at, MIME: warc.FieldsType, Block: []byte("software: x\r\n")},
		{Type: warc.Response, Date: at, Target: "http://a.example/?q=é", MIME: warc.ResponseType, Payload: len(head), Block: []byte(head + "h\x00\r\n\xff")},
		{Type: warc.Conversion, Date: at, Target: "http://a.example/", MIME: "text/plain", Fields: []warc.Field{{Name: "WARC-Refers-To", Value: "<urn:uuid:0>"}}, Block: []byte("text WARC/1.1\r\n\r\n")},
		{Type: warc.Metadata, Date: at, Target: "http://a.example/", MIME: "application/json"},
	}
}

func write(t require.TestingT, records ...warc.Record) []byte {
	var b bytes.Buffer
	w := warc.NewWriter(&b)
	for _, r := range records {
		_, err := w.Write(r)
		require.NoError(t, err)
	}
	return b.Bytes()
}

func read(file []byte) (list []warc.Record, err error) {
	r := warcfile.NewReader(bytes.NewReader(file))
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, rec)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	file := write(t, sample()...)
	require.Equal(t, file, write(t, sample()...), "the same records are the same file")
	got, err := read(file)
	require.NoError(t, err)
	for i, want := range sample() {
		require.Regexp(t, `^<urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}>$`, got[i].ID)
		got[i].ID = ""
		if want.Block == nil {
			want.Block = got[i].Block
		}
		require.Empty(t, got[len(got)-1].Block)
		require.Equal(t, want, got[i])
	}
}

func TestAnotherReaderReadsTheSame(t *testing.T) {
	file := write(t, sample()...)
	want, err := read(file)
	require.NoError(t, err)
	lines := json.NewDecoder(bytes.NewReader(readers.Ask(t, "warc", file, "warc.mjs")))
	for _, w := range want {
		var got struct {
			Type, ID, Target, Block, SHA256 string
			Date                            time.Time
			Status                          int
		}
		require.NoError(t, lines.Decode(&got))
		require.Equal(t, w.Type, got.Type)
		require.Equal(t, w.ID, got.ID)
		require.Equal(t, w.Target, got.Target)
		require.True(t, w.Date.Equal(got.Date))
		require.Equal(t, warc.Digest(w.Block), got.Block)
		require.Equal(t, hexDigest(w.Block[w.Payload:]), got.SHA256)
		require.Equal(t, w.Type == warc.Response, got.Status == 200)
	}
	require.False(t, lines.More())
}

func TestAChangedByteIsFound(t *testing.T) {
	file := write(t, sample()...)
	at := bytes.Index(file, []byte("text WARC"))
	file[at]++
	r := warcfile.NewReader(bytes.NewReader(file))
	var found []int
	for i := 1; ; i++ {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			require.ErrorIs(t, err, warcfile.ErrDigest)
			found = append(found, i)
		}
	}
	require.Equal(t, []int{3}, found, "and the records behind it are read")
}

func TestWhatIsNoRecordIsRefused(t *testing.T) {
	whole := string(write(t, sample()[0]))
	for name, file := range map[string]string{
		"another format":      "HTTP/1.1 200 OK\r\n\r\n",
		"an unknown version":  strings.Replace(whole, "WARC/1.1", "WARC/2.0", 1),
		"no length":           strings.Replace(whole, "Content-Length", "Content-Size", 1),
		"a negative length":   strings.Replace(whole, "Content-Length: ", "Content-Length: -", 1),
		"a huge length":       strings.Replace(whole, "Content-Length: ", "Content-Length: 9999999999", 1),
		"a length too long":   strings.Replace(whole, "Content-Length: ", "Content-Length: 9", 1),
		"no date":             strings.Replace(whole, "WARC-Date: 2024", "WARC-Date: x", 1),
		"a field without end": "WARC/1.1\r\nA: " + strings.Repeat("a", 2<<20),
		"a cut header":        whole[:20],
		"a cut end":           whole[:len(whole)-1],
		"no colon":            "WARC/1.1\r\nnothing\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read([]byte(file))
			require.Error(t, err)
			require.NotErrorIs(t, err, warcfile.ErrDigest)
		})
	}
}

func TestAFieldCannotBeginAnother(t *testing.T) {
	got, err := read(write(t, warc.Record{Type: warc.Resource, Target: "http://a/\r\nWARC-Type: response\r\n\r\n", MIME: "x\ny"}))
	require.NoError(t, err)
	require.Equal(t, warc.Resource, got[0].Type)
	require.Len(t, got, 1)
}

func TestAnyBlockIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 5).Draw(t, "blocks")
		var records []warc.Record
		for _, b := range blocks {
			records = append(records, warc.Record{Type: warc.Resource, MIME: "application/octet-stream", Block: b})
		}
		got, err := read(write(t, records...))
		require.NoError(t, err)
		require.Len(t, got, len(blocks))
		for i := range blocks {
			require.True(t, bytes.Equal(blocks[i], got[i].Block))
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add(write(f, sample()...))
	f.Add([]byte("WARC/1.0\nContent-Length: 2\n\nab\r\n\r\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		list, err := read(file)
		if err == nil && len(list) > 0 {
			again, err := read(write(t, list...))
			require.NoError(t, err)
			require.Len(t, again, len(list))
		}
	})
}

func hexDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
