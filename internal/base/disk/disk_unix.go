//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// NoWait opens a pipe without waiting for its other end.
	NoWait = syscall.O_NONBLOCK
	// NoLink opens a file and not what it leads to, and waits for no pipe.
	NoLink = NoWait | syscall.O_NOFOLLOW
)

// Lock waits for the lock of an open file or folder.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// TryLock takes the lock of an open file or folder, or is [ErrBusy].
func TryLock(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}

// OwnerOf tells whose a file is.
func OwnerOf(_ string, info fs.FileInfo) (Owner, bool) {
	st, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return Owner{}, false
	}
	return Owner{int(st.Uid), int(st.Gid), uint64(st.Nlink)}, true
}

// IsForeign tells whether a file is another user's.
func IsForeign(path string, info fs.FileInfo) bool {
	owner, known := OwnerOf(path, info)
	return known && owner.UID != os.Getuid()
}

// IdentityOf names an open file.
func IdentityOf(f *os.File) Identity {
	info, err := f.Stat()
	if err != nil {
		return Identity{}
	}
	st, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return Identity{}
	}
	return Identity{uint64(st.Dev), st.Ino}
}

// CheckWritable says why nothing can be made in a folder, or nil.
func CheckWritable(dir string) error {
	const write, search = 2, 1 // access(2)
	return syscall.Access(dir, write|search)
}

// SpaceOf tells what room the disk of a folder has.
func SpaceOf(dir string) (Space, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return Space{}, err
	}
	const readOnly = 1 // the same bit on every system
	files := uint64(Unlimited)
	if s.Files > 0 {
		files = uint64(s.Ffree)
	}
	return Space{uint64(s.Bavail) * uint64(s.Bsize), files, uint64(s.Flags)&readOnly != 0}, nil
}

// IsFull tells whether what went wrong is that the disk has no room, or the user
// no more of it.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// Full and ReadOnly are what a disk answers that has no room, and one that takes
// nothing.
const (
	Full     = syscall.ENOSPC
	ReadOnly = syscall.EROFS
)

// IsNoFolder tells whether a path leads through something that is no folder.
func IsNoFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// IsOpenToOthers tells whether others than its owner may do anything with a file.
func IsOpenToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// ProgramEnding is what the name of a program's file ends with.
const ProgramEnding = ""

// IsProgram tells whether a file is one that can be run.
func IsProgram(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Mode()&0o111 != 0 }

// NameHome has nothing to do: HOME names a person's folder.
func NameHome() {}
