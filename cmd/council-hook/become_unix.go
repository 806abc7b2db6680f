//go:build unix

package main

import (
	"os"
	"syscall"
)

// become makes this process another program; it returns only where that cannot be.
func become(path string, argv []string) error { return syscall.Exec(path, argv, os.Environ()) }
