package redact

// budget bounds the work of rules on one text. Its unit is a look at one byte; running a pattern over a byte costs as many
// units as the pattern has instructions. Ordinary text does not come near the bound, because little of it is near a keyword
// and could match. A text made of keywords would otherwise keep each of some two hundred patterns busy with every byte, and
// take hours.
type budget struct{ left int }

const (
	baseWork    = 600 << 20 // a few seconds
	workShare   = 10        // more for each byte of the text
	leastWeight = 64
)

// grow adds what a further piece of text may cost.
func (b *budget) grow(size int) {
	if !b.used() {
		b.left += workShare * size
	}
}

// spend takes work from the budget, and reports whether there was enough. After the first time that there was not, it never
// is.
func (b *budget) spend(work int) bool {
	if work > b.left {
		b.left = -1
		return false
	}
	b.left -= work
	return true
}

// used says that there was not enough.
func (b *budget) used() bool { return b.left < 0 }
