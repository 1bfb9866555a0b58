import { expect, test } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import { createActionBudget } from './budget';

const ann = { identity: { kind: 'token', id: 'a-1', name: 'Ann' }, address: '192.0.2.7' } as const;
const ben = { identity: { kind: 'token', id: 'b-1', name: 'Ben' }, address: '192.0.2.7' } as const;
const stranger = (address: string) => ({ identity: { kind: 'anonymous' }, address }) as const;

function start(options: Omit<Parameters<typeof createActionBudget>[0], 'now'>) {
  const clock = { ms: 1_000 };
  const budget = createActionBudget({ now: () => clock.ms, windowMs: 60_000, ...options });
  const whyNot = (asker: Parameters<typeof budget.take>[0]) => {
    try {
      budget.take(asker).end();
      return null;
    } catch (error) {
      return error instanceof ProblemError ? error.problem : error;
    }
  };
  return { clock, budget, whyNot };
}

test('one person has so many actions under way, and takes no place from another', () => {
  const { budget, whyNot } = start({ underWayMax: 2 });
  const [first] = [budget.take(ann), budget.take(ann)];
  expect(whyNot(ann)).toEqual({ code: 'busy', why: { code: 'too-many-actions', facts: { max: 2 } } });
  expect(whyNot(ben)).toBeNull();
  first?.end();
  first?.end();
  expect(whyNot(ann)).toBeNull();
  budget.take(ann);
  expect(whyNot(ann)).toMatchObject({ why: { code: 'too-many-actions' } });
});

test('callers without a name are counted by their network', () => {
  const { budget, whyNot } = start({ underWayOfAddressMax: 1 });
  budget.take(stranger('2001:db8::1'));
  expect(whyNot(stranger('2001:db8::2'))).toMatchObject({ why: { code: 'too-many-actions' } });
  expect(whyNot(stranger('192.0.2.9'))).toBeNull();
});

test('a person whose rows have filled their share waits for the next window, and no one else does', () => {
  const { clock, budget, whyNot } = start({ bytesMax: 1_000, bytesOfAddressMax: 5_000 });
  const turn = budget.take(ann);
  turn.spend(999);
  expect(whyNot(ann)).toBeNull();
  turn.spend(1);
  turn.end();
  clock.ms += 20_000;
  expect(whyNot(ann)).toEqual({
    code: 'busy',
    why: { code: 'audit-budget', facts: { retryAfterMs: 40_000 } },
  });
  expect(whyNot(ben)).toBeNull();
  clock.ms += 40_000;
  expect(whyNot(ann)).toBeNull();
});

test('many names at one address share the bytes of the address', () => {
  const { budget, whyNot } = start({ bytesMax: 1_000, bytesOfAddressMax: 1_500 });
  for (const one of [ann, ben]) budget.take(one).spend(800);
  expect(whyNot({ ...ann, identity: { kind: 'proxy', name: 'Cem' } })).toMatchObject({
    why: { code: 'audit-budget' },
  });
  expect(whyNot(stranger('192.0.2.7'))).toMatchObject({ why: { code: 'audit-budget' } });
  expect(whyNot(stranger('192.0.2.8'))).toBeNull();
});
