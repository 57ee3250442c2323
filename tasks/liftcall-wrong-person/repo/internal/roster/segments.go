package roster

import "time"

// Segment is a stretch of time that one person has without a break.
type Segment struct {
	From, To time.Time
	Who      string
}

// Segments are the stretches between two moments, in order, without those of nobody.
func (t *Team) Segments(from, to time.Time) []Segment {
	var all []Segment
	for at := from; at.Before(to); {
		next := t.nextChange(at, to)
		who := t.At(at)
		last := len(all) - 1
		switch {
		case who == Nobody:
		case last >= 0 && all[last].Who == who && all[last].To.Equal(at):
			all[last].To = next
		default:
			all = append(all, Segment{From: at, To: next, Who: who})
		}
		at = next
	}
	return all
}

// nextChange is the first moment after at, and not after to, at which somebody else
// may be on call.
func (t *Team) nextChange(at, to time.Time) time.Time {
	next := to
	earlier := func(moment time.Time) {
		if moment.After(at) && moment.Before(next) {
			next = moment
		}
	}
	if at.Before(t.Start) {
		earlier(t.Start)
	} else {
		shifts := at.Sub(t.Start)/t.Shift + 1
		earlier(t.Start.Add(shifts * t.Shift))
	}
	for _, o := range t.Overrides {
		earlier(o.From)
		earlier(o.To)
	}
	return next
}
