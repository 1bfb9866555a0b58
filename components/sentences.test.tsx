import { describe, expect, test } from 'vitest';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Expiry, Holder, Lock, Session, Verdict } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { fact } from '@/lib/domain/verdict';
import { en, languages } from '@/lib/i18n/messages';
import { refusedAfter } from '@/lib/i18n/refused-after';
import {
  boardSentence,
  expiryWords,
  findingText,
  lockSentence,
  semaphoreSentence,
  sinceWords,
  verdictMeaning,
} from '@/lib/i18n/sentences';
import {
  ghostFinding,
  holderOf,
  lockOf,
  nowMs,
  semaphoreOf,
  sessionOf,
  snapshotOf,
  waiterOf,
} from './fixture/world';

const moment = { nowMs, zone: 'UTC' };
const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ');
const expiry = (kind: Expiry['kind'], over: Partial<Expiry> = {}): Expiry => ({
  kind,
  withinMs: null,
  latestMs: null,
  lastRenewalMs: null,
  ...over,
});

describe('a lock in one sentence', () => {
  test.each([
    [
      lockOf('k'),
      'Held by worker-1; its session is alive. If its process is dead, the server frees it within 30 s.',
    ],
    [
      lockOf('k', {
        holder: holderOf(1, 'overdue', { expiry: expiry('observed', { latestMs: nowMs + 27_000 }) }),
      }),
      'Held by worker-1, which is probably dead. Its session ends by 12:03:31 unless renewed.',
    ],
    [
      lockOf('k', { holder: holderOf(1, 'immortal', { expiry: expiry('never') }) }),
      'Held by worker-1. Only a person can free it.',
    ],
    [
      lockOf('k', { state: 'delayed', holder: null, delayedUntilMs: nowMs + 10_400 }),
      'Free, but Consul refuses it for another 10 s (lock-delay).',
    ],
    [lockOf('k', { state: 'free', holder: null }), 'Free. No session holds this lock.'],
    [lockOf('k', { state: 'unknown', holder: null }), 'Whether a session holds this lock is unknown.'],
  ])('%#', (lock, sentence) => {
    expect(plain(lockSentence(lock, moment, en))).toBe(sentence);
  });
  test('the end of a silent session is not the moment at which the next one gets the lock, where its lock-delay is known', () => {
    const silent = lockOf('k', {
      holder: holderOf(1, 'overdue', { expiry: expiry('observed', { latestMs: nowMs + 27_000 }) }),
    });
    const said = (lock: Lock, session: Session | null) =>
      plain(lockSentence(lock, moment, en, [], refusedAfter(lock, session, en)));
    expect(said(silent, sessionOf(1, { lockDelayMs: 15_000 }))).toMatch(
      /Its session ends by 12:03:31 unless renewed\. After that Consul refuses the lock for 15 s \(lock-delay\)\.$/,
    );
    for (const session of [sessionOf(1, { lockDelayMs: 0 }), null])
      expect(said(silent, session)).toMatch(/Its session ends by 12:03:31 unless renewed\.$/);
    // Nothing says that the session of one that is alive ends at all.
    expect(said(lockOf('k'), sessionOf(1))).toMatch(/within 30 s\.$/);
  });
});

describe('a semaphore in a few sentences', () => {
  test('recorded and really held are separate, and the leak is named', () => {
    const leaking = semaphoreOf('s', {
      holders: [holderOf(1), holderOf(8, 'ghost'), holderOf(9, 'ghost')],
      waiters: [waiterOf(4)],
    });
    expect(semaphoreSentence(leaking, moment, en)).toBe(
      '3 of 3 slots taken, 1 really held, 1 waiting. Two slots leak: their sessions hold nothing here.',
    );
  });
  test('where rights hide entries, that is said, and not that the record is broken', () => {
    const hidden = { recorded: null, effective: null, part: true } as const;
    expect(semaphoreSentence(semaphoreOf('s', { ...hidden, limit: null }), moment, en)).toBe(
      'Some entries here may not be read, so who holds a slot and who waits is unknown.',
    );
    expect(semaphoreSentence(semaphoreOf('s', { ...hidden, limit: 3 }), moment, en)).toMatch(
      /^The limit is 3\. Some/,
    );
  });
  test('a dead holder is said with the end of its session, not of its slot; and no end where one is not known', () => {
    const silent = (latestMs: number | null) =>
      holderOf(1, 'overdue', { expiry: expiry('observed', { latestMs }) });
    const said = (...holders: ReturnType<typeof holderOf>[]) =>
      semaphoreSentence(semaphoreOf('s', { holders }), moment, en);
    expect(said(silent(nowMs + 27_000))).toMatch(
      /One holder is probably dead\. Its session ends by 12:03:31 unless renewed\./,
    );
    expect(said(silent(nowMs + 27_000), silent(null))).toMatch(/Two holders are probably dead\.$/);
  });
  test('a finding that no count shows is said once; a notice and an unknown code are not', () => {
    const finding = (code: string, severity: Finding['severity'] = 'urgent') =>
      ({ ...ghostFinding('s', severity), code }) as unknown as Finding;
    const said = (...findings: Finding[]) =>
      semaphoreSentence(
        semaphoreOf('s', { limit: 1, holders: [holderOf(1)], waiters: [waiterOf(2)] }),
        moment,
        en,
        findings,
      );
    expect(said(finding('deadlock'), finding('deadlock'))).toBe(
      '1 of 1 slots held, 1 waiting. It is in a deadlock.',
    );
    expect(said(finding('flapping', 'notice'), finding('not-known-yet'), finding('ghost-slots'))).toBe(
      '1 of 1 slots held, 1 waiting.',
    );
    expect(
      lockSentence(lockOf('k', { state: 'free', holder: null }), moment, en, [finding('wrong-flags')]),
    ).toBe('Free. No session holds this lock. Its flags are wrong.');
  });
  test('unreadable figures are not shown as zero', () => {
    const broken = semaphoreOf('s', { limit: null, recorded: null, effective: null, holders: [] });
    expect(semaphoreSentence(broken, moment, en)).toMatch(/unreadable/);
  });
  test('more holders than the limit are said', () => {
    expect(semaphoreSentence(semaphoreOf('s', { limit: 2 }), moment, en)).toMatch(
      /One holder more than the limit allows\./,
    );
  });
});

