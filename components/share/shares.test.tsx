// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Problem } from '@/lib/domain/problem';
import { en } from '@/lib/words/messages';
import { Shares } from './shares';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const { page } = en.share;

function answering(problem: Problem) {
  vi.stubGlobal('fetch', async () => Response.json(problem, { status: 404 }));
  render(<Shares />);
}

test('that embeds are switched off is said as that, and not as something that is gone or failed', async () => {
  answering({ code: 'not-found', why: { code: 'embeds-off', facts: {} } });
  expect(await screen.findByText(page.off)).toBeDefined();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a list that cannot be read says why, and can be asked for again', async () => {
  answering({ code: 'unavailable', why: { code: 'store-not-reached', facts: {} } });
  expect(await screen.findByText(page.failed)).toBeDefined();
  expect(screen.getByRole('alert').textContent).toContain(en.why['store-not-reached']({}));
  expect(screen.getByRole('button', { name: page.retry })).toBeDefined();
});
