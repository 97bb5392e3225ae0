package ledger

import (
	"maps"
	"os"
	"slices"
)

// Statement is an account at a moment.
type Statement struct {
	Models    map[string]Spent // what was charged, by model
	Settled   Amount           // the same in all
	Flights   []Flight         // requests under way, the oldest first
	Overspent Amount           // what requests cost beyond what was set aside for them
}

// Read is the statement of an attempt, whether or not its supervisor is alive.
func Read(folder string) (Statement, error) {
	if _, err := os.Stat(folder); err != nil {
		return Statement{}, err
	}
	b, _, err := readBook(folder)
	if err != nil {
		return Statement{}, err
	}
	return b.statement(), nil
}

func (b *book) statement() Statement {
	s := Statement{Models: maps.Clone(b.models), Settled: b.settled.amount(), Overspent: b.over.amount()}
	for _, id := range slices.Sorted(maps.Keys(b.flights)) {
		s.Flights = append(s.Flights, *b.flights[id])
	}
	return s
}

// Closed is what the attempt has spent by model if it is over: what was charged, and for each request that was under
// way what is known to be spent.
func (s Statement) Closed() map[string]Spent {
	models := maps.Clone(s.Models)
	if models == nil {
		models = map[string]Spent{}
	}
	for _, f := range s.Flights {
		models[f.Model] = models[f.Model].add(f.Charge())
	}
	return models
}

// Total is Closed in one sum.
func (s Statement) Total() Amount {
	total := sum{}
	for _, spent := range s.Closed() {
		total = total.add(sumOf(spent.Amount()))
	}
	return total.amount()
}
