package query

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestRunTriesAgainAfterALostConnection(t *testing.T) {
	calls := 0
	err := Run(context.Background(), Budget{Attempts: 2, PerAttempt: time.Second}, func(context.Context) error {
		calls++
		if calls == 1 {
			return ErrConnection
		}
		return nil
	})
	if err != nil || calls != 2 {
		t.Fatalf("err %v after %d calls", err, calls)
	}
}

func TestRunDoesNotRepeatASlowQuery(t *testing.T) {
	calls := 0
	err := Run(context.Background(), Budget{Attempts: 3, PerAttempt: time.Millisecond}, func(ctx context.Context) error {
		calls++
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.DeadlineExceeded) || calls != 1 {
		t.Fatalf("err %v after %d calls", err, calls)
	}
}
