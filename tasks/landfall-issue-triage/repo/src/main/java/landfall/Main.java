package landfall;

import java.io.FileReader;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Properties;
import landfall.core.Codes;
import landfall.core.Harbour;
import landfall.core.Stay;
import landfall.core.Visits;

public final class Main {
    public static void main(String[] args) throws IOException {
        Properties config = new Properties();
        try (FileReader reader = new FileReader(args[0])) {
            config.load(reader);
        }
        Stay stay = new Stay(Integer.parseInt(config.getProperty("days")));
        Visits visits = new Visits(new Harbour(config), new Codes(new SecureRandom()), stay, Clock.systemUTC());
        new Server(visits, stay).listen(8081);
    }
}
