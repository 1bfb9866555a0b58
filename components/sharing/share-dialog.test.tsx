// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { lockOf, snapshotOf } from '@/components/fixture/world';
import { en } from '@/lib/i18n/messages';
import { ShareDialog } from './share-dialog';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const { share } = en;

function opened(name: string) {
  const view = liveViewOf(snapshotOf({ locks: [lockOf('a/one'), lockOf('a/two'), lockOf('b/one')] }));
  render(
    <Live view={view}>
      <ShareDialog view="board" name={name} onClose={() => {}} />
    </Live>,
  );
}

test.each([
  ['', 3],
  ['a/', 2],
])(
  'how many there are in %j is said to be what the person sees, and the link to show what the server sees',
  (name, rows) => {
    opened(name);
    const text = screen.getByRole('dialog').textContent;
    expect(text).toContain(`You see ${rows} now`);
    expect(text).toContain('the link shows what that token sees in this scope');
    expect(text).not.toContain('this server sees');
  },
);

test('a person who may not read all of it learns the rights for sharing, not those for freeing a lock', async () => {
  vi.stubGlobal('fetch', async () =>
    Response.json({ code: 'forbidden', why: { code: 'grant-beyond-reach', facts: {} } }, { status: 403 }),
  );
  opened('a/');
  fireEvent.click(screen.getByRole('button', { name: share.create }));
  const text = (await screen.findByRole('alert')).textContent;
  expect(text).toContain(en.why['grant-beyond-reach']({}));
  expect(text).toContain(share.beyondNext);
  expect(text).not.toContain('Freeing a lock');
});
