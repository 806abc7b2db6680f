package audit

// copies notes the sources whose text repeats another's.
func (a *auditor) copies() {}
