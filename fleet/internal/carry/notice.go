package carry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/internal/base/proc"
)

// noticeOf keeps in the store what people are to be told of the run's changes since the
// run before, and gives its hash; "" where no claim has changed, or nobody is to be told.
// What cannot be compared is told of to who looks after the worker.
func (c *carrying) noticeOf(ctx context.Context, end ledger.End) string {
	if !c.job.Notify || c.former == "" || end.Status != "completed" {
		return ""
	}
	changed, code, err := c.ask(ctx, "diff", "--claims", "--project="+c.project, c.former, filepath.Base(c.folder))
	differ := false
	if err == nil {
		differ, err = saysDifferent(changed, code)
	}
	hash := ""
	if err == nil && differ {
		hash, err = c.Store.Say(ctx, []byte(changed))
	}
	if err != nil {
		c.tell(fmt.Sprintf("what has changed in run %s was not told: %v", c.job.Run, err))
	}
	return hash
}

// Notify tells people what has changed in a run that is over, by the channels of this
// worker's configuration of council: secrets of channels stay here. It fails where no
// channel took the notice; one that took it is not asked twice.
func (w *Worker) Notify(ctx context.Context, run, hash string) error {
	changed, err := w.Store.Said(ctx, hash)
	if err != nil {
		return err
	}
	c := &carrying{Worker: w, job: Job{Run: run}, project: filepath.Join(w.Dir, run, "project")}
	defer os.RemoveAll(filepath.Join(w.Dir, run)) // nothing in it is kept
	if err := os.MkdirAll(c.project, 0o700); err != nil {
		return fmt.Errorf("tell what has changed: %w", err)
	}
	said, code, err := c.ask(ctx, "notify", "--json", "--run="+run, "--", "Changed: "+run, string(changed))
	if err == nil {
		err = saysSent(said, code)
	}
	if err != nil {
		c.tell(fmt.Sprintf("what has changed in run %s was not told, and may be tried again: %v", run, err))
	}
	return err
}

// saysSent is what an answer of council notify comes to: nil where a channel took the
// notice, or none is configured.
func saysSent(said string, code int) error {
	var answer struct {
		Channels []struct {
			Sent  bool
			Error string
		}
	}
	if err := json.Unmarshal([]byte(said), &answer); err != nil || code != 0 && code != 1 {
		return fmt.Errorf("council notify ends with code %d", code)
	}
	var failed []error
	for _, one := range answer.Channels {
		if one.Sent {
			return nil
		}
		failed = append(failed, errors.New(one.Error))
	}
	return errors.Join(failed...)
}

// saysDifferent is what an answer of council diff comes to: code 1 where claims of two runs
// differ, and where one cannot be read, of which nothing is told on its standard output.
func saysDifferent(said string, code int) (bool, error) {
	if code == 0 || code == 1 && said != "" {
		return code == 1, nil
	}
	return false, fmt.Errorf("council diff ends with code %d", code)
}

const (
	askTime  = 2 * time.Minute
	mostSaid = 16 << 10 // bytes of an answer that are read, from its beginning
)

// ask has council answer something about the run's project.
func (c *carrying) ask(ctx context.Context, args ...string) (said string, code int, err error) {
	out := c.file("answered")
	p, err := proc.NewStarter(c.Council, c.Hook).Start(proc.Spec{
		Argv: append([]string{c.Council}, args...), Env: c.environ(), Dir: c.project, Stdout: out, Stderr: c.file("stderr"), Grace: c.Grace,
	})
	if err != nil {
		return "", 0, err
	}
	late := time.NewTimer(askTime)
	defer late.Stop()
	select {
	case <-p.Done():
	case <-late.C:
		err = fmt.Errorf("council %s did not end within %s", args[0], askTime)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.End()
	<-p.Done()
	code = p.Wait().Code
	if err != nil {
		return "", code, err
	}
	data, err := proc.ReadPiece(out, 0, mostSaid)
	return strings.ToValidUTF8(string(data), "?"), code, err
}

func (c *carrying) tell(line string) {
	if c.Tell != nil {
		c.Tell(line)
	}
}
