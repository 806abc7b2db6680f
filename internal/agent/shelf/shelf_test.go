package shelf_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/shelf"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/source"
)

// addsFolder is the variable by which a test starts this program to add a folder to a
// library, slowly.
const addsFolder = "SHELF_TEST_ADDS"

func TestMain(m *testing.M) {
	if where := os.Getenv(addsFolder); where != "" {
		library, folder, _ := strings.Cut(where, "\n")
		addSlowly(library, folder)
		return
	}
	os.Exit(m.Run())
}

func addSlowly(library, folder string) {
	l, err := shelf.Make(library, nil)
	if err != nil {
		panic(err)
	}
	slow := func(ctx context.Context, body []byte, mime, url string) extract.Document {
		time.Sleep(5 * time.Millisecond)
		return read(ctx, body, mime, url)
	}
	if _, err := add(l, folder, slow); err != nil {
		panic(err)
	}
}

func read(_ context.Context, body []byte, mime, url string) extract.Document {
	d, _ := extract.Text(body, mime, url)
	return d
}

// add adds a folder, and says what became of each file by its name.
func add(l *shelf.Library, folder string, how shelf.Extract) (map[string]shelf.Outcome, error) {
	ctx := context.Background()
	a, err := l.Add(ctx, how)
	if err != nil {
		return nil, err
	}
	got := map[string]shelf.Outcome{}
	err = shelf.Walk(ctx, folder, func(path, reason string) error {
		out := shelf.Outcome{State: "passed over", Why: reason}
		if reason == "" {
			var err error
			if out, err = a.File(ctx, path); err != nil {
				return err
			}
		}
		got[filepath.Base(path)] = out
		return nil
	})
	if err == nil {
		err = a.Close(ctx)
	}
	return got, err
}

type place struct {
	*testing.T
	files, folder string
	*shelf.Library
	said []string
}

func newPlace(t *testing.T) *place {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := &place{T: t, files: filepath.Join(root, "files"), folder: filepath.Join(root, "library")}
	require.NoError(t, os.Mkdir(p.files, 0o700))
	p.Library, err = shelf.Make(p.folder, func(line string) { p.said = append(p.said, line) })
	require.NoError(t, err)
	return p
}

func (p *place) write(name, text string) string {
	at := filepath.Join(p.files, name)
	require.NoError(p, os.MkdirAll(filepath.Dir(at), 0o700))
	require.NoError(p, os.WriteFile(at, []byte(text), 0o600))
	return at
}

func (p *place) add() map[string]shelf.Outcome {
	got, err := add(p.Library, p.files, read)
	require.NoError(p, err)
	return got
}

func (p *place) search(query string) (found []string) {
	hits, err := p.Search(context.Background(), query, 10)
	require.NoError(p, err)
	for _, h := range hits {
		found = append(found, filepath.Base(h.Document.Address()))
	}
	return found
}

// holds says that nothing lies in the library that it does not name, and nothing is
// missing.
func (p *place) holds(documents int) {
	list, err := p.Documents()
	require.NoError(p, err)
	require.Len(p, list, documents)
	for _, d := range list {
		got, ok, err := p.Document(d.Source.Key)
		require.NoError(p, err)
		require.True(p, ok)
		require.Equal(p, d.ID, archive.Hash(got.Data))
	}
}

func (p *place) data() int {
	entries, err := os.ReadDir(filepath.Join(p.folder, "data"))
	require.NoError(p, err)
	return len(entries)
}

