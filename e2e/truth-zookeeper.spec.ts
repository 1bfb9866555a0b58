import { lookAt } from '@/e2e/support/truth';

lookAt('zookeeper');
