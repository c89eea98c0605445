import type { limits } from '../../../domain/limits.ts'

type Bound = 'calls' | 'connections' | 'requestBytes' | 'headerBytes' | 'headersMs' | 'requestMs' | 'idleMs'

/** The limits for one agent's use of a gateway. */
export type Bounds = Readonly<Record<Bound & keyof typeof limits.gateway, number>>
