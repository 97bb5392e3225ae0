package core

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestAway(t *testing.T) {
	plain := fmt.Errorf("read an answer: %w", io.ErrUnexpectedEOF)
	marked := fmt.Errorf("open: %w", Wrap(CodeUnavailable, Away(plain), "the database does not answer", "start it"))
	if !errors.Is(marked, ErrAway) || !errors.Is(marked, io.ErrUnexpectedEOF) || CodeOf(marked) != CodeUnavailable {
		t.Errorf("it is %v", marked)
	}
	if Away(plain).Error() != plain.Error() || errors.Is(plain, ErrAway) {
		t.Errorf("its words are %v", Away(plain))
	}
}
