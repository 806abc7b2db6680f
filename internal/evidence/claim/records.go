package claim

// Records is the folder, in a run's, of what seats have recorded; no seat writes
// there.
const Records = "records"

// RecordsFile is the file, from the run's folder, of the claims a seat has
// recorded.
func RecordsFile(seat string) string { return Records + "/" + seat + ".jsonl" }
