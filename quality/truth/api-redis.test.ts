import { vi } from 'vitest';
import { apiHalf } from '@/quality/truth/api-half';

vi.mock('server-only', () => ({}));

apiHalf('redis');
