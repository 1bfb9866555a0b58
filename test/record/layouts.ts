/** Scenarios of programs that are not at hand, written as their source says (`layout.ts` names the sources). */
import { lockFlags, newCoordination } from '@/lib/providers/consul/rows/coordination';
import type { Scenario, SessionOptions } from '@/test/record/scenario';

const javaSession = (name: string): SessionOptions => ({ name, ttlMs: null, behavior: 'release' });
const goSession = (name: string): SessionOptions => ({ name, ttlMs: 15_000, behavior: 'release' });

export const written: readonly Scenario[] = [
  {
    name: 'ghost-list',
    about: 'The Java layout with a holder whose session has ended, and one that lives.',
    recorded: 'from source',
    prefixes: ['semaphore/rec-ghost'],
    make: async (stage) => {
      const alive = await stage.session(javaSession('semaphoresemaphore/rec-ghost'));
      const dead = await stage.session(javaSession('semaphoresemaphore/rec-ghost'));
      for (const id of [alive, dead]) await stage.lock(`semaphore/rec-ghost/${id}`, id);
      await stage.put('semaphore/rec-ghost/.lock', newCoordination('list', 3, [alive, dead]));
      await stage.client.destroySession(dead);
      return [alive, dead];
    },
  },
  {
    name: 'java-semaphore',
    about:
      "The Java article's semaphore, full, with a waiter. Sessions without TTL: they end only with their node.",
    recorded: 'from source',
    prefixes: ['semaphore/rec-java'],
    make: async (stage) => {
      const ids = [];
      for (let i = 0; i < 3; i += 1) {
        const id = await stage.session(javaSession('semaphoresemaphore/rec-java'));
        ids.push(id);
        await stage.lock(`semaphore/rec-java/${id}`, id);
      }
      await stage.put('semaphore/rec-java/.lock', newCoordination('list', 2, ids.slice(0, 2)));
      return ids;
    },
  },
  {
    name: 'java-lock',
    about: "The Java article's lock, one held and one given back: the value says which.",
    recorded: 'from source',
    prefixes: ['lock/rec-'],
    make: async (stage) => {
      const id = await stage.session(javaSession('lock-lock/rec-held'));
      await stage.lock('lock/rec-held', id, { value: 'lock:2026-11-21T05:00:00.123' });
      await stage.lock('lock/rec-free', id, { value: 'lock:2026-11-21T04:00:00.123' });
      await stage.client.release({
        key: 'lock/rec-free',
        value: Buffer.from('unlock:2026-11-21T04:30:00.123'),
        flags: '0',
        session: id,
      });
      return [id];
    },
  },
  {
    name: 'guide-list',
    about: "A follower of HashiCorp's guide: a list with capital names and flags 0; owners in the entries.",
    recorded: 'from source',
    prefixes: ['rec/guide'],
    make: async (stage) => {
      const ids = [];
      for (const owner of ['ada', 'grace']) {
        const id = await stage.session({ name: '', ttlMs: 10_000 });
        ids.push(id);
        await stage.lock(`rec/guide/${id}`, id, { value: JSON.stringify({ Owner: owner }) });
      }
      await stage.put('rec/guide/.lock', JSON.stringify({ Limit: 2, Holders: ids }));
      return ids;
    },
  },
  {
    name: 'go-lock',
    about: 'Go api.Lock: lock flags on any key, the session with its default name; another was held once.',
    recorded: 'from source',
    prefixes: ['rec/go/'],
    make: async (stage) => {
      const id = await stage.session(goSession('Consul API Lock'));
      await stage.lock('rec/go/leader', id, { flags: lockFlags, value: '{"host":"web-7","pid":12}' });
      await stage.lock('rec/go/released', id, { flags: lockFlags });
      await stage.client.release({
        key: 'rec/go/released',
        value: Buffer.alloc(0),
        flags: lockFlags,
        session: id,
      });
      return [id];
    },
  },
  {
    name: 'terraform',
    about: 'A Terraform run that holds its state, and lock info left behind by a run that was killed.',
    recorded: 'from source',
    prefixes: ['rec/tf/'],
    make: async (stage) => {
      const id = await stage.session({ ...goSession('Consul API Lock'), lockDelayMs: 5000 });
      const info = (session: string, path: string) =>
        JSON.stringify({
          ID: session,
          Operation: 'OperationTypeApply',
          Info: `consul session: ${session}`,
          Who: 'ada@laptop',
          Version: '1.9.8',
          Created: '2026-11-21T05:00:00.123456789Z',
          Path: path,
        });
      await stage.put('rec/tf/prod', '{"version":4}');
      await stage.lock('rec/tf/prod/.lock', id, { flags: lockFlags });
      await stage.put('rec/tf/prod/.lockinfo', info(id, 'rec/tf/prod'));
      await stage.lock('rec/tf/stage/.lock', id, { flags: lockFlags });
      await stage.client.release({
        key: 'rec/tf/stage/.lock',
        value: Buffer.alloc(0),
        flags: lockFlags,
        session: id,
      });
      await stage.put('rec/tf/stage/.lockinfo', info('0badc0de-0000-4000-8000-000000000000', 'rec/tf/stage'));
      return [id];
    },
  },
  {
    name: 'vault',
    about: "Vault's HA lock; its value is the id of the active node's entry.",
    recorded: 'from source',
    prefixes: ['rec/vault/'],
    make: async (stage) => {
      const id = await stage.session(goSession('Vault Lock'));
      await stage.lock('rec/vault/core/lock', id, {
        flags: lockFlags,
        value: '1f2e3d4c-0000-4000-8000-00000000000f',
      });
      return [id];
    },
  },
  {
    name: 'consul-template',
    about:
      'consul-template de-duplication: binary data, lock-delay 1 ms; the leader writes plainly, so LockIndex 0.',
    recorded: 'from source',
    prefixes: ['rec/consul-template/'],
    make: async (stage) => {
      const id = await stage.session({
        name: 'Consul-Template de-duplication',
        ttlMs: 15_000,
        behavior: 'delete',
        lockDelayMs: 1,
      });
      const key = 'rec/consul-template/dedup/0123456789abcdef0123456789abcdef/data';
      await stage.lock(key, id, { flags: lockFlags });
      await stage.put(key, Buffer.from([0x1f, 0x8b, 0x00, 0xff, 0x01]), lockFlags);
      return [id];
    },
  },
];
