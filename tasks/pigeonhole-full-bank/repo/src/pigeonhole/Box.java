package pigeonhole;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;

/** Events in, answers out; see docs/rules.md. */
final class Box {
    private static final int DAYS = 3;

    private final Bank bank;

    Box(Bank bank) {
        this.bank = bank;
    }

    String answer(String event) {
        String[] words = event.trim().split("\\s+");
        // the boxes' clocks know no summer time
        long now = LocalDateTime.parse(words[0]).toEpochSecond(ZoneOffset.UTC) / 60;
        switch (words[1]) {
            case "deliver":
                int days = words.length > 4 ? Integer.parseInt(words[4]) : DAYS;
                Door door = bank.deliver(words[2], Size.valueOf(words[3]), days, now);
                return words[2] + (door == null ? " full" : " -> " + door.number());
            case "collect":
                boolean right = bank.collect(words[2], Integer.valueOf(words[3]));
                return words[2] + (right ? " collected" : " wrong door");
            case "round":
                List<String> ids = bank.round(now);
                return "back " + (ids.isEmpty() ? "nothing" : String.join(" ", ids));
            case "block":
                return words[2] + (bank.block(Integer.valueOf(words[2])) ? " blocked" : " no such door");
            case "unblock":
                return words[2] + (bank.unblock(Integer.valueOf(words[2])) ? " unblocked" : " no such door");
            case "status":
                return bank.status();
            default:
                return "what? " + event;
        }
    }
}