func TestADocumentIsReadOnce(t *testing.T) {
	p := newPlace(t)
	p.write("a.md", "# Lakes\n\nThe lake is 187 metres deep.")
	p.write("below/b.txt", "Pike stay above twenty metres.")
	got := p.add()
	require.Equal(t, shelf.Added, got["a.md"].State)
	require.Equal(t, shelf.Added, got["b.txt"].State)
	never := func(context.Context, []byte, string, string) extract.Document { panic("read again") }
	got, err := add(p.Library, p.files, never)
	require.NoError(t, err)
	require.Equal(t, shelf.Unchanged, got["a.md"].State)
	require.Equal(t, []string{"a.md"}, p.search("lake depth deep"))

	touched := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(p.files, "a.md"), touched, touched))
	got, err = add(p.Library, p.files, never)
	require.NoError(t, err)
	require.Equal(t, shelf.Unchanged, got["a.md"].State, "its bytes are as they were")

	p.write("a.md", "# Lakes\n\nThe lagoon is shallow.")
	require.Equal(t, shelf.Changed, p.add()["a.md"].State)
	require.Empty(t, p.search("deep"))
	require.Equal(t, []string{"a.md"}, p.search("lagoon"))
	p.holds(2)
	require.Equal(t, 2, p.data(), "of what it was nothing is left; a text that is its bytes is kept once")
}

func TestTheSameBytesAreKeptOnce(t *testing.T) {
	p := newPlace(t)
	first := p.write("a.txt", "The lake is deep.")
	p.write("b.txt", "The lake is deep.")
	require.Equal(t, shelf.Outcome{Address: filepath.Join(p.files, "b.txt"), State: shelf.Same, Why: "the same as " + first, ID: archive.Hash([]byte("The lake is deep."))}, p.add()["b.txt"])
	p.holds(1)
	require.NoError(t, os.Remove(first))
	got := p.add()["b.txt"]
	require.Equal(t, shelf.Changed, got.State, "it steps in the place of one that is gone")
	require.Equal(t, "it was "+first, got.Why)
	require.Equal(t, []string{"b.txt"}, p.search("lake"))
	_, ok, err := p.Document(source.Identify(filepath.Join(p.files, "b.txt")).Key)
	require.NoError(t, err)
	require.True(t, ok)
}

func TestWhatIsNotReadIsNamed(t *testing.T) {
	p := newPlace(t)
	p.write("a.md", "text")
	p.write("torn.docx", "PK\x03\x04 word/document.xml")
	p.write("noise.pdf", "\x00\x01\x02")
	p.write("empty.txt", "")
	p.write("program.go", "package x")
	p.write("key.pem", "secret")
	p.write(".hidden.md", "hidden")
	p.write("node_modules/x.md", "of others")
	p.write("huge.txt", strings.Repeat("x", 33<<20))
	p.write("a name without an ending that:is odd.txt\n.md", "odd")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(p.files, "link.txt")))
	got := p.add()
	for name, why := range map[string]string{
		"torn.docx": "damaged document: zip: not a valid zip file", "noise.pdf": "no text: unknown bytes", "empty.txt": "empty",
		"program.go": "no documents by their names", "key.pem": "no documents by their names", ".hidden.md": "hidden",
		"node_modules": "of others (folders)", "huge.txt": "larger than 32 MiB", "link.txt": "links",
	} {
		require.Equal(t, why, got[name].Why, name)
	}
	for name, out := range got {
		if strings.HasPrefix(name, "a name") {
			require.Contains(t, out.Why, "cannot be cited")
		}
	}
	p.holds(1)
}

func TestForgettingLeavesNothing(t *testing.T) {
	p := newPlace(t)
	for i := range 20 {
		p.write(fmt.Sprintf("%02d.txt", i), fmt.Sprintf("Lake number %d is called word%d.", i, i))
	}
	p.add()
	gone, err := p.Forget(context.Background(), func(d shelf.Document) bool { return filepath.Base(d.Address()) == "07.txt" })
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.Empty(t, p.search("word7"))
	require.Equal(t, []string{"08.txt"}, p.search("word8"))
	p.holds(19)
	for _, folder := range []string{"data", "index"} {
		entries, err := os.ReadDir(filepath.Join(p.folder, folder))
		require.NoError(t, err)
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(p.folder, folder, e.Name()))
			require.NoError(t, err)
			require.NotContains(t, string(data), "word7", e.Name())
		}
	}
	require.NoError(t, p.Remove(context.Background()))
	require.NoDirExists(t, p.folder)
}

