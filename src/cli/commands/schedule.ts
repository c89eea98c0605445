import { modelsNamed } from '../../app/commands/named-options.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import { viewsOf } from '../../app/operations/views-of.ts'
import { handedOverWords } from '../../app/text/handed-over.ts'
import { usage } from '../../app/usage.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { inZone, sayOrEmitSchedules } from '../screen/schedule-table.ts'

interface ScheduleOptions {
  readonly task?: string
  readonly timezone?: string
  readonly asIs?: boolean
}

const changes = { pause: 'paused', resume: 'resumed', remove: 'removed' } as const

/** Adds, lists and changes the schedules of a repository. */
export async function schedule(
  context: Context,
  [what = '', ...rest]: readonly string[],
  options: CommonOptions & ScheduleOptions,
): Promise<number> {
  if (what === 'add') return add(context, rest, options)
  const own = ['task', 'timezone', 'asIs', 'model', 'target', 'config', 'priority', 'budgetUsd', 'maxWait'] as const
  if (own.some((name) => options[name] !== undefined))
    throw usage(`Only \`schedule add\` takes these options.`, 'See: drydock help schedule')
  if (what === 'list') return list(context, rest, options)
  if (what !== 'pause' && what !== 'resume' && what !== 'remove')
    throw usage(`There is no \`schedule ${what}\`.`, 'Name one: add, list, pause, resume or remove')
  const [name, ...more] = rest
  if (name === undefined || more.length > 0)
    throw usage(`\`schedule ${what}\` needs the name of one schedule.`, 'See: drydock schedule list')
  const { output } = context
  const drydock = await open(context, options)
  const acts = await actsOf(drydock)
  const { handed } = await acts.changeSchedule({ name, change: changes[what] })
  output.emit({ type: 'schedule', name, event: changes[what], handed })
  output.say(`${name} is ${changes[what]}.${handed === 'waiting' ? ` ${handedOverWords.waiting}` : ''}`)
  return 0
}

async function add(
  context: Context,
  [cron, file, ...more]: readonly string[],
  options: CommonOptions & ScheduleOptions,
): Promise<number> {
  const { task, timezone, asIs = false } = options
  if (cron === undefined || more.length > 0 || (file === undefined) === (task === undefined))
    throw usage(
      'A schedule needs a cron expression in quotes, and a spec or --task.',
      'drydock schedule add "0 6 * * 1" spec.md   or: drydock schedule add "0 6 * * 1" --task "update the dependencies"',
    )
  if (task?.trim() === '') throw usage('The task has no text.', 'Say what to do.')
  if (task !== undefined && (asIs || options.architectModel !== undefined))
    throw usage('--as-is and --architect-model are for specs.', 'Leave them out.')
  const { output } = context
  const drydock = await open(context, options)
  const work =
    task === undefined
      ? ({ kind: 'spec', file: file ?? '', as_is: asIs } as const)
      : ({ kind: 'task', text: task } as const)
  const { target, budgetUsd: budget_usd, maxWait: max_wait_sec, priority } = options
  const acts = await actsOf(drydock, { options })
  const terms = { target, models: modelsNamed(options), budget_usd, max_wait_sec, priority }
  const added = await acts.addSchedule({ cron, timezone, work, ...terms })
  const { times } = added
  output.emit({ type: 'schedule', name: added.name, event: 'added', cron, timezone: added.timezone, times })
  if (output.json) return 0
  output.say(`Added ${added.name}. Its next times (${added.timezone}):`)
  for (const time of times) output.say(`  ${inZone(new Date(time), added.timezone)}`)
  output.note('It starts runs while `drydock serve` runs.')
  return 0
}

async function list(context: Context, rest: readonly string[], options: CommonOptions): Promise<number> {
  if (rest.length > 0) throw usage('`schedule list` takes no name.', 'drydock schedule list')
  const { output } = context
  const { schedules } = await (await viewsOf(await open(context, options))).schedules({})
  if (schedules.length > 0) sayOrEmitSchedules(output, schedules)
  else output.say('No schedules yet. Add one: drydock schedule add "0 6 * * 1" spec.md')
  return 0
}
