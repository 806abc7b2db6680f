package archive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/warc"
	"github.com/research-council/research-council/test/readers"
	warcfile "github.com/research-council/research-council/test/readers/warc"
	"github.com/research-council/research-council/test/web"
)

func TestWhatIsStoredOutlivesTheProcess(t *testing.T) {
	at := "http://news.example/lake"
	w := web.Start(t, web.Page{URL: at, Body: web.Report()})
	dir := filepath.Join(t.TempDir(), "sources")
	a, err := archive.Open(dir, w.Options())
	require.NoError(t, err)
	s := fetch(t, a, at)
	b, err := archive.Open(dir, archive.Options{})
	require.NoError(t, err)
	again := fetch(t, b, at)
	require.Equal(t, asJSON(t, s), asJSON(t, again))
	body, err := b.Bytes(again)
	require.NoError(t, err)
	require.Equal(t, web.Report(), string(body))
	require.Equal(t, archive.Hash(body), s.Body)
	require.Len(t, b.Snapshots(), 1)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		return nil
	}))
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

func TestAFailureIsTriedAgainAfterAWhile(t *testing.T) {
	at := "http://news.example/lake"
	w := web.Start(t, web.Page{URL: at, Status: 500, Then: []web.Page{{Body: web.Report()}}})
	clock := started()
	a := open(t, w, clock.set)
	require.Equal(t, archive.Unreachable, fetch(t, a, at).State)
	require.Equal(t, archive.Unreachable, fetch(t, a, at).State)
	require.Equal(t, 1, w.Count(at), "not at once")
	require.NoError(t, clock.wait(t.Context(), 11*time.Minute))
	require.Equal(t, archive.Live, fetch(t, a, at).State)
}

func TestRefetchTellsOfAChange(t *testing.T) {
	at := "http://news.example/lake"
	w := web.Start(t, web.Page{URL: at, Body: web.Report(), Then: []web.Page{{Body: web.Report()}, {Body: web.Article("The lake", strings.Repeat("It is 201 metres deep. ", 20))}}})
	a := open(t, w)
	old := fetch(t, a, at)
	for _, changed := range []bool{false, true} {
		s, err := a.Refetch(t.Context(), at)
		require.NoError(t, err)
		require.Equal(t, changed, strings.HasPrefix(strings.Join(s.Warnings, ""), archive.Changed), s.Warnings)
	}
	text, err := a.Text(old)
	require.NoError(t, err)
	require.Contains(t, text, "187 metres", "what was read before is kept")
	require.Len(t, a.Snapshots(), 1)
	require.Empty(t, a.Check())
}

func TestWhatHasNoAddressIsNoFailureOfTheArchive(t *testing.T) {
	a := open(t, web.Start(t))
	for _, ref := range []string{"internal/loop/loop.go:12", "ISBN 978-0-306-40615-7", "", "a book about lakes", "\x00\xff"} {
		s := fetch(t, a, ref)
		require.Equal(t, archive.Unreachable, s.State, ref)
		require.Contains(t, s.Reason, "no address")
	}
	require.Empty(t, a.Snapshots())
}

