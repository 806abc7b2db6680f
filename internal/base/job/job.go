// Package job holds a process and all it starts together, so that all of it can be
// ended: as a group of processes, on Windows as a job object, which nobody leaves,
// unless it says that they may, and which ends with its last handle, so with us
// however we end.
//
// Who starts a process gives it [Job.Attr], and [Job.Take]s it once it is there:
// on Windows it has run nothing until then. What is run is left to others.
package job
