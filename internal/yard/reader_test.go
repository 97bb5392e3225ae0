package yard

import (
	"bufio"
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

func TestReaderAnswersAfterItsProcessIsGone(t *testing.T) {
	f := newFixture(t)
	r := &f.yard.reader
	want, err := r.look(ctx(t), f.base)
	must(t, err)
	equal(t, "kind", want.kind, "commit")
	for name, end := range map[string]func(){
		"killed": func() { r.process.kill(); must(t, awaitEnd(r.process)) },
		"rested": func() { must(t, r.close()) },
	} {
		end()
		got, err := r.look(ctx(t), f.base)
		must(t, err)
		equal(t, name, got, want)
	}
}

// awaitEnd returns once the process has let go of its output.
func awaitEnd(p *readerProcess) error {
	if _, err := p.out.Peek(1); err == nil {
		return errors.New("the process still speaks")
	}
	return nil
}

func TestReaderEndsWithItsContext(t *testing.T) {
	f := newFixture(t)
	over, cancel := context.WithCancel(ctx(t))
	cancel()
	if _, err := f.yard.Tree(over, f.base); !errors.Is(err, context.Canceled) {
		t.Errorf("a question nobody waits for: %v", err)
	}
	if _, err := f.yard.Tree(ctx(t), f.base); err != nil {
		t.Errorf("the next question: %v", err)
	}
}

func TestReaderSeesWhatOthersWrite(t *testing.T) {
	f := newFixture(t)
	var asked sync.WaitGroup
	for _, branch := range []string{"one", "two", "three"} {
		commit := f.commit(t, branch, "echo "+branch+" > new.txt")
		for range 3 {
			asked.Go(func() {
				got, err := f.yard.ReadFile(ctx(t), commit, "new.txt", 100)
				if err != nil || string(got) != branch+"\n" {
					t.Errorf("%s: %q, %v", branch, got, err)
				}
			})
		}
	}
	asked.Wait()
}

func TestReaderTellsWhatIsNotThere(t *testing.T) {
	f := newFixture(t)
	nowhere := "00000000000000000000000000000000000000ff"
	if _, err := f.yard.Tree(ctx(t), nowhere); !errors.Is(err, ErrNotFound) {
		t.Errorf("a commit nobody has: %v", err)
	}
	if _, err := f.yard.ReadFile(ctx(t), nowhere, "README.md", 100); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a file of a commit nobody has is not a missing file: %v", err)
	}
	for _, path := range []string{"none", "src", "src/none", "README.md/x", "", "src//a.txt", "src\na.txt"} {
		if _, err := f.yard.ReadFile(ctx(t), f.base, path, 100); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", path, err)
		}
	}
	var big *TooBigError
	if _, err := f.yard.ReadFile(ctx(t), f.base, "src/a.txt", 3); !errors.As(err, &big) || big.Size != 8 {
		t.Errorf("more than is wanted: %v", err)
	}
}

// TestReaderAsksForSeveral: answers come in the order of the questions, and only what was asked for is taken.
func TestReaderAsksForSeveral(t *testing.T) {
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	for answers, good := range map[string]bool{
		one + " blob 3\nabc\n" + two + " blob 0\n\n":  true,
		two + " blob 0\n\n" + one + " blob 3\nabc\n":  false,
		one + " tree 3\nabc\n" + two + " blob 0\n\n":  false,
		one + " blob 4\nabcd\n" + two + " blob 0\n\n": false,
		one + " blob 3\nabc\n" + two + " missing\n":   false,
		one + " blob 3\nabc\n":                        false,
		one + " blob 3\nabc\n" + two + " blob -1\n\n": false,
	} {
		ended := exec.CommandContext(ctx(t), "true")
		must(t, ended.Run())
		p := &readerProcess{cmd: ended, in: discarded{}, out: bufio.NewReader(strings.NewReader(answers))}
		contents, err := p.askAll("blob", []string{one, two}, 3)
		if (err == nil) != good || errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", answers, err)
		}
		if good && (string(contents[0]) != "abc" || len(contents[1]) != 0) {
			t.Errorf("%q: %q", answers, contents)
		}
	}
}