func TestEveryChangedByteIsFound(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://news.example/a", Body: web.Report()}, web.Page{URL: "http://news.example/b", Body: "<p>" + strings.Repeat("b ", 300)})
	for _, c := range []struct {
		name   string
		damage func(dir string, s archive.Snapshot) error
		path   func(s archive.Snapshot) string
		line   int
	}{
		{"a byte of the page", func(dir string, s archive.Snapshot) error { return flip(filepath.Join(dir, "data", s.Body), 100) }, func(s archive.Snapshot) string { return "data/" + s.Body }, 0},
		{"a byte of the text", func(dir string, s archive.Snapshot) error { return flip(filepath.Join(dir, "data", s.Text), 0) }, func(s archive.Snapshot) string { return "data/" + s.Text }, 0},
		{"the page is gone", func(dir string, s archive.Snapshot) error { return os.Remove(filepath.Join(dir, "data", s.Body)) }, func(s archive.Snapshot) string { return "data/" + s.Body }, 0},
		{"the text is cut", func(dir string, s archive.Snapshot) error {
			return os.Truncate(filepath.Join(dir, "data", s.Text), 10)
		}, func(s archive.Snapshot) string { return "data/" + s.Text }, 0},
		{"a word of the index", func(dir string, s archive.Snapshot) error {
			return edit(dir, func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"state":"live"`), []byte(`"state":"gone"`), 1)
			})
		}, func(archive.Snapshot) string { return "index.jsonl" }, 1},
		{"a line is gone", func(dir string, s archive.Snapshot) error {
			return edit(dir, func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] })
		}, func(archive.Snapshot) string { return "index.jsonl" }, 1},
		{"the last byte", func(dir string, s archive.Snapshot) error {
			return edit(dir, func(b []byte) []byte { return b[:len(b)-1] })
		}, func(archive.Snapshot) string { return "index.jsonl" }, 2},
		{"a line is broken", func(dir string, s archive.Snapshot) error {
			return edit(dir, func(b []byte) []byte { b[0] = 'x'; return b })
		}, func(archive.Snapshot) string { return "index.jsonl" }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			a, err := archive.Open(dir, w.Options())
			require.NoError(t, err)
			s := fetch(t, a, "http://news.example/a")
			fetch(t, a, "http://news.example/b")
			require.Empty(t, a.Check())
			require.NoError(t, c.damage(dir, s))
			again, err := archive.Open(dir, archive.Options{})
			require.NoError(t, err, "what is whole can still be read")
			found := again.Check()
			require.NotEmpty(t, found)
			require.Equal(t, c.path(s), found[0].Path)
			require.Equal(t, c.line, found[0].Line)
		})
	}
}

func flip(path string, at int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[at] ^= 1
	return os.WriteFile(path, data, 0o600)
}

func edit(dir string, change func([]byte) []byte) error {
	path := filepath.Join(dir, "index.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, change(data), 0o600)
}

func TestALineTornByACrashIsWrittenOver(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://news.example/a", Body: web.Report()}, web.Page{URL: "http://news.example/b", Body: web.Report()})
	dir := t.TempDir()
	a, err := archive.Open(dir, w.Options())
	require.NoError(t, err)
	fetch(t, a, "http://news.example/a")
	require.NoError(t, edit(dir, func(b []byte) []byte { return append(b, `{"sha256":"12`...) }))
	b, err := archive.Open(dir, w.Options())
	require.NoError(t, err)
	fetch(t, b, "http://news.example/b")
	require.Empty(t, b.Check())
	require.Len(t, a.Snapshots(), 2, "the first process sees what the second has added")
}

// The test binary is also the other process: it fetches what its arguments
// say, or reads a source.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "read-source" {
		err := archive.RunReaderProcess(os.Stdin, os.Stdout, func() { tellPeak(); os.Exit(1) })
		tellPeak()
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv("ARCHIVE_TEST_DIR"); dir != "" {
		if err := other(dir, strings.Fields(os.Getenv("ARCHIVE_TEST_REFS"))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func other(dir string, refs []string) error {
	a, err := archive.Open(dir, archive.Options{AllowPrivate: []string{"127.0.0.0/8"}, Pace: -1})
	if err != nil {
		return err
	}
	var g errgroup.Group
	for _, ref := range refs {
		g.Go(func() error {
			s, err := a.Fetch(context.Background(), ref)
			if err == nil && s.State != archive.Live {
				err = errors.New(s.Reason)
			}
			return err
		})
	}
	return g.Wait()
}

func TestProcessesShareAnArchive(t *testing.T) {
	var refs []string
	w := web.Start(t)
	for i := range 12 {
		at := fmt.Sprintf("http://host%d.example/%d", i%3, i)
		require.NoError(t, w.Add(web.Page{URL: at, Body: web.Article("Page", strings.Repeat(fmt.Sprintf("Words of page %d. ", i), 40)), Delay: 3 * time.Millisecond}))
		refs = append(refs, w.Direct(at))
	}
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	var g errgroup.Group
	for range 3 {
		g.Go(func() error {
			cmd := exec.Command(self)
			cmd.Env = []string{"ARCHIVE_TEST_DIR=" + dir, "ARCHIVE_TEST_REFS=" + strings.Join(refs, " "), "TMPDIR=" + os.TempDir()}
			out, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	a, err := archive.Open(dir, archive.Options{})
	require.NoError(t, err)
	require.Len(t, a.Snapshots(), len(refs))
	require.Empty(t, a.Check())
	for i := range refs {
		require.Equal(t, 1, w.Count(fmt.Sprintf("http://host%d.example/%d", i%3, i)), "one fetch for all processes")
	}
	for _, r := range w.Requests() {
		require.LessOrEqual(t, r.Open, 2)
	}
}

func TestAnotherReaderReadsTheWARC(t *testing.T) {
	w := web.Start(t)
	var refs []string
	for _, p := range web.Catalogue() {
		switch p.Name {
		case "a sound page", "moved for good", "a PDF", "dead, with an archived copy", "dead, never archived", "a host that never was", "a captcha with status 200":
			require.NoError(t, w.Plant(p))
			refs = append(refs, p.Ref)
		}
	}
	require.Len(t, refs, 7)
	require.NoError(t, w.Add(web.Page{URL: "http://news.example/zipped", Encoding: "gzip", Body: web.Report()}))
	a := open(t, w)
	for _, ref := range append(refs, "http://news.example/zipped") {
		fetch(t, a, ref)
	}
	var file, again bytes.Buffer
	require.NoError(t, a.WriteWARC(&file))
	require.NoError(t, a.WriteWARC(&again))
	require.Equal(t, file.String(), again.String())
	r := warcfile.NewReader(bytes.NewReader(file.Bytes()))
	lines := json.NewDecoder(bytes.NewReader(readers.Ask(t, "warc", file.Bytes(), "warc.mjs")))
	count := map[string]int{}
	for {
		want, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		var got struct{ Type, ID, Block, SHA256 string }
		require.NoError(t, lines.Decode(&got))
		require.Equal(t, []string{want.Type, want.ID, warc.Digest(want.Block)}, []string{got.Type, got.ID, got.Block})
		require.Equal(t, archive.Hash(want.Block[want.Payload:]), got.SHA256, "the payload as another reads it, %s", want.Target)
		count[want.Type]++
	}
	require.False(t, lines.More())
	require.Equal(t, map[string]int{warc.Info: 1, warc.Response: 7, warc.Conversion: 5, warc.Metadata: 8}, count)
}

// The page of a host that is gone is what an archive is wanted for most.
func TestTheCopyOfAPageWhoseHostIsGoneIsExported(t *testing.T) {
	at := "http://nowhere.example/a"
	w := web.Start(t)
	require.NoError(t, w.Know(web.Capture{URL: at, Time: "20200102030405", Body: web.Report()}))
	a := open(t, w)
	s := fetch(t, a, at)
	require.Equal(t, archive.Stale, s.State, s.Reason)
	require.Zero(t, s.Status)
	var file bytes.Buffer
	require.NoError(t, a.WriteWARC(&file))
	r := warcfile.NewReader(&file)
	for {
		rec, err := r.Next()
		require.NoError(t, err, "there is no response")
		if rec.Type != warc.Response {
			continue
		}
		require.Contains(t, string(rec.Block[:rec.Payload]), "HTTP/1.1 200 OK\r\n")
		require.Equal(t, web.Report(), string(rec.Block[rec.Payload:]))
		return
	}
}

func BenchmarkHundredSources(b *testing.B) {
	w := web.Start(b)
	var refs []string
	for i := range 100 {
		at := fmt.Sprintf("http://host%d.example/%d", i%10, i)
		require.NoError(b, w.Add(web.Page{URL: at, Body: web.Report()}))
		refs = append(refs, at)
	}
	for b.Loop() {
		a, err := archive.Open(b.TempDir(), w.Options())
		require.NoError(b, err)
		var g errgroup.Group
		for _, ref := range refs {
			g.Go(func() error {
				s, err := a.Fetch(b.Context(), ref)
				if err == nil && s.State != archive.Live {
					err = errors.New(s.Reason)
				}
				return err
			})
		}
		require.NoError(b, g.Wait())
		require.NoError(b, a.Close())
	}
}

func BenchmarkCheck(b *testing.B) {
	w := web.Start(b)
	a := open(b, w)
	for i := range 500 {
		at := fmt.Sprintf("http://host%d.example/%d", i%50, i)
		require.NoError(b, w.Add(web.Page{URL: at, Body: strings.Replace(web.Report(), "2019", fmt.Sprint(i), 1) + strings.Repeat("<!-- -->", 10000)}))
		fetch(b, a, at)
	}
	for b.Loop() {
		require.Empty(b, a.Check())
	}
}
