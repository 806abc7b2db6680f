package share

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/research-council/research-council/internal/engine/allowance"
)

// Listen answers the runs of this worker at a socket that its user alone can reach, until it is
// closed.
func (s *Share) Listen() (path string, closes func() error, err error) {
	dir, err := os.MkdirTemp("", "council-fleet-") // the path of a socket has to be short
	if err != nil {
		return "", nil, fmt.Errorf("share out turns: %w", err)
	}
	path = filepath.Join(dir, "turns")
	l, err := net.Listen("unix", path)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("share out turns: %w", err), os.RemoveAll(dir))
	}
	server := &http.Server{Handler: allowance.Handler(s), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // until it is closed
	return path, func() error { return errors.Join(server.Close(), os.RemoveAll(dir)) }, nil
}
