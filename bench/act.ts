/** From a click to its effect on screen. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startSignalbox } from '@/e2e/support/signalbox';
import { pause } from '@/lib/consul/client/clock';
import { lockFlags, semaphoreFlags } from '@/lib/consul/recognise/coordination';
import { apply, type Patch, says } from '@/lib/domain/change';
import type { Snapshot } from '@/lib/domain/snapshot';
import { startConsul } from '@/test/support/consul';
import { openEvents } from './events';
import { atMost, type Bench, type BenchStage, type Figure, ms, quantile } from './figure';
import { furnish, makeSession } from './furnished';
import { type Plain, plainHttp } from './plain';
import { within } from './within';

const rounds = 48;
const warmUp = 8;

interface Pair {
  readonly Key: string;
  readonly Value: string | null;
  readonly Flags: number;
  readonly Session?: string;
  readonly ModifyIndex: number;
}

/** A lock that is held, or a semaphore of one holder, made for one action. */
interface Subject {
  readonly name: string;
  readonly session: string;
}

async function makeLock(plain: Plain, name: string): Promise<Subject> {
  const session = await makeSession(plain, 'act-holder');
  await plain.json('PUT', `/v1/kv/${name}?acquire=${session}&flags=${lockFlags}`, '{"owner":"act"}');
  return { name, session };
}

async function makeSemaphore(plain: Plain, name: string): Promise<Subject> {
  const session = await makeSession(plain, 'act-holder', 'delete');
  await plain.json('PUT', `/v1/kv/${name}/${session}?acquire=${session}&flags=${semaphoreFlags}`, '');
  const body = JSON.stringify({ Limit: 3, Holders: { [session]: true } });
  await plain.json('PUT', `/v1/kv/${name}/.lock?flags=${semaphoreFlags}`, body);
  return { name, session };
}

type Hand = Pick<Plain, 'json'>;

/** Each request as a process of `curl`, as a person's script has it. */
const curl = (address: string): Hand => ({
  json: async <T>(method: string, path: string, body?: string | Buffer) => {
    const data = body === undefined ? [] : ['--data-binary', body.toString()];
    const { stdout } = await promisify(execFile)('curl', [
      '-sSf',
      '-X',
      method,
      ...data,
      `http://${address}${path}`,
    ]);
    return JSON.parse(stdout) as T;
  },
});

/** What a careful person does with curl; one request after the other, each answer looked at before the next. */
const byHand = {
  /** Look at the key; unlock it in a transaction if it is still this acquisition; look at the key again. */
  'hand a lock over': async (plain: Hand, { name, session }: Subject) => {
    const [row] = await plain.json<Pair[]>('GET', `/v1/kv/${name}?consistent`);
    if (row?.Session !== session) throw new Error(`${name} is not held as expected.`);
    const index = row.ModifyIndex;
    await plain.json(
      'PUT',
      '/v1/txn',
      `[{"KV":{"Verb":"check-session","Key":"${name}","Session":"${session}"}},{"KV":{"Verb":"check-index","Key":"${name}","Index":${index}}},{"KV":{"Verb":"unlock","Key":"${name}","Value":"${row.Value}","Flags":${lockFlags},"Session":"${session}"}}]`,
    );
    const [after] = await plain.json<Pair[]>('GET', `/v1/kv/${name}?consistent`);
    if (after?.Session !== undefined) throw new Error(`${name} is still held.`);
  },
  /**
   * Look at the session and at everything that it holds; destroy it; look at the semaphore; take the record out by
   * comparison; look at the semaphore again.
   */
  'evict a holder with its session': async (plain: Hand, { name, session }: Subject) => {
    const [known] = await plain.json<unknown[]>('GET', `/v1/session/info/${session}?consistent`);
    if (known === undefined) throw new Error(`${session} is gone.`);
    const all = await plain.json<Pair[]>('GET', '/v1/kv/?recurse&consistent');
    if (all.filter((row) => row.Session === session).length !== 1) throw new Error(`${session} holds more.`);
    await plain.json('PUT', `/v1/session/destroy/${session}`);
    const rows = await plain.json<Pair[]>('GET', `/v1/kv/${name}/?recurse&consistent`);
    const row = rows.find(({ Key }) => Key === `${name}/.lock`);
    const body = JSON.parse(Buffer.from(row?.Value ?? '', 'base64').toString('utf8'));
    delete body.Holders[session];
    const path = `/v1/kv/${name}/.lock?cas=${row?.ModifyIndex}&flags=${semaphoreFlags}`;
    if (!(await plain.json<boolean>('PUT', path, JSON.stringify(body)))) throw new Error('The entry moved.');
    const after = await plain.json<Pair[]>('GET', `/v1/kv/${name}/?recurse&consistent`);
    if (after.some((one) => one.Session === session)) throw new Error(`${session} still holds.`);
  },
} as const;
type Deed = keyof typeof byHand;

const making: Readonly<Record<Deed, (plain: Plain, name: string) => Promise<Subject>>> = {
  'hand a lock over': makeLock,
  'evict a holder with its session': makeSemaphore,
};
const actionOf = (deed: Deed, { name, session }: Subject) =>
  deed === 'hand a lock over'
    ? { type: 'lock.release', key: name, how: 'hand-over' }
    : { type: 'semaphore.evict', prefix: name, sessionId: session, how: 'destroy-session' };

