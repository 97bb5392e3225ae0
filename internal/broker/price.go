package broker

import (
	"cmp"
	_ "embed" // the price list
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

//go:embed prices.yaml
var published []byte

const (
	perMillion   = 1e-6
	defaultFast  = 6
	hourByInput  = 2 // a cache entry of an hour costs this many times the input, unless the list says otherwise
	highestPrice = 1e6
)

// rate is the price of a million tokens of each kind.
type rate struct{ input, output, cacheRead, cacheWrite, cacheWrite1h float64 }

func (r rate) cost(u ledger.Usage) float64 {
	return perMillion * (float64(u.Input)*r.input + float64(u.Output)*r.output + float64(u.CacheRead)*r.cacheRead +
		float64(u.CacheWrite)*r.cacheWrite + float64(u.CacheWrite1h)*r.cacheWrite1h)
}

// dearer is the higher price of each kind.
func (r rate) dearer(s rate) rate {
	return rate{
		max(r.input, s.input), max(r.output, s.output), max(r.cacheRead, s.cacheRead),
		max(r.cacheWrite, s.cacheWrite), max(r.cacheWrite1h, s.cacheWrite1h),
	}
}

// Price is what one model costs.
type Price struct {
	usual  rate
	long   rate  // of prompts with more than above tokens
	above  int64 // 0: there are no prices for long prompts
	fast   float64
	search float64
}

// Prices is a price list. The zero value has none: use [ReadPrices].
type Prices struct {
	models map[string]Price
	search float64
}

// Published is the list that this program brings along. It is read once: a worker does so before its attempt comes.
var Published = sync.OnceValues(func() (Prices, error) { return parsePrices("prices.yaml", published) })

// ReadPrices is the published list with the person's file laid over it; no path, or no file there, leaves the list as
// it is. The error has every mistake of the file with its line. What is read may be a copy of the file that the person knows by
// name; "" if it is not.
func ReadPrices(path, name string) (Prices, error) {
	list, err := Published()
	list.models = maps.Clone(list.models)
	if err != nil || path == "" {
		return list, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return Prices{}, fmt.Errorf("read the price list: %w", err)
	}
	own, err := parsePrices(cmp.Or(name, path), data)
	if err != nil {
		return Prices{}, err
	}
	maps.Copy(list.models, own.models)
	if own.search > 0 {
		list.search = own.search
	}
	return list, nil
}

// Of is the price of a model: that of the longest prefix of its name in the list, or the highest of each kind if the list
// does not have it.
func (p Prices) Of(model string) (price Price, known bool) {
	longest := -1
	for prefix, candidate := range p.models {
		if len(prefix) > longest && begins(model, prefix) {
			price, longest = candidate, len(prefix)
		}
	}
	if longest < 0 {
		price = p.dearest()
	}
	price.search = p.search
	return price, longest >= 0
}

// begins reports that prefix is the whole name or ends at the end of a word: 4-1 does not begin 4-15.
func begins(model, prefix string) bool {
	rest, ok := strings.CutPrefix(model, prefix)
	if !ok || rest == "" {
		return ok
	}
	c := rest[0]
	return c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

func (p Prices) dearest() Price {
	d := Price{fast: defaultFast}
	for _, m := range p.models {
		d.usual = d.usual.dearer(m.usual).dearer(m.long)
		d.fast = max(d.fast, m.fast)
	}
	return d
}

// Cost is what a usage costs; factor is what the request's options multiply it by.
func (p Price) Cost(u ledger.Usage, factor float64) float64 {
	r := p.usual
	if p.above > 0 && u.Prompt() > p.above {
		r = p.long
	}
	return factor*r.cost(u) + float64(u.Searches)*p.search
}

func parsePrices(file string, data []byte) (Prices, error) {
	root, report := yamlfile.Read(file, data)
	if err := report.Err(); err != nil {
		return Prices{}, err
	}
	list := Prices{models: map[string]Price{}}
	if o, ok := root.Object("models", "web_search"); ok {
		list.search = number(o, "web_search", 0)
		if models, given := o.Get("models"); given {
			list.read(models)
		}
	}
	return list, report.Err()
}

func (p *Prices) read(models yamlfile.Value) {
	pairs, _ := models.Pairs()
	for _, pair := range pairs {
		if strings.TrimSpace(pair.Name) == "" {
			pair.Key.Fail("a model needs a name", "")
			continue
		}
		o, ok := pair.Value.Object("input", "output", "cache_read", "cache_write", "cache_write_1h", "fast", "long_prompt")
		if !ok {
			continue
		}
		price := Price{usual: readRate(o), fast: number(o, "fast", defaultFast)}
		if long, given := o.Get("long_prompt"); given {
			price.readLong(long)
		}
		p.models[pair.Name] = price
	}
}

func (p *Price) readLong(v yamlfile.Value) {
	o, ok := v.Object("above", "input", "output", "cache_read", "cache_write", "cache_write_1h")
	if !ok {
		return
	}
	p.long = readRate(o)
	if above, given := o.Need("above", "the number of tokens from which these prices count"); given {
		n, _ := above.Int(1, math.MaxInt32)
		p.above = int64(n)
	}
}

// readRate reads prices. A cache costs no less than plain input unless the list says so.
func readRate(o yamlfile.Object) rate {
	o.Need("input", "US dollars for a million tokens")
	o.Need("output", "US dollars for a million tokens")
	input := number(o, "input", 0)
	return rate{
		input: input, output: number(o, "output", 0), cacheRead: number(o, "cache_read", input),
		cacheWrite: number(o, "cache_write", hourByInput*input), cacheWrite1h: number(o, "cache_write_1h", hourByInput*input),
	}
}

// number reads a price, or returns another if the key is absent.
func number(o yamlfile.Object, key string, otherwise float64) float64 {
	v, ok := o.Get(key)
	if !ok {
		return otherwise
	}
	text, ok := v.Scalar()
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > highestPrice {
		v.Fail(fmt.Sprintf("%q is not a price", text), "write US dollars as a number, such as 3 or 0.25")
		return otherwise
	}
	return n
}
