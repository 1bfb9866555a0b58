import { describe, expect, test } from 'vitest';
import type { Planned } from '@/lib/client/api';
import { type DialogState, dialogStep, mayApply } from './dialog-state';

const planOf = (friction: 'click' | 'reason' | 'type-name', confirmName: string | null = null): Planned => ({
  plan: {
    summary: { code: 'delete-lock', facts: { key: 'k' } },
    writes: [],
    touches: [],
    warnings: [],
    undo: { code: 'none-delete', facts: {}, action: null },
    manual: [],
    friction,
    confirmName,
  },
  expect: {},
  saw: { sessions: [], verdict: null },
});
const planned = planOf('reason');
const applying: DialogState = { at: 'applying', planned, sentAtMs: 1 };

describe('friction', () => {
  test.each([
    ['a ghost needs one click', planOf('click'), '', '', 'yes'],
    ['a reason is asked for', planOf('reason'), ' ', '', 'reason'],
    ['a reason suffices', planOf('reason'), 'why', '', 'yes'],
    ['an alive holder needs its name typed', planOf('type-name', 'worker-4'), 'why', 'worker', 'name'],
    ['the name must be exact', planOf('type-name', 'worker-4'), 'why', 'worker-4', 'yes'],
    ['an empty name to type never matches', planOf('type-name', ''), 'why', '', 'name'],
    ['no name to type never matches', planOf('type-name', null), 'why', '', 'name'],
  ] as const)('%s', (_what, plan, reason, name, expected) => {
    expect(mayApply(plan, { reason, name })).toBe(expected);
  });
});

describe('states', () => {
  test('nothing is sent without a plan that is ready', () => {
    for (const at of ['planning', 'choosing'] as const)
      expect(dialogStep({ at }, { type: 'apply', atMs: 1 })).toEqual({ at });
    const refused: DialogState = {
      at: 'refused',
      problem: { code: 'stale', detail: '' },
      planned,
      sent: true,
    };
    expect(dialogStep(refused, { type: 'apply', atMs: 1 })).toBe(refused);
  });
  test('while it is being written, neither a late plan nor another choice opens a second chance to send', () => {
    expect(dialogStep(applying, { type: 'planned', planned })).toBe(applying);
    expect(dialogStep(applying, { type: 'plan' })).toBe(applying);
    expect(dialogStep(applying, { type: 'choose' })).toBe(applying);
  });
  test('a refusal keeps the plan that was refused, so that it can be compared', () => {
    expect(dialogStep(applying, { type: 'refused', problem: { code: 'stale', detail: '' } })).toMatchObject({
      at: 'refused',
      planned,
      sent: true,
    });
  });
});
