//go:build unix

package proc

import "syscall"

// canAsk: a process can be asked to end.
const canAsk = true

// terminate asks everybody to end; who is stopped is woken to hear it.
func (t *tree) terminate() error {
	living, _, err := t.refresh()
	signalAll(living, syscall.SIGTERM)
	signalAll(living, syscall.SIGCONT)
	return err
}

// kill stops everybody until nobody new turns up, so that nobody bears another
// in the meantime, and kills them. It returns who that was.
func (t *tree) kill() ([]Identity, error) {
	for stopped := false; ; stopped = true {
		living, fresh, err := t.refresh()
		if err != nil {
			return nil, err
		}
		if stopped && !fresh || len(living) == 0 {
			signalAll(living, syscall.SIGKILL)
			return living, nil
		}
		signalAll(living, syscall.SIGSTOP)
	}
}

func signalAll(ids []Identity, s syscall.Signal) {
	for _, id := range ids {
		_ = syscall.Kill(id.PID, s) // it may have ended in the meantime
	}
}
