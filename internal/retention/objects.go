package retention

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// documentBatch is how many documents are read at once: each may be large.
const documentBatch = 32

// documents notes every digest that documents speak of. It comes before the events are read: an object passes from a
// document to an event, and is in one of them at any time.
func (p *pass) documents(ctx context.Context) error {
	for _, kind := range append(remote.Naming(), pack.Kind) {
		for after := ""; ; {
			page, err := p.Store.Documents(ctx, kind, "", after, documentBatch)
			if err != nil {
				return err
			}
			for _, d := range page {
				p.speaks(d.Key)
				p.speaks(string(d.Data))
				after = d.Key
			}
			if len(page) < documentBatch {
				break
			}
		}
	}
	return nil
}

// objects removes those that no document and no event of any stream mentions. Young ones stay: an event may be
// about to mention them. If a run's folder is there and its events are not, they may come
// back, and nothing is removed.
func (p *pass) objects(ctx context.Context, known map[string]bool) error {
	lost, err := p.lost(known)
	if err != nil {
		return err
	}
	if lost != "" {
		p.keep(Item{Kind: KindObject, Name: "all"}, fmt.Sprintf("the database does not know the run in %s, which may speak of them: `stellwerk resume` it, or move it away", lost))
		return nil
	}
	projects, err := p.Store.Projects(ctx, 0)
	if err != nil {
		return err
	}
	for _, row := range projects {
		err := p.each(ctx, core.ProjectStream(row.ID), func(e core.Event) error {
			_, err := core.Decode(e)
			p.foreign = p.foreign || errors.Is(err, core.ErrUnreadable)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if p.foreign {
		p.keep(Item{Kind: KindObject, Name: "all"}, "an event that needs a newer version of Stellwerk may speak of them")
		return nil
	}
	return p.Objects.Each(ctx, func(e object.Entry) error {
		if p.spoken[e.Digest] && !planted.Is("unproved") || !e.At.Before(p.Before) || time.Since(e.At) < object.Young {
			return nil
		}
		item := Item{Kind: KindObject, Name: e.Digest, Bytes: e.Size, Proof: "no event and no document speaks of it"}
		p.did(item, func() error {
			gone, err := p.Objects.Discard(ctx, e.Digest, p.Before)
			if err == nil && !gone {
				err = errors.New("it was put again this moment")
			}
			return err
		})
		return nil
	})
}

// lost is a folder of a run that the database does not know; "" if there is
// none.
func (p *pass) lost(known map[string]bool) (string, error) {
	root := filepath.Join(p.State, "runs")
	entries, err := os.ReadDir(root)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if _, err := os.Stat(filepath.Join(dir, runfolder.ManifestFile)); err == nil && !known[e.Name()] {
			return dir, nil
		}
	}
	return "", nil
}
