//go:build !linux

package tex

import "os/exec"

// confinable reports whether the system can hold a process to a jail.
func confinable() bool { return false }

// start starts a command without a jail: there is none here.
func start(cmd *exec.Cmd, _ jail) error { return cmd.Start() }
