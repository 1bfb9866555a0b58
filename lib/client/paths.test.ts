import { expect, test } from 'vitest';
import { paths, subjectName, subjectPath } from './paths';

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

test('a key survives the way through the address, whatever it holds', () => {
  for (const key of ['a//b', 'a%2Fb', 'a+b', ' ', '键/🔒', '../../x', 'a&key=b']) {
    const url = new URL(subjectPath({ kind: 'lock', key }), 'http://localhost');
    expect(url.pathname).toBe('/lock');
    expect(url.searchParams.get('key')).toBe(key);
    expect(subjectName({ kind: 'lock', key })).toBe(key);
  }
});
