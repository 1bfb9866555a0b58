import { describe, expect, test } from 'vitest';
import { rowOfHash, viewLink, viewPath } from '@/components/dom/page-link';
import {
  ghostFinding,
  holderOf,
  idOf,
  lockOf,
  nowMs,
  semaphoreOf,
  sessionOf,
  snapshotOf,
  waiterOf,
} from '@/components/fixture/world';
import { readingCommand, readingTransaction } from '@/lib/domain/by-hand/reading';
import type { Finding } from '@/lib/domain/findings/finding';
import { semaphoreSubject } from '@/lib/domain/subject';
import { en } from '@/lib/i18n/messages';
import { coded, markdownText, type SubjectReport } from './markdown';

const told = (over: Partial<SubjectReport>): SubjectReport => ({
  of: lockOf('service/a/leader'),
  findings: [],
  session: null,
  source: snapshotOf().source,
  sourceTitle: null,
  nowMs,
  frozen: false,
  old: false,
  zone: 'UTC',
  link: 'http://box/lock?key=x',
  ...over,
});
/** What stands in code. */
const code = /(`+).*?\1(?!`)/gs;
const markdown = (over: Partial<SubjectReport>) => markdownText(told(over), en).replaceAll('\u00a0', ' ');

describe('Markdown for an incident channel', () => {
  test('a semaphore: the sentence, holders with verdicts, waiters, what needs attention, freshness with zone, link', () => {
    const of = semaphoreOf('semaphore/gateway', {
      holders: [holderOf(1), holderOf(8, 'ghost')],
      waiters: [waiterOf(4)],
    });
    const text = markdown({ of, findings: [ghostFinding('semaphore/gateway')] });
    expect(text).toContain('**Semaphore** `semaphore/gateway`');
    expect(text).toContain(`\`worker-1\` (alive) · session \`${idOf(1)}\` · node \`node-1\``);
    expect(text).toContain(`(ghost) · session \`${idOf(8)}\``);
    expect(text).toContain('Waiting: 1');
    expect(text).toContain('Needs attention:');
    expect(text).toContain('As Signalbox showed it at 2026-11-21 12:03:04 UTC');
    expect(text.trimEnd().endsWith('<http://box/lock?key=x>')).toBe(true);
  });
  test('a deadlock stands first, then what else needs attention, then the state', () => {
    const of = semaphoreOf('semaphore/gateway');
    const deadlock: Finding = {
      id: 'deadlock',
      code: 'deadlock',
      severity: 'urgent',
      easing: null,
      subject: semaphoreSubject({ source: 'consul', prefix: 'semaphore/other' }),
      also: [semaphoreSubject({ source: 'consul', prefix: 'semaphore/gateway' })],
      grounds: [],
      facts: { clients: 2, first: 'a', second: 'b', behind: 0, owners: 0 },
      mend: null,
    };
    const text = markdown({ of, findings: [ghostFinding('semaphore/gateway'), deadlock] });
    const [first, second] = text.split('\n').filter((line) => line.startsWith('- '));
    expect(first).toMatch(/deadlock/i);
    expect(second).toMatch(/leak/);
    expect(text.indexOf('leak')).toBeLessThan(text.indexOf('slots held'));
  });
  test('what a TTL means is said once, however many parties have one', () => {
    const of = semaphoreOf('s', { waiters: [waiterOf(4), waiterOf(5)] });
    const text = markdown({ of });
    expect(text.match(/2 × TTL/g)).toHaveLength(1);
    expect(text.match(/ends within 30 s$/gm)).toHaveLength(5);
  });
  test('no address in it becomes a link but its own, and no escape stands where nothing needs one', () => {
    const label = 'http://evil.example/x www.evil.example db.example.com (build_4) a&b #12';
    const text = markdown({ of: lockOf('k', { holder: holderOf(1, 'alive', { label }) }) });
    const outside = text.replaceAll(code, '').replace(/<[^>]*>/, '');
    expect(outside).toContain('evil');
    expect(outside).not.toMatch(/https?:\/\/|www\.|\w\.com|#12/);
    expect(text).not.toContain('\\');
  });
  test('the waiters of a plain lock are said to be unseen, never none', () => {
    expect(markdown({})).toContain('not visible for a plain lock');
  });
  test('old and frozen data say so', () => {
    expect(markdown({ old: true })).toContain('NOT FRESH');
    expect(markdown({ frozen: true })).toContain('FROZEN');
  });
  test('a session tells what it holds', () => {
    const text = markdown({ of: sessionOf(3, { holds: [{ source: 'consul', kind: 'lock', key: 'a/b' }] }) });
    expect(text).toContain(`**Session** \`${idOf(3)}\``);
    expect(text).toContain('- `a/b`');
  });
  test('text from Consul stays text: no markup, no mention, no line of its own', () => {
    const of = lockOf('a`b``c', { holder: holderOf(1, 'alive', { label: '@here **x**\n# y' }) });
    const text = markdown({ of });
    expect(text).toContain('``` a`b``c ```');
    // In code it mentions nobody.
    expect(text.replaceAll(code, '')).not.toContain('@here');
    expect(text).not.toMatch(/^# y/m);
    expect(text).toContain('\\*\\*x\\*\\*');
    expect(coded('plain')).toBe('`plain`');
  });
});

describe('by hand', () => {
  test('flags and indexes are printed to the last digit, as bare integers', () => {
    const text = readingTransaction(
      semaphoreOf('s', { flags: '16210313421097356768', modifyIndex: '81423' }),
    );
    expect(text).toContain('"Flags": 16210313421097356768');
    expect(text).toContain('"Index": 81423');
    expect(() => JSON.parse(text)).not.toThrow();
  });
  test('the read of a lock is guarded by its index and its holder; a free one has no holder to guard', () => {
    const verbs = (text: string) => JSON.parse(text).map((op: { KV: { Verb: string } }) => op.KV.Verb);
    expect(verbs(readingTransaction(lockOf('k')))).toEqual(['check-index', 'check-session', 'get']);
    expect(verbs(readingTransaction(lockOf('k', { holder: null, state: 'free' })))).toEqual([
      'check-index',
      'get',
    ]);
    expect(verbs(readingTransaction(semaphoreOf('s', { modifyIndex: null })))).toEqual([
      'check-not-exists',
      'get-tree',
    ]);
  });
  const at = (origin: string) => ({ origin, datacenter: 'west' });
  test.each([
    ['a/b-c_d.e,f/.lock', `'http://c:8500/v1/kv/a/b-c_d.e,f/.lock?consistent'`],
    // Consul 1.21.5 takes no such path.
    ['a/b c', `'[{"KV":{"Verb":"get","Key":"a/b c"}}]'`],
    ["it's", `'[{"KV":{"Verb":"get","Key":"it'\\''s"}}]'`],
    ['a?b#c%d', `'[{"KV":{"Verb":"get","Key":"a?b#c%d"}}]'`],
    ['/a', `'[{"KV":{"Verb":"get","Key":"/a"}}]'`],
    ['a%20b', `'[{"KV":{"Verb":"get","Key":"a%20b"}}]'`],
    ['a//b', `'[{"KV":{"Verb":"get","Key":"a//b"}}]'`],
    ['a/../b', `'[{"KV":{"Verb":"get","Key":"a/../b"}}]'`],
  ])('curl reads the key %s', (key, part) => {
    const text = readingCommand(lockOf(key), at('http://c:8500'));
    expect(text).toContain(part);
    expect(text).toContain('$CONSUL_HTTP_TOKEN');
  });
  test.each([
    ['/a', `'http://c:8500/v1/kv/?recurse&consistent'`],
    ['team/../b', `'http://c:8500/v1/kv/team/?recurse&consistent'`],
    ['team/a%20b', `'http://c:8500/v1/kv/team/?recurse&consistent'`],
  ])('curl lists what is above %s, where Consul takes no transaction about it', (key, part) => {
    expect(readingCommand(lockOf(key, { unwritable: true }), at('http://c:8500'))).toContain(part);
  });
  test('curl names the datacenter where the agent is of another one', () => {
    const west = { ...at('http://c:8500'), across: { from: 'east' } };
    expect(readingCommand(lockOf('a'), west)).toContain(`'http://c:8500/v1/kv/a?consistent&dc=west'`);
    expect(readingCommand(sessionOf(1), west)).toContain(`?dc=west'`);
    expect(readingCommand(lockOf('a'), at('http://c:8500'))).not.toContain('dc=');
  });
  test('curl goes through a socket where the backend does', () => {
    expect(readingCommand(sessionOf(1), at('unix:///run/c.sock'))).toContain(`--unix-socket '/run/c.sock'`);
  });
});

describe('links', () => {
  const at = (search: string) => ({ origin: 'http://box', pathname: '/', search });
  test('a hand-off link keeps what the console reads and drops everything else', () => {
    expect(viewPath(at('?q=a%2Fb&token=secret&sort=name&X-Consul-Token=s'))).toBe('/?q=a%2Fb&sort=name');
  });
  test('the link points at a row, with any name', () => {
    const link = viewLink(at('?frozen=5'), 'lock:a b/#ü');
    expect(rowOfHash(new URL(link).hash)).toBe('lock:a b/#ü');
    expect(new URL(link).search).toBe('?frozen=5');
    expect(rowOfHash('#redis!lock%3Aa')).toBe('redis!lock:a');
  });
  test.each([
    ['/lock', '?key=a&source=redis&from=5&to=9'],
    ['/history', '?prefix=a&source=redis&range=week&lost=true&figures=true'],
    ['/audit', '?subject=lock%3Aa&person=ann&kind=intent&action=lock.release&outcome=done'],
  ])('a link to %s keeps the source and the time', (pathname, search) => {
    expect(viewPath({ pathname, search })).toBe(`${pathname}${search}`);
  });
  test.each(['', '#', '#content', '#%E0%A4%A'])('the hash %s is no row', (hash) => {
    expect(rowOfHash(hash)).toBeNull();
  });
});
