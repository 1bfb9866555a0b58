import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoted } from '@/lib/domain/by-hand/command';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { curlDestroy, curlTxn } from './manual';

test('a shell reads every quoted text as it is', () => {
  const text = fc.string({ unit: 'binary' }).map((s) => s.replaceAll('\0', ''));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (words) => {
      const script = `for w in ${words.map(quoted).join(' ')}; do printf '%s\\0' "$w"; done`;
      expect(execFileSync('sh', ['-c', script]).toString()).toBe(words.map((w) => `${w}\0`).join(''));
    }),
    { numRuns: 15 },
  );
});

test('a command names the token by its variable, and only where there is one', () => {
  const open = consulSettings({ CONSUL_HTTP_ADDR: '10.0.0.1:8500' });
  const closed = consulSettings({ CONSUL_HTTP_ADDR: 'https://c.example', CONSUL_HTTP_TOKEN: 'secret' });
  expect(curlDestroy(open, 'id')).toBe(`curl -sS -X PUT 'http://10.0.0.1:8500/v1/session/destroy/id'`);
  expect(curlDestroy(closed, 'id')).toContain('-H "X-Consul-Token: $CONSUL_HTTP_TOKEN"');
  expect(curlDestroy(closed, 'id')).not.toContain('secret');
  const unix = consulSettings({ CONSUL_HTTP_ADDR: 'unix:///run/consul.sock' });
  expect(curlDestroy(unix, 'id')).toContain(`--unix-socket '/run/consul.sock' 'http://localhost/v1/`);
});

test('a command checks the agent by the authorities that the console has', () => {
  const settings = consulSettings({ CONSUL_HTTP_ADDR: 'https://c.example' });
  const by = (caFrom: 'CONSUL_CACERT' | 'CONSUL_CAPATH' | null) =>
    curlDestroy({ ...settings, tls: { ...settings.tls, caFrom } }, 'id');
  expect(by('CONSUL_CACERT')).toContain('--cacert "$CONSUL_CACERT"');
  expect(by('CONSUL_CAPATH')).toContain('--capath "$CONSUL_CAPATH"');
  expect(by(null)).not.toContain('--ca');
});

test('a transaction has exact flags and its index', () => {
  const settings = consulSettings({});
  const op = {
    verb: 'cas',
    key: "a'b",
    value: Buffer.from('x'),
    flags: '16210313421097356768',
    index: '81',
  } as const;
  expect(curlTxn(settings, [op])).toBe(
    `curl -sS -X PUT --data-binary '[{"KV":{"Verb":"cas","Key":"a'\\''b","Value":"eA==","Flags":16210313421097356768,"Index":81}}]' 'http://127.0.0.1:8500/v1/txn'`,
  );
});
