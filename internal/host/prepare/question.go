package prepare

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
)

// Question is how the question of a run is given.
type Question struct {
	Command string // it is typed behind; "" for run
	File    string // that holds it; "" for none
	Plan    bool   // a plan is all that is made of it
}

// Read reads the question: from the arguments, standard input or the file.
func (w Question) Read(e program.Env, args []string) (string, error) {
	switch {
	case w.File != "" && len(args) > 0:
		return "", usage.Errorf("the question stands in --topic-file and in the arguments; give it once")
	case w.File != "":
		return w.readFile(e)
	case len(args) == 1 && args[0] == "-":
		if err := w.checkQuestionInput(e, e.Stdin); err != nil {
			return "", err
		}
		return readQuestion(e.Stdin)
	case len(args) == 0:
		return "", usage.Errorf("there is no question; write it behind the command, as in: council %s \"How does … work?\" (or - for standard input)", cmp.Or(w.Command, "run"))
	}
	return strings.Join(args, " "), nil
}

func (w Question) readFile(e program.Env) (string, error) {
	name := w.File
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.Dir, name)
	}
	if err := w.checkQuestionName(e, name); err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", usage.Errorf("--topic-file %q: %w", name, usage.Cause(err))
	}
	defer f.Close()
	return readQuestion(f)
}

// topicFile is what a file has to be called to be planned by an agent.
const topicFile = "question.md"

// checkQuestionName refuses the file of a question by its name. A plan repeats the question,
// and the skill of this plugin lets a session make plans without asking: were any
// file a question, words on a page could have it read what nobody has let it read.
func (w Question) checkQuestionName(e program.Env, name string) error {
	if !w.Plan || caller.Agent(e.Getenv) == "" {
		return nil
	}
	if info, err := os.Lstat(name); filepath.Base(name) != topicFile || err == nil && !info.Mode().IsRegular() {
		return usage.Errorf("--topic-file %q: for an agent, a plan is made only of a file called %s that is no link", name, topicFile)
	}
	return nil
}

// checkQuestionInput refuses a file that a shell gives as standard input, for its name is
// not known.
func (w Question) checkQuestionInput(e program.Env, in io.Reader) error {
	f, ok := in.(*os.File)
	if !ok || !w.Plan || caller.Agent(e.Getenv) == "" {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode().IsRegular() {
		return usage.Errorf("for an agent, a plan is made of no file on standard input; write the question to %s and give it as --topic-file", topicFile)
	}
	return nil
}

// readQuestion reads the question whole; the line break that ends a file is no part
// of it.
func readQuestion(from io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(from, request.MaxTopicBytes+2))
	if err != nil {
		return "", fmt.Errorf("read the question: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}
