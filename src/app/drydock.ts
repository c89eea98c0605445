import type { Installation } from './installation.ts'
import type { Ownership } from './ownership.ts'
import type { StateAccess } from './state-access.ts'

/**
 * One repository with its state, fully assembled. Functions take the parts that they use; the whole
 * type is for code that passes it on.
 */
export interface Drydock extends Installation, StateAccess, Ownership {}
