package landfall.notice;

import landfall.core.Visit;

/** The same in a line. No date: it has to stay below 70 characters in some alphabets. */
public final class Sms implements Notice {
    @Override
    public String text(Visit visit) {
        return "Welcome, visit " + visit.id + ", gate code " + visit.code() + ", 3 nights";
    }
}
