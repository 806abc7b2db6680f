package agent

// Roles of a review of code; each answers with JSON Lines. Which of the
// five reviewers an inspection is, the task's Agent says.
const (
	Annotate   = "annotate"   // says what each folder is for
	Inspect    = "inspect"    // reads one batch for one kind of fault
	Synthesize = "synthesize" // judges all findings, and says what they have in common
	Spotcheck  = "spotcheck"  // looks at the worst findings once more
)
