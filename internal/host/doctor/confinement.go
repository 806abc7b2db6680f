package doctor

import "context"

// checkConfinement tries whether what a campaign's worker runs can be confined here.
func (x exam) checkConfinement(ctx context.Context) []Check {
	if x.Confine == nil {
		return nil
	}
	if err := x.Confine(ctx); err != nil {
		return []Check{newCheck("campaigns", Note, "commands in a project are not confined: "+err.Error()+"; experiments and the tests of a second look are refused, "+without(x.OS),
			boxRemedy(x.OS))}
	}
	return []Check{okCheck("campaigns", "commands in a project are confined by bubblewrap")}
}

// without says what a campaign does where there is no box.
func without(system string) string {
	if system == "windows" {
		return "a worker's shell has narrow rules, and a campaign's tests and init.sh cannot be run: they need a Unix shell"
	}
	return "a worker's shell has narrow rules instead, tests run with your rights, init.sh is not run"
}

// boxRemedy says how a system comes by a box.
func boxRemedy(system string) string {
	if system == "linux" {
		return "install bubblewrap, and allow user namespaces"
	}
	return "what has to be confined runs on Linux, in a machine of its own or in WSL"
}
