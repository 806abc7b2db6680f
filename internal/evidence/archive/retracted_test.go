package archive

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyAMarkBeforeTheTitleRetracts(t *testing.T) {
	for title, want := range map[string]bool{
		"RETRACTED: On moths":                        true,
		"Retracted: On moths":                        true,
		"[Retracted] On moths":                       true,
		"WITHDRAWN: On moths":                        true,
		"RETRACTED ARTICLE: On moths":                true,
		"Retracted Article — On moths":               true,
		"Retraction: On moths":                       false, // the notice, not the paper
		"Retracted Science and the Retraction Index": false,
		"Withdrawn medicines in Europe":              false,
		"Retraction of moths from the light":         false,
		"Withdrawn":                                  false,
		"":                                           false,
	} {
		r := Record{Title: title}
		r.notices("10.1/x", nil, nil)
		require.Equal(t, want, r.Retracted, title)
	}
}

func TestOnlyAnAbstractOnItsOwnPaperWithdraws(t *testing.T) {
	for _, own := range []string{
		"This paper has been withdrawn by the author.",
		"  The submission has been withdrawn due to an error.",
		"Withdrawn: see v1.",
	} {
		require.Regexp(t, withdrawalForm(), own)
	}
	for _, other := range []string{
		"Rofecoxib has been withdrawn from the market in 2004; we estimate.",
		"We study troops that had been withdrawn from the front.",
	} {
		require.NotRegexp(t, withdrawalForm(), other)
	}
}
