package notion

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is what Notion answered, or why it did not.
type Error struct {
	Status   int    // of HTTP; 0 where no answer came
	Code     string // Notion's word, such as validation_error; "" where there is none
	Message  string // one line, foreign text made plain
	Terminal bool   // trying again does not help: something has to be changed first

	wait time.Duration // the server asks to be left alone as long as this
	void bool          // it is sure that nothing was done
}

// Words of Notion's for what went wrong, those we act on, and one of our own.
const (
	unauthorized = "unauthorized"
	restricted   = "restricted_resource"
	notFound     = "object_not_found"
	invalid      = "validation_error"
	trashed      = "in_trash" // ours: Notion has none before somebody writes
)

// Error says what went wrong and what a person can do, in one line.
func (e *Error) Error() string {
	if do := e.Remedy(); do != "" {
		return e.describe() + "; " + do
	}
	return e.describe()
}

func (e *Error) describe() string {
	said := "no answer from Notion"
	if e.Status != 0 {
		said = strings.TrimSpace(fmt.Sprintf("Notion answered %d %s", e.Status, e.Code))
	}
	if e.Message != "" {
		said += ": " + strings.TrimRight(e.Message, ".")
	}
	if e.wait > 0 {
		said += fmt.Sprintf(" (it asks to wait %s)", e.wait.Round(time.Second))
	}
	return said
}

// Remedy is what a person can do about it, "" where that is not known.
func (e *Error) Remedy() string {
	switch e.Code {
	case unauthorized:
		return "put the token of an integration of this workspace into the variable or file the configuration names"
	case restricted:
		return "let the integration read, insert and update content (its settings, Capabilities)"
	case notFound:
		return "share the page or database with the integration (its menu, Connections)"
	case trashed:
		return "restore the page in Notion"
	}
	return ""
}

// IsGone reports whether an error says that what was asked for is not there for
// us: it is in the trash, or no longer shared.
func IsGone(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == notFound || e.Code == trashed)
}

// mayHaveSucceeded reports whether a request that failed may have been carried out all
// the same.
func mayHaveSucceeded(err error) bool {
	var e *Error
	return errors.As(err, &e) && !e.Terminal && !e.void
}

// isRefused reports whether Notion will not have what it was sent.
func isRefused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == invalid
}