describe('the board in one sentence', () => {
  test('what needs attention speaks first, notices do not', () => {
    const notice: Finding = {
      ...ghostFinding('a'),
      id: 'n',
      code: 'session-leak',
      facts: { name: 'worker', node: 'n1' },
      severity: 'notice',
    };
    const snapshot = snapshotOf({ findings: [notice, ghostFinding('a'), ghostFinding('b', 'warning')] });
    expect(boardSentence(snapshot, en).state).toBe('Two semaphores leak slots.');
    expect(boardSentence(snapshotOf({ findings: [notice] }), en).state).toBe(
      'Nothing in view needs attention.',
    );
  });
  test('a quiet board says who waits', () => {
    const snapshot = snapshotOf({ semaphores: [semaphoreOf('s', { waiters: [waiterOf(4), waiterOf(5)] })] });
    expect(boardSentence(snapshot, en)).toEqual({
      state: 'Nothing in view needs attention. Two waiters.',
      counts: '0 locks, 1 semaphore, 0 sessions.',
    });
  });
});

test('a lower bound never looks like a fact', () => {
  const atMs = nowMs - 840_000;
  expect(plain(sinceWords({ atMs, basis: 'at-least' }, moment, en)?.short)).toBe('≥ 14 min');
  expect(sinceWords({ atMs, basis: 'observed' }, moment, en)?.short).toBe('11:49:04');
  expect(sinceWords(null, moment, en)).toBeNull();
});

test.each([
  ['alive', expiry('bounded', { withinMs: 30_000 }), '≤ 30 s'],
  ['node-bound', expiry('with-node'), 'with its node'],
  ['immortal', expiry('never'), 'never'],
  ['unknown', expiry('unknown'), 'unknown'],
  ['ghost', expiry('unknown'), 'never on its own'],
  ['overdue', expiry('observed', { latestMs: nowMs + 5000 }), 'by 12:03:09'],
] as const)('how it ends is said for %s', (verdict: Verdict, end: Expiry, short: string) => {
  expect(plain(expiryWords({ verdict, expiry: end }, moment, en).short)).toBe(short);
});

test('a holder whose session is bound to a server is never said to end with its own node', () => {
  const evidence = [fact('bound-to-server', 'server-1')];
  for (const [m, server] of [
    [en, /server/],
    [languages.zh, /服务器/],
  ] as const) {
    const words = expiryWords({ verdict: 'node-bound', expiry: expiry('with-node'), evidence }, moment, m);
    const meaning = verdictMeaning({ verdict: 'node-bound', expiry: expiry('with-node'), evidence }, m);
    for (const said of [words.short, words.long, meaning]) expect(said).toMatch(server);
    expect(meaning).not.toBe(m.meanings['node-bound']);
  }
});

test('the finding of a holder on a server names no node that it would end with', () => {
  const evidence = [fact('bound-to-server', 'server-1')];
  const session = { name: 'importer', node: 'server-1' };
  for (const [m, server] of [
    [en, /Consul server/],
    [languages.zh, /Consul 服务器/],
  ] as const)
    for (const waiters of [[], [waiterOf(2)]]) {
      const said = (holder: Holder) =>
        [
          { ...snapshotOf({}), locks: [lockOf('k', { holder })], semaphores: [] },
          { ...snapshotOf({}), locks: [], semaphores: [semaphoreOf('s', { holders: [holder], waiters })] },
        ].flatMap((world) => findingsOf(world).map((finding) => findingText(finding, m)));
      const onServer = said(holderOf(1, 'node-bound', { session, evidence }));
      expect(onServer).toHaveLength(2);
      for (const text of onServer) {
        expect(text).toMatch(server);
        expect(text).not.toContain('server-1');
      }
      for (const text of said(holderOf(1, 'node-bound', { session }))) {
        expect(text).not.toMatch(server);
        expect(text).toContain('server-1');
      }
      // A reader who may not see the session learns neither its node nor that this is a server.
      for (const text of said(holderOf(1, 'node-bound', { session: null }))) {
        expect(text).not.toMatch(server);
        expect(text).not.toContain('server-1');
      }
    }
});

test('of the holders of a semaphore, those on a server are counted apart from those on a node', () => {
  const evidence = [fact('bound-to-server', 'server-1')];
  const onServer = [1, 2].map((n) => holderOf(n, 'node-bound', { evidence }));
  const onNode = holderOf(3, 'node-bound');
  for (const m of [en, languages.zh]) {
    const { boundToServer, doubtful } = m.subject.semaphore;
    const plainly = (n: number) => doubtful['node-bound']?.(n) ?? '';
    const said = (holders: typeof onServer) => semaphoreSentence(semaphoreOf('s', { holders }), moment, m);
    expect(said([...onServer, onNode])).toContain(plainly(1));
    expect(said([...onServer, onNode])).toContain(boundToServer(2));
    expect(said(onServer)).not.toContain(plainly(2));
    expect(said([onNode])).not.toContain(boundToServer(1));
  }
});
