/** English as one object. */
import { page } from './page';
import { rest } from './rest';

export const en = { ...page, ...rest };
