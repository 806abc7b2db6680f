// Package notify tells people what happened, on the channels they have set.
package notify
