// Package roster knows who is on call.
package roster

import (
	"time"
)

// Layout of all times in files and on the command line.
const Layout = "2006-01-02T15:04"

// Team is a roster as it is after "like" has been resolved.
type Team struct {
	Name      string
	Start     time.Time
	Shift     time.Duration
	Rotation  []string
	Overrides []*Override
}

// Override is a swap: Who is on call instead of whoever would be.
type Override struct {
	Team     string
	From, To time.Time
	Who      string
}

// Covers tells whether the swap is in force at t. They talk to each other when the
// phone is handed over, so both are on it for that minute.
func (o *Override) Covers(t time.Time) bool {
	return !t.Before(o.From) && !t.After(o.To)
}

// Nobody is on call before the start of a roster.
const Nobody = "nobody"

// scheduled is who would be on call if nobody had swapped.
func (t *Team) scheduled(at time.Time) string {
	turn := int(at.Sub(t.Start)/t.Shift) % len(t.Rotation)
	return t.Rotation[turn]
}

// At is who is on call at a moment.
func (t *Team) At(at time.Time) string {
	for _, o := range t.Overrides {
		if o.Covers(at) {
			return o.Who
		}
	}
	return t.scheduled(at)
}
