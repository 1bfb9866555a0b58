import { vi } from 'vitest';
import { apiHalf } from '@/test/truth/api-half';

vi.mock('server-only', () => ({}));

apiHalf('stored');
