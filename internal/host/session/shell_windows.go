package session

// shell is what a person's status line is a line of: the one of Git for Windows, by
// which the host runs it. Where that is not in the PATH there is no such line.
const shell = "bash.exe"
