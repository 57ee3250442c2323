package query

import (
	"time"

	"example.org/lantern/internal/config"
	"example.org/lantern/internal/plan"
)

// Less than this is not worth starting.
const shortest = 5 * time.Second

// Budget is how the time of one query is spent.
type Budget struct {
	Attempts   int
	PerAttempt time.Duration
	Drain      time.Duration
}

// NewBudget splits the time of a query over its attempts. What the warehouse
// needs to let go of the connection comes off first, once.
func NewBudget(settings config.Query, limits plan.Limits) Budget {
	total := limits.Timeout(time.Duration(settings.Timeout))
	drain := time.Duration(settings.Drain)
	attempts := settings.Attempts
	if attempts < 1 {
		attempts = 1
	}
	each := (total - drain) / time.Duration(attempts)
	if each < shortest {
		each = shortest
	}
	return Budget{Attempts: attempts, PerAttempt: each, Drain: drain}
}
