package repo

import (
	"io/fs"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// basicInfo is FILE_BASIC_INFO.
type basicInfo struct {
	created, read, written, changed int64 // in units of 100 ns since 1601
	attributes                      uint32
	_                               uint32
}

// changedAt is when a file was changed, in what it holds or says of itself.
func changedAt(path string, _ fs.FileInfo) (time.Time, bool) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return time.Time{}, false
	}
	const share, flags = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE, windows.FILE_FLAG_OPEN_REPARSE_POINT | windows.FILE_FLAG_BACKUP_SEMANTICS
	file, err := windows.CreateFile(name, windows.FILE_READ_ATTRIBUTES, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return time.Time{}, false
	}
	defer windows.CloseHandle(file)
	var info basicInfo
	if windows.GetFileInformationByHandleEx(file, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))) != nil {
		return time.Time{}, false
	}
	changed := windows.Filetime{LowDateTime: uint32(info.changed), HighDateTime: uint32(info.changed >> 32)}
	return time.Unix(0, changed.Nanoseconds()), true
}
