/**
 * Identity on a real agent with ACLs: views and rights, the secrecy of one prefix before a reader of another, and
 * signing in.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { accessDocument, type Column, lookAround, tryDeeds } from '@/e2e/support/access';
import { broken } from '@/e2e/support/furnish';
import { test } from '@/e2e/support/guarded';
import { holdScripts } from '@/e2e/support/hold-scripts';
import { inView, isLive, rowsOn, streamOf } from '@/e2e/support/person';
import { mark, rulesOf } from '@/e2e/support/teams';
import { languageCookie } from '@/lib/i18n/language';
import { en, type Language, languages } from '@/lib/i18n/messages';
import { inProject } from '@/scripts/project.mjs';

const { login } = en.identity;

test('what each of four tokens sees and may do is what docs/access.md says', async ({ world, arriving }) => {
  // Some hundred pages, one after the other.
  test.setTimeout(600_000);
  const first = {
    red: await world.furnish('red', 'first'),
    zebrafish: await world.furnish('zebrafish', 'first'),
  };
  const second = { red: await world.furnish('red', 'second') };
  const reader = await world.token('reader of red', rulesOf('red', 'read'));
  const operator = await world.token('operator of red', rulesOf('red', 'write'));
  const columns: Column[] = [];
  const look = async (name: string, token: string | null, places: typeof first) => {
    const one = await arriving(token);
    if (token !== null) await inView(one.page, [places.red.idle]);
    const seen = await lookAround(one, places);
    const deeds = {
      red: await tryDeeds(one, places.red),
      zebrafish: await tryDeeds(one, places.zebrafish),
    };
    columns.push({ who: name, seen, deeds });
  };
  await look('no token', null, first);
  await look('reader of red/', reader.secret, first);
  await look('operator of red/', operator.secret, first);
  // The operator has used up what the red team had there.
  await look('everything', world.consul.token, { ...first, ...second });
  const text = accessDocument(columns);
  const file = inProject('docs/access.md');
  if (process.env.SIGNALBOX_WRITE_ACCESS === '1') writeFileSync(file, text);
  else expect(text).toBe(readFileSync(file, 'utf8'));
});

test('a reader of one prefix learns nothing of another, by no page, answer, stream, count or error', async ({
  world,
  arriving,
}) => {
  test.setTimeout(180_000);
  const mine = await world.furnish('red', 'quiet');
  const theirs = await world.furnish(mark, 'quiet');
  const { secret } = await world.token('quiet reader', rulesOf('red', 'read'));
  const all = await arriving(world.consul.token);
  await inView(all.page, [theirs.pool, mine.pool]);
  const reader = await arriving(secret);
  const { page } = reader;
  await inView(page, [mine.pool]);

  // Everything that they read without naming it has nothing of the other team, not even the id of a session.
  const secrets = [mark, ...world.sessionsOf(mark)];
  const leaks = (where: string, text: string) =>
    secrets.filter((word) => text.includes(word)).map((word) => `${where}: ${word}`);
  const found: string[] = [];
  for (const path of [
    '/',
    '/?group=true',
    '/?show=human',
    `/lock?key=${encodeURIComponent(mine.release)}`,
    `/semaphore?prefix=${encodeURIComponent(mine.pool)}`,
    '/sessions',
    `/session?id=${mine.holder}`,
    '/findings',
    '/graph',
    '/no-such-page',
  ]) {
    await page.goto(path);
    await isLive(page);
    found.push(...leaks(`screen ${path}`, await page.content()));
  }
  found.push(...leaks('stream', (await streamOf(page)).text));
  for (const path of [
    '/api/v1/snapshot',
    '/api/v1/findings',
    '/api/v1/session',
    '/api/v1/audit',
    '/readyz',
    '/healthz',
  ])
    found.push(...leaks(path, await (await page.request.get(path)).text()));
  // The palette and the search find content of the page alone; the typed text is no finding.
  await page.goto('/');
  await isLive(page);
  const count = (await rowsOn(page)).length;
  expect(count).toBeGreaterThan(0);
  expect(await rowsOn(page)).toEqual((await rowsOn(page)).filter((row) => row.includes(':red/')));
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(mark.slice(0, 5));
  await expect(page.getByRole('option')).toHaveCount(1);
  await expect(page.getByRole('option')).toContainText(mark.slice(0, 5));
  found.push(...leaks('palette', await page.getByRole('dialog').innerHTML()));
  await reader.settled();
  for (const { url, body } of reader.heard) found.push(...leaks(url, body));
  expect(reader.heard.length).toBeGreaterThan(10);
  expect(found).toEqual([]);

  // A name that they type is refused alike, whether it exists or not.
  const ask = async (name: string, session: string) => {
    const said: string[] = [];
    for (const action of [
      { type: 'lock.release', source: 'consul', key: `${name}/release`, how: 'destroy-session' },
      { type: 'lock.release', source: 'consul', key: `${name}/release`, how: 'hand-over' },
      { type: 'lock.delete', source: 'consul', key: `${name}/idle` },
      { type: 'semaphore.prune', source: 'consul', prefixes: [`${name}/pool`] },
      { type: 'semaphore.resize', source: 'consul', prefix: `${name}/pool`, limit: 7 },
      {
        type: 'semaphore.evict',
        source: 'consul',
        prefix: `${name}/pool`,
        sessionId: session,
        how: 'slot-only',
      },
      { type: 'semaphore.delete', source: 'consul', prefix: `${name}/empty` },
      { type: 'session.destroy', source: 'consul', sessionId: session },
    ] as const) {
      const plan = await page.request.post('/api/v1/actions', { data: { mode: 'plan', action, reason: '' } });
      const rights = await page.request.post('/api/v1/rights', { data: { actions: [action] } });
      said.push(`${plan.status()} ${await plan.text()}`, await rights.text());
    }
    for (const path of [
      `/lock?key=${name}/release`,
      `/semaphore?prefix=${name}/pool`,
      `/session?id=${session}`,
    ]) {
      await page.goto(path);
      await isLive(page);
      // The page comes to life after its header, and the code of a timeline after that.
      if (path.startsWith('/lock'))
        await expect(page.getByRole('button', { name: en.delay.probe.button })).not.toHaveAttribute(
          'aria-disabled',
        );
      if (path.startsWith('/semaphore'))
        await expect(page.getByRole('toolbar', { name: en.history.ranges.label })).toBeVisible();
      said.push(await page.locator('main').innerText());
    }
    return said.map((text) =>
      text
        .replaceAll(name, '<name>')
        .replaceAll(session, '<id>')
        .replaceAll(session.slice(0, 4), '<id>')
        .replaceAll(session.slice(-4), '<id>')
        // The timeline's clock goes on between the two.
        .replaceAll(/^(\d\d-\d\d )?\d\d:\d\d(:\d\d)?$\n?/gm, ''),
    );
  };
  const there = await ask(theirs.prefix, theirs.holder);
  const nowhere = await ask(`${mark}/nowhere`, 'a1b2c3d4-0000-4000-8000-00000000dcba');
  expect(there).toEqual(nowhere);
});

test('a wrong token is refused and kept nowhere, the right one is in no storage, address or page', async ({
  world,
  arriving,
  signalbox,
}) => {
  const { secret } = await world.token('careful', rulesOf('red', 'read'));
  const wrong = '11111111-2222-4333-8444-555555555555';
  const { page, context, heard, settled } = await arriving(null);
  await page.goto('/findings?severity=urgent');
  await expect(page).toHaveURL(/\/login\?next=/);
  const field = page.getByLabel(login.token);
  await field.fill(wrong);
  await page.keyboard.press('Enter');
  await expect(page.getByText(login.refused['signed-out'] ?? '')).toBeVisible();
  // The next paste takes its place.
  await page.keyboard.insertText(secret);
  await expect(field).toHaveValue(secret);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/findings\?severity=urgent$/);
  await isLive(page);
  await settled();
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  const cookies = await context.cookies();
  const texts = [
    kept,
    page.url(),
    await page.content(),
    JSON.stringify(cookies),
    signalbox.log(),
    ...heard.map((one) => one.url + one.body),
  ];
  for (const token of [secret, wrong]) expect(texts.filter((text) => text.includes(token))).toEqual([]);
  expect(cookies.filter(({ httpOnly }) => httpOnly)).toMatchObject([
    { sameSite: expect.stringMatching(/Lax|Strict/) },
  ]);
});

test('Enter in the form of the sign-in is not lost before the page answers', async ({ world, arriving }) => {
  const { secret } = await world.token('quick', rulesOf('red', 'read'));
  const { page, heard, settled } = await arriving(null);
  const release = await holdScripts(page);
  await page.goto('/login', { waitUntil: 'commit' });
  await page.getByLabel(login.token).fill(secret);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: login.button })).toBeDisabled();
  release();
  await expect(page).toHaveURL(/\/$/);
  await isLive(page);
  await settled();
  expect(heard.filter(({ url }) => url.includes(secret))).toEqual([]);
});

test('a token that could not be checked stays in the field, and is taken once Consul answers', async ({
  world,
  arriving,
}) => {
  test.setTimeout(180_000);
  const { secret } = await world.token('patient', rulesOf('red', 'read'));
  const { page } = await arriving(null);
  await page.goto('/login');
  const field = page.getByLabel(login.token);
  await field.fill(secret);
  await world.consul.silence();
  try {
    await page.keyboard.press('Enter');
    await expect(page.getByText(login.refused.unavailable ?? '')).toBeVisible({ timeout: 30_000 });
    await expect(field).toHaveValue(secret);
  } finally {
    world.consul.resume();
  }
  await expect(async () => {
    await page.getByRole('button', { name: login.button }).click();
    await expect(page).toHaveURL(/\/$/, { timeout: 5_000 });
  }).toPass();
  // The tests after this one find the server as it was before.
  await expect(page.getByText(/^live/).first()).toBeVisible({ timeout: 40_000 });
});

test('a sign-in leads on within this console only, at any address', async ({
  world,
  arriving,
  signalbox,
}) => {
  test.setTimeout(180_000);
  const { secret } = await world.token('guided', rulesOf('red', 'read'));
  const { page } = await arriving(secret);
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '%2F%2Fevil.example',
    '/%09/evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
  ]) {
    await page.goto(
      `/login?next=${next.startsWith('%') || next.includes('%') ? next : encodeURIComponent(next)}`,
    );
    await expect(page.getByRole('link', { name: /careful|guided/ })).toHaveAttribute('href', '/');
    await page.getByLabel(login.token).fill(secret);
    await page.getByRole('button', { name: login.button }).click();
    await expect(page).toHaveURL(`${signalbox.baseUrl}/`);
    await isLive(page);
  }
});

for (const language of Object.keys(languages) as Language[])
  test(`signing in, who one is and the notice are clean by axe and fit 320 px, dark and light, in ${language}`, async ({
    world,
    arriving,
    signalbox,
  }) => {
    test.setTimeout(180_000);
    const m = languages[language].identity;
    const { secret } = await world.token(`form ${language}`, rulesOf('red', 'read'));
    const { page, context } = await arriving(null);
    await context.addCookies([{ name: languageCookie, value: language, url: signalbox.baseUrl }]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const faults: string[] = [];
    const check = async (what: string) => {
      for (const width of [320, 360, 1440])
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme));
          const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          if (over > 0) faults.push(`${what} at ${width} px is ${over} px too wide`);
          for (const fault of await broken(page))
            faults.push(`${what} at ${width} px, ${colorScheme}: ${fault}`);
        }
    };
    await page.goto('/login');
    await page.getByRole('button', { name: m.login.button }).click();
    await expect(page.getByText(m.login.empty)).toBeVisible();
    await check('sign-in');
    await page.getByLabel(m.login.token).fill(secret);
    await page.keyboard.press('Enter');
    const mine = page.getByRole('button', { name: m.who.label(`form ${language}`) });
    // A press before the words of the page have come, and it is hydrated, is lost.
    await expect(async () => {
      await mine.focus();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog')).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await check('who');
    await page.keyboard.press('Escape');
    await expect(mine).toBeFocused();
    await page.request.delete('/api/v1/session');
    await expect(page.getByRole('heading', { name: m.out.title })).toBeFocused();
    await check('notice');
    expect(faults).toEqual([]);
  });
