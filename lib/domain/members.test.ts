import { expect, test } from 'vitest';
import { holder, lock } from '@/lib/domain/fixture/world';
import { heirsAmong } from './members';

const leader = lock({ key: 'service/db/leader', layout: 'patroni-leader', holder: holder('s1') });
const member = (name: string, session: string | null, scope = 'service/db') =>
  lock({
    key: `${scope}/members/${name}`,
    layout: 'patroni-member',
    holder: session === null ? null : holder(session),
  });

test('no member can take over from a leader whose own member is the only one in view', () => {
  const own = member('pg1', 's1');
  expect(heirsAmong(leader, { locks: [leader] })).toHaveLength(0);
  expect(heirsAmong(leader, { locks: [leader, own] })).toHaveLength(0);
  expect(heirsAmong(leader, { locks: [leader, own, member('pg2', null)] })).toHaveLength(0);
  expect(heirsAmong(leader, { locks: [leader, own, member('pg2', 's2', 'service/other')] })).toHaveLength(0);
  expect(heirsAmong(leader, { locks: [leader, own, member('pg2', 's2'), member('pg3', 's3')] })).toHaveLength(
    2,
  );
});

test('where contenders leave no trace, nothing is said of who could take over', () => {
  const other = lock({ layout: 'go-lock' });
  expect(heirsAmong(other, { locks: [other] })).toBeNull();
});
