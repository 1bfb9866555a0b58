import { expect, test } from 'vitest';
import { logConsole } from './console-log';
import { createLog } from './log';

const secret = 'a-token-of-the-server';
function printed(print: (target: Pick<Console, 'error' | 'warn'>) => void, level = 'debug') {
  const bare: unknown[] = [];
  const lines: string[] = [];
  const target = {
    error: (...said: unknown[]) => bare.push(said),
    warn: (...said: unknown[]) => bare.push(said),
  };
  const log = createLog(level, { secrets: [secret], write: (line) => void lines.push(line) });
  const undo = logConsole(log, target);
  print(target);
  undo();
  target.error('as before');
  expect(bare).toEqual([['as before']]);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('what the framework prints is a line of the log, without what hangs on an error, and without secrets', () => {
  const error = Object.assign(new Error(`no ${secret}`), {
    cause: { headers: { 'x-consul-token': 'theirs' } },
  });
  const lines = printed((console) => {
    console.error('\u001b[31m ⨯\u001b[0m unhandledRejection:', error);
    console.warn('Request body exceeded %s', '10MB');
    console.error(error);
  });
  expect(lines).toMatchObject([
    { level: 'error', msg: '⨯ unhandledRejection:', message: 'no [redacted]', stack: expect.any(String) },
    { level: 'warn', msg: 'Request body exceeded 10MB' },
    { level: 'error', msg: 'the framework failed', message: 'no [redacted]' },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/theirs|a-token/);
});

test('an upload that breaks off is no error of the server', () => {
  const left = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  expect(printed((console) => console.error(left))).toMatchObject([
    { level: 'debug', msg: 'the client left' },
  ]);
  expect(printed((console) => console.error(left), 'info')).toEqual([]);
});
