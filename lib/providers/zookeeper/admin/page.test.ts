import { expect, test } from 'vitest';
import { readConnections, readLongJson, readWatches } from './page';

test('long numbers become text and everything in a string stays as it is', () => {
  expect(
    readLongJson('{"a": 72057679459385346, "b": "72057679459385346 \\" 72057679459385347", "c": 12}'),
  ).toEqual({ a: '72057679459385346', b: '72057679459385346 " 72057679459385347', c: 12 });
});

test('connections name each session exactly, and a server without a quorum has none', () => {
  const page = (error: string) =>
    `{"connections": [{"remote_socket_address": "127.0.0.1:5", "session_id": -6917529027641081855, "session_timeout": 4000,
      "last_response_time": 77}], "secure_connections": [], "command": "connections", "error": ${error}}`;
  expect(readConnections(page('null'))).toMatchObject([
    { session_id: 'a000000000000001', session_timeout: 4_000, last_response_time: 77 },
  ]);
  expect(readConnections('{"error": "This ZooKeeper instance is not currently serving requests"}')).toEqual(
    [],
  );
  for (const other of [
    page('"no such command"'),
    '{"connections": [{}]}',
    '<html>',
    '',
    '[1]',
    '{"connections": 7}',
  ])
    expect(readConnections(other), other).toBeNull();
});

test('watches name the sessions of each node', () => {
  expect(readWatches('{"path_to_session_ids": {"/a": [72057679459385346, 1]}, "error": null}')).toEqual({
    '/a': [72057679459385346n.toString(16), '1'],
  });
  expect(readWatches('{"path_to_session_ids": {"/a": ["x"]}}')).toBeNull();
});
