package proc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The files are npm's own, as its cmd-shim writes them.
func TestABatchFileOfNpmsSaysWhatItStarts(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		return string(text)
	}
	target, byNode := shimTarget(read("codex.cmd"))
	require.Equal(t, `node_modules\@openai\codex\bin\codex.js`, target)
	require.True(t, byNode)
	target, byNode = shimTarget(read("claude.cmd"))
	require.Equal(t, `node_modules\@anthropic-ai\claude-code\bin\claude.exe`, target)
	require.False(t, byNode)
	for what, text := range map[string]string{
		"a shell's script":        read("script.cmd"),
		"a person's own":          "@echo off\r\nclaude.exe %*\r\n",
		"nothing":                 "",
		"a variable in the path":  `"%dp0%\%name%\x.exe" %*`,
		"a program from anywhere": `"C:\x\x.exe" %*`,
		"a command before it":     `del x & "%dp0%\x.exe" %*`,
	} {
		target, _ := shimTarget(text)
		require.Empty(t, target, what)
	}
}
