package source

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
)

// Copies finds among texts those that repeat another word for word: a press
// release in three newspapers, each with its own head and foot, is one source.
// It takes texts by the keys of their sources and gives, for each text that
// repeats a smaller one, the key of that: of the smallest where there is a
// choice, since it adds least. The same texts always give the same answer.
//
// A text repeats another when they share half of the smaller one's shingles,
// runs of five words (Broder, "On the resemblance and containment of
// documents", 1997), and at least a tenth of the larger one's: less is a mere
// quotation. Of very short texts four in five have to be shared by both. What
// most pages of a host have in common is its frame and tells nothing.
//
// Long texts are compared by a sample of their shingles, the same for all
// texts. Time is near linear in their length.
func Copies(texts map[string]string) map[string]string {
	var papers []fingerprint
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if p := newFingerprint(key, texts[key]); len(p.sample) > 0 {
			papers = append(papers, p)
		}
	}
	dropBoilerplate(papers)
	slices.SortStableFunc(papers, func(a, b fingerprint) int { return cmp.Compare(a.size, b.size) })
	copies := map[string]string{}
	for i, near := range candidates(papers) {
		for _, other := range near {
			if repeats(papers[other], papers[i]) {
				key := papers[other].key
				copies[papers[i].key] = cmp.Or(copies[key], key)
				break
			}
		}
	}
	return copies
}

const (
	shingleWords = 5
	sampleSize   = 8192 // shingles of a long text, about; one of 128 kB is taken whole
	fewShingles  = 50   // a text with fewer is very short
)

// fingerprint is a text made ready to be compared.
type fingerprint struct {
	key    string
	sample []uint64 // hashes of shingles up to the limit, ascending
	limit  uint64
	size   int // how many shingles there are, about
}

func newFingerprint(key, text string) fingerprint {
	p := fingerprint{key: key, limit: math.MaxUint64}
	if most := len(text) / 8; most > 2*sampleSize { // a word and its blank are 6 bytes in English: this leaves more than one sample
		p.limit = math.MaxUint64 / uint64(most/sampleSize)
	}
	shingles(text, func(h uint64) {
		if h <= p.limit {
			p.sample = append(p.sample, h)
		}
	})
	slices.Sort(p.sample)
	p.sample = slices.Compact(p.sample)
	p.size = int(float64(len(p.sample)) * (math.MaxUint64 / float64(p.limit)))
	return p
}

// shingles hashes every run of five words; a text of fewer words is one run.
func shingles(text string, do func(uint64)) {
	var last [shingleWords]uint64
	n := 0
	eachWord(text, func(h uint64) {
		copy(last[:], last[1:])
		last[shingleWords-1] = h
		if n++; n >= shingleWords {
			do(hashShingle(last))
		}
	})
	if 0 < n && n < shingleWords {
		do(hashShingle(last))
	}
}

const prime = 0x100000001b3 // of FNV-1a, 64 bits

func hashShingle(words [shingleWords]uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, w := range words {
		h = (h ^ w) * prime
		h ^= h >> 29
	}
	h *= 0xbf58476d1ce4e5b9 // the finaliser of SplitMix64: sampling by size needs every bit to be good
	return h ^ h>>32
}

// eachWord hashes every word: a run of letters and digits in lower case, or one
// letter of a script that puts no blanks between words.
func eachWord(text string, do func(uint64)) {
	h := uint64(0)
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case words.Unspaced(r):
			if h != 0 {
				do(h)
			}
			do(uint64(r) * prime)
			h = 0
			continue
		case r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)):
			r = unicode.ToLower(r)
		default:
			if h != 0 {
				do(h)
			}
			h = 0
			continue
		}
		h = (h ^ uint64(r) + 1) * prime
	}
	if h != 0 {
		do(h)
	}
}

// dropBoilerplate takes out of the samples what most pages of a host share. Where that
// leaves little of a text, the pages are likely one text under several
// addresses, and the text stays whole.
func dropBoilerplate(papers []fingerprint) {
	sites := map[string][]int{}
	for i, p := range papers {
		if host := Host(p.key); host != "" {
			sites[host] = append(sites[host], i)
		}
	}
	for _, site := range sites {
		if len(site) < 3 {
			continue
		}
		used := map[uint64]int{}
		for _, i := range site {
			for _, h := range papers[i].sample {
				used[h]++
			}
		}
		for _, i := range site {
			p := &papers[i]
			own := slices.DeleteFunc(slices.Clone(p.sample), func(h uint64) bool { return used[h] >= 3 && 2*used[h] > len(site) })
			if 3*len(own) >= len(p.sample) {
				p.size = p.size * len(own) / len(p.sample)
				p.sample = own
			}
		}
	}
}

// repeats reports whether one of two texts repeats the other.
func repeats(a, b fingerprint) bool {
	limit := min(a.limit, b.limit)
	a.sample, b.sample = belowLimit(a.sample, limit), belowLimit(b.sample, limit)
	shared := common(a.sample, b.sample)
	small, large := min(len(a.sample), len(b.sample)), max(len(a.sample), len(b.sample))
	if small < fewShingles {
		return shared > 0 && 5*shared >= 4*(small+large-shared)
	}
	return 2*shared >= small && 10*shared >= large
}

func belowLimit(sample []uint64, limit uint64) []uint64 {
	i, _ := slices.BinarySearch(sample, limit)
	return sample[:i]
}

// common counts what two ascending lists share.
func common(a, b []uint64) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// maxHolders is of how many texts, the smallest, a shingle is known to stand
// in: for each text one that it repeats is enough.
const maxHolders = 64

// posting says that a shingle stands in a text.
type posting struct {
	hash  uint64
	paper uint32
}

// candidates lists for each text, by ascending size, those before it that share
// shingles enough to be worth a comparison.
func candidates(papers []fingerprint) [][]int {
	near := make([][]int, len(papers))
	postings, runs := sharedShingles(papers)
	for i, p := range papers {
		shared := make([]int, i)
		for _, start := range runs[i] {
			for k := start; k < start+maxHolders && int(k) < len(postings) && postings[k].hash == postings[start].hash && int(postings[k].paper) < i; k++ {
				shared[postings[k].paper]++
			}
		}
		for other, n := range shared {
			limit := min(p.limit, papers[other].limit)
			if small := min(len(belowLimit(p.sample, limit)), len(belowLimit(papers[other].sample, limit))); n > 0 && 4*n >= small {
				near[i] = append(near[i], other)
			}
		}
	}
	return near
}

// sharedShingles gives the postings in order, and for each text where those of
// the shingles begin that it shares with a text before it.
func sharedShingles(papers []fingerprint) (postings []posting, runs [][]uint32) {
	for i, p := range papers {
		for _, h := range p.sample {
			postings = append(postings, posting{h, uint32(i)})
		}
	}
	slices.SortFunc(postings, func(a, b posting) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.paper, b.paper)) })
	runs = make([][]uint32, len(papers))
	start := 0
	for i, p := range postings {
		if p.hash != postings[start].hash {
			start = i
		}
		if i > start {
			runs[p.paper] = append(runs[p.paper], uint32(start))
		}
	}
	return postings, runs
}
