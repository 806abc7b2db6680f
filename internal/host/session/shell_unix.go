//go:build unix

package session

// shell is what a person's status line is a line of.
const shell = "/bin/sh"
