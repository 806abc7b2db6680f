package main

import "syscall"

func datasync(fd int) error { return syscall.Fdatasync(fd) }
