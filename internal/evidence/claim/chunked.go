package claim

// chunked is a long list that grows without being copied.
type chunked[T any] struct {
	parts [][]T
	n     int
}

// chunk is how many elements a part has.
const chunk = 1 << 14

func (c *chunked[T]) add(v T) {
	if c.n%chunk == 0 {
		c.parts = append(c.parts, make([]T, 0, chunk))
	}
	last := &c.parts[len(c.parts)-1]
	*last = append(*last, v)
	c.n++
}

// at is an element until the next is added.
func (c *chunked[T]) at(i uint32) *T { return &c.parts[i/chunk][i%chunk] }

func (c *chunked[T]) len() int { return c.n }
