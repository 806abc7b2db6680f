package session

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/job"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/project/top"
)

const (
	maxWrappedLines = 3 // of another status line that are shown above ours
	maxWrappedBytes = 64 << 10
	maxWrappedTime  = 2 * time.Second
	maxInputTime    = time.Second // for a host that does not end its JSON
	endShownTime    = 10 * time.Minute
	statusLineWidth = 240 // cells, where the host says nothing

	// wrapsVariable counts the status lines around this one: one that wraps itself
	// comes to an end, and our line stands there once.
	wrapsVariable = "COUNCIL_STATUSLINE_WITHIN"
	maxWraps      = 3
)

// WriteStatusLine writes what a status line shows: the lines of the person's older
// command, where there is one, and a line on the run of the session that the
// host's JSON on standard input names, where it has one. Whatever stands there,
// it is no error.
func WriteStatusLine(ctx context.Context, e program.Env, wrapped string) error {
	within, err := strconv.Atoi(e.Getenv(wrapsVariable))
	if err != nil {
		within = 0
	}
	if within >= maxWraps {
		return nil
	}
	input, others, limit := e.Stdin, func() string { return "" }, maxInputTime
	if wrapped != "" {
		e.Environ = append(slices.Clip(e.Environ), wrapsVariable+"="+strconv.Itoa(within+1))
		input, others = startWrapped(ctx, e, wrapped)
		limit += maxWrappedTime // it may keep its input waiting
	}
	call := readCall(input, limit)
	text := others()
	s, ok := runOf(e, call)
	if !ok || within > 0 {
		_, err = io.WriteString(e.Stdout, text)
		return err
	}
	width, err := strconv.Atoi(e.Getenv("COLUMNS"))
	if err != nil || width < 1 {
		width = statusLineWidth
	}
	lines := view.ForeignLines(text, maxWrappedLines, width, e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb")
	if line := view.StatusLine(s, time.Now(), width); line != "" {
		lines = append(lines, line)
	}
	_, err = io.WriteString(e.Stdout, strings.Join(lines, "\n")+"\n")
	return err
}

// readCall reads the host's JSON; the zero Call for what is no whole object, or
// does not come in time.
func readCall(input io.Reader, limit time.Duration) hook.Call {
	read := make(chan hook.Call, 1)
	go func() {
		text := bufio.NewReader(input)
		if mark, err := text.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
			_, _ = text.Discard(len(mark)) // it was just there
		}
		call, whole := hook.Decode(text)
		if !whole {
			call = hook.Call{}
		}
		read <- call
		_, _ = io.Copy(io.Discard, text) // for the wrapped command
	}()
	select {
	case call := <-read:
		return call
	case <-time.After(limit):
		return hook.Call{}
	}
}

// runOf is the run of the session that a host's JSON tells of: the one it has, or one
// that has ended a short time ago.
func runOf(e program.Env, call hook.Call) (status.Status, bool) {
	for _, dir := range []string{e.SessionProject(), call.Project, call.Dir, e.Dir} {
		if dir == "" {
			continue
		}
		project := top.Of(dir)
		id := workspace.SessionRun(project, call.Session)
		if id == "" {
			id = workspace.EndedRun(project, call.Session, time.Now().Add(-endShownTime))
		}
		if id != "" {
			s, err := runs.Read(project, id)
			return s, err == nil
		}
	}
	return status.Status{}, false
}

// startWrapped starts a shell command that gets the host's JSON as it comes. What
// reads the JSON from input gives it to the command; output waits for the
// command and is what it has written when it ends, has written enough, or its
// time is up.
func startWrapped(ctx context.Context, e program.Env, command string) (input io.Reader, output func() string) {
	ctx, cancel := context.WithTimeout(ctx, maxWrappedTime)
	held, err := job.New()
	if err != nil {
		cancel()
		return e.Stdin, func() string { return "" }
	}
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = e.Dir, e.Environ, held.Attr()
	cmd.Cancel = func() error { return held.Kill(cmd.Process) }
	cmd.WaitDelay = 100 * time.Millisecond // what it has left running may hold its output
	out := bounded{full: cancel}
	cmd.Stdout = &out
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		err = held.Take(cmd.Process)
	}
	if err != nil {
		held.Close()
		cancel()
		return e.Stdin, func() string { return "" }
	}
	return &tee{from: e.Stdin, to: stdin}, func() string {
		defer cancel()
		defer held.Close()
		_ = cmd.Wait() // it is shown, however it has ended
		return out.text.String()
	}
}

// tee gives what it reads to a command as well, as long as that takes it, and its
// end.
type tee struct {
	from io.Reader
	to   io.WriteCloser
	gone bool
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	if n > 0 && !t.gone {
		_, failed := t.to.Write(p[:n])
		t.gone = failed != nil
	}
	if err != nil {
		_ = t.to.Close() // it may have been closed with the command
	}
	return n, err
}

// bounded keeps the beginning of what is written, and tells when that is enough.
type bounded struct {
	text bytes.Buffer
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), maxWrappedBytes-b.text.Len())])
	if b.text.Len() == maxWrappedBytes {
		b.full()
	}
	return len(p), nil
}
