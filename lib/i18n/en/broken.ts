/** English: the page when Signalbox itself is broken. It has no frame and no other words. */
export const broken = {
  title: 'Signalbox failed to draw this page.',
  retry: 'Load again',
  text: 'This is a bug in Signalbox. Locks are not affected, and nothing was written.',
  next: 'Load the page again. If it fails again, check the server itself (for Consul: consul kv get, or its UI). Give your Signalbox administrator this page’s address and the time.',
  reference: (digest: string) => `For the log: ${digest}`,
};
