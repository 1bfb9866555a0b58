/** Chinese (simplified) as one object. It compiles only while it says everything that English says. */
import { page } from './page';
import { rest } from './rest';

export const zh = { ...page, ...rest };
