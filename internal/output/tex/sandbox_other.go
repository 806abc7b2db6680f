//go:build !linux

package tex

import "os/exec"

// canSandbox reports whether the system can hold a process to a sandbox.
func canSandbox() bool { return false }

// start starts a command without a sandbox: there is none here.
func start(cmd *exec.Cmd, _ sandbox) error { return cmd.Start() }
