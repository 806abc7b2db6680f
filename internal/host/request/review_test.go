package request_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/codereview"
)

func TestAReviewIsAskedForLikeThis(t *testing.T) {
	for typed, want := range map[string]request.Request{
		"":                                {},
		"internal/x":                      {Topic: "internal/x"},
		"--since main":                    {CodeReview: request.CodeReview{Since: "main"}},
		`"a folder" --rivals --no-docs`:   {Topic: "a folder", CodeReview: request.CodeReview{Rivals: true, Docs: codereview.DocsOff}},
		"--fail-on high --sarif out.json": {CodeReview: request.CodeReview{FailOn: "high", SARIF: "out.json"}},
		"--docs preview --batch-files 9 --batch-lines 400 --max-usd 5 src": {
			Topic: "src", USD: 5, CodeReview: request.CodeReview{Docs: codereview.DocsPreview, BatchFiles: 9, BatchLines: 400},
		},
		"--fail-on low --allow-unread vendor,*.pb.go": {CodeReview: request.CodeReview{FailOn: "low", Unread: []string{"vendor", "*.pb.go"}}},
		"--no-run":      {NoRun: true},
		"--survey-only": {CodeReview: request.CodeReview{SurveyOnly: true}},
		"-- --since":    {Topic: "--since"},
	} {
		got, err := request.ParseReview(typed)
		require.NoError(t, err, typed)
		require.Equal(t, want, got, typed)
	}
}

func TestWhatNoReviewKnowsIsRefused(t *testing.T) {
	for _, typed := range []string{"--fail-on grave", "--docs all", "--batch-files 0", "--reviewers claude", "--skip-permissions", "--since", "src \x80", "--allow-unread=,", "--rival src"} {
		_, err := request.ParseReview(typed)
		require.Error(t, err, typed)
	}
}
