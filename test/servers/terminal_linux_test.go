package servers_test

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// atTerminal gives a program a terminal for its standard input, on which nobody
// types.
func (w *house) atTerminal(cmd *exec.Cmd) *exec.Cmd {
	w.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(w, err)
	w.Cleanup(func() { _ = master.Close() })
	require.NoError(w, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(w, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(w, err)
	w.Cleanup(func() { _ = terminal.Close() })
	cmd.Stdin = terminal
	return cmd
}
