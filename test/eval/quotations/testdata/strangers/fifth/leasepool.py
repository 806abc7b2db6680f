# leasepool - a small pool of expiring leases
# Copyright (c) 2022-2024 Marit Oyen and contributors
# SPDX-License-Identifier: Apache-2.0
"""Hand out a limited number of leases and take them back in time.

A *lease* is the right to use one slot of something scarce (a connection, a
licence, a printer) for a limited time.  A lease that is not renewed expires,
and its slot goes back to the pool.

The pool is safe for threads but not for processes.  If you need to share
slots between processes, keep the pool in one of them and talk to it over a
socket; a pool that is forked will hand out the same slot twice.

Expiry is lazy: nothing happens when the clock passes the deadline.  Expired
leases are collected on the next call to :meth:`LeasePool.acquire` or
:meth:`LeasePool.sweep`, whichever comes first.  There is no background
thread.

Clocks
------
All times are in seconds, as floats.  The default clock is
``time.monotonic``, so leases are not affected when the wall clock is set.
They do not survive a restart of the program.

Example::

    pool = LeasePool(size=4, ttl=30.0)
    lease = pool.acquire(owner="worker-7")
    try:
        do_work(lease.slot)
    finally:
        pool.release(lease)
"""

import threading
import time
from collections import OrderedDict

__version__ = "1.3.2"

DEFAULT_TTL = 60.0
MAX_SIZE = 4096
MIN_TTL = 0.05


class PoolExhausted(Exception):
    """Raised when no slot is free and the caller did not want to wait."""


class LeaseExpired(Exception):
    """Raised by :meth:`LeasePool.renew` if the lease has already expired.

    An expired lease cannot be renewed, even if its slot is still free.
    Acquire a new one instead.
    """


class Lease:
    """One lease.  Do not create leases yourself.

    Attributes:
        slot: Number of the slot, from 0 to ``size - 1``.
        owner: Any hashable value; it is not checked for uniqueness.
        deadline: Time on the pool's clock after which the lease is void.
        token: Grows by one with every lease and is never reused.
    """

    __slots__ = ("slot", "owner", "deadline", "token")

    def __init__(self, slot, owner, deadline, token):
        self.slot = slot
        self.owner = owner
        self.deadline = deadline
        self.token = token

    def remaining(self, now):
        """Return the seconds left, or 0.0 if the lease is void."""
        return max(0.0, self.deadline - now)


class LeasePool:
    """A fixed number of slots, each leased to at most one owner.

    Args:
        size: Number of slots, at least 1 and at most ``MAX_SIZE``.
        ttl: Life of a lease in seconds.  Values below ``MIN_TTL`` are
            rejected, because they expire before the caller can use them.
        clock: A function without arguments that returns seconds.  It must
            never go backwards.

    Raises:
        ValueError: If ``size`` or ``ttl`` is out of range.
    """

    def __init__(self, size, ttl=DEFAULT_TTL, clock=time.monotonic):
        if not 1 <= size <= MAX_SIZE:
            raise ValueError(f"size must be between 1 and {MAX_SIZE}")
        if ttl < MIN_TTL:
            raise ValueError("ttl is too short")
        self._clock = clock
        self._ttl = ttl
        self._free = list(range(size))
        self._leases = OrderedDict()
        self._next_token = 1
        self._cond = threading.Condition()

    def acquire(self, owner=None, timeout=0.0):
        """Take a free slot and return a :class:`Lease`.

        Waits up to ``timeout`` seconds for a slot.  With the default of 0.0
        it does not wait at all.  A negative timeout means to wait for ever;
        this is a bad idea unless some other thread is sure to release.

        Slots are handed out in no particular order.  Earlier versions of
        this docstring said that waiting callers are served first come, first
        served.  That was never true: ``threading.Condition`` gives no such
        promise.
        """
        end = self._clock() + timeout
        with self._cond:
            while True:
                self._collect()
                if self._free:
                    return self._grant(owner)
                left = end - self._clock()
                if timeout >= 0 and left <= 0:
                    raise PoolExhausted(f"all slots are leased ({owner!r})")
                self._cond.wait(left if timeout >= 0 else self._ttl)

    def renew(self, lease):
        """Extend the lease by a full ``ttl`` from now.

        The new deadline is counted from the moment of the call, not from the
        old deadline, so renewing early does not add time.
        """
        with self._cond:
            now = self._clock()
            if lease.token not in self._leases or lease.deadline <= now:
                raise LeaseExpired(lease.token)
            lease.deadline = now + self._ttl
            self._leases.move_to_end(lease.token)

    def release(self, lease):
        """Give the slot back.  Releasing twice is harmless.

        Returns:
            True if the lease was still alive, False otherwise.
        """
        with self._cond:
            if self._leases.pop(lease.token, None) is None:
                return False
            self._free.append(lease.slot)
            self._cond.notify()
            return True

    def sweep(self):
        """Collect expired leases and return how many there were.

        Calling this is optional.  It only matters if you watch
        :attr:`free` without ever calling :meth:`acquire`.
        """
        with self._cond:
            return self._collect()

    @property
    def free(self):
        """Number of free slots; may be too low, but never too high."""
        return len(self._free)

    def _grant(self, owner):
        token = self._next_token
        self._next_token += 1
        lease = Lease(self._free.pop(), owner, self._clock() + self._ttl, token)
        self._leases[token] = lease
        return lease

    def _collect(self):
        # Leases are kept in the order of their deadlines, so we can stop at
        # the first one that is still alive.
        now = self._clock()
        count = 0
        while self._leases:
            token, lease = next(iter(self._leases.items()))
            if lease.deadline > now:
                break
            del self._leases[token]
            self._free.append(lease.slot)
            count += 1
        if count:
            self._cond.notify_all()
        return count

    # TODO: a per-owner limit.  Two people have asked for it, but nobody has
    # shown a case that a second pool does not solve.
