// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, snapshotOf } from '@/components/fixture/world';
import { HolderBlock } from './party';

afterEach(cleanup);

test('of a session that cannot be read no end is supposed where it locks a key', () => {
  const of = { kind: 'lock', key: 'a' } as const;
  const shown = (code: 'holds-entry' | 'session-not-visible') => {
    const holder = holderOf(1, 'unknown', {
      session: null,
      evidence: [{ code, source: code === 'holds-entry' ? 'kv' : 'session', detail: null, atMs: null }],
    });
    const { container } = render(
      <Live view={liveViewOf(snapshotOf())}>
        <HolderBlock holder={holder} session={null} of={of} action={null} open={false} />
      </Live>,
    );
    const text = container.textContent ?? '';
    cleanup();
    return text;
  };
  expect(shown('holds-entry')).toContain('It locks a key, so it has not ended');
  expect(shown('holds-entry')).not.toContain('it has ended, or');
  expect(shown('session-not-visible')).toContain('it has ended, or may not be read');
});
