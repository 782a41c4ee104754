package dock;

import java.util.List;

/** A pump. */
@Service
public class Pump<T> extends Machine {
    private static final int LIMIT = 4;

    public Pump(int speed) {
        this.speed = speed;
    }

    /** Runs it. */
    @Override
    public void run(int seconds) {
        String text = """
            class Fake {
            """;
    }

    public void run(int seconds, int speed) {
        run(seconds);
    }

    enum Kind {
        OPEN, SHUT;

        boolean moves() { return this == OPEN; }
    }

    record Reading(int level) {}

    interface Listener {
        void changed(Reading reading);
    }
}
