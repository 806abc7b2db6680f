package confine

// noBox says why a system can have no box.
const noBox = ""
