/** Every benchmark, in the order of the page. */
import type { Bench } from './figure';

export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  wake: async () => (await import('./wake')).bench,
  'fan-out': async () => (await import('./fan-out')).bench,
  act: async () => (await import('./act')).bench,
  recipes: async () => (await import('./recipes')).bench,
  start: async () => (await import('./start')).bench,
};
