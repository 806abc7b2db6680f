package confine

// noBox says why a system can have no box.
const noBox = "there is no box (sandbox) on Windows"
