import type { Lane } from '../../../domain/lane/lane.ts'
import { once } from '../../../domain/once.ts'
import type { CallAccount } from '../../../ports/model-gateway.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { type Obstacle, openCallAccount } from '../../lane/call-account.ts'
import type { StepDependencies } from '../../step-dependencies.ts'

interface TurnGatewayOptions {
  readonly lane: Lane
  readonly provider: string | null
  readonly folder: string
  /** Called before the agent asks its model; returns false if no call is left. */
  readonly onCall: () => boolean
  /** The announced call does not start. */
  readonly onRefused: () => void
  /** Further calls get no answer. */
  readonly onObstacle: () => void
}

/** Connects an agent to its model for one turn. */
export interface TurnGateway {
  /** Null for an agent without a gateway. */
  readonly socket: string | null
  /** The obstacle of the last call; null if there was none. */
  obstacle(): Obstacle | null
  close(): Promise<void>
}

export async function openTurnGateway(
  deps: StepDependencies & Pick<WorkflowDependencies, 'foreign' | 'prices'>,
  { lane, provider, folder, onCall, onRefused, onObstacle }: TurnGatewayOptions,
): Promise<TurnGateway> {
  if (provider === null) return { socket: null, obstacle: () => null, close: () => Promise.resolve() }
  const account = await openCallAccount(deps, { lane, provider })
  const counted: CallAccount = {
    async begin(call, signal) {
      if (!onCall()) return { ok: false, because: 'ended', message: 'The turn of this agent is over.' }
      const begun = await account.begin(call, signal)
      if (begun.ok) return begun
      onRefused()
      // The budget may be raised later, but not within this turn.
      if (begun.because !== 'ended') onObstacle()
      return begun
    },
  }
  const gateway = await deps.foreign.gateways.open({ run: lane.run, provider, folder, account: counted })
  return {
    socket: gateway.socket,
    obstacle: account.obstacle,
    close: once(() => gateway.close()),
  }
}
