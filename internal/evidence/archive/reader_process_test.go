package archive_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/test/web"
)

// apart reads in processes of this test's program, which tell their peaks.
func apart(t testing.TB) (archive.Reader, string) {
	self, err := os.Executable()
	require.NoError(t, err)
	told := filepath.Join(t.TempDir(), "peaks")
	return archive.NewProcessReader(self, "read-source", told), told
}

// tellPeak notes the most memory that this process had, in the file its
// arguments name: what the system tells of a child is its parent's as well.
func tellPeak() {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil || len(os.Args) < 3 {
		return // no such system
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	f, err := os.OpenFile(os.Args[2], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintln(f, strings.Fields(rest)[0])
}

// peak is the most memory that was told, in MiB; 0 where none was.
func peak(t testing.TB, told string) (most int) {
	data, err := os.ReadFile(told)
	if err != nil { // no such system; or it was refused so much at once that it could not even tell
		return 0
	}
	for kib := range strings.FieldsSeq(string(data)) {
		n, err := strconv.Atoi(kib)
		require.NoError(t, err)
		most = max(most, n>>10)
	}
	return most
}

// proc reports whether the system tells of processes as Linux does.
var proc = func() bool { _, err := os.Stat("/proc/self/status"); return err == nil }()

const promise = "<p>The election timeout is 150 ms to 300 ms.</p>"

func TestNoPageTakesMoreThanAFewHundredMegabytes(t *testing.T) {
	const size = extract.MaxRead + 1<<20
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	attributes := func() string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "a%d=1 ", i)
		}
		return b.String()
	}
	styles := func() string {
		var b strings.Builder
		for i := range 500 {
			fmt.Fprintf(&b, "<b id=x%d>", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, page string
		unread     bool // it is too much even flat
	}{
		{"text", "<p>" + fill("lorem ipsum dolor sit amet "), false},
		{"bold, never closed, again in each paragraph", styles() + fill("<p>x"), false},
		{"form that is closed wrongly", fill("<b><i><u><p></b></i></u>"), false},
		{"many tables", fill("<table><tr><td>1<td>2<tr><td>3<td>4</table>"), false},
		{"empty elements", fill("<i></i>"), false},
		{"links", fill(`<a href="/a">a</a> `), false},
		{"entities", "<p>" + fill("&NotEqualTilde;&amp;"), false},
		{"brackets", fill("<"), false},
		{"attributes", "<p " + attributes() + ">x</p>", true},
		{"accents on one letter", "<p>a" + fill("\u0301"), false},
	} {
		read, told := apart(t)
		d, err := read(t.Context(), []byte("<!doctype html><html><head><title>Raft</title></head><body>"+promise+c.page), "text/html; charset=utf-8", "")
		if c.unread && err != nil {
			require.True(t, extract.HasWarning(d.Warnings, extract.Damaged), "%s: %v", c.name, d.Warnings)
		} else {
			require.NoError(t, err, c.name)
			require.Contains(t, d.Text, "The election timeout is 150 ms to 300 ms.", c.name)
			require.True(t, extract.HasWarning(d.Warnings, extract.Truncated), c.name)
		}
		require.Less(t, peak(t, told), 300, c.name)
		require.True(t, peak(t, told) > 0 || err != nil || !proc, "%s: it told nothing and was not refused", c.name)
		t.Logf("%s: %d MiB, %d bytes of text", c.name, peak(t, told), len(d.Text))
	}
}

// document is a PDF of one page.
func document(content string, more string) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		content, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, more, xref)
	return []byte(b.String())
}

func stream(data, about string) string {
	return fmt.Sprintf("<< /Length %d %s>>\nstream\n%s\nendstream", len(data), about, data)
}

func packed(t testing.TB, unit string, times int) string {
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	require.NoError(t, err)
	for range times {
		_, err = w.Write([]byte(unit))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

func TestNoPDFTakesMoreThanAFewHundredMegabytes(t *testing.T) {
	const words = "BT /F1 12 Tf 72 700 Td (The election timeout is 150 ms to 300 ms.) Tj ET\n"
	flate := "/Filter /FlateDecode "
	for _, c := range []struct {
		name     string
		file     []byte
		ordinary bool
	}{
		{"an ordinary one", document(stream(words, ""), ""), true},
		{"blanks without an end", document(stream(packed(t, strings.Repeat(" ", 1<<20), 400), flate), ""), false},
		{"words without an end", document(stream(packed(t, words, 400_000), flate), ""), false},
		{"a table in a table", document(stream(strings.Repeat("<<", 3_000_000), ""), ""), false},
		{"more objects than there are", document(stream(words, ""), "/Size 2147483647 "), false},
		{"wide rows", document(stream(packed(t, "\x02", 5000), flate+"/DecodeParms << /Predictor 12 /Columns 2147483647 /Colors 255 >> "), ""), false},
		{"letters for zeros", document(stream(strings.Repeat("z", 20_000_000)+"~>", "/Filter /ASCII85Decode "), ""), false},
	} {
		began := time.Now()
		read, told := apart(t)
		d, err := read(t.Context(), c.file, "application/pdf", "")
		if c.ordinary {
			require.NoError(t, err, c.name)
			require.Contains(t, d.Text, "The election timeout is 150 ms to 300 ms.", c.name)
		}
		require.Less(t, peak(t, told), 300, c.name)
		require.True(t, peak(t, told) > 0 || err != nil || !proc, "%s: it told nothing and was not refused", c.name)
		t.Logf("%s: %d MiB, %d bytes of text", c.name, peak(t, told), len(d.Text))
		require.Less(t, time.Since(began), 2*time.Minute, c.name)
	}
}

func TestAPageIsReadApartAsItIsHere(t *testing.T) {
	for _, body := range []string{web.Report(), "plain words", "", "<!doctype html><title>x</title>", "\x89PNG\r\n\x1a\n\x00"} {
		here, wrong := extract.Text([]byte(body), "", "https://news.example/a")
		read, _ := apart(t)
		there, err := read(t.Context(), []byte(body), "", "https://news.example/a")
		require.Equal(t, here, there)
		require.Equal(t, wrong == nil, err == nil)
	}
}

func TestAnArchiveReadsWhatUnfoldsTooFarInBounds(t *testing.T) {
	var b strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&b, "<b id=%x><i id=%x><p>", i*7919, i*104729)
	}
	page := "<!doctype html><title>Raft</title><body>" + promise + b.String()
	w := web.Start(t, web.Page{URL: "http://news.example/raft", Body: page, Encoding: "gzip"})
	o := w.Options()
	read, told := apart(t)
	o.Read = read
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	s := fetch(t, a, "http://news.example/raft")
	require.Equal(t, archive.Live, s.State, s.Reason)
	text, err := a.Text(s)
	require.NoError(t, err)
	require.Contains(t, text, "The election timeout is 150 ms to 300 ms.")
	require.Less(t, peak(t, told), 300)
}

func TestAReaderThatIsNotThereIsAReason(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://news.example/raft", Body: web.Report()})
	o := w.Options()
	o.Read = archive.NewProcessReader("/nowhere/council", "read-source")
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	s := fetch(t, a, "http://news.example/raft")
	require.Empty(t, s.Text)
	_, partial := s.Partial()
	require.True(t, partial, "what was not read is not absent: %v", s.Warnings)
}
