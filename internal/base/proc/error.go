package proc

// wrappedError is what went wrong with something we tried, as fmt would wrap it, which
// a keeper does not link.
type wrappedError struct {
	what string
	why  error
}

func (f wrappedError) Error() string { return f.what + ": " + f.why.Error() }

func (f wrappedError) Unwrap() error { return f.why }

// wrapError says what was tried when an error came; nil stays nil.
func wrapError(what string, err error) error {
	if err == nil {
		return nil
	}
	return wrappedError{what, err}
}
