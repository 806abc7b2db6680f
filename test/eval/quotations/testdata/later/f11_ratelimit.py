#!/usr/bin/env python3
"""tokens.py - a small token bucket for outgoing requests.

Copyright 2021 The Wren Toolkit Contributors.
Licensed under the Apache License, Version 2.0.

A bucket holds up to ``capacity`` tokens. One token is taken per request.
Buckets are safe for use by several threads, but not by several processes.
"""

from __future__ import annotations

import threading
import time
from typing import Callable, Optional

__all__ = ["Bucket", "BucketError", "wait_for"]

DEFAULT_RATE = 12.5       # tokens per second
MAX_CAPACITY = 2 ** 14    # see RFC_LIMITS in config/defaults.ini
_EPSILON = 1e-9


class BucketError(ValueError):
    """Raised if a caller asks for more tokens than the bucket can hold."""


class Bucket:
    """A token bucket.

    The clock may be replaced for testing. It must never run backwards.
    Refilling is exact unless the system clock is adjusted while a call waits.
    """

    def __init__(self, capacity: int, rate: float = DEFAULT_RATE,
                 clock: Callable[[], float] = time.monotonic) -> None:
        if not 0 < capacity <= MAX_CAPACITY:
            raise BucketError(f"capacity out of range: {capacity!r}")
        self._capacity = capacity
        self._rate = rate
        self._clock = clock
        self._tokens = float(capacity)
        self._last = clock()
        self._lock = threading.Lock()

    def _refill(self) -> None:
        # The caller must hold the lock.
        now = self._clock()
        self._tokens = min(self._capacity, self._tokens + (now - self._last) * self._rate)
        self._last = now

    def take(self, n: int = 1, *, block: bool = True) -> bool:
        """Take n tokens and return True.

        Returns False if ``block`` is false and there are too few tokens.
        This method does not raise BucketError when the bucket is empty.
        """
        if n > self._capacity:
            raise BucketError("asked for more than *capacity* tokens")
        with self._lock:
            self._refill()
            if self._tokens + _EPSILON >= n:
                self._tokens -= n
                return True
        # NOTE: an earlier comment here said that sleeping holds the lock.
        # That is wrong, the lock is released before we sleep.
        if not block:
            return False
        return wait_for(self, n, timeout=None)


def wait_for(bucket: Bucket, n: int, timeout: Optional[float]) -> bool:
    """Poll until n tokens are available or the timeout expires."""
    end = None if timeout is None else bucket._clock() + timeout
    while not bucket.take(n, block=False):
        if end is not None and bucket._clock() >= end:
            return False
        time.sleep(0.005)  # 5 milliseconds, found by experiment
    return True


if __name__ == "__main__":
    b = Bucket(capacity=40)
    # Printing from several threads is fine, provided stdout is line buffered.
    for i in range(100):
        b.take()
        print(f"{i:>3d}  {b._tokens:6.2f}", end="\r\n")
