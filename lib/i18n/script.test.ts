import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { en } from '@/lib/i18n/messages';
import { comment, scriptOf } from './script';

test('a comment stays one line that the shell skips', () => {
  const line = comment("it's\nrm -rf\r\u2028x");
  expect(line).toBe("# it's\\u000arm -rf\\u000d\\u2028x");
  expect(execFileSync('sh', ['-c', line]).toString()).toBe('');
});

test('every command stands below its note, and a step without one is a note alone', () => {
  const steps = [
    { tool: 'curl', note: { code: 'unlocks', facts: { key: 'a\nrm' } }, command: 'echo one' },
    { tool: 'consul', note: { code: 'no-session-command', facts: {} }, command: null },
  ] as const;
  const script = scriptOf(steps, en);
  expect(script.split('\n')).toHaveLength(3);
  expect(execFileSync('sh', ['-c', script]).toString()).toBe('one\n');
});
