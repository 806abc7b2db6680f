package install_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal is a terminal with a program at it.
type terminal struct {
	*testing.T
	master *os.File
	cmd    *exec.Cmd
	mu     sync.Mutex
	shown  strings.Builder
	ended  chan error
}

// atTerminal starts a program with a terminal of its own.
func atTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	x := &terminal{T: t, master: master, cmd: cmd, ended: make(chan error, 1)}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	_ = slave.Close() // the program has it
	go func() {
		buf := make([]byte, 4<<10)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.shown.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				break
			}
		}
		x.ended <- cmd.Wait()
	}()
	t.Cleanup(func() { _ = master.Close() })
	return x
}

func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.shown.String()
}

// answer types when a question stands on the last line; false where the program ends
// before it asks.
func (x *terminal) answer(from int, keys string) (to int, asked bool) {
	x.Helper()
	require.Eventually(x, func() bool {
		if shown := x.screen(); len(shown) > from && (strings.HasSuffix(shown, "] ") || strings.HasSuffix(shown, "again ")) {
			_, err := x.master.WriteString(keys)
			require.NoError(x, err)
			to, asked = len(shown), true
			return true
		}
		select {
		case err := <-x.ended:
			x.ended <- err
			return true
		default:
			return false
		}
	}, time.Minute, 5*time.Millisecond, "nothing was asked")
	return to, asked
}

// code is how the program has ended.
func (x *terminal) code() int {
	x.Helper()
	select {
	case err := <-x.ended:
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			return exit.ExitCode()
		}
		require.NoError(x, err)
		return 0
	case <-time.After(2 * time.Minute):
		_ = x.cmd.Process.Kill()
		require.Fail(x, "it has not ended", x.screen())
		return -1
	}
}
