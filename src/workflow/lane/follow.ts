import type { Lane } from '../../domain/lane/lane.ts'
import type { Transaction } from '../../ports/store.ts'

/** What is committed together with a lane's step; the lane is as that step left it. */
export type Follow = (tx: Transaction, lane: Lane) => Promise<void>
