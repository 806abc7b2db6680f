package survey_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/project/survey"
)

// drawn are files as a listing may bring them, some of them left out.
func drawn(t *rapid.T) []survey.File {
	n := rapid.IntRange(0, 300).Draw(t, "files")
	var files []survey.File
	for i := range n {
		f := survey.File{
			Path:       fmt.Sprintf("%s%d.go", rapid.SampledFrom([]string{"", "a/", "a/b/", "c/", "日/"}).Draw(t, "folder"), i),
			Lines:      rapid.OneOf(rapid.IntRange(1, 300), rapid.IntRange(1, 9000)).Draw(t, "lines"),
			Churn:      rapid.IntRange(0, 80).Draw(t, "churn"),
			Complexity: rapid.IntRange(0, 2000).Draw(t, "complexity"),
			Test:       rapid.Bool().Draw(t, "test"),
			Kind:       survey.Source,
		}
		f.Size = int64(f.Lines) * int64(rapid.IntRange(1, 200).Draw(t, "width"))
		if rapid.IntRange(0, 5).Draw(t, "out") == 0 {
			f.Skip = survey.SkipBinary
		}
		files = append(files, f)
	}
	return files
}

func TestEveryReviewedFileIsInExactlyOneBatchWithinItsLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := survey.Rank(drawn(t))
		l := survey.Limits{
			Files: rapid.IntRange(1, 50).Draw(t, "most files"),
			Lines: rapid.IntRange(1, 5000).Draw(t, "most lines"),
			Size:  int64(rapid.IntRange(1, 1<<19).Draw(t, "most bytes")),
		}
		batches := survey.Batches(files, l)
		require.NoError(t, survey.CheckBatches(files, batches))
		for i, b := range batches {
			require.Equal(t, i+1, b.Number)
			require.LessOrEqual(t, len(b.Files), l.Files)
			lines, size := 0, int64(0)
			for _, f := range b.Files {
				lines, size = lines+f.Lines, size+f.Size
			}
			require.Equal(t, lines, b.Lines)
			require.Equal(t, size, b.Size)
			require.Equal(t, b.Files[0].Risk, b.Risk)
			if len(b.Files) > 1 {
				require.LessOrEqual(t, b.Lines, l.Lines)
				require.LessOrEqual(t, b.Size, l.Size)
			}
			if i > 0 {
				require.LessOrEqual(t, b.Risk, batches[i-1].Risk, "the riskiest come first")
			}
		}
		shuffled := slices.Clone(files)
		slices.Reverse(shuffled)
		require.Equal(t, batches, survey.Batches(shuffled, l), "the order of the listing says nothing")
	})
}

// A file that nobody is given to read, or two are, is a fault of the plan: a
// review that went on would call code read that is not.
func TestAPlanThatDoesNotFitItsFilesIsRefused(t *testing.T) {
	files := []survey.File{{Path: "a.go", Kind: survey.Source}, {Path: "b.go", Kind: survey.Source}, {Path: "logo.png", Skip: survey.SkipBinary}}
	a, b, logo := files[0], files[1], files[2]
	for name, c := range map[string]struct {
		batches []survey.Batch
		says    string
	}{
		"every file once":            {[]survey.Batch{{Number: 1, Files: []survey.File{a}}, {Number: 2, Files: []survey.File{b}}}, ""},
		"a file in two batches":      {[]survey.Batch{{Number: 1, Files: []survey.File{a, b}}, {Number: 2, Files: []survey.File{a}}}, "batch 2: a.go is in another batch too"},
		"a file that is left out":    {[]survey.Batch{{Number: 1, Files: []survey.File{a, b, logo}}}, "batch 1: logo.png is in another batch too, or is not to be reviewed"},
		"a file that is in none":     {[]survey.Batch{{Number: 1, Files: []survey.File{a}}}, "1 file in no batch, the first is b.go"},
		"no batches":                 {nil, "2 files in no batch, the first is a.go"},
		"a file nobody has heard of": {[]survey.Batch{{Number: 1, Files: []survey.File{a, b, {Path: "c.go"}}}}, "batch 1: c.go is in another batch too, or is not to be reviewed"},
	} {
		t.Run(name, func(t *testing.T) {
			err := survey.CheckBatches(files, c.batches)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}
