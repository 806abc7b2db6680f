package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

const (
	// NoWait is nothing here: no pipe lies among files.
	NoWait = 0
	// NoLink opens a file and not what it leads to: of a link the link itself,
	// whose mode is no regular file's.
	NoLink = windows.FILE_FLAG_OPEN_REPARSE_POINT
)

// lockedByte is where a lock lies, far behind every file's end: here a locked
// part cannot be read by others either.
const lockedByte = 1<<31 - 1

// Lock waits for the lock of an open file.
func Lock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryLock takes the lock of an open file, or is [ErrBusy].
func TryLock(f *os.File) error {
	err := lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrBusy
	}
	return err
}

func lock(f *os.File, how uint32) error {
	at := windows.Overlapped{OffsetHigh: lockedByte}
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &at)
}

// OwnerOf knows no numbers of users: Windows has none.
func OwnerOf(path string, _ fs.FileInfo) (Owner, bool) {
	f, err := os.Open(path)
	if err != nil {
		return Owner{}, false
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	err = windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	return Owner{-1, -1, uint64(info.NumberOfLinks)}, err == nil
}

// IsForeign tells whether a file is another user's. What the group of
// administrators owns is of whoever reads it: Windows gives that group what an
// administrator makes.
func IsForeign(path string, _ fs.FileInfo) bool {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false // a disk without owners
	}
	owner, _, err := sd.Owner()
	if err != nil || owner == nil {
		return false
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	return err == nil && !owner.Equals(me.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid)
}

// IdentityOf names an open file.
func IdentityOf(f *os.File) Identity {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return Identity{}
	}
	return Identity{uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)}
}

// CheckWritable says why nothing can be made in a folder, or nil. Only making
// something tells: rights lie in lists.
func CheckWritable(dir string) error {
	f, err := os.CreateTemp(dir, "probe-*.new")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// SpaceOf tells what room the disk of a folder has.
func SpaceOf(dir string) (Space, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return Space{}, err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return Space{}, err
	}
	s := Space{Files: Unlimited}
	if err := windows.GetDiskFreeSpaceEx(name, &s.Bytes, nil, nil); err != nil {
		return Space{}, err
	}
	var flags uint32
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return Space{}, err
	}
	if err := windows.GetVolumeInformation(root, nil, 0, nil, nil, &flags, nil, 0); err == nil {
		s.ReadOnly = flags&windows.FILE_READ_ONLY_VOLUME != 0
	}
	return s, nil
}

// IsFull tells whether what went wrong is that the disk has no room, or the user
// no more of it.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// Full and ReadOnly are what a disk answers that has no room, and one that takes
// nothing.
const (
	Full     = windows.ERROR_DISK_FULL
	ReadOnly = windows.ERROR_WRITE_PROTECT
)

// IsNoFolder tells whether a path leads through something that is no folder.
func IsNoFolder(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, windows.ERROR_DIRECTORY)
}

// IsOpenToOthers is not known of any file: rights lie in lists, which modes do not tell.
func IsOpenToOthers(fs.FileInfo) bool { return false }

// ProgramEnding is what the name of a program's file ends with.
const ProgramEnding = ".exe"

// IsProgram tells whether a file is one that can be run: its name alone says so here.
func IsProgram(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(info.Name()), ProgramEnding)
}

// NameHome names a person's folder by HOME, too, for us and what we start, where
// Windows alone has named it.
func NameHome() {
	if os.Getenv("HOME") == "" {
		_ = os.Setenv("HOME", os.Getenv("USERPROFILE")) // fails for no such name
	}
}
