package quote

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsTooShortToShowAnything(t *testing.T) {
	for text, bare := range map[string]bool{
		"the": true, "Backups": true, "20 MB": true, "no, never": true, "internationalisation": true, "…": true, "": true, "a b c d": true,
		"kept for 30 days": false, "the heap goal": false, "MaxPool = 64": false, "db.flushCond.Wait()": false, "3.14159265358": true, "www.example.com": true, "f()": true, "上限は二十メガバイトです": false, "上限": true, "ไม่เกินสามสิบวัน": false,
	} {
		require.Equal(t, bare, TooShort(text), text)
	}
}
