import type { limits } from '../../../domain/limits.ts'

/** What one agent may take of a gateway. */
export type Bounds = Readonly<Record<keyof typeof limits.gateway, number>>
