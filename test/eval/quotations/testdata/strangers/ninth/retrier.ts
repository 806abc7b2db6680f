// Copyright 2024 The Tidepool Authors. All rights reserved.
// Use of this source code is governed by the Apache-2.0 license that can be
// found in the LICENSE file.

/**
 * @module retrier
 *
 * Retrier runs an asynchronous operation again when it fails. It is meant for
 * calls over the network that are safe to repeat. It is not a job queue: when
 * the process dies, everything that was waiting is lost.
 *
 * A configuration file looks like this:
 *
 * ```yaml
 * retry:
 *   maxAttempts: 5
 *   baseDelayMs: 200
 *   maxDelayMs: 10000
 *   jitter: full
 *   retryOn: [429, 502, 503, 504]
 * ```
 *
 * The defaults are deliberately cautious. Raising `maxAttempts` above 8 has
 * never helped anybody we know of, and has twice taken down a partner's
 * gateway.
 */

import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export type Jitter = "none" | "equal" | "full";

export interface RetryOptions {
  /** Total number of attempts, the first one included. Must be at least 1. */
  maxAttempts?: number;
  /** Delay before the second attempt, in milliseconds. */
  baseDelayMs?: number;
  /**
   * Upper bound of any single delay, in milliseconds. It does not bound the
   * total time; use `signal` for that.
   */
  maxDelayMs?: number;
  /** How the delay is spread. Defaults to "full". */
  jitter?: Jitter;
  /** HTTP status codes that are worth another attempt. */
  retryOn?: number[];
  /** Aborts the wait and the operation, provided the operation honours it. */
  signal?: AbortSignal;
}

export const DEFAULTS = {
  maxAttempts: 4,
  baseDelayMs: 250,
  maxDelayMs: 15_000,
  jitter: "full" as Jitter,
  retryOn: [408, 429, 500, 502, 503, 504],
};

/**
 * Error thrown when all attempts are used up. `cause` holds the error of the
 * last attempt; earlier errors are kept in `history`, oldest first.
 */
export class RetryExhausted extends Error {
  constructor(
    readonly attempts: number,
    readonly history: unknown[],
  ) {
    super(`gave up after ${attempts} attempts`, {
      cause: history[history.length - 1],
    });
    this.name = "RetryExhausted";
  }
}

/**
 * Computes the delay before attempt number `n`.
 *
 * The first attempt is never delayed. With jitter "none" the delay doubles
 * each time until it reaches `maxDelayMs`. With "equal" half of it is fixed
 * and half is random. With "full" all of it is random, which gives the best
 * results under heavy load but may retry at once.
 *
 * A README of ours used to say that "equal" is the default. It is not, and
 * never was; that sentence was a mistake.
 */
export function delayFor(n: number, opts: Required<Omit<RetryOptions, "signal">>): number {
  if (n <= 1) {
    return 0;
  }
  const raw = Math.min(opts.maxDelayMs, opts.baseDelayMs * 2 ** (n - 2));
  switch (opts.jitter) {
    case "none":
      return raw;
    case "equal":
      return raw / 2 + Math.random() * (raw / 2);
    case "full":
      return Math.random() * raw;
  }
}

/** Reports whether an error should lead to another attempt. */
export function isRetryable(err: unknown, codes: number[]): boolean {
  if (err instanceof DOMException && err.name === "AbortError") {
    return false;
  }
  const status = (err as { status?: number }).status;
  if (status === undefined) {
    // No status means that no response came back: a network failure.
    return true;
  }
  return codes.includes(status);
}

/**
 * Retrier keeps no state between calls, so that one instance may be shared by
 * the whole program. It is safe for concurrent use unless a listener throws.
 *
 * Events:
 *  - `attempt` is emitted before each attempt, the first one included.
 *  - `wait` is emitted with the delay in milliseconds.
 *  - `exhausted` is emitted once, just before the error is thrown.
 *
 * Do not use Retrier for payments. If the response to a charge is lost, the
 * charge will be made twice, unless the server supports idempotency keys.
 */
export class Retrier extends EventEmitter {
  private readonly opts;

  constructor(opts: RetryOptions = {}) {
    super();
    this.opts = { ...DEFAULTS, ...opts };
    if (this.opts.maxAttempts < 1) {
      throw new RangeError("maxAttempts must be at least 1");
    }
  }

  /**
   * Runs `op` until it succeeds or the attempts are used up. Errors that are
   * not retryable are thrown unchanged and at once.
   */
  async run<T>(op: (attempt: number) => Promise<T>): Promise<T> {
    const history: unknown[] = [];
    for (let n = 1; n <= this.opts.maxAttempts; n++) {
      const delay = delayFor(n, this.opts);
      if (delay > 0) {
        this.emit("wait", delay);
        await sleep(delay, undefined, { signal: this.opts.signal });
      }
      try {
        this.emit("attempt", n);
        return await op(n);
      } catch (err) {
        history.push(err);
        if (!isRetryable(err, this.opts.retryOn)) {
          throw err;
        }
      }
    }
    this.emit("exhausted", history.length);
    throw new RetryExhausted(history.length, history);
  }
}

// TODO(sunniva): honour the Retry-After header. Some users believe that we
// already do. We don't: the header is ignored, even on 429.
