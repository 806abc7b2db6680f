package tex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// buildFolder is where one build is made: a folder of its own, and the programs that
// may work in it.
type buildFolder struct {
	root    string // temporary; work, home and tmp lie in it
	work    string // where the copy is
	cache   string // font tables, kept from build to build
	path    string
	sandbox sandbox
	held    bool   // the system holds programs to the jail
	limit   string // seconds of processor time for each program
	runs    int
}

// sandbox is what a program may touch.
type sandbox struct {
	read    []string // files and folders with all below
	write   []string // folders, to read and write
	network bool
}

// systemFolders hold programs, libraries, macros and fonts, and no secrets.
var systemFolders = []string{
	"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store", "/gnu/store", "/opt/texlive", "/etc/texmf", "/etc/fonts", "/etc/alternatives",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/papersize", "/etc/localtime", "/etc/perl",
	"/var/lib/texmf", "/var/cache/fontconfig", "/var/cache/fonts", "/dev/urandom", "/dev/random", "/dev/zero",
}

// networkFiles are what a program needs that fetches things.
var networkFiles = []string{"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/run/systemd/resolve"}

// newBuildFolder makes a folder to build in.
func newBuildFolder(o Options) (*buildFolder, error) {
	root, err := os.MkdirTemp("", "council-tex-")
	if err != nil {
		return nil, fmt.Errorf("make a folder to build in: %w", err)
	}
	b := &buildFolder{root: root, held: canSandbox(), work: filepath.Join(root, "work"), path: o.Path, limit: fmt.Sprint(int(o.Timeout/time.Second) + 5)}
	if b.path == "" {
		b.path = os.Getenv("PATH")
	}
	for _, dir := range []string{b.work, filepath.Join(root, "home"), filepath.Join(root, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			b.remove()
			return nil, fmt.Errorf("make a folder to build in: %w", err)
		}
	}
	b.cache = cacheFolder(root)
	b.sandbox = sandbox{read: systemFolders, write: []string{b.root, b.cache, "/dev/null"}}
	return b, nil
}

func (b *buildFolder) remove() { os.RemoveAll(b.root) }

// cacheFolder is where font tables are kept; where that cannot be, they are
// made for this build alone.
func cacheFolder(root string) string {
	if dir, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(dir, "research-council", "texmf-var")
		if os.MkdirAll(dir, 0o700) == nil {
			return dir
		}
	}
	return root
}

// environ is all a program inherits: nothing of the user's but where programs
// are and the language. The numbers keep a log's lines whole.
func (b *buildFolder) environ() []string {
	lang := os.Getenv("LANG")
	if lang == "" {
		lang = "C.UTF-8"
	}
	none := filepath.Join(b.root, "none")
	return []string{
		"PATH=" + b.path, "LANG=" + lang, "HOME=" + filepath.Join(b.root, "home"), "TMPDIR=" + filepath.Join(b.root, "tmp"),
		"TEXMFHOME=" + none, "TEXMFCONFIG=" + none, "TEXMFVAR=" + b.cache, "XDG_CACHE_HOME=" + b.cache, "TECTONIC_CACHE_DIR=" + b.cache,
		"openin_any=p", "openout_any=p", "shell_escape=f", "MKTEXPK=0", "MKTEXTFM=0", "MKTEXMF=0",
		"max_print_line=10000", "error_line=254", "half_error_line=238",
	}
}

// maxOutput is how much of a program's own words is kept, in bytes: a list of
// thousands of fonts.
const maxOutput = 16 << 20

// run runs a program in the folder to its end, or until the context's, and
// gives the end of what it said. Its whole group is gone afterwards.
func (b *buildFolder) run(ctx context.Context, network bool, argv ...string) ([]byte, error) {
	program := findProgram(b.path, argv[0])
	if program == "" {
		return nil, fmt.Errorf("%s: %w", argv[0], exec.ErrNotFound)
	}
	b.runs++
	var said tailBuffer
	line := b.bounded(program, argv[1:])
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.work, b.environ(), &said, &said
	held, err := b.newJob()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	defer held.Close()
	cmd.SysProcAttr = held.Attr()
	cmd.Cancel = func() error { return held.Kill(cmd.Process) }
	cmd.WaitDelay = time.Second
	begin := cmd.Start
	if b.held {
		begin = func() error { return start(cmd, b.sandboxFor(program, network)) }
	}
	if err := begin(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	err = errors.Join(held.Take(cmd.Process), cmd.Wait())
	_ = held.Kill(cmd.Process) // it has ended; what it left behind has not
	if ctx.Err() != nil {
		return said.bytes, ctx.Err()
	}
	if err != nil {
		return said.bytes, fmt.Errorf("%s: %w", argv[0], err)
	}
	return said.bytes, nil
}

// sandboxFor adds what one program needs besides: the tree it was installed in,
// and the network where it fetches things.
func (b *buildFolder) sandboxFor(program string, network bool) sandbox {
	j := b.sandbox
	j.network = network
	j.read = append([]string{installFolder(program)}, j.read...)
	if real, err := filepath.EvalSymlinks(program); err == nil {
		j.read = append(j.read, installFolder(real))
	}
	if network {
		j.read = append(j.read, networkFiles...)
	}
	return j
}

// installFolder is what a program was installed with: of a TeX the folder that has
// bin/PLATFORM/PROGRAM and texmf-dist, of anything else the program alone.
func installFolder(program string) string {
	tree := filepath.Dir(filepath.Dir(filepath.Dir(program)))
	if info, err := os.Stat(filepath.Join(tree, "texmf-dist")); err == nil && info.IsDir() {
		return tree
	}
	return program
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct{ bytes []byte }

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.bytes = append(t.bytes, p...)
	if len(t.bytes) > 2*maxOutput {
		t.bytes = append([]byte(nil), t.bytes[len(t.bytes)-maxOutput:]...)
	}
	return len(p), nil
}

// removeFiles takes everything out of the folder, so that nothing one run has left
// is read by the next but what is put there again.
func (b *buildFolder) removeFiles() error {
	entries, err := os.ReadDir(b.work)
	if err != nil {
		return fmt.Errorf("clear the folder to build in: %w", err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(b.work, e.Name())); err != nil {
			return fmt.Errorf("clear the folder to build in: %w", err)
		}
	}
	return nil
}

// write puts a file into the folder.
func (b *buildFolder) write(name, text string) error {
	if err := os.WriteFile(filepath.Join(b.work, name), []byte(text), 0o600); err != nil {
		return fmt.Errorf("lay out the copy: %w", err)
	}
	return nil
}

// maxLog is how much is read of either end of a file TeX has written.
const maxLog = 4 << 20

// read reads a file TeX has written, of a huge one the beginning and the end;
// nothing when it is not there.
func (b *buildFolder) read(name string) []byte {
	f, err := os.Open(filepath.Join(b.work, name))
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(f, maxLog)) // what can be read of it
	if rest := info.Size() - int64(len(data)); rest > 0 {
		end := make([]byte, min(rest, maxLog))
		n, _ := f.ReadAt(end, info.Size()-int64(len(end)))
		data = append(append(data, '\n'), end[:n]...)
	}
	return data
}

// lastLine is the last line of what a program said.
func lastLine(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
