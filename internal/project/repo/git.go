package repo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/research-council/research-council/internal/base/job"
)

const (
	deadline     = 10 * time.Minute // of one git call; a first snapshot may hash gigabytes
	grace        = 5 * time.Second  // from being asked to end to being ended
	maxComplaint = 2 << 10          // bytes of git's own complaint that are passed on
)

// plumbing calls git on one repository. How it is configured, whoever makes it
// settles: [Open] to work in a repository, [openReadOnly] to look at one.
type plumbing struct {
	program  string   // git
	env      []string // of every call
	settings []string // options before every command
	root     string   // top of the work tree
	dir      string   // the folder git takes for its own
	prefix   string   // of the project in the work tree: "" or "sub/folder/"
}

// gitCall is one git command.
type gitCall struct {
	args     []string
	stdin    []byte
	index    string    // file to use as the index; "" for the repository's own
	env      []string  // added to that of every call
	out      io.Writer // gets the answer as it comes; nil for it to be returned
	settings []string  // for this call alone, before its command
}

// gitFailure is a git command that ended with a code other than 0.
type gitFailure struct {
	command string
	code    int
	message string
}

func (f *gitFailure) Error() string {
	return fmt.Sprintf("git %s: exit %d: %s", f.command, f.code, f.message)
}

// environment is what git sees of ours. Variables of git's own would send it to
// another repository, index or configuration (they are set inside hooks and
// aliases); only those that say who the user is are the user's.
func environment(ours []string) []string {
	identity := []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"}
	env := slices.DeleteFunc(slices.Clone(ours), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(identity, name) || strings.HasPrefix(name, "LC_")
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_EDITOR=false", "GIT_PAGER=cat",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_LITERAL_PATHSPECS=1")
}

// settings are what no configuration of the user's may change: hooks and
// watchers are programs, signing may ask, and the rest changes what is written.
func settings() []string {
	return []string{
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.safecrlf=false",
		"-c", "commit.gpgSign=false", "-c", "log.showSignature=false", "-c", "i18n.commitEncoding=UTF-8",
		"-c", "i18n.logOutputEncoding=UTF-8", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	}
}

// git performs a call on the repository and returns what it wrote.
func (r *plumbing) git(ctx context.Context, c gitCall) ([]byte, error) {
	return r.run(ctx, r.root, c)
}

// run performs a call in dir, in a process group of its own, so that filters
// git starts end with it. On the way out git is asked first: it then takes its
// lock files away.
func (r *plumbing) run(ctx context.Context, dir string, c gitCall) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	args := slices.Clone(r.settings)
	if r.dir != "" {
		args = append(args, "--git-dir="+r.dir, "--work-tree="+r.root)
	}
	cmd := exec.CommandContext(ctx, r.program, slices.Concat(args, c.settings, c.args)...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(c.stdin), &out, &said
	if c.out != nil {
		cmd.Stdout = c.out
	}
	cmd.Env = append(slices.Clone(r.env), c.env...)
	if c.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+c.index)
	}
	held, err := job.New()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", c.args[0], err)
	}
	defer held.Close()
	cmd.SysProcAttr = held.Attr()
	cmd.Cancel = func() error { return held.Ask(cmd.Process) }
	cmd.WaitDelay = grace
	if err = cmd.Start(); err == nil {
		err = errors.Join(held.Take(cmd.Process), cmd.Wait())
	}
	if ctx.Err() != nil && cmd.Process != nil {
		_ = held.Kill(cmd.Process) // nobody is waited for
		return nil, fmt.Errorf("git %s: %w", c.args[0], ctx.Err())
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return nil, crashError(r.program, c.args[0], exit)
	}
	if errors.As(err, &exit) {
		return out.Bytes(), &gitFailure{c.args[0], exit.ExitCode(), shortMessage(said.String())}
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", c.args[0], err)
	}
	return out.Bytes(), nil
}

// crashError is git ended by a signal: it has said nothing about the repository.
func crashError(program, command string, exit *exec.ExitError) error {
	how := exit.String()
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		how = status.Signal().String()
	}
	return fmt.Errorf("git %s: %s was ended by a signal (%s): see whether it works by itself and has memory enough, or install it anew", command, program, how)
}

// shortMessage is what git said, cut to a length.
func shortMessage(said string) string {
	said = strings.TrimSpace(said)
	if len(said) > maxComplaint {
		said = said[:maxComplaint] + " …"
	}
	return said
}

// line is an answer of one line.
func line(out []byte) string { return strings.TrimSuffix(string(out), "\n") }

// gitLine performs a call that answers with one line.
func (r *plumbing) gitLine(ctx context.Context, c gitCall) (string, error) {
	out, err := r.git(ctx, c)
	return line(out), err
}

// gitItems performs a call that answers with items that each end in NUL.
func (r *plumbing) gitItems(ctx context.Context, c gitCall) ([]string, error) {
	out, err := r.git(ctx, c)
	return items(out), err
}

// items are texts that each end in NUL.
func items(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// gitStatus performs a call whose answer is its exit code: 0 or 1.
func (r *plumbing) gitStatus(ctx context.Context, args ...string) (int, error) {
	_, err := r.git(ctx, gitCall{args: args})
	var f *gitFailure
	if errors.As(err, &f) && f.code == 1 {
		return 1, nil
	}
	return 0, err
}

// resolve finds the object a revision names, "" for none.
func (r *plumbing) resolve(ctx context.Context, revision string) (string, error) {
	id, err := r.gitLine(ctx, gitCall{args: []string{"rev-parse", "--verify", "--quiet", revision}})
	var f *gitFailure
	if errors.As(err, &f) && f.code == 1 {
		return "", nil
	}
	return id, err
}

// objectName is what git has under a name: its id, "" for none, and what it holds.
type objectName struct {
	id   string
	data []byte
}

// objects reads the objects that names stand for, in their order. A name holds
// no line break.
func (r *plumbing) objects(ctx context.Context, names ...string) ([]objectName, error) {
	out, err := r.git(ctx, gitCall{args: []string{"cat-file", "--batch=%(objectname) %(objectsize)"}, stdin: []byte(strings.Join(names, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	var all []objectName
	for in := bufio.NewReader(bytes.NewReader(out)); ; {
		head, err := in.ReadString('\n')
		if err == io.EOF && len(all) == len(names) {
			return all, nil
		}
		if err != nil || len(all) == len(names) {
			return nil, fmt.Errorf("git cat-file told %d of %d objects: %q", len(all), len(names), head)
		}
		if strings.HasPrefix(head, names[len(all)]+" ") && strings.HasSuffix(head, " missing\n") {
			all = append(all, objectName{})
			continue
		}
		var o objectName
		size := 0
		if _, err := fmt.Sscanf(head, "%s %d", &o.id, &size); err != nil {
			return nil, fmt.Errorf("git cat-file wrote %q: %w", head, err)
		}
		o.data = make([]byte, size+1) // a line feed follows
		if _, err := io.ReadFull(in, o.data); err != nil {
			return nil, fmt.Errorf("git cat-file was cut off: %w", err)
		}
		o.data = o.data[:size]
		all = append(all, o)
	}
}
