import { expect, test, vi } from 'vitest';
import type { Provider } from '@/lib/domain/seam/provider';
import type { Scope } from '@/lib/domain/sharing/grant';
import { watchMakerRights } from './maker-rights';
import { withinReach } from './shareable-scope';

const scopeOf = (source: string): Scope => ({
  view: 'board',
  prefix: 'in/',
  source,
  datacenter: null,
  values: false,
  sessions: false,
  frames: [],
  label: '',
});
/** Everything may be read, and west is lent by the server's own credential. */
const provider: Pick<Provider, 'readable' | 'seesSessions' | 'mayPassOn'> = {
  readable: async (what) => what.map(() => 'yes'),
  seesSessions: async () => 'yes',
  mayPassOn: (source) => source !== 'west',
};

test('a share of what is lent to its maker shows nothing', async () => {
  for (const [source, reach] of [
    ['consul', 'all'],
    ['west', 'none'],
  ] as const) {
    const onChange = vi.fn();
    const rights = watchMakerRights({ provider, scope: scopeOf(source), now: Date.now, onChange });
    await vi.waitFor(() => expect(rights.reach).toBe(reach));
    rights.close();
  }
});

test('nobody makes a share of what is lent to them', async () => {
  const runtime = { viewpoints: { own: {} }, accessControl: async () => 'on', now: Date.now };
  const making = withinReach(
    { viewpoint: { provider } } as never,
    runtime as never,
    scopeOf('west'),
    AbortSignal.timeout(5_000),
  );
  await expect(making).rejects.toMatchObject({ problem: { why: { code: 'grant-beyond-reach' } } });
});
