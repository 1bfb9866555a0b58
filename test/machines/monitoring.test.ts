/** The alert rules and the dashboard use the server's own names and labels. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GET as scrape } from '@/app/metrics/route';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { findingCodes } from '@/lib/server/openapi/schema-finding';
import { runtime } from '@/lib/server/runtime';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { type Family, readExposition } from './exposition';
import { type Served, serve, whenLive } from './served';

vi.mock('server-only', () => ({}));

let consul: TestConsul;
let served: Served;
let told: ReadonlyMap<string, Family>;

const alerts = readFileSync('docs/monitoring/alerts.yml', 'utf8');
const dashboard = readFileSync('docs/monitoring/grafana.json', 'utf8');
const page = readFileSync('docs/monitoring.md', 'utf8');

/** Every expression, with where it stands. */
const expressions = [
  ...[...alerts.matchAll(/alert: (\w+)\n\s+expr: (.+)/g)].map(([, where = '', expr = '']) => ({
    where,
    expr,
  })),
  ...JSON.parse(dashboard).panels.flatMap((panel: { title: string; targets: { expr: string }[] }) =>
    panel.targets.map(({ expr }) => ({ where: panel.title, expr })),
  ),
];

/** Added by Prometheus itself to every series. */
const added = ['job', 'instance'];

beforeAll(async () => {
  consul = await startConsul();
  served = await serve(consul);
  const put = (key: string, body: string) =>
    fetch(`http://${consul.address}/v1/kv/${key}?flags=${semaphoreFlags}`, { method: 'PUT', body });
  await put('a/.lock', '{"Limit":1,"Holders":{"11111111-2222-4333-8444-555555555555":true}}');
  await whenLive();
  runtime().metrics.audited('intent');
  told = await until(
    async () => {
      const now = readExposition(await (await served.ask(scrape, '/metrics')).text());
      return (now.get('signalbox_findings')?.samples.length ?? 0) > 0 && now;
    },
    { what: 'a finding' },
  );
});

afterAll(async () => {
  await served.stop();
  await consul.stop();
});

test('every name and label in an alert or a panel is one that the server exports', () => {
  expect(expressions.length).toBeGreaterThan(20);
  for (const { where, expr } of expressions) {
    const names = [...expr.matchAll(/\b((?:signalbox|process|nodejs)_\w+|up)\b/g)].map(
      ([, name = '']) => name,
    );
    expect([where, names.length > 0]).toEqual([where, true]);
    for (const name of names)
      expect([where, name, name === 'up' || told.has(name)]).toEqual([where, name, true]);
    for (const [, name = '', matchers = ''] of expr.matchAll(/(\w+)\{([^}]*)\}/g))
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
        const known = told.get(name)?.samples.some(({ labels }) => label in labels);
        expect([where, name, label, added.includes(label) || known]).toEqual([where, name, label, true]);
      }
  }
});

test('the findings that alerts name are codes of findings, and every metric is on the page of the document', () => {
  const named = [...alerts.matchAll(/\bcode=~?"([\w|-]+)"/g)].flatMap(([, codes = '']) => codes.split('|'));
  expect(named.length).toBeGreaterThan(3);
  for (const code of named) expect(findingCodes).toContain(code);
  for (const name of told.keys()) expect([name, page.includes(`\`${name}\``)]).toEqual([name, true]);
});
