import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { sha256 } from '@/scripts/download.mjs';
import { refuseOthers } from '@/scripts/java.mjs';
import { inProject } from '@/scripts/project.mjs';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-jars-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const jar = (name: string, text: string) => writeFileSync(join(dir, name), text);
const line = (name: string, text: string) => `${sha256(Buffer.from(text))}  ${name}\n`;
const list = line('a-1.jar', 'a') + line('b-2.jar', 'b');
beforeEach(() => {
  jar('a-1.jar', 'a');
  jar('b-2.jar', 'b');
  rmSync(join(dir, 'c-3.jar'), { force: true });
});

test('the pinned jars are taken', () => {
  expect(() => refuseOthers(dir, list)).not.toThrow();
});

test('a jar with other contents, one that is not pinned and one that is missing are refused by name', () => {
  jar('b-2.jar', 'another b');
  expect(() => refuseOthers(dir, list)).toThrow('b-2.jar does not have the pinned checksum');
  jar('b-2.jar', 'b');
  jar('c-3.jar', 'c');
  expect(() => refuseOthers(dir, list)).toThrow('c-3.jar does not have the pinned checksum');
  rmSync(join(dir, 'c-3.jar'));
  rmSync(join(dir, 'a-1.jar'));
  expect(() => refuseOthers(dir, list)).toThrow('Maven did not bring a-1.jar');
});

test.each(['redisson', 'curator'])('every line of the list of %s pins a jar', (part) => {
  const lines = readFileSync(inProject('scripts', 'java', part, 'jars.sha256'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((one) => !/^[0-9a-f]{64} {2}[\w.-]+\.jar$/.test(one))).toEqual([]);
});
