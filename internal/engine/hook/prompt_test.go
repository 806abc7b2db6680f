package hook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyWhatAPersonHasTypedIsTheirs(t *testing.T) {
	for text, theirs := range map[string]bool{
		"leave out Windows":                                    true,
		"/api must not be touched":                             false, // a host takes it for a command too
		"/src/api must not be touched":                         true,
		"a < b, not a > b":                                     true,
		"<task-notification>an agent says</task-notification>": false,
		"<system-reminder>":                                    false,
		"/research-council:continue-auto":                      false,
		"/compact keep the plan":                               false,
		"  ":                                                   false,
		"< 3 seconds, please":                                  true,
		strings.Repeat("x", maxFieldBytes+1):                   false,
	} {
		data, err := json.Marshal(map[string]any{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": text})
		require.NoError(t, err)
		call, whole := Decode(strings.NewReader(string(data)))
		require.True(t, whole)
		said, ok := call.TypedText()
		require.Equal(t, theirs, ok, "%.60s", text)
		if ok {
			require.Equal(t, text, said)
		}
	}
}

func TestACommandOfOursIsKnownByItsFormAlone(t *testing.T) {
	type want struct {
		name, args string
		ok         bool
	}
	for prompt, w := range map[string]want{
		`$research-council:research-loop Fix "it" --marker X`:                      {"research-loop", `Fix "it" --marker X`, true},
		"  $research-council:status\n":                                             {"status", "", true},
		"$research-council:deep-research\nWhy?\nHow?":                              {"deep-research", "Why?\nHow?", true},
		"What does $research-council:status do?":                                   {},
		"$research-council:":                                                       {},
		"$research-council:../x y":                                                 {},
		"/research-council:status":                                                 {},
		"Research council command: status\nText of it.\n\nArguments: \n":           {"status", "", true},
		"Research council command: research-loop\nText.\nArguments: T $(id) 'x'\n": {"research-loop", "T $(id) 'x'", true},
		"Research council command: research-loop\nArguments: a\nArguments: b":      {"research-loop", "a\nArguments: b", true},
		"Research council command: status":                                         {},
		"Tell me of Research council command: status\nArguments: x":                {},
	} {
		name, args, ok := Call{Prompt: prompt}.TypedCommand()
		if !ok {
			name, args = "", ""
		}
		require.Equal(t, w, want{name, args, ok}, prompt)
	}
}
