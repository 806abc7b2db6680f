package chatwire

import "os"

// mkfifo makes a folder, since there are no named pipes of that kind.
func mkfifo(path string) error { return os.Mkdir(path, 0o700) }
