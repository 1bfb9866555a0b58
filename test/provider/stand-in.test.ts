/** The contract on the stand-in: its server is a file, and its clients are programs that write there. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { createStandInBackend } from '@/lib/providers/stand-in/backend';
import { type Contents, changeContents, readContents } from '@/lib/providers/stand-in/file';
import { joinBackends } from '@/lib/server/sources/joined-backend';
import { type Contender, providerContract } from './contract';

const leaseMs = 600_000;
const signal = () => AbortSignal.timeout(10_000);

function made() {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-stand-in-'));
  const path = join(dir, 'locks.json');
  writeFileSync(path, JSON.stringify({ locks: {}, semaphores: {}, 'of another program': 1 }));
  return { path, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Writes as every client does; a place that is cut off for the console alone moves with `at`. */
async function write(path: string, edit: (now: Contents) => Contents): Promise<void> {
  const result = await changeContents(path, edit, signal());
  if (isProblem(result)) throw new Error(JSON.stringify(result));
}

const client = () => ({ id: randomUUID(), name: `worker ${randomUUID().slice(0, 4)}`, sinceMs: Date.now() });
const holder = (untilMs = Date.now() + leaseMs) => ({ ...client(), leaseUntilMs: untilMs });

/** One file by itself, or beside another one that `beside` holds: what is joined keeps the contract, too. */
const contender = (name: string, beside: boolean): Contender => ({
  name,
  start: async () => ({
    stop: async () => {},
    stage: async () => {
      const { path, remove } = made();
      const quiet = made();
      const backend = createStandInBackend({ id: 'files', title: 'Files', path, now: Date.now });
      const another = createStandInBackend({
        id: 'quiet',
        title: 'Quiet',
        path: quiet.path,
        now: Date.now,
      });
      /** Where the file is while the console does not reach it. */
      const away = `${path}.away`;
      let at = path;
      const take = async (key: string, one: ReturnType<typeof holder>) => {
        await write(at, (now) => ({
          ...now,
          locks: { ...now.locks, [key]: { holder: one, queue: now.locks[key]?.queue ?? [] } },
        }));
        return one.id;
      };
      return {
        backend: beside ? joinBackends([backend, another]) : backend,
        hands: {
          hold: (key) => take(key, holder()),
          letGo: (key) =>
            write(at, (now) => ({
              ...now,
              locks: { ...now.locks, [key]: { queue: [], ...now.locks[key], holder: null } },
            })),
          queue: async (key, clients) => {
            const queue = Array.from({ length: clients }, client);
            await write(at, (now) => ({
              ...now,
              locks: { ...now.locks, [key]: { holder: null, ...now.locks[key], queue } },
            }));
            return queue.map(({ id }) => id);
          },
          semaphore: async (prefix, limit, n) => {
            const holders = Array.from({ length: n }, () => holder());
            await write(at, (now) => ({
              ...now,
              semaphores: { ...now.semaphores, [prefix]: { limit, holders, queue: [] } },
            }));
            return holders.map(({ id }) => id);
          },
          holdAndDie: async (key) => {
            const freedMs = 4_000;
            return { holder: await take(key, holder(Date.now() + freedMs)), freedMs };
          },
          cut: async () => {
            renameSync(path, away);
            at = away;
          },
          restore: async () => {
            renameSync(away, path);
            at = path;
          },
          stored: async () => readFileSync(at, 'utf8'),
        },
        close: async () => {
          remove();
          quiet.remove();
        },
      };
    },
  }),
});

providerContract(contender('stand-in', false));
providerContract(contender('two stand-ins, joined', true));

test('fields of other programs are written back as they were, and a writer waits for another one', async () => {
  const { path, remove } = made();
  try {
    writeFileSync(`${path}.lock`, '');
    const waiting = changeContents(
      path,
      (now) => ({ ...now, locks: { a: { holder: null, queue: [] } } }),
      signal(),
    );
    expect(await readContents(path)).toMatchObject({ locks: {} });
    rmSync(`${path}.lock`);
    expect(isProblem(await waiting)).toBe(false);
    expect(await readContents(path)).toMatchObject({
      locks: { a: { holder: null, queue: [] } },
      'of another program': 1,
    });
    writeFileSync(`${path}.lock`, '');
    expect(await changeContents(path, (now) => now, signal())).toMatchObject({ code: 'busy' });
  } finally {
    remove();
  }
});

test('what another program makes of the file is refused with the place, and the last world stays', async () => {
  const { path, remove } = made();
  try {
    writeFileSync(path, '{"locks": {"a": {"holder": 7, "queue": []}}, "semaphores": {}}');
    expect(await readContents(path)).toMatchObject({
      code: 'unavailable',
      why: { code: 'file-not-understood', facts: { where: 'locks.a.holder' } },
    });
    writeFileSync(path, 'half a fi');
    expect(await readContents(path)).toMatchObject({ why: { facts: { where: '' } } });
  } finally {
    remove();
  }
});
