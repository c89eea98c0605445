import type { Installation } from './installation.ts'
import type { Ownership } from './ownership.ts'
import type { StateAccess } from './state-access.ts'

/**
 * One repository with its state, put together. Functions take the parts that they use; the whole is
 * for those that hand it on.
 */
export interface Drydock extends Installation, StateAccess, Ownership {}
