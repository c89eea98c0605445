import type { Command } from '../../domain/command.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { HubStart } from '../../ports/hub/hub-client.ts'

/** A request that acts. */
export interface Acting {
  readonly path: string
  readonly body: object
}

/** The request that gives a command about a Run. DrydockError `bad_usage` where there is none. */
export function requestOf(command: Command): Acting {
  const of = (what: string) => `/api/runs/${encodeURIComponent(command.run ?? '')}/${what}`
  switch (command.kind) {
    case 'cancel':
    case 'pause':
      return { path: of(command.kind), body: {} }
    case 'resume':
      if (command.run === null) throw notOnHub('resume all runs of a hub', 'Name one: drydock resume <run>')
      return { path: of('resume'), body: {} }
    case 'retry': {
      const { story, guidance } = command
      return { path: of('retry'), body: { ...(story && { story }), ...(guidance !== null && { guidance }) } }
    }
    case 'accept': {
      const { story, findings } = command
      return { path: of('accept'), body: { ...(story && { story }), findings } }
    }
    case 'reply':
      return { path: `/api/messages/${encodeURIComponent(command.message)}/reply`, body: { text: command.text } }
    case 'post':
      return { path: of('posts'), body: { story: command.story, text: command.text } }
    case 'budget': {
      const { runUsd: run_usd, storyUsd: story_usd, runTokens: run_tokens } = command.raise
      return { path: of('budget'), body: { run_usd, story_usd, run_tokens } }
    }
    default:
      throw notOnHub(`do this (${command.kind}) on a hub from here`, 'Use the dashboard of the hub.')
  }
}

/** DrydockError `bad_usage` for a request that only the user's own machine can meet. */
export function requestOfStart({ request, base, models, again, ...start }: HubStart): Acting {
  const { budgetUsd: budget_usd, maxWaitSec: max_wait_sec, allowFailing: allow_failing, uncommitted } = start
  const common = {
    ...{ target: base, models, ...(uncommitted && { uncommitted }) },
    ...(budget_usd !== undefined && { budget_usd }),
    ...(max_wait_sec !== undefined && { max_wait_sec }),
    ...(allow_failing !== undefined && { allow_failing }),
  }
  if (request.kind === 'task') {
    const { task, dryRun: dry_run, reviewed: review, planReviewed: review_plan, testsWritten, accept = [] } = request
    const { text, acceptance_criteria: criteria, constraints, non_goals, files } = task
    const asked = { task: text, constraints, non_goals, files, dry_run, accept }
    const { acceptance } = start
    // An older hub refuses fields that it does not know, so they are sent only if they are used.
    const more = {
      ...(acceptance && { acceptance_tests: acceptance.files }),
      ...(criteria && { criteria }),
      ...(review && { review }),
      ...(review_plan && { review_plan }),
      ...(testsWritten && { acceptance: true }),
    }
    return { path: '/api/tasks', body: { ...asked, ...more, ...common } }
  }
  if (request.kind === 'spec') {
    const { spec, planOnly: plan_only, reviewStories: review_stories, asIs: as_is = false, stories } = request
    const asked = { spec: spec.text, source: spec.source, plan_only, review_stories, as_is, again }
    return { path: '/api/runs', body: { ...asked, ...(stories && { stories }), ...common } }
  }
  throw notOnHub(`start this (${request.kind}) on a hub from here`, 'Leave out --hub, or use --no-hub.')
}

function notOnHub(what: string, todo: string): DrydockError {
  return new DrydockError('bad_usage', `You cannot ${what}.`, { todo })
}
