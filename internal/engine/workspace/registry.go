package workspace

import (
	"os"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// Registry reads what the run has gathered up to now. Whoever reads a run's
// registry reads it here.
func (f *Folder) Registry() (claim.Registry, error) { return registryIn(f.root) }

// RegistryOf reads the registry in a folder that may be a copy of a run's, under
// any name.
func RegistryOf(dir string) (claim.Registry, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return claim.Registry{}, err
	}
	defer root.Close()
	return registryIn(root)
}

func registryIn(root *os.Root) (claim.Registry, error) {
	data, err := readIn(root, claim.RegistryFile)
	if err != nil {
		return claim.Registry{}, err
	}
	return claim.ParseRegistry(data)
}
