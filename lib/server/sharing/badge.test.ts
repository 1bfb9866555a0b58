import { describe, expect, test } from 'vitest';
import { full, holder, liveSource, lock, semaphore, waiter, world } from '@/lib/domain/fixture/world';
import type { World } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import type { Scope } from '@/lib/domain/sharing/grant';
import type { SourceState } from '@/lib/domain/source-state';
import { embedLanguages } from '@/lib/i18n/embed-languages';
import type { Language } from '@/lib/i18n/messages';
import { drawBadge } from './badge';

const nowMs = Date.UTC(2026, 10, 21, 12, 3, 4);
const live = liveSource({ datacenter: 'dc1', lastContactMs: nowMs - 1 });
const common = { source: 'consul', datacenter: null, values: false, sessions: true, frames: [], label: '' };
const ofLock: Scope = { view: 'lock', key: 'leader', ...common };
const ofPool: Scope = { view: 'semaphore', prefix: 'jobs', ...common };
const ofBoard: Scope = { view: 'board', prefix: '', ...common };

interface Drawn {
  readonly source?: Partial<SourceState>;
  readonly title?: string | null;
  readonly theme?: 'dark' | 'light' | 'auto';
  readonly language?: Language;
  readonly text?: 'state' | 'held';
}

function draw(
  scope: Scope,
  of: World,
  { source = {}, title = null, theme = 'light', language = 'en', text = 'state' }: Drawn = {},
) {
  return drawBadge({
    scope,
    snapshot: {
      ...of,
      version: 1,
      asOfMs: nowMs - 60_000,
      source: { ...live, ...source },
      findings: findingsOf(of),
    },
    looks: { theme, title, text },
    words: embedLanguages[language],
    nowMs,
  });
}
/** The last text of the picture: the state. */
const stateOf = (svg: string) => [...svg.matchAll(/<text class="s"[^>]*>([^<]*)</g)].at(-1)?.[1];
const titleOf = (svg: string) => /<title>([^<]*)</.exec(svg)?.[1];

describe('a badge says the state in words', () => {
  const held = { holder: holder('a', 'alive') };
  test.each<[string, Scope, World, string]>([
    ['a held lock', ofLock, world({ locks: [lock({ ...held, layout: 'go-lock' })] }), 'held'],
    ['a free lock', ofLock, world({ locks: [lock({ state: 'free', holder: null })] }), 'free'],
    ['a lock in its delay', ofLock, world({ locks: [lock({ state: 'delayed', holder: null })] }), 'in delay'],
    [
      'a lock of which nothing can be told',
      ofLock,
      world({ locks: [lock({ state: 'unknown', holder: null })] }),
      'unknown',
    ],
    ['a lock that is not there', ofLock, world(), 'not there'],
    ['a semaphore with room', ofPool, world({ semaphores: [semaphore({ limit: 3 })] }), '1/3'],
    ['a full one', ofPool, world({ semaphores: [full('jobs', [holder('a')])] }), '1/1 · full'],
    [
      'one with more holders than its limit',
      ofPool,
      world({ semaphores: [semaphore({ recorded: 2, effective: 2, holders: [holder('a'), holder('b')] })] }),
      '2/1 · over limit',
    ],
    [
      'one that leaks while others wait',
      ofPool,
      world({ semaphores: [full('jobs', [holder('a', 'ghost')], [waiter('w')])] }),
      '1/1 · full · needs attention',
    ],
    [
      'one that cannot be read',
      ofPool,
      world({ semaphores: [semaphore({ limit: null, recorded: null, effective: null, holders: [] })] }),
      'unknown',
    ],
    ['a quiet board', ofBoard, world({ locks: [lock({ state: 'free', holder: null })] }), 'in order'],
  ])('%s', (_, scope, of, text) => {
    expect(stateOf(draw(scope, of))).toBe(text);
  });
  test('in Chinese as well', () => {
    const svg = draw(ofLock, world({ locks: [lock({ state: 'free', holder: null })] }), { language: 'zh' });
    expect(stateOf(svg)).toBe('空闲');
  });
});

