package carry

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/internal/base/proc"
)

// notify tells people what has changed since the run before, by the channels of this
// worker's configuration of council: secrets of channels stay here. The run is over and
// in the store; a notice that cannot be sent is told of, and is not tried again.
func (c *carrying) notify(ctx context.Context, end ledger.End) {
	if !c.job.Notify || c.former == "" || end.Status != "completed" {
		return
	}
	changed, code, err := c.ask(ctx, "diff", "--claims", "--project="+c.project, c.former, filepath.Base(c.folder))
	differ := false
	if err == nil {
		differ, err = saysDifferent(changed, code)
	}
	if err == nil && !differ {
		return
	}
	if err == nil {
		_, code, err = c.ask(ctx, "notify", "--run="+c.job.Run, "--", "Changed: "+c.job.Run, changed)
	}
	if err == nil && code != 0 {
		err = fmt.Errorf("council notify ends with code %d", code)
	}
	if err != nil {
		c.tell(fmt.Sprintf("what has changed in run %s was not told: %v", c.job.Run, err))
	}
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
