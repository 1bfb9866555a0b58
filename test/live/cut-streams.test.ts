/**
 * An agent cuts every answer after `http_config.write_timeout`, the log that it streams too. Here that is seconds. Consul
 * before 1.22.5 has no such limit, so a proxy cuts as well.
 */
import { expect, test } from 'vitest';
import type { SourceState } from '@/lib/domain/source-state';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { startConsul } from '@/test/support/consul';
import { isConsulSince } from '@/test/support/consul-version';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

const cutMs = 7_000;
/**
 * Consul allows no TTL below ten seconds unless it is told so. With this one the first cut comes between the last renewal and
 * the instant at which the holder is overdue, and the session ends after both.
 */
const ttlMs = 6_000;
const shortTtl = { session_ttl_min: `${ttlMs}ms` };

async function hold(client: ConsulClient, key: string): Promise<string> {
  const session = await client.createSession({
    name: key,
    ttlMs,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key, session, flags: '3304740253564472344', value: Buffer.alloc(0) });
  return session;
}

const followed = ({ sources }: Watching) => sources.map(({ renewals }) => renewals[0]);
const holders = ({ worlds }: Watching, key: string) =>
  worlds.flatMap(({ locks }) => locks.filter((lock) => lock.key === key).map(({ holder }) => holder));

/** Two holders, of which one falls silent, from before the first cut until Consul has ended that one. */
async function throughCuts(client: ConsulClient, watching: Watching): Promise<void> {
  await until(() => followed(watching).at(-1)?.state === 'observed', { what: 'the agent to be observed' });
  const sinceMs = followed(watching).at(-1)?.sinceMs;
  const told = watching.sources.length;
  const [silent, busy] = [await hold(client, 'silent'), await hold(client, 'busy')];
  await Promise.all([client.renewSession(silent), client.renewSession(busy)]);
  const renewedMs = Date.now();
  const renewing = setInterval(() => void client.renewSession(busy).catch(() => {}), 2_000);
  try {
    await until(
      () => ['silent', 'busy'].every((key) => watching.lock(key)?.holder?.expiry.kind === 'observed'),
      { what: 'both renewals' },
    );
    const before = watching.worlds.length;
    await until(() => watching.lock('silent')?.holder?.verdict === 'overdue', {
      what: 'the silent holder to be overdue',
      timeoutMs: 30_000,
    });
    const overdueAfterMs = Date.now() - renewedMs;
    // The first stream was cut by then.
    expect(Date.now() - (sinceMs ?? 0)).toBeGreaterThan(cutMs);
    const overdue = watching.worlds.length;
    await until(() => watching.lock('silent')?.state !== 'held', {
      what: 'its session to end',
      timeoutMs: 30_000,
    });
    // Nothing was put off until after the first cut: a TTL, its second of slack, the proof by the next mark, and the
    // making of a view.
    expect(overdueAfterMs).toBeGreaterThan(ttlMs);
    expect(overdueAfterMs).toBeLessThan(ttlMs + cutMs);
    const worlds = { ...watching, worlds: watching.worlds.slice(before) };
    expect(new Set(holders(worlds, 'busy').map((holder) => holder?.verdict))).toEqual(new Set(['alive']));
    expect(new Set(holders(worlds, 'busy').map((holder) => holder?.expiry.kind))).toEqual(
      new Set(['observed']),
    );
    const later = holders({ ...watching, worlds: watching.worlds.slice(overdue - 1) }, 'silent');
    expect(new Set(later.flatMap((holder) => holder?.verdict ?? []))).toEqual(new Set(['overdue']));
  } finally {
    clearInterval(renewing);
  }
  // Over the whole time, and not only when it was looked at.
  const watches = watching.sources.slice(told - 1).map(({ renewals }: SourceState) => renewals[0]);
  expect(new Set(watches.map((watch) => watch?.state))).toEqual(new Set(['observed']));
  expect(new Set(watches.map((watch) => watch?.sinceMs))).toEqual(new Set([sinceMs]));
}

test('no renewal is lost where a proxy cuts every stream, not even at the first cut', async () => {
  const consul = await startConsul({ extraConfig: shortTtl });
  const proxy = await startFaultProxy(consul.address, { answerMaxMs: cutMs });
  const watching = startWatching(
    consul.client(),
    [''],
    [consulSettings({ CONSUL_HTTP_ADDR: proxy.address })],
  );
  await throughCuts(consul.client(), watching);
  await watching.stop();
  await proxy.close();
}, 180_000);

test('no renewal is lost where the agent cuts every answer, not even at the first cut', async ({ skip }) => {
  if (!(await isConsulSince('1.22.5'))) skip('Consul has http_config.write_timeout since 1.22.5.');
  const consul = await startConsul({
    extraConfig: { ...shortTtl, http_config: { write_timeout: `${cutMs}ms` } },
  });
  const watching = startWatching(
    consul.client(),
    [''],
    [consulSettings({ CONSUL_HTTP_ADDR: consul.address })],
  );
  await throughCuts(consul.client(), watching);
  await watching.stop();
}, 180_000);
