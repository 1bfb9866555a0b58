import { expect, test } from 'vitest';
import type { StreamRequest } from '@/lib/server/stream/sse';
import { answerEvents } from './feed';

test('a stream counts for the caller who asked: by name and by address', async () => {
  const asked: StreamRequest[] = [];
  const streams = { answer: (request: StreamRequest) => asked.push(request) };
  const caller = {
    viewpoint: { hub: { ready: async () => {} }, streams },
    signIn: null,
    by: 'bearer',
    accessControl: 'on',
    identity: { kind: 'proxy', name: 'ann' },
    address: '192.0.2.1',
    secure: false,
  };
  await answerEvents(new Request('http://signalbox.test/api/v1/events'), caller as never, {} as never);
  expect(asked[0]?.asker).toEqual({ identity: caller.identity, address: caller.address });
});
