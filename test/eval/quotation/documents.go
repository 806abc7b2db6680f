package main

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote"
)

//go:embed testdata/*.txt
var written embed.FS

// document is a text and the sentences in it that are quoted.
type document struct {
	name, lang string
	text       string
	index      *quote.Text
	plain      string // folded in the usual way, for the other gates
	words      []string
	sentences  []string
}

// documents gives the package documentation of the Go installation, a document
// a package, and the written sentences, two documents a language.
func documents() ([]*document, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("ask where Go is installed: %w", err)
	}
	docs, err := goDocs(filepath.Join(strings.TrimSpace(string(root)), "src"))
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(written, "testdata/*.txt")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		body, err := written.ReadFile(f)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(strings.TrimSpace(string(body)), "\n")
		lang := strings.TrimSuffix(path.Base(f), ".txt")
		for i, half := range [][]string{lines[:len(lines)/2], lines[len(lines)/2:]} {
			gap := " "
			if lang == "zh" || lang == "ja" {
				gap = ""
			}
			docs = append(docs, &document{name: lang + string(rune('1'+i)), lang: lang, text: strings.Join(half, gap), sentences: half})
		}
	}
	for _, d := range docs {
		prepare(d)
	}
	return docs, nil
}

func prepare(d *document) {
	d.index = quote.Index(d.text)
	d.plain = usual(d.text)
	d.words = strings.Fields(d.plain)
}

const (
	leastDoc = 2 << 10
	mostDoc  = 64 << 10
)

// goDocs reads the documentation of the standard library.
func goDocs(root string) ([]*document, error) {
	text := map[string]*strings.Builder{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "cmd" || d.Name() == "internal") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(p)
		if text[dir] == nil {
			text[dir] = &strings.Builder{}
		}
		collect(text[dir], f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var docs []*document
	for dir, b := range text {
		if b.Len() < leastDoc {
			continue
		}
		body := b.String()
		if len(body) > mostDoc {
			body = strings.ToValidUTF8(body[:mostDoc], "")
		}
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, err
		}
		docs = append(docs, &document{name: name, lang: "go", text: body, sentences: sentences(body)})
	}
	slices.SortFunc(docs, func(a, b *document) int { return strings.Compare(a.name, b.name) })
	return docs, nil
}

// collect takes the doc comments of a file.
func collect(b *strings.Builder, f *ast.File) {
	take := func(c *ast.CommentGroup) {
		if c != nil {
			b.WriteString(c.Text() + "\n")
		}
	}
	take(f.Doc)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			take(d.Doc)
		case *ast.GenDecl:
			take(d.Doc)
		}
	}
}

var sentenceForm = regexp.MustCompile(`(?:^|[.?!]\s+|\n\n)([A-Z][^.?!\t]{50,260}[a-z)]\.)(?:\s|$)`)

// sentences gives prose sentences of a document, as they stand there.
func sentences(text string) []string {
	var list []string
	for _, m := range sentenceForm.FindAllStringSubmatch(text, -1) {
		s := m[1]
		words := strings.Fields(s)
		if len(words) < 10 || len(words) > 45 || strings.Contains(s, "\n\n") || strings.ContainsAny(s, "{}|\\") || strings.Count(text, s) > 1 {
			continue
		}
		list = append(list, s)
	}
	return list
}

// pick gives a document of a language and a sentence of it.
func pick(r *rand.Rand, docs []*document) (*document, string) {
	for {
		d := docs[r.IntN(len(docs))]
		if len(d.sentences) > 0 {
			return d, d.sentences[r.IntN(len(d.sentences))]
		}
	}
}
