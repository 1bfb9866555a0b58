/** Every route and page of the console is asked, also those that come later. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { methods } from '@/lib/server/http/methods';
import { inProject } from '@/scripts/project.mjs';
import { apiPaths, pages } from './requests';

/** The addresses of the files with this name; groups in parentheses are not in an address. */
const addresses = (file: RegExp) =>
  readdirSync(inProject('app'), { recursive: true, encoding: 'utf8' })
    .filter((path) => file.test(path))
    .map((path) => `/${path.replace(file, '').replace(/\([^/]*\)\//g, '')}`.replace(/(?<=.)\/$/, ''))
    .filter((address) => !address.includes('['));

test('every page is asked', () => {
  const all = addresses(/(?<=^|\/)page\.tsx$/);
  expect(all).toContain('/');
  expect(all.filter((address) => !pages.includes(address))).toEqual([]);
});

test('every route is asked', () => {
  expect(Object.keys(methods).filter((path) => ![...apiPaths, ...pages].includes(path))).toEqual([]);
});
