package workspace

import "research-council/internal/evidence/claim"

// Registry reads what the run has gathered up to now.
func (f *Folder) Registry() (claim.Registry, error) {
	data, err := f.Read(claim.RegistryFile)
	if err != nil {
		return claim.Registry{}, err
	}
	return claim.ParseRegistry(data)
}
