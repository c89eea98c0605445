import { checkConfig } from '../../app/commands/check-config.ts'
import { checkModels } from '../../app/commands/check-models.ts'
import { type SpecSource, specRequest } from '../../app/commands/spec-request.ts'
import { checkContainers, type KeyedStart, startCommand } from '../../app/commands/start-command.ts'
import { uncommittedWork } from '../../app/commands/uncommitted-work.ts'
import type { Installation } from '../../app/installation.ts'
import type { WorkOptions } from '../../app/work-options.ts'
import { titleOfSpec } from '../../domain/run/spec.ts'
import type { SessionOptions } from './session-options.ts'

interface StartOptions {
  readonly mode: SessionOptions['mode']
  readonly text: string
  readonly options: WorkOptions
}

/**
 * The command that starts the work of a prompt, not yet stored. Throws DrydockErrors if anything
 * prevents the start.
 */
export async function startWork(drydock: Installation, { mode, text, options }: StartOptions): Promise<KeyedStart> {
  const crew = mode !== 'task'
  const checked = await checkConfig(drydock, options, mode !== 'plan')
  const models = checkModels(drydock, options, { crew, editor: mode !== 'plan' })
  await checkContainers(drydock)
  const request = crew ? await crewRequest(drydock, text, mode === 'plan') : taskRequest(text)
  const title = request.kind === 'spec' ? titleOfSpec(request.spec) : text
  const { key, command } = await startCommand(drydock, { request, models, checked, title, options })
  return { key, command: { ...command, ...(await uncommittedWork(drydock, request)) } }
}

function taskRequest(text: string) {
  const task = { text, constraints: [], non_goals: [], files: [] }
  return { kind: 'task', task, dryRun: false, apply: false } as const
}

/** Requests a plan first if the mode says so, since a person is there to approve the stories. */
function crewRequest(drydock: SpecSource, text: string, planOnly: boolean) {
  const spec = { text, source: 'text' }
  return specRequest(drydock, { spec, planOnly, reviewStories: !planOnly, asIs: false, stories: null })
}
