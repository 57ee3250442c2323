package landfall.api;

import java.util.Optional;
import landfall.core.Berth;
import landfall.core.Visits;

/** The keypad at the gate. docs/gate.md */
public final class Gate {
    private final Visits visits;

    public Gate(Visits visits) {
        this.visits = visits;
    }

    public String type(String digits) {
        if (!digits.matches("[0-9]{6}")) {
            return "";
        }
        Optional<Berth> berth = visits.enter(digits);
        return berth.map(b -> "Open, berth " + b.number).orElse("Code unknown");
    }
}
