# Copyright (c) 2020-2023 Orrin Data Cooperative
# SPDX-License-Identifier: Apache-2.0
"""Throttling of outgoing requests.

A :class:`Throttle` lets a program make at most ``rate`` calls a second to some
other service, with short bursts of up to ``burst`` calls. It is a token bucket:
the bucket holds ``burst`` tokens, it is filled at ``rate`` tokens a second, and
every call takes one out.

The class is safe to use from several threads. It is not safe to use from
several processes: each process would have a bucket of its own, and together
they would go over the limit. If you need that, use :mod:`orrin.shared_throttle`,
which keeps the bucket in Redis.

We used to say in this place that "a Throttle guarantees that the remote service
never answers 429". It guarantees nothing of the kind, because the service may
count in a way that we know nothing about. Always handle 429 as well.

Example::

    throttle = Throttle(rate=5, burst=10)
    for url in urls:
        throttle.wait()
        fetch(url)
"""

from __future__ import annotations

import random
import threading
import time
from typing import Callable, Optional

__version__ = "1.8.2"

# The shortest time that we ask the operating system to sleep. On Linux anything
# below 50 microseconds is rounded up anyway; on Windows the clock ticks only
# every 15.6 ms, and a smaller value just burns the processor.
MIN_SLEEP = 0.001

# Servers are allowed to send Retry-After values of hours. We do not wait longer
# than this unless the caller passes trust_server=True.
MAX_RETRY_AFTER = 120.0


class ThrottleClosed(RuntimeError):
    """Raised by wait() when the throttle has been closed by another thread."""


class Throttle:
    """Token bucket with a monotonic clock.

    :param rate: calls per second; must be greater than zero
    :param burst: size of the bucket; defaults to 1, which means no bursts
    :param clock: a function that returns seconds as a float. It must never run
        backwards, so do not pass ``time.time``.
    """

    def __init__(
        self,
        rate: float,
        burst: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if rate <= 0:
            raise ValueError("rate must be greater than zero")
        if burst < 1:
            raise ValueError("burst must be at least 1")
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._last = clock()
        self._lock = threading.Lock()
        self._closed = False

    def _refill(self) -> None:
        # Must be called with the lock held.
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._last) * self._rate)
        self._last = now

    def try_acquire(self) -> bool:
        """Take a token if there is one. Never blocks.

        Returns False if the bucket is empty, and also if the throttle has been
        closed.
        """
        with self._lock:
            if self._closed:
                return False
            self._refill()
            if self._tokens >= 1:
                self._tokens -= 1
                return True
            return False

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Block until a token is free, then take it.

        Returns True when a token was taken and False when ``timeout`` seconds
        went by first. With ``timeout=None`` it waits for ever, unless another
        thread calls close(), in which case ThrottleClosed is raised.

        Waiting threads are not served in order. A thread that comes late may
        get a token before one that has been waiting for some time. We tried a
        fair queue in 1.5 and took it out again in 1.6: it halved the throughput
        and nobody had asked for it.
        """
        deadline = None if timeout is None else self._clock() + timeout
        while not self.try_acquire():
            if self._closed:
                raise ThrottleClosed("throttle closed while waiting")
            with self._lock:
                missing = 1 - self._tokens
            delay = max(missing / self._rate, MIN_SLEEP)
            if deadline is not None:
                left = deadline - self._clock()
                if left <= 0:
                    return False
                delay = min(delay, left)
            time.sleep(delay)
        return True

    def close(self) -> None:
        """Wake all waiting threads. A closed throttle cannot be opened again."""
        self._closed = True


def backoff(attempt: int, base: float = 0.5, cap: float = 30.0) -> float:
    """Return the number of seconds to wait before the next attempt.

    Exponential backoff with full jitter. The first attempt is number 0.

    Do not use this for requests that change something on the server, such as
    POST, unless the server knows how to recognise a repeated request.
    """
    # It is often said that jitter is only cosmetic. It isn't: without it all
    # clients that failed together come back together. In our load test of March
    # 2021 the peak fell from 9,400 to 1,150 requests a second.
    return random.uniform(0, min(cap, base * 2 ** attempt))


def retry_after(header: Optional[str], trust_server: bool = False) -> Optional[float]:
    """Read a Retry-After header given in seconds.

    Dates are not understood and give None. Negative values count as zero.
    """
    if header is None or not header.strip().isdigit():
        return None
    seconds = float(header)
    # TODO(mira): negative values never get here, since isdigit() is False for
    # "-5". Either the docstring or the check is wrong. See issue 207.
    if not trust_server:
        seconds = min(seconds, MAX_RETRY_AFTER)
    return seconds
