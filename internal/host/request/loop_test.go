package request_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/request"
)

func TestSessionLoop(t *testing.T) {
	type want struct {
		task, marker, word, err string
		max                     int
	}
	for args, w := range map[string]want{
		"":                                     {err: "a task is needed"},
		"--max-iterations 5":                   {err: "a task is needed"},
		"--max-iterations 5 --marker D Fix it": {task: "Fix it", marker: "D", max: 5},
		`Fix it --max-iterations 5 --marker "ALL GREEN"`:              {task: "Fix it", marker: "ALL GREEN", max: 5},
		"Fix --max-iterations":                                        {err: "--max-iterations"},
		"Fix --max-iterations five":                                   {err: "whole number"},
		"Fix --max-iterations -1":                                     {err: "whole number"},
		"Fix --max-iterations 0":                                      {err: "whole number"},
		"Fix --max-iterations 2.5":                                    {err: "whole number"},
		"Fix --max-iterations 3 --max-iterations 9":                   {err: "twice"},
		"Fix --max-iteration 3":                                       {err: "max-iterations"},
		"Fix --max-iteration 3 now":                                   {err: "stands in the task"},
		"Fix –max-iterations 3":                                       {err: "stands in the task"},
		"Fix —marker X":                                               {err: "stands in the task"},
		"Explain the flag --marker in our docs -- --max-iterations 3": {err: "stands in the task"},
		"--max-iterations 3 -- Explain --marker in our docs":          {task: "Explain --marker in our docs", max: 3},
		`T --marker ""`:                                               {err: "empty"},
		"T --marker \"two\nlines\"":                                   {err: "one line"},
		"T --marker \"```\"":                                          {err: "code block"},
		`T --marker ".*"`:                                             {task: "T", marker: ".*"},
		"--help":                                                      {word: "help"},
		" cancel ":                                                    {word: "cancel"},
		"continue":                                                    {word: "continue"},
		"cancel the subscriptions":                                    {task: "cancel the subscriptions"},
		"Don't touch $(id) `x` \"q\" \\ %d {{args}} @s; rm -rf / --max-iterations 2": {task: "Don't touch $(id) `x` \"q\" \\ %d {{args}} @s; rm -rf /", max: 2},
	} {
		t.Run(args, func(t *testing.T) {
			got, err := request.ParseSessionLoop(args)
			if w.err != "" {
				require.ErrorContains(t, err, w.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, w, want{task: got.Topic, marker: got.Marker, word: got.Word, max: got.Iterations})
		})
	}
}
