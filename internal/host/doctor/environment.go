package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/proxy"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/output/notify"
)

const council = "council"

// configuration looks at the configuration, and at seats whose money nobody
// can count.
func (x exam) configuration(context.Context) []Check {
	if x.ConfigFault != nil {
		return []Check{newCheck(council, Failure, x.ConfigFault.Error(), "mend the file or move it away; `council config init` writes a new one")}
	}
	where := x.ConfigPath
	if !x.Exists(where) {
		where = "the defaults (no file at " + where + ")"
	}
	return []Check{okCheck(council, "configuration: %s", where)}
}

// channels looks at how people are told what happens. Nothing is sent.
func (x exam) channels(context.Context) []Check {
	n := notify.New(x.Config.Notify, func(name string) string { return x.env[name] })
	missing := n.Missing()
	if len(missing) == 0 {
		return []Check{okCheck(council, "notifications: %s", cmp.Or(strings.Join(n.Channels(), ", "), "none"))}
	}
	return []Check{newCheck(council, Warning, "notifications cannot all be sent: "+strings.Join(missing, "; "), "set what is missing, or change the section notify of the configuration; `council notify --test` tries it out")}
}

// Free space, in bytes: below the first number no run can go well, below the
// second one it may not.
const (
	diskFullBelow = 64 << 20
	diskLowBelow  = 1 << 30
)

// checkProject looks at the folder runs are laid down in.
func (x exam) checkProject(context.Context) []Check {
	var checks []Check
	dir := x.Project
	if runs := filepath.Join(x.Project, workspace.Runs); x.Exists(runs) {
		dir = runs
	}
	if target, err := os.Readlink(filepath.Join(x.Project, workspace.Runs)); err == nil && dir == x.Project {
		return []Check{broken("project.link", filepath.Join(x.Project, workspace.Runs), fmt.Sprintf("%s leads to %s, which is not there", filepath.Join(x.Project, workspace.Runs), target), "bring it back (a disk that is not mounted?), or remove the link")}
	}
	if err := x.Write(dir); err != nil {
		checks = append(checks, newCheck("project", Failure, fmt.Sprintf("%s cannot be written: %v", dir, err), "give this user write access, or name another folder with --project"))
	} else {
		checks = append(checks, okCheck("project", "%s can be written", dir))
		checks = append(checks, x.share("project", dir)...)
	}
	free, err := x.Free(dir)
	switch {
	case err != nil:
		return append(checks, newCheck("project", Note, fmt.Sprintf("free space cannot be told: %v", err), ""))
	case free < diskFullBelow:
		return append(checks, newCheck("project", Failure, "the disk is full: "+size(free)+" free", "make room"))
	case free < diskLowBelow:
		return append(checks, newCheck("project", Warning, "the disk is nearly full: "+size(free)+" free", "make room before a long run"))
	}
	return append(checks, okCheck("project", "%s free", size(free)))
}

// share looks whether the disk of a folder does what programs rely on that work in
// it together; some of the network do not.
func (x exam) share(area, dir string) []Check {
	if err := x.Share(dir); err != nil {
		return []Check{newCheck(area, Failure, fmt.Sprintf("the disk of %s cannot be shared by programs: %v", dir, err), "use a folder on a disk of this machine, or mount that one so that locks and renames work (NFS: version 4, without nolock)")}
	}
	return nil
}

// homeDisk looks at the disk on which copies of the programs lie.
func (x exam) homeDisk(context.Context) []Check {
	for _, dir := range x.dataFolders() {
		for dir != filepath.Dir(dir) && !x.Exists(dir) {
			dir = filepath.Dir(dir)
		}
		if x.Write(dir) == nil { // else other checks say what is the matter
			return x.share(council, dir)
		}
	}
	return nil
}

