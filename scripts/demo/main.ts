/**
 * The demo world: real processes that contend for locks and semaphores on a real Consul. Starts them, kills one now and
 * then, and removes all of it at the end.
 *
 * The set is always the same. The timing follows `SIGNALBOX_DEMO_SEED` (a number, default 1), as far as a real machine
 * permits. `SIGNALBOX_DEMO_LOG=1` logs failures.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connect } from '@signalbox/locks';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createDice, type Dice } from './dice';
import { endOfDemo } from './leave';
import { clearProps, setProps } from './props';
import { type Scene, work } from './scene';
import { type Actor, cast } from './world';

/** The time between two starts, so that a small machine has room for others. */
const staggerMs = 100;
/** Longest time to release holds, less than the time until a kill. */
const graceMs = 3_000;

const worker = fileURLToPath(new URL('./worker.mjs', import.meta.url));

function start({ role, names }: Actor, seed: number): ChildProcess {
  const child = spawn(process.execPath, ['--max-semi-space-size=1', worker, role, String(seed), ...names], {
    // Standard input ends with this process, and the worker with that.
    stdio: ['pipe', 'inherit', 'inherit'],
    env: process.env,
  });
  child.stdin?.on('error', () => {});
  return child;
}

const gone = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve()).once('error', () => resolve());
  });

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Plays one actor until the end: restarts it when it died, and kills it when it is the fragile one. */
async function play(
  actor: Actor,
  { dice, end, seed }: { dice: Dice; end: AbortSignal; seed: number },
): Promise<void> {
  while (!end.aborted) {
    const child = start(actor, seed);
    const exited = gone(child);
    if (actor.fragile) {
      await Promise.race([exited, work(dice.secondsMs(35, 75), end)]);
      if (!end.aborted) child.kill('SIGKILL');
    }
    await Promise.race([exited, aborted(end)]);
    if (end.aborted) await leave(child, exited);
    else await work(dice.secondsMs(2, 5), end);
  }
}

async function leave(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(timer);
}

/** Retries until Consul is there. */
async function stage(scene: Scene): Promise<void> {
  while (!scene.end.aborted) {
    try {
      return await setProps(scene);
    } catch (error) {
      if (process.env.SIGNALBOX_DEMO_LOG)
        console.error(`demo: ${error instanceof Error ? error.message : error}`);
      await work(1_000, scene.end);
    }
  }
}

const seed = Number(process.env.SIGNALBOX_DEMO_SEED ?? 1) || 1;
const end = endOfDemo();
const consul = connect();
const client = createConsulClient(consulSettings(process.env));
const scene: Scene = { consul, client, dice: createDice(seed, 'stage'), end };
await stage(scene);
const playing: Promise<void>[] = [];
for (const actor of cast) {
  if (end.aborted) break;
  playing.push(play(actor, { dice: createDice(seed, `play ${actor.names[0]}`), end, seed }));
  await pause(staggerMs, end).catch(() => {});
}
await Promise.all(playing);
// The next demo finds and adopts props that cannot be cleared now.
await Promise.race([clearProps(scene), pause(1_000)]).catch(() => {});
client.close();
process.exit(0);
