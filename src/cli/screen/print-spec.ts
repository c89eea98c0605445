import { shellWord } from '../../app/text/shell-word.ts'
import { takeLine } from '../../app/text/take-line.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import { openFindings, outcomeOfResult } from '../../domain/run/outcome.ts'
import type { RepositoryResult } from '../../domain/run/repository.ts'
import type { Result } from '../../domain/run/result.ts'
import { type Vague, vagueOf } from '../../domain/run/written-spec.ts'
import { type PlannedStory, storyParts } from '../../domain/story/planned-story.ts'
import { inColumns } from './columns.ts'
import { costLine } from './cost-line.ts'
import { outcomeLine } from './outcome-line.ts'
import type { Output } from './output.ts'
import type { Screen } from './screen.ts'

/** Prints the end of a spec's Run for people: the planned stories, or those that were built. */
export function printSpec(output: Output, run: string, result: Result): void {
  const { screen, say } = output
  const { status, branch, base, repositories, stories, answer, gone } = result
  if (Array.isArray(answer)) {
    say(`\n${planText(screen, answer)}`)
    return
  }
  if (status === 'TOO_VAGUE') {
    say(`\n${vagueText(screen, vagueOf(answer))}\n`)
    say(outcomeLine(screen, outcomeOfResult(result)))
    say(`Say more:  ${interviewLine(vagueOf(answer))}`)
    say('Or build it as it is, with --as-is.')
    say(costLine(result))
    return
  }
  if (stories.length > 0) say(`\n${resultTable(screen, result)}\n`)
  const skipped = stories.filter(({ state }) => state === 'CANCELLED').map(({ id }) => id)
  const open = openFindings(result)
  for (const { id, claim, evidence = '' } of stories.flatMap(({ findings = [] }) => findings))
    if (open.includes(id)) say(screen.prose(`${id}: ${claim}\n${evidence}\n`))
  say(outcomeLine(screen, outcomeOfResult(result)))
  if (skipped.length > 0 && status === 'DONE')
    say(`${screen.paint('bad', 'Skipped:')}   ${screen.clean(skipped.join(', '))}`)
  if (repositories !== undefined) {
    for (const each of repositories) say(repositoryLine(screen, each))
  } else if (gone) {
    say(`Branch:    ${screen.paint('bad', gone.message)}`)
    say(gone.todo)
  } else if (branch) {
    say(`Branch:    ${screen.paint('strong', branch)}`)
    say(`See it:    git diff ${base?.slice(0, 8)} ${branch}`)
    if (open.length === 0) say(`Take it:   git merge ${branch}`)
  } else if (status === 'DONE') {
    say('Nothing was changed.')
  }
  if (open.length > 0) {
    say(`Findings:  ${screen.paint('bad', `${open.length} of the gate`)}, listed above and not accepted`)
    say(`Accept:    drydock accept ${run} ${open.join(' ')}`)
  }
  say(costLine(result))
  say(`Report:    drydock report ${run}`)
}

/** The line about a repository. Without a merged story it has no branch. */
function repositoryLine(screen: Screen, repository: RepositoryResult): string {
  const { name, url, sha } = repository
  const take = takeLine(repository) ?? (sha === null ? 'unchanged' : 'not landed')
  const isPushed = url === undefined || repository.branch === null
  return `${screen.clean(name)}:  ${screen.clean(take)}${isPushed ? '' : '   (nothing is pushed yet)'}`
}

function vagueText(screen: Screen, { reason, missing }: Vague): string {
  return screen.prose([reason, '', 'You have to decide:', ...missing.map((each) => `- ${each}`)].join('\n'))
}

function interviewLine({ source, text }: Vague): string {
  if (source === 'stdin') return 'drydock spec -   (with the same input)'
  return `drydock spec ${shellWord(text ?? source)}`
}

function resultTable(screen: Screen, { stories }: Result): string {
  const rows = stories.map(({ id, state, attempts, reviews = 0, tokens = 0, cost_usd = null, title = '' }) => {
    const cells = [id, state, String(attempts), String(reviews), formatCount(tokens), formatUsd(cost_usd), title]
    return { cells, tone: state === 'DONE' ? ('good' as const) : ('bad' as const) }
  })
  const head = ['STORY', 'STATE', 'ATTEMPTS', 'REVIEWS', 'TOKENS', 'COST', 'TITLE']
  return inColumns(screen, { head, right: [2, 3, 4, 5], painted: 1 }, rows)
}

/** The planned stories in full, for people to read in advance. */
function planText(screen: Screen, stories: readonly PlannedStory[]): string {
  return stories
    .map((story) => {
      const [title, ...parts] = storyParts(story)
      return [screen.paint('strong', screen.clean(title)), ...parts.map((part) => screen.prose(part))].join('\n')
    })
    .join('\n\n')
}
