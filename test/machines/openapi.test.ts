/** The document of the API, against the routes that there are; `answers.test.ts` holds real answers against it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test, vi } from 'vitest';
import { openApi } from '@/lib/server/openapi/openapi';
import { named } from '@/lib/server/openapi/parts';

vi.mock('server-only', () => ({}));

type Operation = {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
};
const document = openApi() as unknown as { paths: Record<string, Record<string, Operation>> };

/** `/api/v1/grants/[id]` of the router is `/api/v1/grants/{id}` here. */
const routes = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'app'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /^app\/(api|embed|healthz|readyz|metrics)\/?.*route\.ts$/.test(file))
  .map((file) => ({
    path: file.slice('app'.length, -'/route.ts'.length).replace(/\[(\w+)\]/g, '{$1}'),
    exported: [...readFileSync(file, 'utf8').matchAll(/export (?:async )?function ([A-Z]+)\(/g)].map(
      ([, method = '']) => method.toLowerCase(),
    ),
  }));

test('every route and method is in the document, and the document has no others', () => {
  const there = routes.flatMap(({ path, exported }) =>
    // The framework answers HEAD by GET.
    [...new Set(exported.includes('get') ? [...exported, 'head'] : exported)].map((m) => `${m} ${path}`),
  );
  const told = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(routes.length).toBeGreaterThan(8);
  expect(told.sort()).toEqual(there.sort());
});

test('the document is OpenAPI 3.1 by its published schema, every reference leads somewhere, and ids are unique', async () => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(openApi()) as Record<string, unknown>,
  );
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  const text = JSON.stringify(openApi());
  const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
  expect(refs.length).toBeGreaterThan(100);
  for (const ref of new Set(refs))
    expect([ref, Object.hasOwn(named, ref.replace('#/components/schemas/', ''))]).toEqual([ref, true]);
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((m) => m.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(text).not.toContain('"$defs"');
});
