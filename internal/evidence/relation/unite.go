package relation

import "slices"

// A Union makes groups of what says the same. Two that are kept apart are never
// in one group, however long the way between them.
type Union struct {
	parent []int
	size   []int
	apart  []map[int]bool // of each group: groups that it must not be united with
}

// NewUnion is one of n, each by itself.
func NewUnion(n int) *Union {
	u := &Union{parent: make([]int, n), size: make([]int, n), apart: make([]map[int]bool, n)}
	for i := range n {
		u.parent[i], u.size[i] = i, 1
	}
	return u
}

// Find is the group of one: that of any other of its group too.
func (u *Union) Find(i int) int {
	for u.parent[i] != i {
		u.parent[i] = u.parent[u.parent[i]]
		i = u.parent[i]
	}
	return i
}

// Part keeps two apart from now on. It does nothing to those that are in one
// group already.
func (u *Union) Part(i, j int) {
	a, b := u.Find(i), u.Find(j)
	if a == b {
		return
	}
	for _, p := range [2][2]int{{a, b}, {b, a}} {
		if u.apart[p[0]] == nil {
			u.apart[p[0]] = map[int]bool{}
		}
		u.apart[p[0]][p[1]] = true
	}
}

// Parted reports whether two are kept apart.
func (u *Union) Parted(i, j int) bool { return u.apart[u.Find(i)][u.Find(j)] }

// Unite puts two into one group, unless they are kept apart.
func (u *Union) Unite(i, j int) bool {
	a, b := u.Find(i), u.Find(j)
	switch {
	case a == b:
		return true
	case u.apart[a][b]:
		return false
	case u.size[a]+len(u.apart[a]) < u.size[b]+len(u.apart[b]):
		a, b = b, a
	}
	u.parent[b] = a
	u.size[a] += u.size[b]
	for other := range u.apart[b] {
		delete(u.apart[other], b)
		u.apart[other][a] = true
		if u.apart[a] == nil {
			u.apart[a] = map[int]bool{}
		}
		u.apart[a][other] = true
	}
	u.apart[b] = nil
	return true
}

// Groups are the groups of more than one, each ascending, in the order of their
// first.
func (u *Union) Groups() [][]int {
	at := map[int]int{}
	var groups [][]int
	for i := range u.parent {
		root := u.Find(i)
		if u.size[root] < 2 {
			continue
		}
		n, known := at[root]
		if !known {
			n = len(groups)
			at[root] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return slices.Clip(groups)
}
