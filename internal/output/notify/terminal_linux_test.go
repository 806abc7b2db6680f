package notify_test

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/research-council/research-council/internal/output/notify"
)

// pseudo opens both ends of a pseudo terminal.
func pseudo(t *testing.T) (far, near *os.File) {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { _ = far.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(far.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	near, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { _ = near.Close() })
	return far, near
}

func TestATerminalIsRungWhereItIsAskedFor(t *testing.T) {
	far, near := pseudo(t)
	c := quiet()
	require.Empty(t, notify.New(c, environment("TERM=xterm")).WithTerminal(near).Channels(), "nobody asked for it")
	c.Terminal = true
	n := notify.New(c, environment("TERM=xterm")).WithTerminal(near)
	require.Equal(t, []string{"terminal"}, n.Channels())
	require.Empty(t, n.Send(t.Context(), notify.Message{Title: "F003 passes"}))
	said, err := bufio.NewReader(far).ReadString('\a')
	require.NoError(t, err)
	require.Equal(t, "\x1b]9;F003 passes\a", said)
}
