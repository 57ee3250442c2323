package pigeonhole;

import java.util.Arrays;
import java.util.List;

/** No JUnit on the boxes; this is enough. */
public final class AllTests {
    private static int failures;

    private static void check(String name, List<String> site, String[] events, String... answers) {
        Box box = new Box(new Bank(Site.parse(site)));
        String[] got = Arrays.stream(events).map(box::answer).toArray(String[]::new);
        if (Arrays.equals(got, answers)) {
            System.out.println("ok " + name);
        } else {
            failures++;
            System.out.println("FAILED " + name + "\n  expected " + Arrays.toString(answers)
                    + "\n  got      " + Arrays.toString(got));
        }
    }

    private static String[] events(String... events) {
        return events;
    }

    public static void main(String[] args) {
        List<String> three = List.of("# one of each", "1-1 S", "2-2 M", "3-3 L");
        check("smallest that fits", three,
                events("2024-12-02T10:00 deliver A S", "2024-12-02T10:00 deliver B S",
                        "2024-12-02T10:00 deliver C L", "2024-12-02T10:00 deliver D S"),
                "A -> 1", "B -> 2", "C -> 3", "D full");
        check("collect", three,
                events("2024-12-02T10:00 deliver A M", "2024-12-02T10:05 collect A 3",
                        "2024-12-02T10:05 collect B 2", "2024-12-02T10:06 collect A 2",
                        "2024-12-02T10:07 status"),
                "A -> 2", "A wrong door", "B wrong door", "A collected", "free S=1 M=1 L=1 blocked=0");
        check("three days to the minute", three,
                events("2024-12-02T10:00 deliver A M", "2024-12-05T09:59 round", "2024-12-05T10:00 round"),
                "A -> 2", "back nothing", "back A");
        check("oldest deadline first", three,
                events("2024-12-02T10:00 deliver A S 5", "2024-12-02T10:00 deliver B M",
                        "2024-12-02T10:00 deliver C L", "2024-12-09T06:00 round"),
                "A -> 1", "B -> 2", "C -> 3", "back B C A");
        check("blocked", three,
                events("2024-12-02T10:00 block 1", "2024-12-02T10:00 deliver A S", "2024-12-02T10:00 block 2",
                        "2024-12-02T11:00 collect A 2", "2024-12-02T11:00 status",
                        "2024-12-02T12:00 unblock 2", "2024-12-02T12:00 block 4", "2024-12-02T12:00 status"),
                "1 blocked", "A -> 2", "2 blocked", "A collected", "free S=0 M=0 L=1 blocked=2",
                "2 unblocked", "4 no such door", "free S=0 M=1 L=1 blocked=1");
        System.exit(failures == 0 ? 0 : 1);
    }
}
