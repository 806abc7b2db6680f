package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/engine/sessionloop"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	hostsession "github.com/research-council/research-council/internal/host/session"
)

// Each host reads a file of hooks of its own: a key or a handler of another host's
// would make all of them vanish, or hold a turn for a day.
func TestEachHostHasHooksOfItsOwn(t *testing.T) {
	for file, c := range map[string]struct {
		events []string
		most   int64 // of a time-out, in the host's unit
	}{
		"../../hosts/codex/hooks.json":        {[]string{"UserPromptSubmit", "SessionStart", "Stop", "Interrupt", "SessionEnd"}, 60},
		"../../hosts/gemini/hooks/hooks.json": {[]string{"BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd"}, 60_000},
	} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(data), "\r")
		var top map[string]map[string][]struct{ Hooks []map[string]any }
		require.NoError(t, json.Unmarshal(data, &top))
		require.Len(t, top, 1, "%s has no key but hooks", file)
		var events []string
		for event, groups := range top["hooks"] {
			events = append(events, event)
			require.Len(t, groups, 1)
			require.Len(t, groups[0].Hooks, 1)
			h := groups[0].Hooks[0]
			require.Equal(t, "command", h["type"])
			require.LessOrEqual(t, h["timeout"], float64(c.most), event)
			require.NotContains(t, h, "args")
			require.NotContains(t, h, "asyncRewake")
			line := h["command"].(string)
			require.True(t, strings.HasSuffix(line, " 2>/dev/null || :"), "no exit code but 0 and no words of an error: Gemini CLI takes them for an endless no")
			require.Contains(t, line, "|| exit 0")
		}
		require.ElementsMatch(t, c.events, events)
	}
	require.NoFileExists(t, "../../gemini-extension.json", "beside Claude Code's hooks Gemini CLI would run those")
}

// The manifests name what is there, and the commands are those the program knows.
func TestTheManifestsOfOtherHosts(t *testing.T) {
	codex, err := os.ReadFile("../../.codex-plugin/plugin.json")
	require.NoError(t, err)
	gemini, err := os.ReadFile("../../hosts/gemini/gemini-extension.json")
	require.NoError(t, err)
	for _, data := range [][]byte{codex, gemini} {
		require.Equal(t, "research-council", gjson.GetBytes(data, "name").Str)
		require.Equal(t, release, gjson.GetBytes(data, "version").Str)
	}
	for _, path := range []string{gjson.GetBytes(codex, "skills").Str, gjson.GetBytes(codex, "hooks").Str, gjson.GetBytes(codex, "mcpServers").Str} {
		require.True(t, strings.HasPrefix(path, "./") && !strings.Contains(path, ".."), path)
		require.True(t, exists(filepath.Join("../..", path)), path)
	}
	require.False(t, gjson.GetBytes(gemini, "mcpServers.council.trust").Exists(), "that is the person's to say")
	context, err := os.ReadFile(filepath.Join("../../hosts/gemini", gjson.GetBytes(gemini, "contextFileName").Str))
	require.NoError(t, err)
	require.Less(t, len(context), 1500, "it is in every prompt of every project")
	for _, name := range hostsession.TypedCommands {
		skill, err := os.ReadFile("../../hosts/codex/skills/" + name + "/SKILL.md")
		require.NoError(t, err)
		command, err := os.ReadFile("../../hosts/gemini/commands/" + name + ".toml")
		require.NoError(t, err)
		for _, text := range []string{string(skill), string(command)} {
			require.NotContains(t, text, "/research-council:", "as Claude Code alone has them")
			require.NotContains(t, text, "$ARGUMENTS")
			require.NotContains(t, text, "!{")
		}
		require.Contains(t, string(skill), "name: "+name+"\n")
		require.Contains(t, string(command), "Research council command: "+name+"\n")
		require.True(t, strings.HasSuffix(string(command), "\nArguments: {{args}}\n\"\"\"\n"), "what was typed ends the text")
	}
	for dir, most := range map[string]int{"../../hosts/codex/skills": len(hostsession.TypedCommands), "../../hosts/gemini/commands": len(hostsession.TypedCommands)} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, most, dir)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// handBack is what the council program does when it is handed an event of another
// host: the test binary is that program too.
func handBack(args []string) int {
	v := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		v[args[i]] = args[i+1]
	}
	h := hostsession.HandedBack{
		Owner: hostsession.Owner{Project: v["--root"], Run: v["--run"], Session: v["--session"]}, Host: v["--host"], Event: v["--event"],
		Reason: v["--reason"], Context: v["--context"], Words: v["--words"],
	}
	if err := hostsession.HandBack(program.Env{Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}, h); err != nil {
		return 1
	}
	return 0
}

// A session that cannot be woken hears at its next event how its run has ended, once,
// in one voice with its loop.
func TestTheEndOfARunIsHandedBackOnce(t *testing.T) {
	for _, c := range []struct{ host, event, field string }{
		{sessionloop.Codex, "SessionStart", "hookSpecificOutput.additionalContext"},
		{sessionloop.Codex, "UserPromptSubmit", "hookSpecificOutput.additionalContext"},
		{sessionloop.Codex, "Stop", "reason"},
		{sessionloop.Gemini, "BeforeAgent", "hookSpecificOutput.additionalContext"},
		{sessionloop.Gemini, "AfterAgent", "reason"},
	} {
		for _, loops := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s of %s, loop %t", c.event, c.host, loops), func(t *testing.T) {
				root, run := project(t, "research")
				ended := `{"id":"` + id + `","status":"completed","topic":"Why?"}`
				require.NoError(t, os.WriteFile(filepath.Join(run, workspace.Status), []byte(ended), 0o600))
				require.NoError(t, workspace.LeaveUnheard(root, id))
				x := teller(t, c.host)
				if loops {
					l := sessionloop.New(c.host, "mine", "Fix it", "/f", time.Now())
					if c.host == sessionloop.Gemini {
						l.Bind("Fix it")
					}
					require.NoError(t, sessionloop.Begin(x.folder, l, "Fix it"))
				}
				tell := func(session string) answer {
					in := map[string]any{"session_id": session, "cwd": root, "hook_event_name": c.event, "prompt": "Fix it", "last_assistant_message": "a", "prompt_response": "a", "source": "resume"}
					return x.hear(c.event, in)
				}
				require.Equal(t, answer{}, tell("other"))
				got := tell("mine")
				require.Contains(t, gjson.Get(got.stdout, c.field).Str, "run "+id+" has ended: completed", got.stdout+got.stderr)
				if loops && c.field == "reason" {
					require.Contains(t, gjson.Get(got.stdout, c.field).Str, "Go on with the task")
				}
				for key := range gjson.Parse(got.stdout).Map() {
					require.Contains(t, []string{"decision", "reason", "systemMessage", "hookSpecificOutput"}, key)
				}
				require.NotContains(t, tell("mine").stdout, "has ended", "once")
			})
		}
	}
}
