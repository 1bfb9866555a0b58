/** Every benchmark, in the order of the page. */
import type { Bench } from './figure';

export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  wake: async () => (await import('./wake')).bench,
  pixel: async () => (await import('./pixel')).bench,
  'fan-out': async () => (await import('./fan-out')).bench,
  people: async () => (await import('./people')).bench,
  rights: async () => (await import('./rights')).bench,
  revoked: async () => (await import('./revoked')).bench,
  replicas: async () => (await import('./replicas')).bench,
  bytes: async () => (await import('./bytes')).bench,
  scale: async () => (await import('./scale')).bench,
  large: async () => (await import('./large')).bench,
  hour: async () => (await import('./hour')).bench,
  churn: async () => (await import('./churn')).bench,
  view: async () => (await import('./view')).bench,
  cost: async () => (await import('./cost')).bench,
  redis: async () => (await import('./redis')).bench,
  zookeeper: async () => (await import('./zookeeper')).bench,
  act: async () => (await import('./act')).bench,
  board: async () => (await import('./board')).bench,
  script: async () => (await import('./script')).bench,
  recipes: async () => (await import('./recipes')).bench,
  start: async () => (await import('./start')).bench,
  history: async () => (await import('./history')).bench,
  month: async () => (await import('./month')).bench,
  today: async () => (await import('./today')).bench,
};
