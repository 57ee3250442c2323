package pigeonhole;

import java.util.ArrayList;
import java.util.List;

/** A site file: lines like "1-24 S", comments with #. */
final class Site {
    private Site() {
    }

    static List<Door> parse(List<String> lines) {
        List<Door> doors = new ArrayList<>();
        for (String line : lines) {
            String text = line.replaceAll("#.*", "").trim();
            if (text.isEmpty()) {
                continue;
            }
            String[] parts = text.split("[- ]+");
            int last = Integer.parseInt(parts[1]);
            for (int number = Integer.parseInt(parts[0]); number <= last; number++) {
                doors.add(new Door(number, Size.valueOf(parts[2])));
            }
        }
        return doors;
    }
}
