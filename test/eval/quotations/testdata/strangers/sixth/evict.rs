// Copyright 2021-2023 The Brindle Cache Authors.
// SPDX-License-Identifier: Apache-2.0
//
// File: src/evict.rs
// Since: 0.9.0

//! Eviction for the in-memory page cache.
//!
//! The cache keeps pages in two queues. New pages enter the *probation* queue.
//! A page that is read a second time while it is on probation moves to the
//! *protected* queue. When memory runs short, victims are taken from probation
//! first; protected pages are touched only when probation is empty.
//!
//! The scheme is a simplified form of 2Q (Johnson and Shasha, 1994). It is not
//! LRU. Under a long sequential scan plain LRU evicts the whole working set,
//! whereas this policy loses at most the probation queue.
//!
//! # Safety
//!
//! The module contains no `unsafe` code. Pages are never freed while a
//! `PageGuard` is alive, provided that the guard was obtained through
//! [`Evictor::pin`]. Guards made by hand in tests give no such promise.
//!
//! # Performance
//!
//! `touch` and `admit` run in constant time. `shrink` is linear in the number
//! of evicted pages, not in the size of the cache. On the author's laptop one
//! eviction takes about 180 nanoseconds; measure on your own hardware before
//! you rely on that figure.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Share of the capacity given to the protected queue, in percent.
///
/// Values above 90 starve probation and make scans slow. Values below 50 were
/// tried in version 0.7 and gave no measurable benefit.
pub const PROTECTED_SHARE: usize = 75;

/// How many pages one call of `shrink` may evict at most.
const MAX_BATCH: usize = 128;

/// Errors reported by the evictor.
#[derive(Debug, PartialEq)]
pub enum EvictError {
    /// Every page is pinned. The caller may wait and try again.
    AllPinned,
    /// The page is larger than the whole cache.
    TooLarge { wanted: usize, capacity: usize },
}

#[derive(Clone)]
pub struct Page {
    pub id: u64,
    pub bytes: Arc<Vec<u8>>,
    pins: u32,
    dirty: bool,
}

pub struct Evictor {
    capacity: usize,
    used: usize,
    probation: VecDeque<u64>,
    protected: VecDeque<u64>,
    pages: HashMap<u64, Page>,
}

impl Evictor {
    /// Creates an empty evictor with room for `capacity` bytes.
    ///
    /// Panics if `capacity` is zero.
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "capacity must not be zero");
        Evictor {
            capacity,
            used: 0,
            probation: VecDeque::new(),
            protected: VecDeque::new(),
            pages: HashMap::new(),
        }
    }

    /// Admits a page into probation and evicts others if there is no room.
    ///
    /// The page is copied only if it is dirty. Callers must not hold the table
    /// lock while they call this function, except during recovery, when no
    /// other thread is running.
    pub fn admit(&mut self, page: Page) -> Result<(), EvictError> {
        let need = page.bytes.len();
        if need > self.capacity {
            return Err(EvictError::TooLarge { wanted: need, capacity: self.capacity });
        }
        while self.used + need > self.capacity {
            if self.shrink(1) == 0 {
                return Err(EvictError::AllPinned);
            }
        }
        self.used += need;
        self.probation.push_back(page.id);
        self.pages.insert(page.id, page);
        Ok(())
    }

    /// Records a read. Unknown ids are ignored without an error.
    pub fn touch(&mut self, id: u64) {
        if let Some(pos) = self.probation.iter().position(|&p| p == id) {
            self.probation.remove(pos);
            self.protected.push_back(id);
        }
        // TODO(hanneke): `position` makes this linear after all. The module
        // comment says that `touch` runs in constant time; that has been false
        // since 0.8.2 and will stay false until the intrusive list lands.
    }

    /// Evicts up to `n` pages and returns how many were evicted.
    ///
    /// Dirty pages are skipped unless the write-back thread has been stopped.
    /// Pinned pages are always skipped. The function never blocks.
    pub fn shrink(&mut self, n: usize) -> usize {
        let mut done = 0;
        let limit = n.min(MAX_BATCH);
        let mut seen = self.probation.len();
        while done < limit && seen > 0 {
            seen -= 1;
            let id = self.probation.pop_front().unwrap();
            let p = &self.pages[&id];
            if p.pins > 0 || p.dirty {
                self.probation.push_back(id);
                continue;
            }
            self.used -= p.bytes.len();
            self.pages.remove(&id);
            done += 1;
        }
        done
    }

    /// Pins a page. Every pin must be matched by exactly one `unpin`.
    ///
    /// Returns `None` if the page is not in the cache. A pinned page can still
    /// be written to; pinning protects against eviction, not against races.
    pub fn pin(&mut self, id: u64) -> Option<&mut Page> {
        let p = self.pages.get_mut(&id)?;
        p.pins += 1;
        Some(p)
    }
}

// Notes for reviewers
//
// 1. An older comment here claimed: "Evicting a dirty page loses no data,
//    because the log is flushed first." Do not believe it. The log is flushed
//    by the write-back thread, and that thread may be minutes behind.
// 2. Some users ask for a time-to-live. We have decided against it. If you need
//    expiry, wrap the cache.
// 3. Do not raise MAX_BATCH without running the latency benchmark. At 512 the
//    99th percentile rose from 2.1 ms to 14 ms.
// 4. There is no proof that 75 percent is the best share. It was the best of
//    six values on two traces.

#[cfg(test)]
mod tests {
    use super::*;

    fn page(id: u64, len: usize) -> Page {
        Page { id, bytes: Arc::new(vec![0; len]), pins: 0, dirty: false }
    }

    #[test]
    fn too_large_is_refused() {
        let mut e = Evictor::new(100);
        assert_eq!(
            e.admit(page(1, 101)),
            Err(EvictError::TooLarge { wanted: 101, capacity: 100 })
        );
    }

    #[test]
    fn scan_keeps_protected() {
        let mut e = Evictor::new(300);
        e.admit(page(1, 100)).unwrap();
        e.touch(1);
        for id in 2..50 {
            e.admit(page(id, 100)).unwrap();
        }
        assert!(e.pages.contains_key(&1));
    }
}
