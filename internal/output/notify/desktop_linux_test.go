package notify_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/output/notify"
)

// sessionBus starts a bus of its own for a test, which ends with it.
func sessionBus(t *testing.T) (address string) {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed")
	}
	dir, err := os.MkdirTemp("", "bus") // a socket's path has to be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	conf := filepath.Join(dir, "bus.conf")
	require.NoError(t, os.WriteFile(conf, []byte(`<busconfig><type>session</type><listen>unix:path=`+filepath.Join(dir, "bus")+`</listen>
<policy context="default"><allow eavesdrop="true"/><allow send_destination="*" eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600))
	cmd := exec.Command(daemon, "--nofork", "--print-address", "--config-file="+conf)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}

// fakeNotifications stands for a desktop's notification service.
type fakeNotifications struct{ shown chan [3]string }

// Notify is the service's method of this name.
func (f fakeNotifications) Notify(app string, _ uint32, _, summary, body string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	f.shown <- [3]string{app, summary, body}
	return 1, nil
}

// serve makes the service known on a bus.
func (f fakeNotifications) serve(t *testing.T, address string) {
	t.Helper()
	conn, err := dbus.Connect(address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.Export(f, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"))
	_, err = conn.RequestName("org.freedesktop.Notifications", dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
}

// There is one connection to one bus for the whole process, so what
// happens on a bus is one test.
func TestADesktopShowsNotices(t *testing.T) {
	address := sessionBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	t.Setenv("PATH", t.TempDir())
	c := quiet()
	c.Desktop = config.DesktopOn
	n := notify.New(c, os.Getenv)
	require.Empty(t, n.Missing())

	errs := n.Send(t.Context(), done)
	require.Len(t, errs, 1, "nobody shows notices on this bus")
	require.ErrorContains(t, errs[0], "desktop: ")
	require.NotContains(t, errs[0].Error(), "no answer", "it is known at once")

	desk := fakeNotifications{make(chan [3]string, 1)}
	desk.serve(t, address)
	require.Empty(t, n.Send(t.Context(), notify.Message{Title: "--help", Body: `<a href="x">"F003" & <b>` + "`id`</b></a>"}))
	require.Equal(t, [3]string{"Research council", " --help", `‹a href="x"›"F003" & ‹b›` + "`id`‹/b›‹/a›"}, <-desk.shown)

	desk.shown <- [3]string{} // the desktop hangs from now on
	c.Timeout = 100 * time.Millisecond
	stuck := notify.New(c, os.Getenv)
	require.EqualError(t, stuck.Send(t.Context(), done)[0], "desktop: no answer within 100ms")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, stuck.Send(ctx, done)[0], context.Canceled)
	<-desk.shown
	<-desk.shown // the notice that hung is there, and no further one
	require.Empty(t, desk.shown)
}

func TestADesktopIsUsedWhereThereIsOne(t *testing.T) {
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), name)); err == nil {
			t.Skip("who runs the tests has a session bus, whatever the environment says")
		}
	}
	bus := "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"
	for name, row := range map[string]struct {
		setting  string
		env      []string
		channels []string
		missing  []string
	}{
		"off":                               {config.DesktopOff, []string{bus, "DISPLAY=:0"}, nil, nil},
		"by itself, with a screen":          {config.DesktopAuto, []string{bus, "DISPLAY=:0"}, []string{"desktop"}, nil},
		"by itself, with a modern screen":   {config.DesktopAuto, []string{bus, "WAYLAND_DISPLAY=wayland-0"}, []string{"desktop"}, nil},
		"by itself, without a screen":       {config.DesktopAuto, []string{bus}, nil, nil},
		"by itself, without a bus":          {config.DesktopAuto, []string{"DISPLAY=:0"}, nil, nil},
		"by itself, with a bus to launch":   {config.DesktopAuto, []string{"DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=autolaunch:"}, nil, nil},
		"on, without a bus":                 {config.DesktopOn, []string{"DISPLAY=:0"}, []string{"desktop"}, []string{"desktop: there is no session bus to show notices by"}},
		"on, with a bus and without screen": {config.DesktopOn, []string{bus}, []string{"desktop"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := quiet()
			c.Desktop = row.setting
			n := notify.New(c, environment(row.env...))
			require.Equal(t, row.channels, n.Channels())
			require.Equal(t, row.missing, n.Missing())
		})
	}
}
