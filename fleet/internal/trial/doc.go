// Package trial tries a fleet for real: Temporal's own development server, worker
// processes with folders of their own, a store in S3's wire format over the loopback
// interface, seats that call a model server which counts. Workers and the server are
// killed, the store fails, a worker is cut off. It holds tests alone.
//
// The tests need the temporal program: COUNCIL_TEMPORAL names it, else it is looked for
// in bin/, where `make temporal` builds it, and on PATH. Without it they are skipped.
//
//	COUNCIL_FLEET_RUNS    runs of the trial of kills (12)
//	COUNCIL_FLEET_KILLS   workers killed in it (4)
//	COUNCIL_FLEET_SERVER  times the server is killed in it (1)
//	COUNCIL_FLEET_QUEUED  runs that are queued in the trial of a long queue (300)
//	COUNCIL_FLEET_MEASURED  the file that what one run asks is written to; without it that is not tried
//	COUNCIL_FLEET_CUT     how long a worker is cut off (20s)
package trial
