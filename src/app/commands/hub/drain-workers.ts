import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { hubHost, shownHost, stemOf } from '../../../domain/worker/worker-name.ts'
import type { WorkerSign } from '../../../ports/hub/worker-sign.ts'
import type { StateAccess } from '../../state-access.ts'
import { usage } from '../../usage.ts'

type Sources = Pick<StateAccess, 'workersNow' | 'drainWorkers'>

/**
 * The workers of a host that were asked to drain. A process that starts there later is not
 * included.
 */
export interface DrainedHost {
  readonly host: string
  readonly ids: readonly string[]
}

/**
 * Asks a worker to drain: it takes no new step, and hands its stories over when its current steps
 * have ended. Throws DrydockError `not_found`, `bad_usage`.
 */
export async function drainWorker({ workersNow, drainWorkers }: Sources, name: string): Promise<DrainedHost> {
  const sign = workerCalled(await workersNow(), name)
  refuseOld(sign)
  return { host: sign.host, ids: await drainWorkers(sign.host) }
}

/** Asks every live worker to drain. Throws DrydockError `bad_usage`. */
export async function drainAll({ workersNow, drainWorkers }: Sources): Promise<readonly DrainedHost[]> {
  const signs = (await workersNow()).filter(isAliveWorker)
  for (const sign of signs) refuseOld(sign)
  const drained: DrainedHost[] = []
  for (const host of new Set(signs.map(({ host }) => host))) drained.push({ host, ids: await drainWorkers(host) })
  return drained
}

/** True if one of the draining workers is still alive. */
export async function isAnyAlive(
  { workersNow }: Pick<Sources, 'workersNow'>,
  drained: readonly DrainedHost[],
): Promise<boolean> {
  const ids = new Set(drained.flatMap((each) => each.ids))
  return (await workersNow()).some((sign) => isAliveWorker(sign) && ids.has(sign.id))
}

function isAliveWorker({ host, isGivenUp, silentMs }: WorkerSign): boolean {
  return host !== hubHost && !isGivenUp && silentMs < limits.workers.hostMs
}

/**
 * Finds a worker by its displayed name, by its host, or by the name it was started with if only one
 * worker has that name.
 */
function workerCalled(signs: readonly WorkerSign[], name: string): WorkerSign {
  if (name === 'hub' || name === hubHost)
    throw usage('The hub itself cannot be drained from here.', 'End it on its machine with Ctrl-C or SIGTERM.')
  const alive = signs.filter(isAliveWorker)
  const exact = alive.find(({ host }) => host === name || shownHost(host) === name)
  const called = new Map(
    alive.filter(({ host }) => stemOf(shownHost(host) ?? '') === name).map((sign) => [sign.host, sign]),
  )
  const [first, ...others] = called.values()
  if (exact !== undefined) return exact
  if (first !== undefined && others.length === 0) return first
  const named = JSON.stringify(name.slice(0, 80))
  if (first === undefined)
    throw new DrydockError('not_found', `No worker named ${named} is at work.`, {
      todo: 'See all: drydock hub workers',
    })
  const hosts = [...called.keys()].map((host) => shownHost(host)).join(', ')
  throw usage(`Several workers are named ${named}.`, `Name one of them: ${hosts}`)
}

function refuseOld({ host, protocol }: WorkerSign): void {
  if (protocol !== null) return
  throw usage(
    `The worker ${shownHost(host)} is of an older Drydock, which cannot be drained from here.`,
    'End it on its machine with Ctrl-C or SIGTERM.',
  )
}
