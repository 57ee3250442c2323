package landfall.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** All guest berths, with the numbers that are painted on the pontoon. */
public final class Harbour {
    private final List<Berth> berths = new ArrayList<>();

    public Harbour(Properties config) {
        int number = 1;
        for (Size size : Size.values()) {
            int all = Integer.parseInt(config.getProperty("berths." + size, "0"));
            int club = Integer.parseInt(config.getProperty("club." + size, "0"));
            for (int i = 0; i < all; i++) {
                berths.add(new Berth(number++, size, i < club));
            }
        }
    }

    public List<Berth> berths() {
        return berths;
    }

    public Optional<Berth> withVisit(String id) {
        return berths.stream().filter(b -> !b.free() && b.visit().id.equals(id)).findFirst();
    }
}
