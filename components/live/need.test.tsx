import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding } from '@/lib/domain/findings/finding';
import { needOf } from '@/lib/domain/findings/need';
import type { Subject } from '@/lib/domain/model';
import { createNeed } from './need';

const subjects: readonly Subject[] = [
  { source: 'consul', kind: 'lock', key: 'a' },
  { source: 'consul', kind: 'lock', key: 'b' },
  { source: 'consul', kind: 'semaphore', prefix: 'a' },
  { source: 'consul', kind: 'session', id: 's' },
];

const found = fc
  .record({
    severity: fc.constantFrom('urgent', 'warning', 'notice'),
    subject: fc.constantFrom(...subjects),
    also: fc.subarray([...subjects]),
  })
  .map((one) => one as unknown as Finding);

test('the need updated from the last answer equals the need computed again', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.option(found), { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
      (worlds) => {
        const needAfter = createNeed();
        for (const world of worlds) {
          const findings = world.flatMap((one, i) => (one === null ? [] : [{ ...one, id: `f${i}` }]));
          expect(needAfter(findings)).toEqual(needOf(findings));
        }
      },
    ),
  );
});
