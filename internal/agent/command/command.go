// Package command lets any executable be a seat.
//
// The contract of such an executable:
//
//   - Its arguments are the seat's own, with these words replaced wherever
//     they stand: {prompt_file} and {topic_file} (files in the seat's folder
//     that hold what the turn asks and the question alone), {report}, {dir},
//     {session}, {model} and {max_iterations}. There is no shell.
//   - Its standard input is the whole request: instructions, then the question
//     as framed data; in a continued session the prompt to continue with.
//   - It runs in the seat's folder, with what the seat may inherit in its
//     environment, and RESEARCH_REPORT_PATH, RESEARCH_STATE_PATH,
//     RESEARCH_MAX_ITERS and RESEARCH_COUNCIL_CHILD. RESEARCH_SESSION_ID is
//     the session this call belongs to, an id of our choice until the
//     executable has named its own; RESEARCH_CONTINUED is 1 where the session
//     has begun in an earlier call.
//   - Where it builds code, RESEARCH_SHELL is the beginning of a command line:
//     what is added to it as one word is run in the project, confined, and it
//     ends as that does. Files are written by it too.
//   - RESEARCH_DESK, where it is set, is a command line that serves the seat's
//     desk over MCP, on stdin and stdout, for an executable that speaks it:
//     sources, claims, experiments.
//   - It writes the report to RESEARCH_REPORT_PATH. A report whose last
//     non-empty line is the marker is complete; otherwise the executable is
//     called again until its iterations are spent.
//   - Its standard output is free text, of which the last non-empty line is
//     its answer. A last line that is a JSON object tells more, every field
//     optional: {"text": "…", "session": "…", "usd": 0.1, "input_tokens": 1,
//     "cached_input_tokens": 0, "output_tokens": 1, "model": "…",
//     "cumulative": false}. usd and the counts are this call's, or, where
//     cumulative is true, the whole session's.
//   - It may work without a word: the time of a turn alone bounds it.
//   - Its exit status is 0 when it ran, whatever it found; 75 (EX_TEMPFAIL),
//     69 (EX_UNAVAILABLE) and 68 (EX_NOHOST) when a later call may go well;
//     66 (EX_NOINPUT) when the session is gone; any other of 64 to 78 as in
//     sysexits.h, 126 and 127 when calling it again is useless. Any other
//     status is a failed attempt.
package command

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

// Adapter makes processes of any executable out of turns.
type Adapter struct{}

// Spec is the first or a continued turn; both pass all arguments.
func (Adapter) Spec(t agent.Turn) (agent.Spec, error) {
	if err := t.Check(); err != nil {
		return agent.Spec{}, fmt.Errorf("command seat: %w", err)
	}
	ask := []byte(t.PromptText())
	prompt := filepath.Join(t.Dir, "prompt.md")
	topic := filepath.Join(t.Dir, "topic.md")
	return agent.Spec{
		Argv:  append([]string{t.Program}, arguments(t, prompt, topic)...),
		Env:   environment(t),
		Dir:   t.Dir,
		Stdin: ask,
		Files: []agent.File{{Path: prompt, Data: ask}, {Path: topic, Data: []byte(t.Topic)}},
	}, nil
}

// arguments replaces the words in one pass, so that nothing a word stands for
// is looked at again.
func arguments(t agent.Turn, prompt, topic string) []string {
	words := strings.NewReplacer(
		"{prompt_file}", prompt,
		"{topic_file}", topic,
		"{report}", t.Report,
		"{dir}", t.Dir,
		"{session}", t.Session,
		"{model}", t.Model,
		"{max_iterations}", strconv.Itoa(t.MaxIterations),
	)
	argv := make([]string, len(t.Args))
	for i, a := range t.Args {
		argv[i] = words.Replace(a)
	}
	return argv
}

func environment(t agent.Turn) []string {
	added := map[string]string{"RESEARCH_SESSION_ID": t.Session}
	if t.Resume != "" {
		added["RESEARCH_CONTINUED"] = "1"
	}
	if len(t.Shell) > 0 {
		added["RESEARCH_SHELL"] = agent.Shell(t.Shell)
	}
	if len(t.Desk) > 0 {
		added["RESEARCH_DESK"] = agent.Shell(t.Desk)
	}
	return t.Environment(added)
}
