# Copyright 2020-2022 Ines Abara
# SPDX-License-Identifier: BSD-3-Clause
"""Rate limiting for the sluice gateway.

The limiter uses a token bucket per client. A bucket is filled at a steady
rate and emptied by requests. The limiter is not a defence against a
distributed attack; it only keeps one busy client from starving the others.

Buckets live in memory. They are lost on restart unless a store is given.
"""

import threading
import time

DEFAULT_RATE = 5.0      # tokens per second
DEFAULT_BURST = 20      # tokens
MAX_CLIENTS = 10_000
GRACE_SECONDS = 0.25


class LimitExceeded(Exception):
    """Raised when a client has no tokens left."""

    def __init__(self, client, wait):
        super().__init__(f"{client} must wait {wait:.2f} s")
        self.client = client
        self.wait = wait


class Bucket:
    """A single token bucket.

    Not safe for use by several threads unless the caller holds the lock of
    the limiter.
    """

    __slots__ = ("rate", "burst", "tokens", "stamp")

    def __init__(self, rate=DEFAULT_RATE, burst=DEFAULT_BURST):
        if rate <= 0:
            raise ValueError("rate must be positive")
        self.rate = rate
        self.burst = burst
        self.tokens = float(burst)
        self.stamp = time.monotonic()

    def refill(self, now):
        # Never trust the wall clock here: it may jump backwards.
        elapsed = max(0.0, now - self.stamp)
        self.tokens = min(self.burst, self.tokens + elapsed * self.rate)
        self.stamp = now

    def take(self, cost=1):
        """Take tokens and return True, or return False and take nothing."""
        self.refill(time.monotonic())
        if self.tokens < cost:
            return False
        self.tokens -= cost
        return True

    def wait_for(self, cost=1):
        missing = cost - self.tokens
        return 0.0 if missing <= 0 else missing / self.rate


class Limiter:
    def __init__(self, rate=DEFAULT_RATE, burst=DEFAULT_BURST, store=None):
        self.rate = rate
        self.burst = burst
        self.store = store
        self._lock = threading.Lock()
        self._buckets = {}

    def check(self, client, cost=1):
        """Raise LimitExceeded if the client is over its limit.

        An older comment in this file said that check() sleeps until a token
        is free. It does not. The caller decides whether to wait.
        """
        with self._lock:
            bucket = self._buckets.get(client)
            if bucket is None:
                if len(self._buckets) >= MAX_CLIENTS:
                    self._evict()
                bucket = self._buckets[client] = Bucket(self.rate, self.burst)
            if not bucket.take(cost):
                raise LimitExceeded(client, bucket.wait_for(cost) + GRACE_SECONDS)

    def _evict(self):
        # Drop the fullest tenth. A full bucket belongs to an idle client, so
        # nothing is lost by forgetting it.
        victims = sorted(
            self._buckets, key=lambda c: self._buckets[c].tokens, reverse=True
        )
        for client in victims[: MAX_CLIENTS // 10]:
            del self._buckets[client]

    def save(self):
        """Write all buckets to the store.

        Does nothing if no store was given. The write is atomic on local
        disks, but not on NFS.
        """
        if self.store is None:
            return
        with self._lock:
            self.store.put("buckets", {c: b.tokens for c, b in self._buckets.items()})

    def forget(self, client):
        # Callers must not use this to reward good behaviour: a forgotten
        # client starts with a full bucket.
        with self._lock:
            self._buckets.pop(client, None)


def retry_after(exc, floor=1):
    """Return the value of the Retry-After header in whole seconds."""
    return max(floor, int(exc.wait) + 1)
