import { expect, test } from 'vitest';
import { createDutyCycle } from './duty-cycle';

test('a cheap read rests the shortest time, so that several writes of one change are taken together', () => {
  const duty = createDutyCycle();
  expect(duty.restMs()).toBe(30);
  duty.measured(2);
  expect(duty.restMs()).toBe(30);
});

test('a read that costs more than rests in proportion takes a fifth of the time at the most', () => {
  const duty = createDutyCycle();
  duty.measured(100);
  expect(duty.restMs()).toBe(400);
});

test('a loaded agent gets ten times the cost as rest, and four times again when it is quiet', () => {
  const duty = createDutyCycle();
  duty.measured(20);
  duty.measured(60);
  expect(duty.restMs()).toBe(600);
  duty.measured(20);
  expect(duty.restMs()).toBe(80);
});

test('a prefix that has grown for good does not pass for a loaded agent for ever', () => {
  const duty = createDutyCycle();
  duty.measured(20);
  for (let n = 0; n < 100; n += 1) duty.measured(100);
  expect(duty.restMs()).toBe(400);
});

test('one read that met a pause does not blind the watch; two in a row are load', () => {
  const duty = createDutyCycle();
  duty.measured(10);
  duty.measured(7_000);
  expect(duty.restMs()).toBe(40);
  duty.measured(7_000);
  expect(duty.restMs()).toBe(15_000);
  duty.measured(10);
  expect(duty.restMs()).toBe(40);
});

test('the first read of a watch may meet an election, and owes nothing for it', () => {
  const duty = createDutyCycle();
  duty.measured(7_000);
  expect(duty.restMs()).toBe(30);
  duty.measured(10);
  expect(duty.restMs()).toBe(40);
});