func TestADamagedIndexIsMadeAnewAndSaid(t *testing.T) {
	p := newPlace(t)
	p.write("a.md", "The lake is deep.")
	p.add()
	for name, damage := range map[string]func(string) error{
		"cut":     func(at string) error { return os.Truncate(at, 10) },
		"missing": os.Remove,
		"garbage": func(at string) error { return os.WriteFile(at, []byte(strings.Repeat("x", 5000)), 0o600) },
	} {
		indexes, err := filepath.Glob(filepath.Join(p.folder, "index", "*.db"))
		require.NoError(t, err)
		require.Len(t, indexes, 1, name)
		require.NoError(t, damage(indexes[0]))
		p.said = nil
		require.Equal(t, []string{"a.md"}, p.search("lake"), name)
		require.Equal(t, []string{"The library's index was damaged and is made anew."}, p.said, name)
		p.said = nil
		require.Equal(t, []string{"a.md"}, p.search("lake"), name)
		require.Empty(t, p.said, name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, "catalogue.json"), []byte("{"), 0o600))
	_, err := p.Documents()
	require.ErrorContains(t, err, "move "+p.folder+" away and add its documents again")
}

func TestTwoAddAtOnce(t *testing.T) {
	p := newPlace(t)
	for i := range 150 {
		p.write(fmt.Sprintf("%03d.txt", i), fmt.Sprintf("Lake number %d is called word%d.", i, i))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := add(p.Library, p.files, read); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	p.holds(150)
	for i := range 150 {
		require.Equal(t, []string{fmt.Sprintf("%03d.txt", i)}, p.search(fmt.Sprintf("word%d", i)))
	}
}

func TestAnAdditionThatIsKilledLosesNothing(t *testing.T) {
	p := newPlace(t)
	p.write("before.txt", "It was there before.")
	p.add()
	for i := range 200 {
		p.write(fmt.Sprintf("%03d.txt", i), fmt.Sprintf("Lake number %d is called word%d.", i, i))
	}
	for _, after := range []time.Duration{50, 400, 700} {
		self, err := os.Executable()
		require.NoError(t, err)
		c := exec.Command(self)
		c.Env = append(os.Environ(), addsFolder+"="+p.folder+"\n"+p.files)
		require.NoError(t, c.Start())
		time.Sleep(after * time.Millisecond)
		require.NoError(t, c.Process.Signal(syscall.SIGKILL))
		_ = c.Wait() // it was killed
		list, err := p.Documents()
		require.NoError(t, err)
		require.NotEmpty(t, list)
		p.holds(len(list))
		require.Equal(t, []string{"before.txt"}, p.search("before"))
	}
	p.add()
	p.holds(201)
	require.Equal(t, 201, p.data(), "what was left of the killed ones is cleared away; each text is its bytes")
	require.Equal(t, []string{"199.txt"}, p.search("word199"))
}

func TestALargeLibraryIsOpenedAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	p := newPlace(t)
	const documents, paragraphs = 200, 60
	for i := range documents {
		var b strings.Builder
		for n := range paragraphs {
			fmt.Fprintf(&b, "Paragraph %d of document %d tells of term%d and term%d, and of what the surveyors of the lake have measured there in the year.\n\n", n, i, (i*7+n*13)%5000, (i*31+n)%5000)
		}
		fmt.Fprintf(&b, "It is about subject%d.", i)
		p.write(fmt.Sprintf("%04d.txt", i), b.String())
	}
	began := time.Now()
	p.add()
	added := time.Since(began)
	began = time.Now()
	p.add()
	again := time.Since(began)
	began = time.Now()
	r, err := p.Read(context.Background())
	require.NoError(t, err)
	opened := time.Since(began)
	began = time.Now()
	hits, err := r.Find(context.Background(), []string{"subject177"}, 5)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, "0177.txt", filepath.Base(hits[0].Document.Address()))
	found := time.Since(began)
	require.NoError(t, r.Close())
	p.write("one-more.txt", "One more on subject5000.")
	began = time.Now()
	p.add()
	t.Logf("added %s, nothing new %s, opened %s, searched %s, one more %s", added, again, opened, found, time.Since(began))
	require.Less(t, opened, 2*time.Second)
}
