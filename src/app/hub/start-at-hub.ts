import type { AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { RunRequest } from '../../domain/run/run.ts'
import { modelsNamed } from '../commands/named-options.ts'
import { uncommittedWork } from '../commands/uncommitted-work.ts'
import type { Installation } from '../installation.ts'
import type { HubAccess } from '../state-access.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'

/** Options that only have a meaning on this machine. */
export interface HereOnly {
  readonly sandbox?: string
  readonly ui?: boolean
}

interface Starting {
  readonly request: RunRequest
  /** True to start a new Run even if one exists for the spec. */
  readonly again: boolean
  /** Acceptance tests, hidden from all agents of the Run. */
  readonly acceptance?: AcceptanceTests | undefined
  readonly options: WorkOptions & HereOnly
}

/**
 * Has a hub start a Run on a commit of this clone, and returns the Run's id. Throws DrydockErrors,
 * including those of the hub's own checks.
 */
export async function startAtHub(
  drydock: Pick<Installation, 'user' | 'userRepository' | 'remotes' | 'beside'>,
  hub: HubAccess,
  { request, again, options, acceptance }: Starting,
): Promise<string> {
  refuseHereOnly(options)
  if (request.kind === 'task' && request.apply)
    throw usage(
      '--apply cannot be used with a hub yet.',
      'Leave it out: the result is a branch here, which you can merge.',
    )
  const { sha: base } = await drydock.userRepository.target(options.target ?? drydock.user.target ?? null)
  const uncommitted = await uncommittedWork(drydock, request)
  await pushBase(drydock, hub, base)
  const operations = hub.operations()
  const common = commonOf(base, { ...options, ...uncommitted })
  if (request.kind === 'task') {
    const { task, dryRun: dry_run, reviewed = false, planReviewed = false, testsWritten = false, accept = [] } = request
    const { text, acceptance_criteria: criteria = [], constraints, non_goals, files } = task
    const { run } = await operations.startTask({
      task: text,
      criteria,
      constraints,
      non_goals,
      files,
      dry_run,
      accept,
      review: reviewed,
      review_plan: planReviewed,
      acceptance: testsWritten,
      ...(acceptance && { acceptance_tests: acceptance.files }),
      ...common,
    })
    return run
  }
  if (request.kind === 'spec') {
    const { spec, planOnly: plan_only, reviewStories: review_stories, asIs: as_is = false, stories } = request
    const { run } = await operations.startRun({
      spec: spec.text,
      source: spec.source,
      plan_only,
      review_stories,
      as_is,
      again,
      ...(stories && { stories }),
      ...common,
    })
    return run
  }
  throw usage(`You cannot start this (${request.kind}) on a hub from here.`, 'Leave out --hub, or use --no-hub.')
}

/** The fields that tasks and runs of a crew share. */
function commonOf(
  base: string,
  { budgetUsd, maxWait, allowFailing = [], uncommitted, ...options }: WorkOptions & UncommittedWork,
) {
  const models = modelsNamed(options)
  return {
    target: base,
    ...(models && { models }),
    ...(budgetUsd !== undefined && { budget_usd: budgetUsd }),
    ...(maxWait !== undefined && { max_wait_sec: maxWait }),
    ...(allowFailing.length > 0 && { allow_failing: allowFailing }),
    ...(uncommitted && { uncommitted }),
  }
}

type UncommittedWork = Awaited<ReturnType<typeof uncommittedWork>>

/** Refuses options that the hub decides itself. Throws DrydockError `bad_usage`. */
function refuseHereOnly({ config, sandbox, maxCoders, ui }: Starting['options']): void {
  const given = [
    config !== undefined && '--config',
    sandbox !== undefined && '--sandbox',
    maxCoders !== undefined && '--max-coders',
    ui === true && '--ui',
  ].filter((flag) => flag !== false)
  if (given.length === 0) return
  const verb = given.length === 1 ? 'is' : 'are'
  throw usage(`${given.join(' and ')} ${verb} the hub's to decide.`, 'Leave it out, or work on this machine: --no-hub')
}

/** Pushes the missing commits to the hub, below a ref for this token. */
async function pushBase(
  { userRepository, remotes }: Pick<Installation, 'userRepository' | 'remotes'>,
  hub: HubAccess,
  base: string,
): Promise<void> {
  const { known, name } = await hub.facts(base)
  if (known) return
  if (await userRepository.isShallow())
    throw new DrydockError('shallow_history', 'A shallow clone cannot give the hub commits that it lacks.', {
      todo: 'Fetch the whole history (git fetch --unshallow), then run the same command again.',
    })
  await remotes.sendCommit(hub.repository(), { ref: `refs/drydock/pushed/${name}/${base}`, sha: base })
}
