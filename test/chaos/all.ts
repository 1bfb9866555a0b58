/** All faults, in the order of the page. */
import type { Fault } from './fault';
import { agentFaults } from './faults/agent';
import { linkFaults } from './faults/link';
import { tombstoneFaults } from './faults/tombstones';
import { clockFaults } from './ours/clocks';
import { crowdFaults } from './ours/crowds';
import { processFaults } from './ours/process';
import { storeFaults } from './ours/stores';

export const faults: readonly Fault[] = [
  ...agentFaults,
  ...tombstoneFaults,
  ...linkFaults,
  ...storeFaults,
  ...processFaults,
  ...clockFaults,
  ...crowdFaults,
];
