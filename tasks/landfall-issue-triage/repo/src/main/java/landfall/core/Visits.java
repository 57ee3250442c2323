package landfall.core;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The life of a visit: booked, moored, gone. */
public final class Visits {
    private final Harbour harbour;
    private final Allocation allocation;
    private final Codes codes;
    private final Stay stay;
    private final Clock clock;

    public Visits(Harbour harbour, Codes codes, Stay stay, Clock clock) {
        this.harbour = harbour;
        this.allocation = new Allocation(harbour);
        this.codes = codes;
        this.stay = stay;
        this.clock = clock;
    }

    public Optional<Berth> reserve(String id, Size size, String skipper, boolean club) {
        Optional<Berth> found = allocation.find(size, club);
        found.ifPresent(b -> b.take(new Visit(id, size, skipper, Instant.now(clock))));
        return found;
    }

    /** The boat has moored; the harbour master ticks it off. */
    public Visit arrive(String id) {
        Visit visit = harbour.withVisit(id).orElseThrow().visit();
        visit.arrive(Instant.now(clock), codes.next());
        return visit;
    }

    public Visit resend(String id) {
        Visit visit = harbour.withVisit(id).orElseThrow().visit();
        visit.newCode(codes.next());
        return visit;
    }

    /** The visit that a code opens the gate for. None for codes that are wrong, and for visits whose time is over. */
    public Optional<Berth> enter(String typed) {
        Instant now = Instant.now(clock);
        return harbour.berths().stream()
                .filter(b -> !b.free() && b.visit().arrived())
                .filter(b -> !stay.over(b.visit(), now))
                .filter(b -> Codes.matches(typed, b.visit().code()))
                .findFirst();
    }

    public void leave(String id) {
        harbour.withVisit(id).ifPresent(Berth::empty);
    }

    /** Who should have left: the list for the evening round. */
    public List<Visit> overdue() {
        Instant now = Instant.now(clock);
        List<Visit> found = new ArrayList<>();
        for (Berth b : harbour.berths()) {
            if (!b.free() && stay.over(b.visit(), now)) {
                found.add(b.visit());
            }
        }
        return found;
    }
}
