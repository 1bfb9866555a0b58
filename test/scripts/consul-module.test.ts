/** The module that builds Consul for the tests names what its documentation says, so a change of one is a change of both. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pinnedVersion } from '@/scripts/hashicorp.mjs';
import { inProject } from '@/scripts/project.mjs';

const module = readFileSync(inProject('scripts/consul/go.mod'), 'utf8');
const inBlock = (name: string) =>
  new RegExp(`^${name} \\(\\n([^)]*)\\)`, 'm')
    .exec(module)?.[1]
    ?.trim()
    .split('\n')
    .map((line) => line.trim().replace(/ \/\/ indirect$/, ''));

test('the Go module builds the pinned Consul, and nothing else', () => {
  expect(module).toContain('\ntool github.com/hashicorp/consul\n');
  expect(inBlock('require')?.filter((line) => /\/hashicorp\/consul(\/api)? /.test(line))).toEqual([
    `github.com/hashicorp/consul v${pinnedVersion}`,
    // Consul's own requirement, v1.33.7, lacks a field that its command uses.
    'github.com/hashicorp/consul/api v1.34.1',
  ]);
  expect(module).not.toMatch(/^replace/m);
});

test("it has Consul's own excludes, which Go takes from the main module alone", () => {
  expect(inBlock('exclude')).toEqual([
    'github.com/hashicorp/go-msgpack v1.1.5',
    'github.com/hashicorp/go-msgpack v1.1.6',
  ]);
});