/** Sees when the stream shows that the subject is no longer held by this session. */
function watching() {
  let wanted: { subject: Subject; seen: (atMs: number) => void } | null = null;
  let world: Snapshot | null = null;
  const onEvent = ({ event, data, atMs }: { event: string; data: string; atMs: number }) => {
    if (event === 'snapshot') world = JSON.parse(data);
    if ((event !== 'patch' && event !== 'status') || world === null) return;
    const patch = JSON.parse(data) as Patch;
    world = apply(world, patch);
    if (wanted === null) return;
    const { name, session } = wanted.subject;
    const lock = world?.locks.find(({ key }) => key === name && says(patch, 'locks', key));
    const semaphore = world?.semaphores.find(
      ({ prefix }) => prefix === name && says(patch, 'semaphores', prefix),
    );
    const freed = lock !== undefined && lock.holder?.sessionId !== session;
    const left = semaphore !== undefined && !semaphore.holders.some(({ sessionId }) => sessionId === session);
    if (freed || left) wanted.seen(atMs);
  };
  /** Resolves when a patch shows it. */
  const gone = (subject: Subject) =>
    within(
      `the stream shows ${subject.name} free`,
      new Promise<number>((seen) => {
        wanted = { subject, seen };
      }),
    );
  return { onEvent, gone };
}

interface Times {
  /** With a process of `curl` for each request. */
  readonly hand: number[];
  /** The same requests over a connection that is open already. */
  readonly kept: number[];
  readonly answered: number[];
  readonly seen: number[];
}

async function measure({ defer, say }: BenchStage, baseUrl: string, plain: Plain, hands: Hand) {
  const app = plainHttp(baseUrl);
  defer(app.close);
  const { onEvent, gone } = watching();
  const events = await openEvents(baseUrl, onEvent);
  defer(events.close);
  const post = async <T>(body: object) => {
    const { status, body: answer } = await app.request('POST', '/api/v1/actions', {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    const text = answer.toString('utf8');
    if (status !== 200) throw new Error(`${status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  const deeds = Object.keys(byHand) as Deed[];
  const times = Object.fromEntries(
    deeds.map((deed) => [deed, { hand: [], kept: [], answered: [], seen: [] }]),
  ) as unknown as Record<Deed, Times>;
  for (let i = 0; i < rounds; i += 1)
    for (const deed of deeds) {
      const hand = await making[deed](plain, `act/hand-${i}-${deed.slice(0, 4)}`);
      const kept = await making[deed](plain, `act/kept-${i}-${deed.slice(0, 4)}`);
      const ours = await making[deed](plain, `act/ours-${i}-${deed.slice(0, 4)}`);
      await pause(120);
      const handMs = performance.now();
      await byHand[deed](hands, hand);
      const handTook = performance.now() - handMs;
      await pause(120);
      const keptMs = performance.now();
      await byHand[deed](plain, kept);
      const keptTook = performance.now() - keptMs;
      // Until what that was seen by has rested: the watch reads once more after each change.
      await pause(120);
      // The dialog has planned when the click comes: that is what it shows.
      const action = actionOf(deed, ours);
      const { expect } = await post<{ expect: object }>({ mode: 'plan', action, reason: 'measured' });
      await pause(20);
      const seen = gone(ours);
      const beganMs = performance.now();
      await post({ mode: 'apply', action, reason: 'measured', expect });
      const answeredMs = performance.now() - beganMs;
      const seenMs = Math.max(answeredMs, (await seen) - beganMs);
      if (i < warmUp) continue;
      times[deed].hand.push(handTook);
      times[deed].kept.push(keptTook);
      times[deed].answered.push(answeredMs);
      times[deed].seen.push(seenMs);
    }
  for (const deed of deeds)
    say(`${deed}: ${ms(quantile(times[deed].seen, 0.5))} and ${ms(quantile(times[deed].hand, 0.5))}`);
  return times;
}

export const bench: Bench = {
  title: 'Act: from a click to its effect',
  about: `${rounds - warmUp} times each, in turns: what the dialog's last click sends (\`POST /api/v1/actions\`, apply) until it is answered and the stream of a viewer shows the effect, beside the same done by hand with curl: the reads and the conditional writes of a careful person, the next as soon as the last is answered. Told besides: the same requests over a connection that is open already. 1,000 entries in view. Ours authorises, puts the intent on record (on disk) before and the outcome after.`,
  run: async (stage) => {
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    stage.defer(plain.close);
    await furnish(plain, { prefix: 'board/', locks: 604, semaphores: 66 });
    const signalbox = await startSignalbox({ consulAddress: consul.address });
    stage.defer(signalbox.stop);
    const times = await measure(stage, signalbox.baseUrl, plain, curl(consul.address));
    const figures = (Object.entries(times) as [Deed, Times][]).flatMap(
      ([deed, { hand, kept, answered, seen }]) => {
        const row = (what: string, ours: readonly number[], q: number): Figure =>
          atMost(`${deed}: ${what}`, {
            ours: quantile(ours, q),
            compared: quantile(hand, q),
            max: 1.5,
            show: ms,
          });
        const told: Figure = {
          ...row('click to seen, beside a connection that is open already', seen, 0.5),
          compared: ms(quantile(kept, 0.5)),
          ratio: quantile(seen, 0.5) / quantile(kept, 0.5),
          goal: null,
          met: null,
        };
        return [
          row('click to seen, median', seen, 0.5),
          row('click to answered, median', answered, 0.5),
          told,
        ];
      },
    );
    return {
      compared: 'by hand',
      figures,
    };
  },
};
