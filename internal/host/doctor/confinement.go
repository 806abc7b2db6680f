package doctor

import "context"

// checkConfinement tries whether what a campaign's worker runs can be confined here.
func (x exam) checkConfinement(ctx context.Context) []Check {
	if x.Confine == nil {
		return nil
	}
	if err := x.Confine(ctx); err != nil {
		return []Check{newCheck("campaigns", Note, "commands in a project are not confined: "+err.Error()+"; a worker's shell has narrow rules instead, tests run with your rights, init.sh is not run",
			"install bubblewrap, and allow user namespaces")}
	}
	return []Check{okCheck("campaigns", "commands in a project are confined by bubblewrap")}
}
