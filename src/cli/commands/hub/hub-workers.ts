import { workersOf } from '../../../app/views/hub/workers.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { inColumns } from '../../screen/columns.ts'

/** Shows the machines that work for the hub, whether it runs or not. */
export async function hubWorkers(context: Context, options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const { workers } = await workersOf(drydock)
  for (const worker of workers) output.emit({ type: 'hub_worker', ...worker })
  if (output.json) return 0
  const rows = workers.map(({ name, host, slots, silent_s }) => {
    const busy = slots.filter(({ run }) => run !== null).length
    const seen = silent_s === null ? 'gone' : `${Math.round(silent_s)} s ago`
    return { cells: [name, `${busy} of ${slots.length}`, seen, host], tone: 'plain' as const }
  })
  if (rows.length === 0) output.say('Nobody works on this state now. See: drydock worker --help')
  else
    output.say(inColumns(output.screen, { head: ['NAME', 'BUSY', 'LAST SIGN', 'HOST'], right: [], painted: 1 }, rows))
  return 0
}
