/** All faults, in the order of the page. */
import type { Fault } from './fault';
import { agentFaults } from './faults/agent';
import { certificateFaults } from './faults/certificate';
import { diskFaults } from './faults/disk';
import { linkFaults } from './faults/link';
import { partitionFaults } from './faults/partitions';
import { tombstoneFaults } from './faults/tombstones';
import { upgradeFaults } from './faults/upgrade';
import { bufferingFaults } from './ours/buffering';
import { clockFaults } from './ours/clocks';
import { crowdFaults } from './ours/crowds';
import { databaseFaults } from './ours/databases';
import { processFaults } from './ours/process';
import { storeFaults } from './ours/stores';

export const faults: readonly Fault[] = [
  ...agentFaults,
  ...upgradeFaults,
  ...diskFaults,
  ...partitionFaults,
  ...tombstoneFaults,
  ...linkFaults,
  ...certificateFaults,
  ...storeFaults,
  ...databaseFaults,
  ...processFaults,
  ...clockFaults,
  ...bufferingFaults,
  ...crowdFaults,
];
