import { setTimeout as delay } from 'node:timers/promises'
import { type Draining, withHubActs } from '../../../app/hub/hub-acts.ts'
import { usage } from '../../../app/usage.ts'
import { limits } from '../../../domain/limits.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { inColumns } from '../../screen/columns.ts'
import { untilInterrupted } from '../until-interrupted.ts'

/** Shows the machines that work for the hub, whether the hub is running or not. */
export async function hubWorkers(context: Context, options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const { workers } = await withHubActs(drydock, (acts) => acts.workers())
  for (const worker of workers) output.emit({ type: 'hub_worker', ...worker })
  if (output.json) return 0
  const rows = workers.map(({ name, host, slots, silent_s, state, version }) => {
    const busy = slots.filter(({ run }) => run !== null).length
    const seen = silent_s === null ? 'gone' : `${Math.round(silent_s)} s ago`
    const tone = state === 'silent' || state === 'lost' ? ('bad' as const) : ('plain' as const)
    return { cells: [name, state, `${busy} of ${slots.length}`, seen, version ?? '', host], tone }
  })
  const head = ['NAME', 'STATE', 'BUSY', 'LAST SIGN', 'VERSION', 'HOST']
  if (rows.length === 0) output.say('Nobody works on this state now. See: drydock worker --help')
  else output.say(inColumns(output.screen, { head, right: [], painted: 1 }, rows))
  return 0
}

export interface DrainOptions {
  readonly all?: boolean
  /** False with `--no-wait`. */
  readonly wait?: boolean
}

/** Drains workers, and waits until they have ended. */
export async function hubDrain(
  context: Context,
  [name, ...more]: readonly string[],
  options: CommonOptions & DrainOptions,
): Promise<number> {
  const { output } = context
  if ((name === undefined) !== (options.all === true) || more.length > 0)
    throw usage('`hub drain` takes the name of a worker, or --all.', 'See all: drydock hub workers')
  const drydock = await open(context, options)
  return withHubActs(drydock, async (acts) => {
    const draining = await acts.drain(name)
    if (draining.hosts.length > 0) return tellDrained(context, { ...draining, isAwaited: options.wait !== false })
    if (!output.json) output.say('No worker is at work.')
    return 0
  })
}

interface DrainWait extends Draining {
  readonly isAwaited: boolean
}

/** Reports that workers are draining, and waits until they have ended. */
export async function tellDrained({ output }: Context, { hosts, isAnyAlive, isAwaited }: DrainWait): Promise<number> {
  for (const host of hosts) output.emit({ type: 'hub_worker_drains', host })
  const told = `${hosts.join(', ')}: takes no new step, and ends when those under way have ended.`
  if (!isAwaited) {
    if (!output.json) output.say(told)
    return 0
  }
  output.note(`${told} Ctrl-C ends the waiting only.`)
  return untilInterrupted(async (signal) => {
    // Polls at the interval of the workers' heartbeats.
    while (await isAnyAlive()) await delay(limits.workers.beatMs, undefined, { signal })
    for (const host of hosts) output.emit({ type: 'hub_worker_ended', host })
    if (!output.json) output.say(`${hosts.join(', ')}: ended.`)
    return 0
  })
}
