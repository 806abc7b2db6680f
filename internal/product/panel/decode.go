package panel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// Bounds of a review, far above what an honest one holds.
const (
	maxReviewBytes    = 1 << 20 // bytes of the JSON
	maxTextBytes      = 8 << 10 // bytes of a text
	maxIssues         = 200
	maxClaims         = 200 // of an issue
	maxScores         = 32
	maxCriterionBytes = 64 // bytes of a criterion's name
	highest           = 10 // score
)

// Severities of an issue, the gravest first.
const (
	Critical = "critical"
	Major    = "major"
	Minor    = "minor"
)

// Decode reads a reviewer's answer. It is strict, since what it lets through
// is a vote: the verdict is one of the three, scores lie between 0 and 10,
// every issue says something, no key stands there twice, and nothing is longer
// than a review is. An error is one line that says what is wrong.
func Decode(data []byte) (Review, error) {
	r, err := decode(data)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return Review{}, fmt.Errorf("read the review: %w", err)
	}
	return r, nil
}

func decode(data []byte) (r Review, err error) {
	if len(data) > maxReviewBytes {
		return r, fmt.Errorf("it is longer than %d MiB", maxReviewBytes>>20)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil {
		return r, errors.New(plain.Line(err.Error(), 200))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("something stands behind the JSON object")
	}
	for i := range r.Issues {
		r.Issues[i].Severity = grade(r.Issues[i].Severity)
	}
	return r, refuseDuplicateKeys(data)
}

// refuseDuplicateKeys refuses an object of which a key stands there twice, in whatever case:
// two readers of it could see two verdicts.
func refuseDuplicateKeys(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return errors.New("it is no JSON object")
	}
	var seen []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return errors.New(plain.Line(err.Error(), 200))
		}
		key, _ := name.(string) // the keys of an object are strings
		if isReviewKey(key) {
			if slices.ContainsFunc(seen, func(s string) bool { return strings.EqualFold(s, key) }) {
				return fmt.Errorf("%s stands there twice", quote(key))
			}
			seen = append(seen, key)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return errors.New(plain.Line(err.Error(), 200))
		}
	}
	return nil
}

// isReviewKey reports whether a key is read, in whatever case.
func isReviewKey(key string) bool {
	return slices.ContainsFunc([]string{"verdict", "scores", "strengths", "issues", "summary"}, func(s string) bool {
		return strings.EqualFold(s, key)
	})
}

// grade is a severity as we write it.
func grade(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func quote(s string) string { return fmt.Sprintf("%q", plain.Line(s, 60)) }

// check refuses what is no review.
func (r Review) check() error {
	if err := r.checkVote(); err != nil {
		return err
	}
	switch {
	case len(r.Issues) > maxIssues:
		return fmt.Errorf("it has %d issues, and at most %d are read", len(r.Issues), maxIssues)
	case len(r.Strengths) > maxIssues:
		return fmt.Errorf("it has %d strengths, and at most %d are read", len(r.Strengths), maxIssues)
	case tooLong(append([]string{r.Summary}, r.Strengths...)...):
		return fmt.Errorf("a text is longer than %d KiB", maxTextBytes>>10)
	}
	for i, is := range r.Issues {
		if err := is.check(); err != nil {
			return fmt.Errorf("issue %d: %w", i+1, err)
		}
	}
	return nil
}

// checkVote refuses a review that cannot be counted as a vote. A severity that is
// unknown may mean critical.
func (r Review) checkVote() error {
	if !slices.Contains([]string{Approved, NeedsRevision, Rejected}, r.Verdict) {
		return fmt.Errorf("the verdict is %s; it is %s, %s or %s", quote(r.Verdict), Approved, NeedsRevision, Rejected)
	}
	for i, is := range r.Issues {
		if is.Severity != "" && rank(is.Severity) == 0 {
			return fmt.Errorf("issue %d: the severity is %s; it is %s, %s or %s", i+1, quote(is.Severity), Critical, Major, Minor)
		}
	}
	if len(r.Scores) > maxScores {
		return fmt.Errorf("it has %d scores, and at most %d are read", len(r.Scores), maxScores)
	}
	for _, name := range criteria(r.Scores) {
		switch s := r.Scores[name]; {
		case plainLine(name) == "" || len(name) > maxCriterionBytes:
			return fmt.Errorf("a score bears no name of at most %d bytes", maxCriterionBytes)
		case math.IsNaN(s) || s < 0 || s > highest:
			return fmt.Errorf("the score of %s is %v; it is a number from 0 to %d", quote(name), s, highest)
		}
	}
	return nil
}

func (is Issue) check() error {
	switch {
	case plainLine(is.Issue) == "":
		return errors.New("it says nothing")
	case len(is.Claims) > maxClaims:
		return fmt.Errorf("it names %d claims, and at most %d are read", len(is.Claims), maxClaims)
	case tooLong(append([]string{is.Section, is.Issue, is.Fix}, is.Claims...)...):
		return fmt.Errorf("a text is longer than %d KiB", maxTextBytes>>10)
	}
	return nil
}

func tooLong(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return len(s) > maxTextBytes })
}

// plainLine is foreign text on one line. What Decode lets through is not cut.
func plainLine(s string) string { return plain.Line(s, maxTextBytes) }
