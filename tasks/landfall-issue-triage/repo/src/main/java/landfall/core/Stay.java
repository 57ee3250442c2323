package landfall.core;

import java.time.Duration;
import java.time.Instant;

/** How long a guest may stay: `days` from when he has moored. */
public final class Stay {
    private final Duration longest;

    public Stay(int days) {
        longest = Duration.ofDays(days);
    }

    public Instant deadline(Visit visit) {
        return visit.createdAt.plus(longest);
    }

    public boolean over(Visit visit, Instant now) {
        return visit.arrived() && !now.isBefore(deadline(visit));
    }
}
