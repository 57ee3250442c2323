// Package plan knows what each plan may use.
package plan

import (
	"fmt"
	"time"
)

// Limits of a plan. Zero is no limit.
type Limits struct {
	MaxTimeout time.Duration
	MaxRows    int
}

var plans = map[string]Limits{
	"starter": {MaxTimeout: 30 * time.Second, MaxRows: 50_000},
	"team":    {MaxTimeout: 90 * time.Second, MaxRows: 500_000},
	"works":   {MaxTimeout: 10 * time.Minute},
}

// ByName fails for a plan that nobody sells.
func ByName(name string) (Limits, error) {
	limits, ok := plans[name]
	if !ok {
		return Limits{}, fmt.Errorf("no plan %q", name)
	}
	return limits, nil
}

// Timeout is what is left of a wish.
func (l Limits) Timeout(wish time.Duration) time.Duration {
	if l.MaxTimeout > 0 && wish > l.MaxTimeout {
		return l.MaxTimeout
	}
	return wish
}

// Rows is what is left of a wish.
func (l Limits) Rows(wish int) int {
	if l.MaxRows > 0 && wish > l.MaxRows {
		return l.MaxRows
	}
	return wish
}
