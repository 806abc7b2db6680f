//go:build !linux

package main

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// terminal is made on Linux alone; scripts that need one say so.
func terminal(ts *testscript.TestScript) *os.File {
	ts.Fatalf("no terminal can be made here")
	return nil
}
