import { expect, test } from 'vitest';
import { type Subject, subjectName } from '@/lib/domain/model';
import { pageOf, pathAfterSignIn, paths, subjectAt, subjectPath } from './paths';

test('every link is built as documented', () => {
  expect({
    board: paths.board(),
    boardSearch: paths.board('a b/ü&c'),
    boardNeedsHuman: paths.boardNeedsHuman(),
    lock: paths.lock('service/a b/leader?x#y'),
    semaphore: paths.semaphore('semaphore/mg-init'),
    sessions: paths.sessions(),
    sessionsSearch: paths.sessions('node-1'),
    session: paths.session('2f64'),
    findings: paths.findings(),
    graph: paths.graph(),
    actions: paths.api.actions(),
  }).toMatchInlineSnapshot(`
    {
      "actions": "/api/v1/actions",
      "board": "/",
      "boardNeedsHuman": "/?show=human",
      "boardSearch": "/?q=a%20b%2F%C3%BC%26c",
      "findings": "/findings",
      "graph": "/graph",
      "lock": "/lock?key=service%2Fa%20b%2Fleader%3Fx%23y",
      "semaphore": "/semaphore?prefix=semaphore%2Fmg-init",
      "session": "/session?id=2f64",
      "sessions": "/sessions",
      "sessionsSearch": "/sessions?q=node-1",
    }
  `);
});

test('any key survives the way through the address', () => {
  for (const key of ['a//b', 'a%2Fb', 'a+b', ' ', '键/🔒', '../../x', 'a&key=b']) {
    const url = new URL(subjectPath({ source: 'consul', kind: 'lock', key }), 'http://localhost');
    expect(url.pathname).toBe('/lock');
    expect(url.searchParams.get('key')).toBe(key);
    expect(subjectName({ source: 'consul', kind: 'lock', key })).toBe(key);
  }
});

test('signing in leads on within this console only', () => {
  for (const next of [
    null,
    '',
    'findings',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    'javascript:alert(1)',
    'http:evil.example',
    '/login',
    '/login?next=/login',
    '/api/v1/session',
  ])
    expect([next, pathAfterSignIn(next)]).toEqual([next, '/']);
  for (const next of [
    '/',
    '/findings?severity=urgent',
    '/lock?key=a%2F%2Fb%5Cc',
    '/lock?key=//evil.example',
    '/x#y',
  ])
    expect(pathAfterSignIn(next)).toBe(next);
});

test('an address names another source than the first, and one from before there were several means the first', () => {
  const first: Subject = { source: 'consul', kind: 'lock', key: 'a/leader' };
  const other: Subject = { ...first, source: 'other' };
  expect(subjectPath(first)).toBe('/lock?key=a%2Fleader');
  expect(subjectPath(other)).toBe('/lock?key=a%2Fleader&source=other');
  for (const subject of [first, other]) {
    const { pathname, searchParams } = new URL(subjectPath(subject), 'http://localhost');
    expect(subjectAt(pathname, searchParams)).toEqual(subject);
  }
  expect(pageOf('/lock', new URLSearchParams('key=a&source=other'))).not.toBe(
    pageOf('/lock', new URLSearchParams('key=a')),
  );
});
