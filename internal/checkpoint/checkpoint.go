// Package checkpoint keeps what a transcript held before it was compacted.
package checkpoint
