package pigeonhole;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A bank of lockers: doors and the parcels behind them. */
final class Bank {
    private static final long DAY = 24 * 60;

    private final List<Door> doors;
    private final FreeDoors free = new FreeDoors();
    private final Map<String, Parcel> parcels = new HashMap<>();
    private final Set<Integer> blocked = new HashSet<>();
    private final Deadlines deadlines = new Deadlines();

    Bank(List<Door> doors) {
        this.doors = doors;
        for (Door door : doors) {
            free.add(door);
        }
    }

    /** @return the door, or null if nothing is free */
    Door deliver(String id, Size size, int days, long now) {
        Door door = free.take(size);
        if (door == null) {
            return null;
        }
        Parcel parcel = new Parcel(id, door.number(), now + days * DAY);
        parcels.put(id, parcel);
        deadlines.add(parcel);
        return door;
    }

    boolean collect(String id, Integer number) {
        Parcel parcel = parcels.get(id);
        if (parcel == null || parcel.door() != number) {
            return false;
        }
        deadlines.remove(parcel);
        leave(parcel);
        return true;
    }

    List<String> round(long now) {
        List<String> ids = new ArrayList<>();
        for (Parcel parcel : deadlines.due(now)) {
            leave(parcel);
            ids.add(parcel.id());
        }
        return ids;
    }

    private void leave(Parcel parcel) {
        parcels.remove(parcel.id());
        Door door = find(parcel.door());
        if (!blocked.contains(door.number())) {
            free.add(door);
        }
        door.used();
    }

    /** @return false if there is no such door */
    boolean block(Integer number) {
        Door door = find(number);
        if (door == null) {
            return false;
        }
        blocked.add(door.number());
        free.remove(door);
        return true;
    }

    boolean unblock(Integer number) {
        Door door = find(number);
        if (door == null) {
            return false;
        }
        if (blocked.remove(door.number()) && !occupied(door)) {
            free.add(door);
        }
        return true;
    }

    private boolean occupied(Door door) {
        for (Parcel parcel : parcels.values()) {
            if (parcel.door().equals(door.number())) {
                return true;
            }
        }
        return false;
    }

    private Door find(Integer number) {
        for (Door door : doors) {
            if (door.number() == number) {
                return door;
            }
        }
        return null;
    }

    String status() {
        StringBuilder line = new StringBuilder("free");
        for (Size size : Size.values()) {
            line.append(' ').append(size).append('=').append(free.count(size));
        }
        return line.append(" blocked=").append(blocked.size()).toString();
    }
}
