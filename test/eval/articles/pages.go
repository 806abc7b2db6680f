package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/words"
)

// overlap is how many words two texts have, and have in common.
type overlap struct{ Got, Want, Common int }

func (o overlap) precision() float64 { return ratio(o.Common, o.Got) }
func (o overlap) recall() float64    { return ratio(o.Common, o.Want) }

func (o overlap) f1() float64 { return ratio(2*o.Common, o.Got+o.Want) }

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// compareWords counts words as often as they stand in a text.
func compareWords(got, want string) overlap {
	left := map[string]int{}
	wanted := words.Tokens(want)
	for _, w := range wanted {
		left[w]++
	}
	o := overlap{Want: len(wanted)}
	for _, w := range words.Tokens(got) {
		o.Got++
		if left[w] > 0 {
			left[w]--
			o.Common++
		}
	}
	return o
}

// pageScore is the mean of a reader over the pages of a half.
type pageScore struct {
	Reader, Half          string
	Pages                 int
	Precision, Recall, F1 float64
}

func measurePages(out io.Writer, dir string, asJSON, show bool) error {
	names, err := filepath.Glob(filepath.Join(dir, "*", "expected.html"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no pages in %s", dir)
	}
	scores := map[[2]string]*pageScore{}
	for _, expected := range names {
		folder := filepath.Dir(expected)
		page, err := os.ReadFile(filepath.Join(folder, "source.html"))
		if err != nil {
			return err
		}
		want, err := textOfFile(expected)
		if err != nil {
			return err
		}
		name := filepath.Base(folder)
		var seen []float64
		for _, r := range readers() {
			o := compareWords(r.article(page, "http://fakehost/test/page.html"), want)
			key := [2]string{r.name, half(name)}
			if scores[key] == nil {
				scores[key] = &pageScore{Reader: r.name, Half: half(name)}
			}
			scores[key].add(o)
			seen = append(seen, o.f1())
		}
		if show && half(name) == develop && seen[0] < seen[1]-0.01 {
			fmt.Fprintf(out, "%-40s ours %.3f, go-readability %.3f\n", name, seen[0], seen[1])
		}
	}
	return tellPages(out, scores, asJSON)
}

func (s *pageScore) add(o overlap) {
	n := float64(s.Pages)
	s.Pages++
	s.Precision = (s.Precision*n + o.precision()) / (n + 1)
	s.Recall = (s.Recall*n + o.recall()) / (n + 1)
	s.F1 = (s.F1*n + o.f1()) / (n + 1)
}

// inOrder are the scores of each reader, half by half.
func inOrder[S any](scores map[[2]string]*S) []S {
	var list []S
	for _, half := range []string{develop, unseen} {
		for _, r := range readers() {
			if s := scores[[2]string{r.name, half}]; s != nil {
				list = append(list, *s)
			}
		}
	}
	return list
}

func tellPages(out io.Writer, scores map[[2]string]*pageScore, asJSON bool) error {
	list := inOrder(scores)
	if asJSON {
		return printJSON(out, list)
	}
	fmt.Fprintf(out, "| reader | half | pages | precision | recall | F1 |\n|---|---|---:|---:|---:|---:|\n")
	for _, s := range list {
		fmt.Fprintf(out, "| %s | %s | %d | %.4f | %.4f | %.4f |\n", s.Reader, s.Half, s.Pages, s.Precision, s.Recall, s.F1)
	}
	return nil
}

func textOfFile(path string) (string, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return everything(page, ""), nil
}
