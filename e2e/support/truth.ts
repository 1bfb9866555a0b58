/**
 * Holds the API and the screen to what a row of the truth table claims. What must be there is waited for; what must
 * not be there is looked for once it is, so that a claim that comes too late is still caught.
 */
import { expect, type Page } from '@playwright/test';
import { subjectPath } from '@/lib/client/paths';
import type { Finding } from '@/lib/domain/finding';
import {
  type Lock,
  type Party,
  type Semaphore,
  type Session,
  type Subject,
  subjectId,
} from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import type { ApiClaim, Claims, Never, ScreenClaim } from '@/test/truth/situation';

/** Texts as they are compared: a page may break its lines anywhere, and figures and units are kept together. */
const even = (text: string) => text.replace(/[\s\u00a0\u2009]+/g, ' ').trim();
const says = (text: string, part: string | RegExp) =>
  typeof part === 'string' ? even(text).includes(even(part)) : part.test(even(text));

/** What no page may say of anything: a claim beyond what can be known, or a value that was not formatted. */
const neverAnywhere: readonly RegExp[] = [
  // "If its process is dead" and "probably dead" are conditions and judgements; this is a claim.
  /(?<!if its process |if it )\b(is|are) (certainly |surely )?dead\b/i,
  /\bundefined\b|\bNaN\b|\[object |Invalid Date/,
];

export async function snapshotOf(page: Page, baseUrl: string): Promise<Snapshot> {
  const answer = await page.request.get(`${baseUrl}/api/v1/snapshot`);
  expect(answer.status()).toBe(200);
  return (await answer.json()) as Snapshot;
}

export function rowOf(snapshot: Snapshot, subject: Subject): Lock | Semaphore | Session | null {
  switch (subject.kind) {
    case 'lock':
      return snapshot.locks.find((lock) => lock.key === subject.key) ?? null;
    case 'semaphore':
      return snapshot.semaphores.find((semaphore) => semaphore.prefix === subject.prefix) ?? null;
    case 'session':
      return snapshot.sessions.find((session) => session.id === subject.id) ?? null;
  }
}

function partiesOf(row: Lock | Semaphore | Session | null): readonly Party[] {
  if (row === null || !('kind' in row)) return [];
  if (row.kind === 'lock') return row.holder === null ? [] : [row.holder];
  return [...row.holders, ...row.waiters];
}

const codesOf = (findings: readonly Finding[], subject: Subject) =>
  findings.filter((one) => subjectId(one.subject) === subjectId(subject)).map((one) => one.code);

function expectApi(snapshot: Snapshot, subject: Subject, claim: ApiClaim): void {
  const row = rowOf(snapshot, subject);
  if (claim.row === null) {
    expect(row, 'it is listed').toBeNull();
    return;
  }
  expect(row, `${subjectId(subject)} is not listed`).not.toBeNull();
  expect(row).toMatchObject(claim.row);
  const parties = partiesOf(row);
  const verdicts = Object.fromEntries(parties.map((party) => [party.sessionId, party.verdict]));
  expect(verdicts).toMatchObject(claim.verdicts ?? {});
  const codes = parties.flatMap((party) => party.evidence.map((fact) => fact.code));
  for (const code of claim.evidence ?? []) expect(codes, 'evidence').toContain(code);
  for (const code of claim.findings ?? [])
    expect(codesOf(snapshot.findings, subject), 'findings').toContain(code);
}

function expectNeverInApi(snapshot: Snapshot, subject: Subject, never: Never): void {
  const row = rowOf(snapshot, subject);
  const parties = partiesOf(row);
  for (const { verdict, evidence, label } of parties) {
    expect(never.verdicts ?? [], `the verdict of ${label}`).not.toContain(verdict);
    for (const { code } of evidence)
      expect(never.evidence ?? [], `evidence for ${label}`).not.toContain(code);
  }
  for (const code of codesOf(snapshot.findings, subject)) expect(never.findings ?? []).not.toContain(code);
  if (row !== null && 'state' in row) expect(never.states ?? []).not.toContain(row.state);
}

/** What is wrong with a snapshot, whatever the situation: each rule holds for every row at any time. */
function intemperate(snapshot: Snapshot): string[] {
  const faults: string[] = [];
  const rule = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  for (const { key, state, holder, delayedUntilMs, waiters } of snapshot.locks) {
    rule(waiters === null, `${key}: waiters of a plain lock are claimed`);
    rule((state === 'held') === (holder !== null), `${key}: ${state}, and its holder is ${holder?.label}`);
    rule((state === 'delayed') === (delayedUntilMs !== null), `${key}: ${state} until ${delayedUntilMs}`);
  }
  for (const { label, verdict, session, evidence, expiry } of [
    ...snapshot.locks,
    ...snapshot.semaphores,
  ].flatMap(partiesOf)) {
    const codes = evidence.map((fact) => fact.code);
    rule(codes.length > 0, `${label}: ${verdict} by nothing`);
    rule(
      session !== null || verdict === 'unknown' || verdict === 'ghost',
      `${label}: ${verdict}, and never seen`,
    );
    rule(verdict !== 'ghost' || codes.includes('no-entry-locked'), `${label}: a ghost without its evidence`);
    rule(
      verdict !== 'overdue' || codes.includes('renewal-overdue'),
      `${label}: overdue without its evidence`,
    );
    // An instant rests on a renewal that was seen, and on nothing else.
    rule(
      expiry.kind === 'observed' || (expiry.latestMs === null && expiry.lastRenewalMs === null),
      `${label}: ends at an instant that nobody can know`,
    );
  }
  for (const { prefix, limit, layout, problems } of snapshot.semaphores)
    rule(
      problems.length > 0 || (layout !== 'unreadable' && limit !== null),
      `${prefix}: ${layout} with limit ${limit}, and no word why`,
    );
  return faults;
}

async function expectScreen(page: Page, claim: ScreenClaim): Promise<void> {
  const main = page.getByRole('main');
  const text = await main.innerText();
  for (const part of claim.has)
    expect(says(text, part), `the page says ${part}; it says:\n${text}`).toBe(true);
  const outage = page.locator('[data-outage]');
  if (claim.outage === undefined) await expect(outage).toHaveCount(0, { timeout: 1_000 });
  else await expect(outage).toHaveAttribute('data-outage', claim.outage, { timeout: 1_000 });
  for (const [kind, count] of Object.entries(claim.lamps ?? {}))
    await expect(main.locator(`ol [data-lamp="${kind}"]`), `lamps of ${kind}`).toHaveCount(count, {
      timeout: 1_000,
    });
  for (const { name, why } of claim.blocked ?? []) {
    const button = main.getByRole('button', { name });
    await expect(button).toHaveAttribute('aria-disabled', 'true', { timeout: 1_000 });
    await expect(button).toHaveAccessibleDescription(why, { timeout: 1_000 });
  }
}

async function expectNeverOnScreen(page: Page, never: Never): Promise<void> {
  const main = page.getByRole('main');
  const text = await main.innerText();
  for (const part of [...(never.texts ?? []), ...neverAnywhere])
    expect(says(text, part), `the page must not say ${part}; it says:\n${text}`).toBe(false);
  for (const verdict of never.verdicts ?? [])
    await expect(main.locator(`[data-lamp="${verdict}"]`), `lamps of ${verdict}`).toHaveCount(0, {
      timeout: 1_000,
    });
  for (const name of never.enabled ?? [])
    await expect(main.getByRole('button', { name, disabled: false })).toHaveCount(0, { timeout: 1_000 });
  expect(await page.evaluate(() => 'hostile' in window), 'something that was stored has run').toBe(false);
}

/** Asks the API and looks at the screen until both say what they must; then both are searched for what they must not. */
export async function expectTruth(
  page: Page,
  baseUrl: string,
  { subject, api, screen, never }: Claims,
): Promise<void> {
  await expect(async () => expectApi(await snapshotOf(page, baseUrl), subject, api)).toPass({
    // What is counted over a minute is known after one.
    timeout: 70_000,
    intervals: [50, 100, 250, 500],
  });
  await page.goto(baseUrl + (screen.path ?? subjectPath(subject)));
  // Before the stream is there every button is off, and none of them says why it really is.
  if (screen.outage === undefined) await expect(page.getByRole('banner').getByText(/^live/)).toBeVisible();
  await expect(() => expectScreen(page, screen)).toPass({ timeout: 10_000, intervals: [50, 100, 250, 500] });
  await expectNeverOnScreen(page, never);
  const snapshot = await snapshotOf(page, baseUrl);
  expectNeverInApi(snapshot, subject, never);
  expect(intemperate(snapshot)).toEqual([]);
}
