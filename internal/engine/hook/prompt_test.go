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
