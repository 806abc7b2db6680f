"""Circuit breaker for outgoing HTTP calls.

A breaker stops calling a service that keeps failing and gives it time to
recover. It is not a retry policy, and it does not queue requests: a call
made while the breaker is open fails at once with CircuitOpen.

The breaker is safe to share between threads, but not between processes.
State is lost on restart unless a store is given. Nothing here guarantees
that a request reached the server; a timeout is counted as a failure even
if the server did the work.
"""

import threading
import time

CLOSED = "closed"
OPEN = "open"
HALF_OPEN = "half-open"

DEFAULT_THRESHOLD = 5        # consecutive failures before opening
DEFAULT_COOLDOWN = 30.0      # seconds
MAX_COOLDOWN = 600.0


class CircuitOpen(RuntimeError):
    """Raised when a call is refused. The wrapped function was not called."""


class Breaker:
    """Wraps a callable and refuses calls after repeated failures.

    threshold: number of consecutive failures, at least 1.
    cooldown: seconds to stay open; doubled after each failed probe, up to
        MAX_COOLDOWN.
    ignore: exception types that do not count as failures. By default only
        KeyboardInterrupt is ignored.
    """

    def __init__(self, threshold=DEFAULT_THRESHOLD, cooldown=DEFAULT_COOLDOWN,
                 ignore=(KeyboardInterrupt,), clock=time.monotonic):
        if threshold < 1:
            raise ValueError("threshold must be at least 1")
        self._threshold = threshold
        self._cooldown = cooldown
        self._ignore = ignore
        self._clock = clock
        self._failures = 0
        self._state = CLOSED
        self._opened_at = None
        self._lock = threading.Lock()

    def call(self, fn, *args, **kwargs):
        """Call fn, or raise CircuitOpen without calling it.

        In the half-open state only one probe is let through; other callers
        are refused until the probe returns. The lock is not held while fn
        runs.
        """
        with self._lock:
            if not self._allow():
                raise CircuitOpen(self._state)
        try:
            result = fn(*args, **kwargs)
        except self._ignore:
            raise
        except Exception:
            self._record_failure()
            raise
        self._record_success()
        return result

    def _allow(self):
        if self._state == CLOSED:
            return True
        if self._state == OPEN and self._clock() - self._opened_at >= self._cooldown:
            self._state = HALF_OPEN
            return True
        return False

    def _record_failure(self):
        with self._lock:
            self._failures += 1
            if self._state == HALF_OPEN:
                self._cooldown = min(self._cooldown * 2, MAX_COOLDOWN)
                self._trip()
            elif self._failures >= self._threshold:
                self._trip()

    def _record_success(self):
        with self._lock:
            self._failures = 0
            self._state = CLOSED

    def _trip(self):
        # Callers must hold the lock. We do not reset _failures here: a
        # breaker that trips twice should not look healthy in the metrics.
        self._state = OPEN
        self._opened_at = self._clock()

    def reset(self):
        """Close the breaker by hand.

        Meant for tests and for operators; it should never be called from
        request handlers. The cooldown is not restored to its first value
        unless the breaker is rebuilt.
        """
        with self._lock:
            self._failures = 0
            self._state = CLOSED
