/** Chinese (simplified): what each layout is called. */
import type { Layout } from '@/lib/domain/layout';

export const names: Readonly<Record<Layout, { readonly name: string }>> = {
  'go-lock': { name: 'Go api.Lock' },
  'consul-lock': { name: 'consul lock' },
  terraform: { name: 'Terraform 状态锁' },
  vault: { name: 'Vault HA 锁' },
  'patroni-leader': { name: 'Patroni 主库锁' },
  'patroni-member': { name: 'Patroni 成员' },
  'consul-template': { name: 'consul-template 去重' },
  'consul-esm': { name: 'consul-esm leader' },
  'java-lock': { name: 'Java 文章中的锁' },
  plain: { name: '普通 acquire' },
  'go-semaphore': { name: 'Go api.Semaphore（映射）' },
  'guide-list': { name: 'HashiCorp 指南（列表）' },
  'java-semaphore': { name: 'Java 文章中的信号量（列表）' },
  unreadable: { name: '读不懂的 .lock' },
};
