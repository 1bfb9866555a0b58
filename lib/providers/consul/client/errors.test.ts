import { expect, test } from 'vitest';
import { toConsulError } from './errors';

const read = { name: 'kv list', write: false, timeoutMs: 10_000, remote: null as string | null };
const write = { ...read, name: 'kv cas', write: true };
const answer = (statusCode: number, body: unknown) => ({ statusCode, response: { body } });

test.each([
  [answer(403, 'Permission denied'), 'forbidden'],
  [answer(403, "Permission denied: token with AccessorID 'x' lacks permission 'key:write'"), 'forbidden'],
  [answer(403, 'ACL not found'), 'signed-out'],
  [answer(404, 'Session id not found'), 'not-found'],
  [answer(413, 'Request body too large'), 'invalid'],
  [answer(429, 'rate limit exceeded'), 'busy'],
  [answer(503, 'rate limit exceeded for operation that can only be performed by the leader'), 'busy'],
  [answer(500, 'No cluster leader'), 'no-leader'],
  [answer(500, 'rpc error making call: No cluster leader'), 'no-leader'],
  [answer(500, 'No known Consul servers'), 'no-leader'],
  [answer(500, 'Invalid Session TTL'), 'invalid'],
  [answer(400, 'Conflicting flags'), 'invalid'],
  [answer(400, "Invalid key in transaction: key contains directory traversal sequence '..'"), 'unwritable'],
  [answer(400, "Failed to parse body: Invalid key in transaction: '..'"), 'invalid'],
] as const)('%j means the same for reads and writes', (thrown, code) => {
  expect(toConsulError(thrown, read).problem.code).toBe(code);
  expect(toConsulError(thrown, write).problem.code).toBe(code);
});

test.each([
  [{ isTimeout: true }],
  [{ code: 'ECONNRESET' }],
  [{ code: 'ECONNRESET', opening: true }],
  [{ code: 'EPIPE' }],
  [{ message: 'socket hang up' }],
  [answer(500, 'rpc error making call: EOF')],
  [answer(500, 'leadership lost while committing log')],
  [answer(500, 'context deadline exceeded')],
  [answer(500, 'something that no version has said before')],
  [answer(503, '<html>no healthy upstream</html>')],
  [answer(502, '<html>Bad Gateway</html>')],
  [answer(504, '')],
  [answer(502, '<html>Bad Gateway. Request UUID: 1f0e</html>')],
  [answer(504, '<html>Failed to parse the answer of invalid session upstream</html>')],
])('%j after a write leaves it unknown whether it was made', (thrown) => {
  expect(toConsulError(thrown, read).problem.code).toBe('unavailable');
  expect(toConsulError(thrown, write).problem.code).toBe('unknown-result');
});

test.each([
  [{ isTimeout: true }, 'no-answer'],
  [{ code: 'ECONNREFUSED' }, 'not-reached'],
  [{ code: 'EMFILE', opening: true }, 'not-reached'],
  [{ code: 'ECONNRESET' }, 'connection-broke'],
  [{ code: 'ECONNRESET', opening: true }, 'connection-not-taken'],
  [answer(403, 'ACL not found'), 'token-unknown'],
  [answer(403, 'rpc error making call: Permission denied'), 'token-refused'],
  [answer(429, 'rate limit exceeded, try again later or against a different server'), 'rate-limited'],
  [
    answer(429, 'Your IP is issuing too many concurrent connections, please rate limit your calls'),
    'connections-capped',
  ],
  [
    answer(503, 'rate limit exceeded for operation that can only be performed by the leader'),
    'leader-rate-limited',
  ],
  [answer(503, 'upstream connect error'), 'call-failed'],
  [answer(500, 'No cluster leader'), 'no-leader-now'],
  [answer(500, 'No known Consul servers'), 'no-server-known'],
  [answer(500, 'rpc error getting client: failed to get conn'), 'leader-lost'],
  [answer(502, ''), 'call-failed'],
  [answer(400, 'Invalid key in transaction: key must not begin with a slash'), 'key-refused'],
  // A body that quotes what the caller sent says nothing of the key.
  [answer(400, 'Failed to decode body: "Invalid key in transaction"'), 'call-refused'],
  [{}, 'answer-not-readable'],
  [{ code: 'ANSWER_TOO_LARGE', bytes: 1024 }, 'answer-too-large'],
] as const)('%j becomes %s', (thrown, why) => {
  expect(toConsulError(thrown, read).problem.why?.code).toBe(why);
});

test.each([
  ['No path to datacenter', 'unavailable'],
  [
    'rpc error getting client: failed to get conn: dial tcp 127.0.0.1:0->10.0.0.1:8300: refused',
    'unavailable',
  ],
  ['rpc error making call: stream closed', 'unknown-result'],
])(
  'another datacenter that is not reached (%s) is told from the agent, and what was sent from what was not',
  (body, code) => {
    const of = (call: typeof write) => toConsulError(answer(500, body), call).problem;
    const why = { code: 'datacenter-away', facts: { datacenter: 'west' } };
    expect(of({ ...write, remote: 'west' })).toEqual({ code, why });
    expect(of({ ...read, remote: 'west' })).toEqual({ code: 'unavailable', why });
    expect(of(write).why?.code).not.toBe('datacenter-away');
  },
);

test.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('%s means that nothing was sent', (code) => {
  expect(toConsulError({ code }, write).problem.code).toBe('unavailable');
});

test('the sentence carries nothing of the body, which may name keys and tokens', () => {
  const secret = 'b1gs3cret';
  for (const status of [400, 403, 404, 409, 413, 429, 500, 503]) {
    const error = toConsulError(answer(status, secret), write);
    expect(JSON.stringify(error.problem)).not.toContain(secret);
    expect(error.body).toBe(secret);
    expect(error.cause).toBeDefined();
  }
});

test.each([[null], [undefined], ['text'], [7], [new Error('x')]])(
  'any throw, %s too, becomes a problem',
  (thrown) => {
    expect(toConsulError(thrown, read).problem.why).toBeDefined();
  },
);
