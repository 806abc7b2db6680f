package proc

import "strings"

// shimTarget is what a batch file of npm's starts, below its own folder, told by
// its last line alone; "" where it is none that npm has written. Its two forms:
//
//	"%_prog%"  "%dp0%\node_modules\@openai\codex\bin\codex.js" %*
//	"%dp0%\node_modules\@anthropic-ai\claude-code\bin\claude.exe"   %*
//
// The older one says %~dp0 itself.
func shimTarget(text string) (target string, byNode bool) {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	line, all := strings.CutSuffix(strings.TrimSpace(lines[len(lines)-1]), "%*")
	words := strings.Split(line, `"`)
	if !all || len(words) < 3 {
		return "", false
	}
	last := words[len(words)-2]
	for _, folder := range []string{`%dp0%\`, `%~dp0\`} {
		if rest, below := strings.CutPrefix(last, folder); below {
			target = rest
		}
	}
	plain := target != "" && !strings.ContainsAny(target, `%!^&|<>:*?`) && !strings.HasPrefix(target, `\`)
	switch {
	case !plain:
		return "", false
	case len(words) == 3 && strings.HasSuffix(strings.ToLower(target), ".exe"):
		return target, false
	case len(words) == 5 && isNode(words[1]):
		return target, true
	}
	return "", false
}

func isNode(word string) bool { return word == `%_prog%` || word == `%~dp0\node.exe` || word == "node" }
