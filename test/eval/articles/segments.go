package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// marked is what people marked in a page: segments of its article, and of what
// stands around it.
type marked struct {
	File    string   `json:"file"`
	With    []string `json:"with"`
	Without []string `json:"without"`
}

// segmentScore counts the segments of a reader's articles.
type segmentScore struct {
	Reader, Half                           string
	Pages                                  int
	Wanted, Found, Unwanted, UnwantedFound int
}

func (s segmentScore) precision() float64 { return ratio(s.Found, s.Found+s.UnwantedFound) }
func (s segmentScore) recall() float64    { return ratio(s.Found, s.Wanted) }
func (s segmentScore) f1() float64        { return ratio(2*s.Found, s.Found+s.UnwantedFound+s.Wanted) }

func measureSegments(out io.Writer, dir string, asJSON, show bool) error {
	data, err := os.ReadFile(filepath.Join(dir, "evaldata.json"))
	if err != nil {
		return fmt.Errorf("not measured: %w", err)
	}
	var pages map[string]marked
	if err := json.Unmarshal(data, &pages); err != nil {
		return fmt.Errorf("read the segments: %w", err)
	}
	scores := map[[2]string]*segmentScore{}
	for _, address := range slices.Sorted(maps.Keys(pages)) {
		m := pages[address]
		page, err := readPage(dir, m.File)
		if err != nil {
			return err
		}
		for i, r := range readers() {
			article := foldBlanks(r.article(page, address))
			key := [2]string{r.name, half(address)}
			if scores[key] == nil {
				scores[key] = &segmentScore{Reader: r.name, Half: half(address)}
			}
			scores[key].add(m, article)
			if show && i == 0 && half(address) == develop {
				showWrong(out, m, article)
			}
		}
	}
	return tellSegments(out, scores, asJSON)
}

func readPage(dir, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, "cache", name))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join(dir, "eval", name))
	}
	return data, err
}

func foldBlanks(s string) string { return strings.Join(strings.Fields(s), " ") }

func (s *segmentScore) add(m marked, article string) {
	s.Pages++
	s.Wanted += len(m.With)
	s.Unwanted += len(m.Without)
	for _, w := range m.With {
		if strings.Contains(article, foldBlanks(w)) {
			s.Found++
		}
	}
	for _, w := range m.Without {
		if strings.Contains(article, foldBlanks(w)) {
			s.UnwantedFound++
		}
	}
}

func showWrong(out io.Writer, m marked, article string) {
	for _, w := range m.With {
		if !strings.Contains(article, foldBlanks(w)) {
			fmt.Fprintf(out, "%s misses %q\n", m.File, w)
		}
	}
	for _, w := range m.Without {
		if strings.Contains(article, foldBlanks(w)) {
			fmt.Fprintf(out, "%s holds %q\n", m.File, w)
		}
	}
}

func tellSegments(out io.Writer, scores map[[2]string]*segmentScore, asJSON bool) error {
	list := inOrder(scores)
	if asJSON {
		return printJSON(out, list)
	}
	fmt.Fprintf(out, "| reader | half | pages | wanted, found | unwanted, in the article | precision | F1 |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, s := range list {
		fmt.Fprintf(out, "| %s | %s | %d | %d, %.1f %% | %d, %.1f %% | %.4f | %.4f |\n", s.Reader, s.Half, s.Pages,
			s.Wanted, 100*s.recall(), s.Unwanted, 100*ratio(s.UnwantedFound, s.Unwanted), s.precision(), s.f1())
	}
	return nil
}
