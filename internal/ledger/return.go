package ledger

// Return gives back what no request has needed since the last call: of the grant stays what is spent, and the most that was
// set aside at once. It is called in regular intervals; an attempt that rests for one keeps nothing it has not spent. From
// then on the ledger holds itself to what is left, whether or not the engine has heard of it: so no death of either loses or
// doubles anything. Nothing is given back while a reservation waits for more.
func (l *Ledger) Return() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	peak := l.peak
	l.peak = l.book.held
	if l.journal == nil || len(l.waiting) > 0 || l.grant.UnlimitedUSD && l.grant.UnlimitedTokens {
		return nil
	}
	if err := l.look(); err != nil {
		return err
	}
	had := l.limit()
	keeps := l.book.settled.add(peak).atMost(had.atLeast(l.book.used()))
	if had.fits(keeps) || !l.spare(had, keeps) {
		return nil
	}
	seq := l.want.Seq + 1
	return l.tell(Want{Seq: seq, Total: keeps.amount(), Return: &Return{Seq: seq, Keeps: keeps.amount()}})
}

// spare reports that enough is given back to be worth an event: an eighth of what there was in a dimension that is limited,
// or all that is not spent.
func (l *Ledger) spare(had, keeps sum) bool {
	idle := keeps == l.book.settled
	money := !l.grant.UnlimitedUSD && keeps.nano < had.nano && (idle || had.nano-keeps.nano >= had.nano/8)
	tokens := !l.grant.UnlimitedTokens && keeps.tokens < had.tokens && (idle || had.tokens-keeps.tokens >= had.tokens/8)
	return money || tokens
}
