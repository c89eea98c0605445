import { scoutText } from '../../app/text/scout-text.ts'
import { takeLine } from '../../app/text/take-line.ts'
import { claimText } from '../../domain/claim.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import type { Json } from '../../domain/json.ts'
import { raiseFlags } from '../../domain/run/budget.ts'
import { openFindings, outcomeOfResult } from '../../domain/run/outcome.ts'
import type { RepositoryResult } from '../../domain/run/repository.ts'
import type { Result } from '../../domain/run/result.ts'
import { vagueOf, writtenSpecOf } from '../../domain/run/written-spec.ts'
import { type PlannedStory, storyParts } from '../../domain/story/planned-story.ts'

/** The end of a Run in plain words: its outcome, its result, and the next steps. */
export function outcomeMessage(run: string, result: Result): string {
  const { code, sentence } = outcomeOfResult(result)
  const { tokens, cost_usd } = result
  const facts = [
    ...(result.repositories ? result.repositories.map(repositoryFact) : []),
    ...(result.branch && !result.repositories ? changeFacts(result, result.branch) : []),
    ...(result.applied ? [`In the working tree, uncommitted: ${result.applied.join(', ')}`] : []),
    `Cost: ${formatUsd(cost_usd)}, ${formatCount(tokens)} tokens`,
    ...nextSteps(run, result),
  ]
  return [...aboutIt(result), `**${code}.** ${sentence}`, list(facts)].join('\n\n')
}

function aboutIt(result: Result): readonly string[] {
  const { kind, status, answer, claim, error, stories } = result
  if (error) return [`${error.message} ${error.todo}`]
  if (claim) return [claimText(claim)]
  if (Array.isArray(answer)) return [plannedText(answer as unknown as readonly PlannedStory[])]
  if (status === 'TOO_VAGUE') {
    const { reason, missing } = vagueOf(answer)
    return [`${reason}\n\nYou have to decide:\n\n${list(missing)}`]
  }
  if (kind === 'scout' && answer !== undefined) return [scoutText(answer as Json)]
  if (kind === 'interview') return [writtenSpecOf(answer)?.text ?? ''].filter(Boolean)
  if (kind === 'spec')
    return stories.length === 0 ? [] : [list(stories.map(({ id, state, title }) => `${id}: ${state}. ${title ?? ''}`))]
  const [story] = stories
  if (story?.error_message) return [`${story.error_type}: ${story.error_message}`]
  return [story?.stuck_report ?? story?.summary ?? ''].filter(Boolean)
}

function plannedText(stories: readonly PlannedStory[]): string {
  return stories
    .map((story) => {
      const [title, ...parts] = storyParts(story)
      return [`### ${title}`, ...parts].join('\n\n')
    })
    .join('\n\n')
}

function changeFacts(result: Result, branch: string): readonly string[] {
  const { base, stories, kind, gone } = result
  const [story] = stories
  if (gone) return [gone.message, gone.todo]
  return [
    `Branch: \`${branch}\``,
    ...(kind === 'task' && story ? [`Verified: ${story.verdict ?? 'PASS'}, run_id ${story.run_id}`] : []),
    `See it: \`git diff ${base?.slice(0, 8)} ${branch}\``,
    ...(openFindings(result).length === 0 ? [`Take it: \`git merge ${branch}\``] : []),
  ]
}

function repositoryFact(repository: RepositoryResult): string {
  const take = takeLine(repository)
  return `${repository.name}: ${take === null ? (repository.sha === null ? 'unchanged' : 'not landed') : `\`${take}\``}`
}

function nextSteps(run: string, result: Result): readonly string[] {
  const open = openFindings(result)
  if (open.length > 0) return [`To accept the findings: \`drydock accept ${run} ${open.join(' ')}\``]
  switch (result.status) {
    case 'PAUSED':
      return result.paused_by === 'user'
        ? ['Nothing is lost. To continue, send a prompt with what to do next.']
        : [
            `Nothing is lost. Allow more here, as a larger budget of the session, or with: \`drydock budget ${run} ${raiseFlags(result.paused ?? [])}\``,
            'Then send a prompt.',
          ]
    case 'ERROR':
      return ['Nothing is lost. To continue, mend this and send a prompt.']
    case 'INFRA_ERROR':
      return result.kind === 'task'
        ? [
            `Nothing is lost. To continue, mend this and run: \`drydock resume ${run}\``,
            'A prompt tries again from the kept work, with its words as advice.',
          ]
        : []
    case 'STUCK':
      return result.kind === 'task' ? ['To try again from the kept work, send a prompt with advice.'] : []
    case 'TOO_VAGUE':
      return ['To start again, send a prompt that says more.']
    default:
      return []
  }
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}