func size(bytes uint64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

// keeper starts a process under a keeper.
func (x exam) keeper(ctx context.Context) []Check {
	began := time.Now()
	if err := x.Keep(ctx); err != nil {
		remedy := "install the program again; it has to be able to start itself"
		if errors.Is(err, proc.ErrHidden) {
			remedy = "start the container with /proc (docker and podman do so by themselves, `bwrap` with --proc /proc)"
		}
		return []Check{newCheck(council, Failure, fmt.Sprintf("no process can be kept: %v", err), remedy)}
	}
	return []Check{okCheck(council, "processes are kept (%s)", formatMillis(time.Since(began)))}
}

func formatMillis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// hook puts the question to the loop hook that a seat's CLI would: a report
// without the marker has to go on, one with it has to be let go.
func (x exam) hook(ctx context.Context) []Check {
	const remedy = "install council and council-hook again, in one folder"
	if x.Hook == "" {
		return []Check{newCheck(council, Failure, x.HookProblem, remedy)}
	}
	span, err := x.tryHook(ctx)
	if err != nil {
		return []Check{newCheck(council, Failure, fmt.Sprintf("%s does not work: %v", x.Hook, err), remedy)}
	}
	return []Check{okCheck(council, "%s works (%s)", x.Hook, formatMillis(span))}
}

func (x exam) tryHook(ctx context.Context) (time.Duration, error) {
	dir, remove, err := x.Temp()
	if err != nil {
		return 0, err
	}
	defer remove()
	const most = 3
	t := agent.Turn{Hook: x.Hook, Report: filepath.Join(dir, "report.md"), State: filepath.Join(dir, "state.txt"), MaxIterations: most}
	c := Command{
		Argv: t.LoopCommand("loop"), Dir: dir, Stdin: []byte(`{"session_id":"test","stop_hook_active":false}`),
		Env: []string{"RESEARCH_REPORT_PATH=" + t.Report, "RESEARCH_STATE_PATH=" + t.State, "RESEARCH_MAX_ITERS=" + strconv.Itoa(most)},
	}
	var spans []time.Duration
	for n := 1; n <= most; n++ {
		r := x.Run(ctx, c)
		if err := checkHookAnswer(r, n < most); err != nil {
			return 0, err
		}
		spans = append(spans, r.Took)
	}
	slices.Sort(spans)
	return spans[len(spans)/2], nil
}

// checkHookAnswer judges one answer of the loop hook: block as long as iterations are
// left, and silence when they are spent.
func checkHookAnswer(r Result, goOn bool) error {
	out := bytes.TrimSpace(r.Stdout)
	decision := gjson.GetBytes(out, "decision").Str
	switch {
	case r.Err != nil:
		return r.Err
	case r.Code != 0:
		return fmt.Errorf("it ended with status %d", r.Code)
	case goOn && (!gjson.ValidBytes(out) || decision != "block"):
		return fmt.Errorf("it let a report without the marker go")
	case !goOn && len(out) != 0:
		return fmt.Errorf("it did not let go when the iterations were spent")
	}
	return nil
}

// checkEnvironment looks at what the environment does to hooks and seats.
func (x exam) checkEnvironment(context.Context) []Check {
	var checks []Check
	if x.env[agent.ChildVariable] != "" {
		checks = append(checks, newCheck(council, Warning, agent.ChildVariable+" is set: the plugin's hooks are silent here", "unset it, unless this is a seat's own process"))
	}
	const capName, enough = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", 4
	if n, err := strconv.Atoi(x.env[capName]); err == nil && n > 0 && n < enough {
		checks = append(checks, newCheck(council, Warning, fmt.Sprintf("%s=%d: a session may end before its synthesis is written", capName, n), fmt.Sprintf("unset it, or set it to %d or more", enough)))
	}
	return checks
}

// network looks at the way to the sources.
func (x exam) network(ctx context.Context) []Check {
	const area = "network"
	way := proxy.Find(x.Config.Network.Proxy, func(name string) string { return x.env[name] })
	var checks []Check
	if err := way.Err(); err != nil {
		checks = append(checks, newCheck(area, Warning, err.Error(), "write it as http://proxy.example:3128; until then nothing is fetched that way"))
	}
	if odd := way.InvalidExceptions(); len(odd) > 0 {
		checks = append(checks, newCheck(area, Warning, "NO_PROXY names what is no host, address or network: "+strings.Join(odd, ", "), "part hosts by commas, without http://"))
	}
	switch text := way.String(); {
	case text != "":
		checks = append(checks, newCheck(area, Note, "sources are fetched by proxy: "+text, "private addresses are refused as far as a name can be looked up from here; what only the proxy can look up is not seen"))
	case !way.IsSet():
		checks = append(checks, okCheck(area, "sources are fetched without a proxy"))
	}
	return append(checks, x.rendering(ctx)...)
}
