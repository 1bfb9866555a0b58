/** Faults of Signalbox's own process, while a person acts and others watch. */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '@/quality/chaos/fault';
import { agent } from '@/quality/chaos/ground';
import { cutOffBoundMs } from '@/quality/chaos/invariants';
import { semaphoreFlags } from '@/quality/chaos/reader';
import type { Stage } from '@/quality/chaos/stage';
import { until } from '@/test/support/until';
import { chainOf } from './chain';

/** Starts Signalbox, and checks that the record has no gap and no duplicate. */
async function start(stage: Stage): Promise<void> {
  await stage.server.start();
  const { brokenAt } = await chainOf(stage);
  if (brokenAt !== null) throw new Error(`The audit is broken at row ${brokenAt}.`);
}

/** Waits until a write of an action is on its way to Consul, so that the fault hits it. */
async function inTheMiddle(stage: Stage): Promise<void> {
  const before = stage.proxy.writes.length;
  await until(() => stage.proxy.writes.length > before, {
    what: 'an action to write',
    everyMs: 1,
    timeoutMs: 30_000,
  });
}

const killed: Fault = {
  name: 'console-killed',
  title: 'Signalbox is killed (SIGKILL) while a write of an action is on its way, and started again',
  ground: agent,
  hits: 'console',
  lastsMs: [200, 2_000],
  restarts: true,
  silences: true,
  inject: async (stage) => {
    await inTheMiddle(stage);
    await stage.server.kill();
  },
  mend: start,
};

const terminated: Fault = {
  name: 'console-ended',
  title:
    'Signalbox is asked to end (SIGTERM) in the middle of an action, with streams open, and started again',
  ground: agent,
  hits: 'console',
  lastsMs: [200, 1_000],
  restarts: true,
  silences: true,
  inject: async (stage) => {
    await inTheMiddle(stage);
    await stage.server.terminate();
  },
  mend: start,
};

const stopped: Fault = {
  name: 'console-stopped',
  title: 'Signalbox is stopped (SIGSTOP): its connections stay open and nothing comes',
  ground: agent,
  hits: 'console',
  lastsMs: [8_000, 14_000],
  boundMs: cutOffBoundMs,
  inject: async (stage) => stage.server.pause(),
  mend: async (stage) => stage.server.resume(),
};

/** One request, answered or broken. */
const throwAt = (url: string, headers: Record<string, string>, body: Buffer) =>
  new Promise<number>((resolve) => {
    const asked = request(url, { method: 'POST', agent: false, timeout: 20_000, headers }, (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', () => resolve(0));
    asked.on('timeout', () => asked.destroy());
    asked.end(body);
  });

const bodies: readonly Buffer[] = [
  Buffer.alloc(255 * 1024, '['),
  Buffer.from(`{"mode":"plan","action":{"type":"lock.release","key":"${'k'.repeat(250 * 1024)}"}}`),
  Buffer.from(
    `{"mode":"apply","action":{"type":"semaphore.prune","prefixes":[${'"a",'.repeat(60_000)}"b"]}}`,
  ),
  Buffer.from(`{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`),
  Buffer.alloc(2 * 1024 * 1024, 'x'),
  Buffer.from('\u0000\uffff{'.repeat(10_000)),
];

const huge: Fault = {
  name: 'bodies-huge',
  title: 'Bodies of a quarter of a megabyte that are deep, wide, endless or no JSON, ten at a time',
  ground: agent,
  hits: 'console',
  lastsMs: [0, 1_000],
  inject: async (stage, chance) => {
    const began = performance.now();
    const answers: Record<number, number> = {};
    const thrower = async () => {
      while (performance.now() - began < 6_000) {
        const body = bodies[Math.floor(chance() * bodies.length)] ?? Buffer.alloc(0);
        const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
        const status = await throwAt(`${stage.server.baseUrl}/api/v1/actions`, headers, body);
        answers[status] = (answers[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: 10 }, thrower));
    stage.say(`   bodies: ${JSON.stringify(answers)}`);
    if (answers[500] !== undefined) throw new Error(`${answers[500]} bodies were answered with 500.`);
  },
  mend: async () => {},
};

const crowdPrefix = 'crowd/huge';
const crowded: Fault = {
  name: 'entry-huge',
  title: 'An entry of half a megabyte that names 11,000 holders, written anew twice a second',
  ground: agent,
  hits: 'console',
  lastsMs: [0, 1_000],
  inject: async (stage) => {
    for (let turn = 0; turn < 12; turn += 1) {
      const ids = Array.from(
        { length: 11_000 },
        (_, i) => `"${`${turn}${i}`.padStart(8, '0')}-0000-4000-8000-000000000000":true`,
      );
      await stage.call(`kv/${crowdPrefix}/.lock?flags=${semaphoreFlags}`, {
        body: `{"Limit":11000,"Holders":{${ids.join(',')}}}`,
      });
      await delay(500);
    }
  },
  mend: async (stage) => void (await stage.call(`kv/${crowdPrefix}/.lock`, { method: 'DELETE' })),
};

export const processFaults: readonly Fault[] = [killed, terminated, stopped, huge, crowded];
