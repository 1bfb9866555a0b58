/** English: what each layout is called. */
import type { Layout } from '@/lib/domain/layout';

export const names: Readonly<Record<Layout, { readonly name: string }>> = {
  'go-lock': { name: 'Go api.Lock' },
  'consul-lock': { name: 'consul lock' },
  terraform: { name: 'Terraform state lock' },
  vault: { name: 'Vault HA lock' },
  'patroni-leader': { name: 'Patroni leader' },
  'patroni-member': { name: 'Patroni member' },
  'consul-template': { name: 'consul-template de-duplication' },
  'consul-esm': { name: 'consul-esm leader' },
  'java-lock': { name: 'Java article lock' },
  plain: { name: 'plain acquire' },
  'go-semaphore': { name: 'Go api.Semaphore (map)' },
  'guide-list': { name: 'HashiCorp guide (list)' },
  'java-semaphore': { name: 'Java article semaphore (list)' },
  unreadable: { name: 'unreadable .lock' },
};
