package landfall.notice;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Words that mail and sms share. */
final class Texts {
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("EEEE d MMMM HH:mm", Locale.ENGLISH).withZone(ZoneId.of("Europe/Vienna"));

    static String until(Instant deadline) {
        return DAY.format(deadline);
    }

    private Texts() {}
}