describe('a badge never claims to be live', () => {
  const of = world({ locks: [lock({ state: 'free', holder: null })] });
  test('it says as of when it is', () => {
    expect(titleOf(draw(ofLock, of))).toBe('leader: free, as of 2026-11-21 12:03:04 UTC');
    expect(draw(ofLock, of)).not.toMatch(/live/i);
  });
  test('and once Consul is not read, so does the picture itself, in grey', () => {
    const svg = draw(ofLock, of, { source: { state: 'stale', staleSinceMs: nowMs - 60_000 } });
    expect(stateOf(svg)).toBe('free · as of 2026-11-21 12:02:04 UTC');
    expect(svg).toContain('stroke-dasharray');
  });
  test('a board of which some rows are hidden is not said to be in order', () => {
    const well = world({ locks: [lock({ state: 'free', holder: null })] });
    expect(stateOf(draw(ofBoard, well))).toBe('in order');
    expect(stateOf(draw(ofBoard, well, { source: { reach: 'part' } }))).toBe('partly hidden');
  });

  test('before the first read it knows nothing', () => {
    expect(stateOf(draw(ofLock, world(), { source: { state: 'catching-up', lastContactMs: null } }))).toBe(
      'not read yet',
    );
  });
});

test('any key or title stays text', () => {
  const key = `"><script>alert('x')</script>&\u0000\ud800`;
  for (const title of [null, `</title></svg><svg onload="alert(1)">`]) {
    const svg = draw({ ...ofLock, key }, world({ locks: [lock({ key })] }), { title });
    expect(svg).not.toMatch(/<script|onload="/);
    expect(svg).not.toContain(String.fromCharCode(0));
    expect(svg.match(/<svg/g)).toHaveLength(1);
  }
});

test('only the choice of the reader’s system needs a style, which a strict policy may forbid', () => {
  const of = world({ locks: [lock()] });
  expect(draw(ofLock, of, { theme: 'dark' })).not.toContain('<style');
  expect(draw(ofLock, of, { theme: 'auto' })).toContain('prefers-color-scheme:dark');
});

describe('how long', () => {
  const since = (basis: 'observed' | 'at-least', agoMs: number) => ({ atMs: nowMs - agoMs, basis });
  const held = (basis: 'observed' | 'at-least') =>
    world({ locks: [lock({ holder: holder('a', 'alive', { since: since(basis, 17 * 60_000) }) })] });
  const plain = (svg: string) => stateOf(svg)?.replaceAll('\u00a0', ' ');

  test('a badge says how long it is held only where it is asked to, and when that began only as far as it is known', () => {
    expect(plain(draw(ofLock, held('observed')))).toBe('held');
    expect(plain(draw(ofLock, held('observed'), { text: 'held' }))).toBe('held 17 min');
    expect(plain(draw(ofLock, held('at-least'), { text: 'held' }))).toBe('held ≥ 17 min');
    expect(plain(draw(ofLock, world({ locks: [lock()] }), { text: 'held' }))).toBe('held');
    expect(plain(draw(ofLock, held('observed'), { text: 'held', language: 'zh' }))).toBe('已持有 17 分钟');
  });

  test('of a semaphore it is the longest hold that is really there, and while nothing is read no time goes on', () => {
    const pool = full('jobs', [
      holder('g', 'ghost', { since: since('observed', 3_600_000) }),
      holder('a', 'alive', { since: since('observed', 120_000) }),
    ]);
    expect(plain(draw(ofPool, world({ semaphores: [pool] }), { text: 'held' }))).toBe(
      '2/2 · held 2 min · needs attention',
    );
    const early = full('jobs', [
      holder('a', 'alive', { since: since('observed', 120_000) }),
      holder('b', 'alive', { since: null }),
    ]);
    expect(plain(draw(ofPool, world({ semaphores: [early] }), { text: 'held' }))).toMatch(/held ≥ 2 min/);
    const stale = { state: 'stale', staleSinceMs: nowMs - 10 * 60_000 } as const;
    expect(plain(draw(ofLock, held('observed'), { text: 'held', source: stale }))).toMatch(
      /^held 7 min · as of/,
    );
  });
});
