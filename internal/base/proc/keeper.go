package proc

import (
	"io"
	"os"
	"time"
)

// runKeeper keeps what it is ordered to, and tells of it, until that has ended, or
// has to: end says so.
func runKeeper(spec Spec, status io.Writer, end <-chan os.Signal) error {
	k, err := startChild(spec)
	if err != nil {
		return err
	}
	if err := (report{child: k.child}).write(status); err != nil {
		_, _ = k.endTree(0) // nobody waits for it any more
		return wrapError("tell of the child", err)
	}
	return k.awaitEnd(end).write(status)
}

// keeper is what a keeper keeps.
type keeper struct {
	kept
	child  Identity
	grace  time.Duration
	output []outputFile
	most   int64
	ended  chan childEnd // the child has
}

// childEnd is how the child has ended. Alone is told where it has left nobody, so
// that nobody has to be looked for among all processes there are.
type childEnd struct {
	report
	alone bool
}

// outputFile is a file that was some bytes long when the child started.
type outputFile struct {
	*os.File
	before int64
}

// startChild starts the child, in a group of its own, its streams on files.
func startChild(spec Spec) (*keeper, error) {
	env := marked(spec.Env, spec.Mark)
	path, argv, err := command(spec, env)
	if err != nil {
		return nil, err
	}
	files, err := streams(spec)
	if err != nil {
		return nil, err
	}
	k := &keeper{grace: spec.Grace, most: spec.MaxOutput, ended: make(chan childEnd, 1)}
	if k.grace == 0 {
		k.grace = DefaultGrace
	}
	if k.most == 0 {
		k.most = DefaultMaxOutput
	}
	for _, f := range files[1:] {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		k.output = append(k.output, outputFile{f, info.Size()})
	}
	spec.Argv, spec.Env = argv, env
	if err := k.launch(path, spec, files); err != nil {
		return nil, err
	}
	return k, nil
}

// streams opens a process's standard input, output and error.
func streams(spec Spec) ([]*os.File, error) {
	stdin, err := os.Open(spec.Stdin)
	if err != nil {
		return nil, err
	}
	files := []*os.File{stdin}
	for _, name := range []string{spec.Stdout, spec.Stderr} {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			closeAll(files...)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// awaitEnd waits until the child ends or has to, and clears away its tree.
func (k *keeper) awaitEnd(end <-chan os.Signal) report {
	const glance = 250 * time.Millisecond // a disk takes a few hundred MB in it at most
	look := time.NewTicker(glance)
	defer look.Stop()
	for {
		select {
		case last := <-k.ended:
			if last.alone {
				last.gone = true
				return last.report
			}
			return k.finalReport(last.report, k.grace)
		case <-end:
			return k.finalReport(report{ended: true}, k.grace)
		case <-look.C:
			if k.exceedsOutput() {
				return k.finalReport(report{flooded: true}, 0)
			}
		}
	}
}

func (k *keeper) exceedsOutput() bool {
	for _, f := range k.output {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size()-f.before > k.most {
			return true
		}
	}
	return false
}

// finalReport clears the tree away and completes the last word with how the child
// ended, if that is not known yet.
func (k *keeper) finalReport(last report, grace time.Duration) report {
	left, err := k.endTree(grace)
	select {
	case how := <-k.ended:
		how.ended, how.flooded = last.ended, last.flooded
		last = how.report
	default:
	}
	last.gone, last.left = true, left
	if err != nil && len(left) == 0 {
		last.err = err.Error()
	}
	return last
}
