package landfall;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Properties;
import java.util.Random;
import landfall.api.Gate;
import landfall.core.Codes;
import landfall.core.Harbour;
import landfall.core.Size;
import landfall.core.Stay;
import landfall.core.Visits;

/** Run with `java -ea`. */
final class HarbourTest {
    public static void main(String[] args) {
        Properties config = new Properties();
        config.setProperty("berths.S", "1");
        config.setProperty("berths.M", "1");
        Clock clock = Clock.fixed(Instant.parse("2026-02-02T08:00:00Z"), ZoneOffset.UTC);
        Visits visits = new Visits(new Harbour(config), new Codes(new Random(1)), new Stay(3), clock);

        assert visits.reserve("a", Size.S, "Ann", false).orElseThrow().size == Size.S;
        assert visits.reserve("b", Size.S, "Ben", false).orElseThrow().size == Size.M;
        assert visits.reserve("c", Size.S, "Cem", false).isEmpty();
        String code = Codes.text(visits.arrive("a").code());
        assert new Gate(visits).type(code).equals("Open, berth 1");
        visits.leave("a");
        assert new Gate(visits).type(code).equals("Code unknown");
    }
}
