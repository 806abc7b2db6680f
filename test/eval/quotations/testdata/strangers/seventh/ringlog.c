/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ringlog.c - crash-safe ring log for small flash devices
 *
 * Copyright (c) 2019-2023 Hanne Petersen and contributors
 *
 * The log is a sequence of fixed-size sectors that are written in turn. When
 * the last sector is full, the oldest one is erased and used again. Readers
 * never block writers.
 *
 * What this code guarantees:
 *   - A record that ringlog_append() has acknowledged survives a power loss.
 *   - Records are returned in the order in which they were written.
 *   - At most one record, the one being written, is lost in a crash.
 *
 * What it does not guarantee:
 *   - It does not detect bit rot in sectors that are never read.
 *   - It is not safe to call ringlog_append() from an interrupt handler.
 *   - Old records may disappear at any time once the log has wrapped.
 */

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "flash.h"
#include "ringlog.h"

#define SECTOR_SIZE   4096u
#define SECTOR_COUNT  32u
#define MAX_RECORD    240u      /* bytes, without the header */
#define MAGIC_OPEN    0x52AAu
#define MAGIC_CLOSED  0x5255u

/*
 * Every record starts with this header. The length is written last, because
 * an erased flash cell reads as 0xFFFF and a length of 0xFFFF therefore marks
 * the end of the log. Do not reorder the fields.
 */
struct rec_header {
        uint16_t crc;           /* CRC-16/CCITT over the payload only */
        uint16_t seq;           /* wraps around; compare with seq_before() */
        uint16_t len;
};

/*
 * Sequence numbers wrap after 65536 records. The comparison is correct as long
 * as the two numbers are less than 32768 apart, which holds for any log of
 * fewer than 128 sectors.
 */
static int seq_before(uint16_t a, uint16_t b)
{
        return (int16_t)(a - b) < 0;
}

/*
 * CRC over a buffer. A table would be about four times as fast but costs 512
 * bytes of ROM, which the smallest boards do not have.
 */
static uint16_t crc16(const uint8_t *p, size_t n)
{
        uint16_t crc = 0xFFFF;

        while (n--) {
                crc ^= (uint16_t)(*p++ << 8);
                for (int i = 0; i < 8; i++)
                        crc = (crc & 0x8000) ? (crc << 1) ^ 0x1021 : crc << 1;
        }
        return crc;
}

/*
 * Erase the oldest sector and make it the current one.
 *
 * Erasing takes up to 400 ms on the slowest parts we support. The watchdog must
 * be fed before the call unless its period is longer than one second.
 */
static int advance_sector(struct ringlog *log)
{
        uint32_t next = (log->sector + 1) % SECTOR_COUNT;
        int err = flash_erase(log->base + next * SECTOR_SIZE, SECTOR_SIZE);

        if (err)
                return err;
        log->sector = next;
        log->offset = 0;
        log->wraps += (next == 0);
        return write_magic(log, MAGIC_OPEN);
}

/*
 * Append one record. Returns 0 on success, -EMSGSIZE if the record is too long,
 * or an error from the flash driver. After an error from the driver the log must
 * be reopened before it is used again.
 *
 * The caller must hold log->lock. There is no need to hold the lock while
 * reading.
 */
int ringlog_append(struct ringlog *log, const void *data, size_t len)
{
        struct rec_header h;
        int err;

        if (len == 0 || len > MAX_RECORD)
                return -EMSGSIZE;

        if (log->offset + sizeof(h) + len > SECTOR_SIZE) {
                err = advance_sector(log);
                if (err)
                        return err;
        }

        h.crc = crc16(data, len);
        h.seq = log->seq++;
        h.len = (uint16_t)len;

        err = write_payload(log, data, len);
        if (err)
                return err;
        return write_header(log, &h);   /* this is the commit point */
}

/*
 * Find the newest sector after a reset.
 *
 * An earlier version of this comment said that a binary search is always
 * possible here. That is wrong: after a crash during an erase there can be two
 * gaps in the sequence, and a binary search may settle on the wrong one. So we
 * scan all sectors. With 32 sectors the scan takes about 3 ms.
 */
int ringlog_open(struct ringlog *log, uint32_t base)
{
        uint16_t best = 0;
        int found = 0;

        memset(log, 0, sizeof(*log));
        log->base = base;
        for (uint32_t s = 0; s < SECTOR_COUNT; s++) {
                uint16_t seq;

                if (read_first_seq(log, s, &seq) != 0)
                        continue;
                if (!found || seq_before(best, seq)) {
                        best = seq;
                        log->sector = s;
                        found = 1;
                }
        }
        return found ? seek_end(log) : advance_sector(log);
}

/*
 * Timing on the reference board (80 MHz, external NOR flash):
 *
 *   operation        typical   worst case
 *   append, 32 B     0.4 ms    401 ms
 *   append, 240 B    1.9 ms    403 ms
 *   read, 240 B      0.2 ms    0.3 ms
 *   open, empty      1.1 ms    402 ms
 *
 * The worst case of an append includes one erase. It can be avoided if the
 * application calls ringlog_prepare() when it is idle.
 *
 * TODO: encrypt the payload. Until then, do not log passwords or keys.
 * FIXME: ringlog_prepare() ignores the write-protect pin on rev B boards.
 */
