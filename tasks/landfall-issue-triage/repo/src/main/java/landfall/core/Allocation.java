package landfall.core;

import java.util.Comparator;
import java.util.Optional;

/** Which berth a boat gets: the smallest free one that it fits into. */
public final class Allocation {
    private final Harbour harbour;

    public Allocation(Harbour harbour) {
        this.harbour = harbour;
    }

    public Optional<Berth> find(Size size, boolean club) {
        return harbour.berths().stream()
                .filter(Berth::free)
                .filter(b -> club || !b.club)
                .filter(b -> size.fits(b.size))
                .min(Comparator.comparing((Berth b) -> b.size).thenComparing(b -> b.number));
    }
}
