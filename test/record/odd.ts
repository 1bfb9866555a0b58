/** Scenarios that no program means to leave: broken coordination entries, lost flags, keys beyond the path. */
import { newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Scenario } from '@/test/record/scenario';
import { isRuled } from '@/test/support/ruled-keys';

const none = Buffer.alloc(0);

/** Coordination entries with the right flags that Go clients stumble over. */
const malformed: readonly (readonly [name: string, value: string])[] = [
  ['empty', ''],
  ['not-json', 'nope'],
  ['not-an-object', '[1]'],
  ['limit-text', '{"Limit":"2","Holders":{}}'],
  ['limit-fraction', '{"Limit":2.0,"Holders":{}}'],
  ['limit-zero', '{"Limit":0,"Holders":{}}'],
  ['holders-list', '{"Limit":2,"Holders":["x"]}'],
  ['holders-missing', '{"Limit":2}'],
];

export const odd: readonly Scenario[] = [
  {
    name: 'malformed',
    about: 'Eight coordination entries with the right flags that clients cannot use.',
    recorded: 'real',
    prefixes: ['rec/bad/'],
    make: async (stage) => {
      for (const [name, value] of malformed) await stage.put(`rec/bad/${name}/.lock`, value, semaphoreFlags);
      return [];
    },
  },
  {
    name: 'odd-entries',
    about:
      'Flags lost by a careless write; a missing coordination entry; nested and neighbouring prefixes; leftovers.',
    recorded: 'real',
    prefixes: ['rec/odd'],
    make: async (stage) => {
      const id = await stage.session({ name: 'Consul API Semaphore' });
      const entry = { flags: semaphoreFlags };
      await stage.lock(`rec/odd/flags/${id}`, id, entry);
      await stage.put('rec/odd/flags/.lock', newCoordination('map', 2, [id]));
      await stage.lock(`rec/odd/missing/${id}`, id, entry);
      await stage.lock(`rec/odd/nested/${id}`, id, entry);
      await stage.put('rec/odd/nested/.lock', newCoordination('map', 2, [id]), semaphoreFlags);
      await stage.lock(`rec/odd/nested/inner/${id}`, id, entry);
      await stage.put('rec/odd/nested/inner/.lock', newCoordination('map', 1, []), semaphoreFlags);
      // The client library lists `rec/odd/near` as a string prefix, so an entry of its neighbour counts.
      await stage.put('rec/odd/near/.lock', newCoordination('map', 2, [id]), semaphoreFlags);
      await stage.lock(`rec/odd/nearby/${id}`, id, entry);
      await stage.put('rec/odd/nearby/.lock', newCoordination('map', 2, [id]), semaphoreFlags);
      const left = await stage.session({ name: 'Consul API Semaphore' });
      await stage.lock(`rec/odd/nested/${left}`, left, entry);
      await stage.client.destroySession(left);
      return [id, left];
    },
  },
  {
    name: 'odd-keys',
    about:
      'Keys with empty parts, dots, a tab, a newline (by transaction) and bytes that are no UTF-8. Each is a lock.',
    recorded: 'real',
    prefixes: ['rec/keys', '../rec-keys', '/rec-keys'],
    make: async (stage) => {
      // Consul 2.0 and later refuse three of them.
      if (await isRuled(stage.client)) return null;
      const id = await stage.session({ name: 'odd', ttlMs: null, checks: [] });
      for (const key of [
        'rec/keys//a',
        'rec/keys/../b',
        '../rec-keys',
        '/rec-keys',
        'rec/keys/\t',
        'rec/keys/\n',
      ])
        await stage.client.txn([{ verb: 'lock', key, value: none, flags: '0', session: id }]);
      // Two keys to Consul, one name in a list.
      for (const byte of ['%fe', '%ff'])
        await fetch(`http://${stage.consul.address}/v1/kv/rec/keys/${byte}?acquire=${id}`, { method: 'PUT' });
      return [id];
    },
  },
];
