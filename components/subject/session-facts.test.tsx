// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, snapshotOf } from '@/components/fixture/world';
import { HolderBlock } from './party';
import { SubjectLinks } from './session-facts';

afterEach(cleanup);

test('of a session that cannot be read no end is supposed where it locks a key', () => {
  const of = { source: 'consul', kind: 'lock', key: 'a' } as const;
  const shown = (code: 'holds-entry' | 'session-not-visible') => {
    const holder = holderOf(1, 'unknown', {
      session: null,
      evidence: [{ code, source: code === 'holds-entry' ? 'kv' : 'session', detail: null, atMs: null }],
    });
    const { container } = render(
      <Live view={liveViewOf(snapshotOf())}>
        <HolderBlock holder={holder} session={null} of={of} action={null} open={false} holds="session" />
      </Live>,
    );
    const text = container.textContent ?? '';
    cleanup();
    return text;
  };
  expect(shown('holds-entry')).toContain('It still exists: it locks a key');
  expect(shown('holds-entry')).not.toContain('it has ended, or');
  expect(shown('session-not-visible')).toContain('it has ended, or this credential may not read it');
});

test('of thousands that a session holds the first are listed, and all of them when asked for', () => {
  const subjects = Array.from({ length: 3_000 }, (_, i) => ({
    source: 'consul',
    kind: 'lock' as const,
    key: `jobs/${i}`,
  }));
  render(
    <Live view={liveViewOf(snapshotOf())}>
      <SubjectLinks subjects={subjects} />
    </Live>,
  );
  expect(screen.getAllByRole('link')).toHaveLength(50);
  fireEvent.click(screen.getByRole('button', { name: 'Show 2950 more' }));
  expect(screen.queryByText('Show 2950 more')).toBeNull();
  const links = screen.getAllByRole('link');
  expect(links).toHaveLength(3_000);
  expect(document.activeElement).toBe(links[50]);
});
