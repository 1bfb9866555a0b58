import { expect, test } from 'vitest';
import { createSparePolls } from './spare-polls';

/** Uses all that is free, and returns all of it on request. */
function greedy(spare: ReturnType<typeof createSparePolls>) {
  let polls = 0;
  const use = (count: number) => {
    polls = count;
    claim.use(count);
  };
  const claim = spare.claim(() => use(0));
  return { fill: () => use(claim.room()), end: claim.end, polls: () => polls };
}

test('a watch that begins has the polls that it needs, at any use by split prefixes', () => {
  const spare = createSparePolls({ total: 36, each: 5 });
  const all: ReturnType<typeof greedy>[] = [];
  for (let watches = 1; watches <= 7; watches += 1) {
    spare.begin();
    const used = () => all.reduce((sum, one) => sum + one.polls(), 0);
    expect(used(), `when ${watches} have begun`).toBeLessThanOrEqual(36 - watches * 5);
    all.push(greedy(spare));
    for (const one of all) one.fill();
    expect(used(), `of ${watches}`).toBe(36 - watches * 5);
  }
});

test('the latest claim gives first, and returned polls are there for the others', () => {
  const spare = createSparePolls({ total: 30, each: 5 });
  const end = spare.begin();
  spare.begin();
  const [first, second] = [greedy(spare), greedy(spare)];
  first.fill();
  expect([first.polls(), second.polls()]).toEqual([20, 0]);
  end();
  second.fill();
  expect([first.polls(), second.polls()]).toEqual([20, 5]);
  spare.begin();
  expect([first.polls(), second.polls()]).toEqual([20, 0]);
  first.end();
  second.fill();
  expect(second.polls()).toBe(20);
});
