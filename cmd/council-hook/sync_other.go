//go:build unix && !linux

package main

import "syscall"

func datasync(fd int) error { return syscall.Fsync(fd) }
