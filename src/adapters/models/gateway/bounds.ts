import type { limits } from '../../../domain/limits.ts'

type BoundName = 'calls' | 'connections' | 'requestBytes' | 'headerBytes' | 'headersMs' | 'requestMs' | 'idleMs'

/** The limits for one agent's use of a gateway. */
export type Bounds = Readonly<Record<BoundName & keyof typeof limits.gateway, number>>
