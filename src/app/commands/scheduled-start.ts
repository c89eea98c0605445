import type { RunRequest } from '../../domain/run/run.ts'
import { titleOfSpec } from '../../domain/run/spec.ts'
import type { ScheduleData, ScheduledWork } from '../../domain/schedule/schedule.ts'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'
import { checkConfig } from './check-config.ts'
import { checkModels } from './check-models.ts'
import { type SpecSource, specRequest } from './spec-request.ts'
import { checkContainers, type KeyedStart, startCommand } from './start-command.ts'
import { isFile, isRegular, readTextFile } from './text-file.ts'

/**
 * The command that starts scheduled work, with the repository, the configuration and the file as
 * they are now. An unchanged spec is built again each time. Throws a DrydockError if anything
 * prevents the start.
 */
export async function scheduledStart(
  drydock: Installation,
  { work, options }: Pick<ScheduleData, 'work' | 'options'>,
): Promise<KeyedStart['command']> {
  const request = await requestOf(drydock, work)
  await checkContainers(drydock)
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew: request.kind === 'spec' })
  const title = request.kind === 'spec' ? titleOfSpec(request.spec) : request.task.text
  return (await startCommand(drydock, { request, models, checked, title, options })).command
}

async function requestOf(
  drydock: SpecSource,
  work: ScheduledWork,
): Promise<Extract<RunRequest, { kind: 'spec' | 'task' }>> {
  if (work.kind === 'task') {
    const task = { text: work.text, constraints: [], non_goals: [], files: [] }
    return { kind: 'task', task, dryRun: false, apply: false }
  }
  const { file, asIs } = work
  if (!(await isFile(file))) throw usage(`There is no file ${file}.`, 'Put it back, or remove the schedule.')
  // A pipe cannot be used: at the scheduled time nobody may be there to write into it.
  if (!(await isRegular(file))) throw usage(`${file} is no regular file.`, 'Name a file that can be read each time.')
  const text = await readTextFile(file, {
    what: 'spec',
    name: 'Name a file.',
    say: 'Write in it what to build.',
    shorten: 'Make it shorter, or build it in parts.',
  })
  const spec = { text, source: file }
  return specRequest(drydock, { spec, planOnly: false, reviewStories: false, asIs, stories: null })
}
