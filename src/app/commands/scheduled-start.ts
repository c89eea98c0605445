import { resolve } from 'node:path'
import { splitModelNames } from '../../domain/model-name.ts'
import type { RunRequest } from '../../domain/run/run.ts'
import { titleOfSpec } from '../../domain/run/spec.ts'
import type { ScheduleData, ScheduledOptions, ScheduledWork } from '../../domain/schedule/schedule.ts'
import type { Drydock } from '../drydock.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'
import { checkConfig } from './check-config.ts'
import { checkModels } from './check-models.ts'
import { specRequest } from './spec-request.ts'
import { checkContainers, type Started, startCommand } from './start-command.ts'
import { isFile, readTextFile } from './text-file.ts'

/**
 * The command that starts what is scheduled, as the repository, the configuration and the file are
 * now. The same spec is built anew each time. Throws DrydockError for whatever is in the way.
 */
export async function scheduledStart(
  drydock: Drydock,
  { work, options }: Pick<ScheduleData, 'work' | 'options'>,
): Promise<Started['command']> {
  const request = await requestOf(drydock, work)
  await checkContainers(drydock)
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew: request.kind === 'spec' })
  const title = request.kind === 'spec' ? titleOfSpec(request.spec) : request.task.text
  return (await startCommand(drydock, { request, models, checked, title, options })).command
}

async function requestOf(
  drydock: Drydock,
  work: ScheduledWork,
): Promise<Extract<RunRequest, { kind: 'spec' | 'task' }>> {
  if (work.kind === 'task') {
    const task = { text: work.text, constraints: [], non_goals: [], files: [] }
    return { kind: 'task', task, dryRun: false, apply: false }
  }
  const { file, asIs } = work
  if (!(await isFile(file))) throw usage(`There is no file ${file}.`, 'Put it back, or remove the schedule.')
  const text = await readTextFile(file, {
    what: 'spec',
    name: 'Name a file.',
    say: 'Write in it what to build.',
    shorten: 'Make it shorter, or build it in parts.',
  })
  const spec = { text, source: file }
  return specRequest(drydock, { spec, planOnly: false, reviewStories: false, asIs, stories: null })
}

/** What holds wherever the process that starts it stands. */
export function fromAnywhere(options: WorkOptions): ScheduledOptions {
  const { model, architectModel, editorModel, scoutModel, target, budgetUsd, maxWait, priority, config } = options
  return {
    ...(model !== undefined && { model: anywhere(model) }),
    ...(architectModel !== undefined && { architectModel: anywhere(architectModel) }),
    ...(editorModel !== undefined && { editorModel: anywhere(editorModel) }),
    ...(scoutModel !== undefined && { scoutModel: anywhere(scoutModel) }),
    ...(target !== undefined && { target }),
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(maxWait !== undefined && { maxWait }),
    ...(priority !== undefined && { priority }),
    ...(config !== undefined && { config: resolve(config) }),
  }
}

/** A recording is named by its file. */
function anywhere(models: string): string {
  const name = (model: string) =>
    model.startsWith('replay:') ? `replay:${resolve(model.slice('replay:'.length))}` : model
  return splitModelNames(models).map(name).join(',')
}
