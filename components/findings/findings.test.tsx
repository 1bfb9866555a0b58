// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { putAddress } from '@/components/fixture/address';
import { Live, liveViewOf } from '@/components/fixture/live';
import { ghostFinding, holderOf, nowMs, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { Findings } from './findings';
import { goneShownMs, seenNext } from './gone';

beforeEach(() => void vi.useFakeTimers({ now: nowMs }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const leaking = ['a', 'b', 'c'].map((prefix) =>
  semaphoreOf(prefix, { holders: [holderOf(8, 'ghost')], limit: 1 }),
);
const leak: Finding = {
  id: 'session-leak session:x',
  code: 'session-leak',
  severity: 'notice',
  easing: null,
  subject: { source: 'consul', kind: 'session', id: 'x' },
  also: [],
  grounds: [],
  facts: { name: 'w', node: 'n' },
  mend: { type: 'session.destroy', source: 'consul', sessionId: 'x' },
};
const threeLeaks = snapshotOf({
  semaphores: leaking,
  findings: ['a', 'b', 'c'].map((prefix) => ghostFinding(prefix)),
});

function show(snapshot: Snapshot, searchParams = '') {
  putAddress(searchParams);
  const view = liveViewOf(snapshot, { state: 'live', sinceMs: nowMs });
  render(
    <Live view={view}>
      <Findings />
    </Live>,
  );
  return (next: Snapshot) => act(() => view.snapshot.set(next));
}

describe('the page of findings', () => {
  test('groups by severity and code, says each in words, and offers what mends it', () => {
    show({ ...threeLeaks, findings: [...threeLeaks.findings, leak] });
    const groups = screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
    expect(groups).toEqual(['Urgent: ghost slots', 'Notices: session leak']);
    expect(screen.getAllByText(/^Two slots leak: their sessions hold nothing here/)).toHaveLength(3);
    expect(screen.getAllByRole('button', { name: /^Prune 1 ghost$/ })).toHaveLength(3);
  });
  test('a row under the pointer stays in its group, and keeps its button, at any severity', () => {
    const say = show(threeLeaks);
    const row = (prefix: string) => screen.getByRole('link', { name: prefix }).closest('li');
    const button = row('b')?.querySelector('button');
    fireEvent.pointerMove(row('b') as HTMLElement, { pointerType: 'mouse' });
    say({
      ...threeLeaks,
      version: 2,
      findings: [ghostFinding('a'), ghostFinding('b', 'warning'), ghostFinding('c')],
    });
    expect(screen.getAllByRole('region')).toHaveLength(1);
    expect(screen.getAllByRole('link', { name: 'b' })).toHaveLength(1);
    expect(button?.isConnected).toBe(true);
    fireEvent.pointerLeave(screen.getByRole('region').parentElement as HTMLElement);
    expect(screen.getAllByRole('region')).toHaveLength(2);
    expect(screen.getAllByRole('link', { name: 'b' })).toHaveLength(1);
  });
  test('a severity that is to fall says when, and to what', () => {
    const easing = { to: 'warning', atMs: Date.parse('2026-11-23T12:00:30Z') } as const;
    show({ ...threeLeaks, findings: [{ ...ghostFinding('a'), easing }] });
    expect(screen.getByText(/Drops to warning/).textContent).toMatch(/at \d\d:\d\d:30 unless it worsens\.$/);
  });
  test('a filter from the address narrows it, and says so when nothing matches', () => {
    show(threeLeaks, '?q=nothing-like-it');
    expect(screen.getByText('No finding matches.')).toBeTruthy();
  });
  test('several semaphores are chosen and pruned by one plan', () => {
    show(threeLeaks);
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select a' }));
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select c' }));
    expect(screen.getByRole('button', { name: 'Prune two semaphores…' })).toBeTruthy();
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all 3' }));
    expect(screen.getByRole('button', { name: 'Prune three semaphores…' })).toBeTruthy();
  });
  test('ghosts of several groups are chosen together, and one plan prunes them all', () => {
    show({
      ...threeLeaks,
      findings: [ghostFinding('a'), ghostFinding('b', 'warning'), ghostFinding('c', 'warning')],
    });
    const group = (name: string) => within(screen.getByRole('region', { name }));
    const [now, soon] = [group('Urgent: ghost slots'), group('Warnings: ghost slots')];
    fireEvent.click(soon.getByRole('checkbox', { name: 'Select all 2' }));
    // In a group of one its row's box is enough.
    expect(now.queryByRole('checkbox', { name: /Select all/ })).toBeNull();
    fireEvent.click(now.getByRole('checkbox', { name: 'Select a' }));
    expect(soon.getByRole('checkbox', { name: 'Select b' })).toHaveProperty('checked', true);
    expect(now.getByRole('button', { name: 'Prune three semaphores…' })).toBeTruthy();
    expect(soon.getByText(/One plan for all, one from other groups/)).toBeTruthy();
    // To untick one group leaves the other as it is.
    fireEvent.click(soon.getByRole('checkbox', { name: 'Select all 2' }));
    expect(now.getByRole('checkbox', { name: 'Select a' })).toHaveProperty('checked', true);
    expect(soon.getByRole('checkbox', { name: 'Select b' })).toHaveProperty('checked', false);
  });
  test('a mended finding stays for a moment as gone, and the others are still there', () => {
    const update = show(threeLeaks);
    update({ ...threeLeaks, version: 2, findings: threeLeaks.findings.slice(1) });
    const gone = screen.getByText(/· Cleared/).closest('li');
    expect(gone && within(gone).getByRole('link').textContent).toBe('a');
    expect(screen.getAllByRole('button', { name: /^Prune 1 ghost$/ })).toHaveLength(2);
  });
  test('an ended finding does not stand under a heading that says it needs attention', () => {
    const update = show(threeLeaks);
    update({ ...threeLeaks, version: 2, findings: [] });
    expect(screen.getAllByText(/· Cleared/)).toHaveLength(3);
    const groups = screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
    expect(groups).toEqual(['Cleared: ghost slots']);
    expect(screen.queryByRole('region', { name: /Urgent/ })).toBeNull();
  });
  test('no button is left of what was pruned, however its severity came and went under the pointer', () => {
    const update = show(threeLeaks);
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all 3' }));
    fireEvent.pointerMove(screen.getAllByRole('listitem')[0] as HTMLElement, { pointerType: 'mouse' });
    let version = 1;
    const look = (warnings: string) => {
      const findings = ['a', 'b', 'c'].map((prefix) =>
        ghostFinding(prefix, warnings.includes(prefix) ? 'warning' : 'urgent'),
      );
      update({ ...threeLeaks, version: ++version, findings });
      expect(screen.getAllByRole('checkbox', { name: /^Select [abc]$/ })).toHaveLength(3);
    };
    for (const warnings of ['b', '', 'ac', 'b', 'ac', 'c', 'a', '']) look(warnings);
    look('b');
    update({ ...threeLeaks, version: ++version, findings: [] });
    expect(screen.queryAllByRole('button', { name: /^Prune/ })).toEqual([]);
    expect(screen.getAllByText(/· Cleared/)).toHaveLength(3);
  });
  test('a row that is held long after it went keeps the time at which that was seen', () => {
    const longAgoMs = nowMs - 4 * goneShownMs;
    const update = show({ ...threeLeaks, asOfMs: longAgoMs - 1 });
    fireEvent.pointerMove(screen.getAllByRole('listitem')[0] as HTMLElement, { pointerType: 'mouse' });
    const without = { ...threeLeaks, findings: threeLeaks.findings.slice(1) };
    update({ ...without, version: 2, asOfMs: longAgoMs });
    update({ ...without, version: 3 });
    const gone = screen.getByText(/· Cleared/).closest('li');
    expect(gone?.querySelector('time')?.dateTime).toBe(new Date(longAgoMs).toISOString());
  });
  test('data that is not live makes nothing gone', () => {
    const update = show(threeLeaks);
    update({
      ...threeLeaks,
      version: 2,
      findings: [],
      source: { ...threeLeaks.source, state: 'catching-up' },
    });
    expect(screen.queryByText(/· Cleared/)).toBeNull();
  });
  test('an empty page says what it does not judge', () => {
    show(snapshotOf());
    expect(screen.getByText(/cannot judge what is not in view/)).toBeTruthy();
  });
});

test('a finding that returns is not gone, and an ended one keeps its time for a held row', () => {
  const a = ghostFinding('a');
  const opened = { findings: [a], since: new Map(), gone: [] };
  const after = seenNext(opened, [], 5_000);
  expect(after.gone).toEqual([{ finding: a, atMs: 5_000 }]);
  expect(seenNext(after, [a], 6_000).gone).toEqual([]);
  expect(seenNext(after, [], 5_000 + goneShownMs).gone).toEqual(after.gone);
});

test("a momentary finding, such as an eviction's ghost, never counts as gone", () => {
  const [a, b] = [ghostFinding('a'), ghostFinding('b')];
  const looks = [
    [[b], 1_000],
    [[a, b], 2_000],
    [[b], 2_300],
    [[], 5_000],
  ] as const;
  let last = seenNext({ findings: [], since: new Map(), gone: [] }, [], 0);
  const seen = looks.map(([findings, atMs]) => {
    last = seenNext(last, findings, atMs);
    return last.gone.map(({ finding }) => finding.id);
  });
  expect(seen).toEqual([[], [], [], [b.id]]);
});
