package proc

// fault is what went wrong with something we tried, as fmt would wrap it, which
// a keeper does not link.
type fault struct {
	what string
	why  error
}

func (f fault) Error() string { return f.what + ": " + f.why.Error() }

func (f fault) Unwrap() error { return f.why }

// tried says what was tried when an error came; nil stays nil.
func tried(what string, err error) error {
	if err == nil {
		return nil
	}
	return fault{what, err}
}
