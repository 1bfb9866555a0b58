import { afterEach, expect, test, vi } from 'vitest';
import { startServer } from './start';

vi.mock('server-only', () => ({}));

afterEach(() => vi.restoreAllMocks());

test('started by a command of Next, where nothing would guard the requests, the process ends and says how to start', () => {
  const said: unknown[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(text) > 0);
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  expect(() => startServer({})).toThrow('exit 1');
  expect(said.join('')).toMatch(/node server\.js/);
});
