// Command unsupported is council and council-hook where these cannot run yet:
// Windows. It does what the launchers do where there is no program: a session
// is told once, what a person types is answered, every other hook is let go.
package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/engine/hook"
)

const words = "research-council is not supported on Windows yet. Use it in WSL, or disable the plugin here."

func main() { os.Exit(run(os.Args, os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) (status int) {
	if name := strings.ToLower(filepath.Base(args[0])); !strings.HasPrefix(name, "council-hook") {
		_, _ = io.WriteString(stderr, "council: "+words+"\n") // there is nobody else to tell
		return 1
	}
	event := ""
	if len(args) > 1 {
		event = args[1]
	}
	switch event {
	case "session-start":
		_, _ = stdout.Write(hook.Object("systemMessage", words))
	case "user-prompt-expansion":
		_, _ = stdout.Write(hook.Stop(words))
	}
	return 0
}
