/**
 * Faults of the clock of Signalbox's machine. Consul and its clients have clocks of their own, so no fault may cost a
 * slot. No age may come from two readings of a clock that was set in between.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Fault } from '@/quality/chaos/fault';
import { agent, type Ground } from '@/quality/chaos/ground';
import type { Stage } from '@/quality/chaos/stage';
import { inProject } from '@/scripts/project.mjs';
import { until } from '@/test/support/until';
import { chainOf } from './chain';

const hourMs = 3_600_000;
/** A heartbeat, and what a busy machine adds to it. */
const contactMaxMs = 5_000;
/** The time without traffic: longer than Signalbox takes to notice. */
const stallMs = 8_000;

const fileOf = new Map<object, string>();

/** Debian's libfaketime, which shifts the clock of libc and everything above it, TLS included. */
const libfaketime =
  process.env.SIGNALBOX_FAKETIME ??
  ['x86_64', 'aarch64']
    .map((arch) => `/usr/lib/${arch}-linux-gnu/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path)) ??
  null;
export const clockIsLibcs = libfaketime !== null;

/** A ground whose server's clock can be set, by a file. Without libfaketime only JavaScript sees the shift. */
export const settable: Ground = {
  name: 'one agent, and a clock that can be set',
  raise: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-clock-'));
    const path = join(folder, 'shift');
    writeFileSync(path, written(0));
    fileOf.set(settable, path);
    const grounds = await agent.raise();
    const env: Record<string, string> =
      libfaketime === null
        ? {
            SIGNALBOX_CLOCK: path,
            NODE_OPTIONS: `--require=${inProject('quality/chaos/ours/clock-shift.cjs')}`,
          }
        : {
            LD_PRELOAD: libfaketime,
            FAKETIME_TIMESTAMP_FILE: path,
            FAKETIME_CACHE_DURATION: '1',
            // The monotonic clock cannot be set on a real machine.
            FAKETIME_DONT_FAKE_MONOTONIC: '1',
          };
    return {
      ...grounds,
      env,
      stop: async () => {
        await grounds.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** The form of libfaketime: signed, in seconds. */
const written = (shiftMs: number) =>
  libfaketime === null ? `${shiftMs}` : `${shiftMs < 0 ? '' : '+'}${shiftMs / 1_000}`;

/** Shifts the clock, and waits until the server has noticed and reached Consul since. */
async function setClock(stage: Stage, shiftMs: number): Promise<void> {
  writeFileSync(fileOf.get(settable) ?? '', written(shiftMs));
  await until(
    async () => {
      const url = `${stage.server.baseUrl}/api/v1/snapshot?prefix=chaos%2Fpulse`;
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      const { source } = (await response.json()) as Snapshot;
      const offMs = (source.lastContactMs ?? 0) - (Date.now() + shiftMs);
      if (Math.abs(offMs) > contactMaxMs) throw new Error(`the last contact is told ${offMs} ms off`);
      return true;
    },
    { what: 'the server to tell times of its new clock' },
  );
}

const jump = (name: string, words: string, shiftMs: number): Fault => ({
  name,
  title: `The clock of Signalbox’s machine${clockIsLibcs ? ', as libc tells it,' : ''} is set ${words}; then nothing passes on the way to Consul for ${stallMs / 1000} s`,
  ground: settable,
  hits: 'console',
  lastsMs: [2_000, 4_000],
  inject: async (stage) => {
    await setClock(stage, shiftMs);
    // People act meanwhile, and their outcomes have times of the same clock.
    await delay(3_000);
    // The invariants check that the screen stops saying "live".
    stage.proxy.stall();
    await delay(stallMs);
    stage.proxy.resume();
  },
  mend: async (stage) => {
    stage.proxy.resume();
    await setClock(stage, 0);
    const { brokenAt } = await chainOf(stage);
    if (brokenAt !== null) throw new Error(`The audit is broken at row ${brokenAt}.`);
  },
});

export const clockFaults: readonly Fault[] = [
  jump('clock-forward', 'an hour forward', hourMs),
  jump('clock-back', 'an hour back', -hourMs),
];
