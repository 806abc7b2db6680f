package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyAPersonLeavesCommitHooksOut(t *testing.T) {
	for _, mark := range []string{"RESEARCH_COUNCIL_CHILD", "CLAUDECODE"} {
		for _, args := range [][]string{{"campaign", "resume", "shelf", "--no-hooks"}, {"campaign", "run", "implement", "other", "Build it.", "--no-hooks"}} {
			s := newShelf(t)
			s.vars = map[string]string{mark: campID}
			code, _, problem := s.run(args...)
			require.Equal(t, 2, code)
			require.Contains(t, problem, "--no-hooks is a person's to say")
		}
	}
}
