/** The connections to a store that replicas share. */
import { expect, test } from 'vitest';
import { socketsOf } from '@/test/support/sockets-of';
import { storeKinds } from '@/test/support/stores';

const shared = (await storeKinds()).find(({ name }) => name === 'postgres');

test.skipIf(shared?.missing !== null)(
  'a connection, which stays, keeps nothing of the request for which it was opened',
  async () => {
    const where = await shared?.place();
    if (shared === undefined || where === undefined) throw new Error('There is no such store.');
    const store = shared.open(where);
    const opened = await socketsOf(() => Promise.all([store.migrate(), store.migrate()]));
    expect(new Set(opened)).toEqual(new Set(['']));
  },
);
