// Package disk asks the system about files what each system answers in its own
// way: how a file is opened that must be no link, how it is locked, whose it is,
// and what room its disk has.
//
// A file that others may have laid is opened with [NoLink]: a link is not
// followed (or opened as itself, which its mode tells), and a pipe is not waited
// for. A lock is held by an open file and keeps out those alone who ask for it;
// it ends with the file, or with the process however that ends. What is done
// with all this is left to others. Hooks use it: it stays small.
package disk

import "errors"

// ErrBusy says that somebody else has the lock.
var ErrBusy = errors.New("it is locked")

// Space is what a disk has left.
type Space struct {
	Bytes    uint64 // for who asks
	Files    uint64 // how many more it takes
	ReadOnly bool
}

// Unlimited is the Files of a disk that takes as many as there is room for.
const Unlimited = 1<<64 - 1

// Identity names a file on this machine, as long as it is there.
type Identity struct{ Device, File uint64 }

// Owner is whose a file is, as far as the system counts users, and by how many
// names it is known.
type Owner struct {
	UID, GID int
	Names    uint64
}
