import { expect, test, vi } from 'vitest';
import type { Problem } from '@/lib/domain/problem';
import type { SignedIn } from '@/lib/domain/seam/backend';
import { createCredentials, credentialName } from './credentials';

const ann: SignedIn = { id: '1', name: 'ann', endsAtMs: null };
const unknown: Problem = { code: 'signed-out', why: { code: 'token-unknown', facts: {} } };
const outage: Problem = { code: 'unavailable' };

/** A backend and a clock under the test's control. */
function stage() {
  const state = { nowMs: 0, asked: 0, answer: ann as SignedIn | Problem };
  const credentials = createCredentials({
    backend: {
      signIn: async () => {
        state.asked += 1;
        return state.answer;
      },
    },
    now: () => state.nowMs,
  });
  return { state, whoIs: () => credentials.whoIs('s'), credentials };
}

test('many requests are one question', async () => {
  const { state, whoIs } = stage();
  expect(await Promise.all([whoIs(), whoIs(), whoIs()])).toEqual([ann, ann, ann]);
  state.nowMs = 9_000;
  await whoIs();
  expect(state.asked).toBe(1);
});

test('a token that the backend has forgotten stops working, without a watch by it', async () => {
  const { state, whoIs } = stage();
  await whoIs();
  state.answer = unknown;
  state.nowMs = 11_000;
  // This request still gets the old answer, and asks for the next.
  expect(await whoIs()).toEqual(ann);
  await vi.waitFor(async () => expect(await whoIs()).toEqual(unknown));
});

test('once the heartbeat has reported, the very next request asks', async () => {
  const { state, whoIs, credentials } = stage();
  await whoIs();
  state.answer = unknown;
  credentials.forget(credentialName('s'));
  expect(await whoIs()).toEqual(unknown);
});

test('an outage keeps known people signed in for a while, and lets no unknown one in', async () => {
  const { state, whoIs } = stage();
  await whoIs();
  state.answer = outage;
  state.nowMs = 5 * 60_000;
  expect(await whoIs()).toEqual(ann);
  state.nowMs = 20 * 60_000;
  expect(await whoIs()).toEqual(outage);
  const other = stage();
  other.state.answer = outage;
  expect(await other.whoIs()).toEqual(outage);
});

test('during an outage the backend is not asked by every request', async () => {
  const { state, whoIs } = stage();
  state.answer = outage;
  await whoIs();
  for (let n = 0; n < 10; n += 1) await whoIs();
  expect(state.asked).toBe(1);
  state.nowMs = 3_000;
  await whoIs();
  expect(state.asked).toBe(2);
});

test('a token that expires is asked about again when its time is over', async () => {
  const { state, whoIs } = stage();
  state.answer = { ...ann, endsAtMs: 4_000 };
  await whoIs();
  state.nowMs = 4_000;
  state.answer = unknown;
  expect(await whoIs()).toEqual(unknown);
});

test('a clock that is set back makes no answer fresh again: neither an identity nor a failure', async () => {
  const { state, whoIs } = stage();
  state.nowMs = 3 * 60 * 60_000;
  await whoIs();
  state.answer = unknown;
  state.nowMs = 0;
  expect(await whoIs()).toEqual(unknown);

  const failed = stage();
  failed.state.nowMs = 3 * 60 * 60_000;
  failed.state.answer = outage;
  expect(await failed.whoIs()).toEqual(outage);
  failed.state.answer = ann;
  failed.state.nowMs = 0;
  expect(await failed.whoIs()).toEqual(ann);
});
