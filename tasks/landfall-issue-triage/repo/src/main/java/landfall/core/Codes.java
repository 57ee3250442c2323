package landfall.core;

import java.util.random.RandomGenerator;

/** Codes for the gate. Six digits since 1.4, and the first may be a zero. */
public final class Codes {
    private static final int BOUND = 1_000_000;
    private final RandomGenerator random;

    public Codes(RandomGenerator random) {
        this.random = random;
    }

    public int next() {
        return random.nextInt(BOUND);
    }

    /** As people read and type it. */
    public static String text(int code) {
        return String.format("%06d", code);
    }

    public static boolean matches(String typed, int code) {
        return typed.equals(text(code));
    }
}
