// Package query runs queries against the warehouse.
package query

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrConnection is the only failure that is worth another attempt.
var ErrConnection = errors.New("connection to the warehouse lost")

// Attempt asks the warehouse once. It returns soon after ctx is done.
type Attempt func(ctx context.Context) error

// Run makes up to Attempts attempts. One that runs into its time is cancelled and
// not tried again: it would only be slow a second time.
func Run(ctx context.Context, budget Budget, attempt Attempt) error {
	var err error
	for n := 1; n <= budget.Attempts; n++ {
		err = once(ctx, budget, attempt)
		if !errors.Is(err, ErrConnection) {
			return err
		}
	}
	return fmt.Errorf("gave up after %d attempts: %w", budget.Attempts, err)
}

func once(ctx context.Context, budget Budget, attempt Attempt) error {
	ctx, cancel := context.WithTimeout(ctx, budget.PerAttempt)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- attempt(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(budget.Drain):
	}
	return ctx.Err()
}
