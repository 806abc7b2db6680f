package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/research-council/research-council/internal/base/job"
)

// flags are those of a browser without a network, which does nothing but show a page. The
// proxy is a name that leads nowhere, for this machine's own addresses too.
func flags(home string) []string {
	return []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + filepath.Join(home, "profile"), "--no-first-run", "--no-default-browser-check",
		"--proxy-server=http://none.invalid:1", "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND", "--dns-prefetch-disable",
		"--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-domain-reliability",
		"--disable-client-side-phishing-detection", "--disable-extensions", "--disable-breakpad", "--disable-crash-reporter", "--no-pings",
		"--disable-site-isolation-trials", "--disable-features=IsolateOrigins,site-per-process,MediaRouter,DialMediaRouteProvider,OptimizationHints,Translate,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,AutofillServerCommunication,InterestFeedContentSuggestions",
		"--block-new-web-contents", "--disable-gpu", "--mute-audio", "--disable-notifications", "--disable-file-system", "--deny-permission-prompts",
		"--password-store=basic", "--use-mock-keychain", "--blink-settings=imagesEnabled=false", "--window-size=1280,2400",
		"--renderer-process-limit=1", "--js-flags=--max-old-space-size=" + strconv.Itoa(maxHeap>>20), "about:blank",
	}
}

// Bounds of a browser's processes, each. The system's is of what it may write, in bytes.
const (
	maxHeap   = 512 << 20
	maxMemory = 2 << 30
)

// longest is how many letters the folder may have in which a browser's own lies: Chromium
// lays a socket down in that, and a socket's path has at most 107.
const longest = 44

// makeHome makes a browser's folder, in /tmp where dir is too far down.
func makeHome(dir string) (string, error) {
	if len(dir) > longest {
		if home, err := os.MkdirTemp("/tmp", "render-"); err == nil {
			return home, nil
		}
	}
	return os.MkdirTemp(dir, "render-")
}

// start starts a browser, in a box where there can be one.
func (b Browser) start(ctx context.Context) (*pipe, error) {
	home, err := makeHome(cmp.Or(b.folder, os.TempDir()))
	if err != nil {
		return nil, fmt.Errorf("make a folder for a browser: %w", err)
	}
	clean := func() { _ = os.RemoveAll(home) } // the system clears what is left
	argv, err := b.command(ctx, home)
	if err != nil {
		clean()
		return nil, err
	}
	p, err := launch(ctx, argv, home)
	if err != nil {
		clean()
		return nil, err
	}
	p.clean = clean
	return p, nil
}

// command is what starts the browser.
func (b Browser) command(ctx context.Context, home string) ([]string, error) {
	bounded := []string{"/bin/sh", "-c", "ulimit -d " + strconv.FormatInt(cmp.Or(b.memory, maxMemory)>>10, 10) + ` 2>/dev/null; exec "$@"`, "sh", b.Program}
	bubblewrap, err := b.Box(ctx)
	if err == nil {
		return append(append(box(bubblewrap, b.Program, home), bounded...), append(flags(home), b.flags...)...), nil
	}
	if os.Geteuid() == 0 && len(b.flags) == 0 {
		return nil, fmt.Errorf("a Chromium of the superuser runs only in a box, and there is none: %w", err)
	}
	return append(bounded, append(flags(home), b.flags...)...), nil
}

// box is the beginning of a command in a box of bubblewrap: the system's programs to read,
// nothing of the person's, no network, and its own processes, which end with it. Who is the
// superuser is not so inside: Chromium's own sandbox holds.
func box(bubblewrap, program, home string) []string {
	argv := []string{
		bubblewrap, "--unshare-all", "--die-with-parent", "--new-session", "--uid", "65534", "--gid", "65534", "--hostname", "localhost",
		"--ro-bind", "/usr", "/usr",
	}
	system := []string{"/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/chromium", "/etc/chromium.d", "/etc/localtime"}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		system = append(system, filepath.Dir(real))
	}
	for _, path := range system {
		argv = append(argv, "--ro-bind-try", path, path)
	}
	return append(argv, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", home, "--chdir", home,
		"--clearenv", "--setenv", "HOME", home, "--setenv", "TMPDIR", "/tmp", "--setenv", "PATH", "/usr/bin:/bin", "--")
}

// launch starts a browser and takes its pipes.
func launch(ctx context.Context, argv []string, home string) (*pipe, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = home, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}
	theirIn, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a browser: %w", err)
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a browser: %w", err), theirIn.Close(), to.Close())
	}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4, by which Chromium takes commands
	held, err := job.New()
	if err == nil {
		cmd.SysProcAttr = held.Attr()
		if err = cmd.Start(); err == nil {
			err = held.Take(cmd.Process)
		}
	}
	_, _ = theirIn.Close(), theirOut.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a browser: %w", err), to.Close(), from.Close())
	}
	p := &pipe{cmd: cmd, held: held, to: to, from: from, read: make(chan struct{}), waiting: map[int]chan message{}, listeners: map[string]func(message){}}
	p.within, p.fail = context.WithCancelCause(ctx)
	context.AfterFunc(p.within, func() { _ = to.SetWriteDeadline(time.Now()) }) // a browser that does not read is not waited for
	go p.readAll()
	return p, nil
}
