// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { holderOf, idOf, lockOf, snapshotOf } from '@/components/fixture/world';
import { rowsOf } from '@/lib/view/board-rows';
import { find } from './find';

const world = snapshotOf({
  locks: [lockOf('cron/rotate', { holder: holderOf(7) }), lockOf('cron/rotate-logs'), lockOf('tf/prod')],
});
const names = (text: string) =>
  find(text, { rows: rowsOf(world), sessions: world.sessions }).rows.map(({ of }) => of.name);
const link = 'http://consul:8500/v1/kv/cron%2Frotate?raw';

test('a text finds what is there to the letter, and a pasted link what it is about', () => {
  expect(names('ROTATE')).toEqual(['cron/rotate', 'cron/rotate-logs']);
  expect(names(' /cron/rotate/ ')[0]).toBe('cron/rotate');
  expect(names('tf prod')).toEqual(['tf/prod']);
  expect(names(idOf(7))).toEqual(['cron/rotate']);
  expect(names(link)).toEqual(['cron/rotate']);
});
