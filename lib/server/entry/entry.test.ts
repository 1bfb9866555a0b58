import { expect, test, vi } from 'vitest';
import type { Runtime } from '@/lib/server/runtime';

vi.mock('server-only', () => ({}));

const lines: { fields: Record<string, unknown>; message: string }[] = [];
const runtime = {
  env: { url: null, loopback: true },
  log: {
    error: (fields: Record<string, unknown>, message: string) => void lines.push({ fields, message }),
    debug: () => {},
  },
} as unknown as Runtime;
vi.mock('@/lib/server/runtime', () => ({ runtime: () => runtime }));
const { enterAsAnybody } = await import('./entry');

const asking = (method: string) =>
  new Request('http://localhost:3000/api/v1/x?token=abc', { method, headers: { host: 'localhost:3000' } });

test.each([
  ['GET', 'unavailable'],
  ['POST', 'unknown-result'],
])(
  'a bug is answered with an id that the log has beside the error, and nothing else: %s',
  async (method, code) => {
    lines.length = 0;
    const answer = await enterAsAnybody(asking(method), () => {
      throw new TypeError("Cannot read properties of undefined (reading 'inside')");
    });
    const text = await answer.text();
    const { why } = JSON.parse(text) as { why: { facts: { id: string } } };
    expect(answer.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code, why: { code: 'server-bug' } });
    expect(text).not.toMatch(/inside|TypeError|entry\.test|at /);
    expect(lines).toEqual([
      {
        message: 'bug',
        fields: expect.objectContaining({
          id: why.facts.id,
          method,
          path: '/api/v1/x',
          stack: expect.stringContaining('inside'),
        }),
      },
    ]);
  },
);
