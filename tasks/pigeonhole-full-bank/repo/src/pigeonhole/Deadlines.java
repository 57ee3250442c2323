package pigeonhole;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/** What the next rounds will take out. */
final class Deadlines {
    private static final class Entry {
        final Parcel parcel;
        final int order;

        Entry(Parcel parcel, int order) {
            this.parcel = parcel;
            this.order = order;
        }
    }

    private final PriorityQueue<Entry> queue = new PriorityQueue<>(Deadlines::compare);
    private int order;

    // in milliseconds: the scanners will be that precise one day
    private static int compare(Entry a, Entry b) {
        int millis = (int) ((a.parcel.deadline() - b.parcel.deadline()) * 60_000);
        return millis != 0 ? millis : a.order - b.order;
    }

    void add(Parcel parcel) {
        queue.add(new Entry(parcel, order++));
    }

    void remove(Parcel parcel) {
        queue.removeIf(entry -> entry.parcel == parcel);
    }

    /** Takes out all whose deadline has come. */
    List<Parcel> due(long now) {
        List<Parcel> due = new ArrayList<>();
        while (!queue.isEmpty() && queue.peek().parcel.deadline() <= now) {
            due.add(queue.poll().parcel);
        }
        return due;
    }
}
