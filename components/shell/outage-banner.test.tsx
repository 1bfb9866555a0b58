// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { StoppedClock } from '@/components/live/clock';
import type { Connection } from '@/lib/client/live-view';
import { outageCodes } from '@/lib/domain/outage';
import type { Problem } from '@/lib/domain/problem';
import type { SourceState } from '@/lib/domain/source-state';
import { languages } from '@/lib/i18n/messages';
import { OutageBanner } from './outage-banner';

afterEach(cleanup);
const connected: Connection = { state: 'live', sinceMs: nowMs };

function show(source: Partial<SourceState>, connection: Connection = connected) {
  const live = snapshotOf();
  const snapshot = snapshotOf({ source: { ...live.source, ...source } });
  const view = liveViewOf(snapshot, connection);
  const { container } = render(
    <StoppedClock atMs={nowMs}>
      <Live view={view}>
        <OutageBanner />
      </Live>
    </StoppedClock>,
  );
  return container.querySelector('[data-outage]');
}

const problem = (code: Problem['code'], why: Problem['why']): Problem => ({ code, why: why ?? null });

test.each([
  ['agent-gone', problem('unavailable', { code: 'not-reached', facts: { errno: 'ECONNREFUSED' } })],
  ['agent-unreachable', problem('unavailable', { code: 'not-reached', facts: { errno: 'ENOTFOUND' } })],
  ['no-descriptors', problem('unavailable', { code: 'not-reached', facts: { errno: 'EMFILE' } })],
  ['not-trusted', problem('unavailable', { code: 'not-reached', facts: { errno: 'CERT_HAS_EXPIRED' } })],
  [
    'wrong-name',
    problem('unavailable', { code: 'not-reached', facts: { errno: 'ERR_TLS_CERT_ALTNAME_INVALID' } }),
  ],
  [
    'certificate-wanted',
    problem('unavailable', {
      code: 'not-reached',
      facts: { errno: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
    }),
  ],
  ['tls-on-one-side', problem('unavailable', { code: 'not-reached', facts: { errno: 'HTTPS_WANTED' } })],
  ['agent-hangs', problem('unavailable', { code: 'no-answer', facts: { timeoutMs: 2_500 } })],
  ['connection-broke', problem('unavailable', { code: 'connection-broke', facts: {} })],
  ['connections-not-taken', problem('unavailable', { code: 'connection-not-taken', facts: {} })],
  ['connections-capped', problem('busy', { code: 'connections-capped', facts: {} })],
  ['no-leader', problem('no-leader', { code: 'no-leader-now', facts: {} })],
  ['no-server', problem('no-leader', { code: 'no-server-known', facts: {} })],
  ['leader-changing', problem('unavailable', { code: 'leader-lost', facts: {} })],
  ['old-copy', problem('no-leader', { code: 'old-copy', facts: {} })],
  ['token-unknown', problem('signed-out', { code: 'token-unknown', facts: {} })],
  ['token-refused', problem('forbidden', { code: 'token-refused', facts: {} })],
  ['rate-limited', problem('busy', { code: 'rate-limited', facts: {} })],
  ['leader-rate-limited', problem('busy', { code: 'leader-rate-limited', facts: {} })],
  ['no-room', problem('busy', { code: 'too-many-rights', facts: { max: 50, retryAfterMs: 2_500 } })],
  ['failing', problem('unavailable', { code: 'call-failed', facts: { call: 'kv list', status: 502 } })],
  ['too-much-to-read', problem('unavailable', { code: 'answer-too-large', facts: { bytes: 1024 } })],
  ['too-much-to-show', problem('unavailable', { code: 'world-too-large', facts: { bytes: 1024 } })],
  ['not-understood', problem('unavailable', { code: 'answer-not-readable', facts: { call: 'kv list' } })],
  ['token-unknown', problem('signed-out', null)],
  ['rate-limited', problem('busy', null)],
] as const)('%s has its own sentences, and how old the view is', (code, told) => {
  const banner = show({ state: 'stale', staleSinceMs: nowMs - 5_000, problem: told });
  expect(banner?.getAttribute('data-outage')).toBe(code);
  expect(screen.getByRole('status').textContent).toBe(languages.en.outage.outages[code].title);
  expect(banner?.textContent).toContain(languages.en.outage.outages[code].next);
  expect(banner?.textContent).toMatch(/last known state, .*old\. Search and reading work; actions are off/);
});

test('nothing is said while the data is live, or while a first read is under way', () => {
  expect(show({})).toBeNull();
  cleanup();
  expect(show({ state: 'catching-up', problem: null })).toBeNull();
});

test('a first read that fails says why nothing is shown', () => {
  const banner = show({
    state: 'catching-up',
    lastContactMs: null,
    problem: problem('unavailable', { code: 'not-reached', facts: { errno: 'ECONNREFUSED' } }),
  });
  expect(banner?.getAttribute('data-outage')).toBe('agent-gone');
  expect(banner?.textContent).toContain('Signalbox has read nothing yet');
});

test('a lost connection to Signalbox outweighs what was last said of Consul', () => {
  const banner = show(
    { state: 'down', problem: problem('no-leader', { code: 'no-leader-now', facts: {} }) },
    { state: 'lost', sinceMs: nowMs },
  );
  expect(banner?.getAttribute('data-outage')).toBe('console-unreachable');
  expect(banner?.textContent).not.toContain('no leader');
});

test.each(Object.entries(languages))('in %s no two outages say the same', (_language, { outage }) => {
  for (const part of ['short', 'title', 'next'] as const)
    expect(new Set(outageCodes.map((code) => outage.outages[code][part])).size).toBe(outageCodes.length);
});

const restoredLine = () => document.querySelector('[data-restored]');

test('that Consul was put back is said for fifteen minutes, and an outage takes its place', () => {
  show({ restoredAtMs: nowMs - 60_000 });
  expect(restoredLine()?.textContent).toMatch(/^Consul was put back to an earlier state at \d\d:\d\d:\d\d\./);
  cleanup();
  show({ restoredAtMs: nowMs - 16 * 60_000 });
  expect(restoredLine()).toBeNull();
  cleanup();
  const unknown = { state: 'stale', problem: problem('signed-out', null) } as const;
  expect(show({ ...unknown, restoredAtMs: nowMs - 60_000 })).not.toBeNull();
  expect(restoredLine()).toBeNull();
});

test('of several sources that are not live the first is explained and the others are named', () => {
  const one = snapshotOf().source;
  const away = problem('unavailable', { code: 'not-reached', facts: { errno: 'ECONNREFUSED' } });
  const part = (id: string, over: Partial<SourceState>) => ({ ...one, id, title: id, ...over });
  const parts = [
    part('consul', { state: 'down', staleSinceMs: nowMs - 5_000, problem: away }),
    part('files', { state: 'live' }),
    part('jobs', { state: 'down', problem: problem('no-leader', null) }),
  ];
  const banner = show({ state: 'down', parts });
  expect(screen.getByRole('status').textContent).toMatch(/^consul · /);
  expect(banner?.textContent).toContain('Not live either: jobs (Consul has no leader).');
  cleanup();
  const back = [part('consul', {}), part('files', { restoredAtMs: nowMs - 60_000 })];
  show({ parts: back });
  expect(restoredLine()?.textContent).toMatch(/^files · Consul was put back/);
});
