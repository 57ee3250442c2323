package pigeonhole;

import java.util.Comparator;
import java.util.TreeSet;

/**
 * The doors that can be given out, in the order in which that is done.
 *
 * It was a list that was searched. The box needed three seconds for a delivery when a
 * whole van was scanned at once, hence the tree (1.3).
 */
final class FreeDoors {
    private final TreeSet<Door> doors = new TreeSet<>(
            Comparator.comparing(Door::size).thenComparingInt(Door::uses).thenComparing(Door::number));

    void add(Door door) {
        doors.add(door);
    }

    /** Takes one out for a parcel of this size; null if none fits. */
    Door take(Size size) {
        Door door = doors.ceiling(new Door(0, size));
        if (door != null) {
            doors.remove(door);
        }
        return door;
    }

    boolean remove(Door door) {
        return doors.remove(door);
    }

    int count(Size size) {
        int count = 0;
        for (Door door : doors) {
            if (door.size() == size) {
                count++;
            }
        }
        return count;
    }
}
