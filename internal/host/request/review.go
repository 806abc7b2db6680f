package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// CodeReview is what only a review of code is asked for. The topic is the folder or
// file to review, "" for the whole project.
type CodeReview struct {
	Since      string   // a branch, a tag or a commit: only what changed since then
	Rivals     bool     // every family reviews every batch
	BatchFiles int      // at most; 0 when not asked for
	BatchLines int      // likewise
	Docs       string   // what is done about documents for agents; "" when not asked for
	FailOn     string   // a severity
	Unread     []string // with FailOn, files and folders that need not be read
	SARIF      string   // a file inside the project
	SurveyOnly bool     // no seat reads anything
}

// ReviewFlags are those of the slash command that reviews code and of the
// command line, in the order they are shown.
func ReviewFlags() []Flag {
	list := []Flag{
		{"since", "REF", "review only what changed since a branch, a tag or a commit", wordSetter(func(r *Request) *string { return &r.Since })},
		{"rivals", "", "let every family of models review every batch", func(r *Request, _ string) error {
			r.Rivals = true
			return nil
		}},
		{"batch-files", "N", "files of a batch, at most", func(r *Request, v string) (err error) {
			r.BatchFiles, err = whole(v)
			return err
		}},
		{"batch-lines", "N", "lines of a batch, at most", func(r *Request, v string) (err error) {
			r.BatchLines, err = whole(v)
			return err
		}},
		{"docs", "HOW", "documents in significant folders, AGENTS.md and CLAUDE.md: preview (the default), write into the repository, or off", choiceSetter(codereview.Docs, func(r *Request) *string { return &r.Docs })},
		{"no-docs", "", "leave the repository's documents alone, as --docs off", func(r *Request, _ string) error {
			r.Docs = codereview.DocsOff
			return nil
		}},
		{"fail-on", "SEVERITY", "end with exit code 6 where a finding is at least so grave: " + strings.Join(finding.Severities(), ", "), choiceSetter(finding.Severities, func(r *Request) *string { return &r.FailOn })},
		{"allow-unread", "NAMES", "with --fail-on, files and folders that nobody has to read, such as vendor,*.pb.go", func(r *Request, v string) (err error) {
			r.Unread, err = listed(v)
			return err
		}},
		{"sarif", "FILE", "copy the findings, as SARIF, to a file inside the project", wordSetter(func(r *Request) *string { return &r.SARIF })},
		{"no-run", "", "let the second look run no tests; else it may, confined, on a copy of the code", func(r *Request, _ string) error {
			r.NoRun = true
			return nil
		}},
		{"survey-only", "", "list the files and cut them into batches; ask no seat", func(r *Request, _ string) error {
			r.SurveyOnly = true
			return nil
		}},
	}
	shared := []string{"test", "seats", "tier", "max-minutes", "max-usd", "output", "force", "dry-run"}
	for _, f := range Flags() {
		if slices.Contains(shared, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

func choiceSetter(words func() []string, field func(*Request) *string) func(*Request, string) error {
	return func(r *Request, v string) error {
		if !slices.Contains(words(), v) {
			return fmt.Errorf("use one of %s", strings.Join(words(), ", "))
		}
		*field(r) = v
		return nil
	}
}

// ParseReview reads the whole argument string of the slash command. No topic is
// the whole project.
func ParseReview(args string) (Request, error) {
	p := parser{rest: args, flags: ReviewFlags()}
	if err := p.takeLeadingFlags(); err != nil {
		return Request{}, err
	}
	if err := p.takeTrailingFlags(); err != nil {
		return Request{}, err
	}
	p.req.Topic = stripQuotes(p.rest)
	if p.req.Topic == "" {
		return p.req, nil
	}
	return p.req, CheckTopic(p.req.Topic)
}
