import { limits } from '../../domain/limits.ts'
import { publishedBranch } from '../../domain/run/published-branch.ts'
import { nameOf } from '../../domain/story/name-of.ts'
import { capText } from '../../domain/text.ts'
import { acceptLine } from '../text/accept-line.ts'
import { inertBlock, inertWords } from '../text/inert-markdown.ts'
import { changeIn, changeLine } from '../views/change-of-run.ts'
import type { RunNow } from './run-now.ts'

interface StatusInput extends RunNow {
  /** The reason why the Run has no change yet; null if nothing prevents it. */
  readonly problem: string | null
  /** Answers of people that could not be used, with their author and the reason. */
  readonly unused: readonly { readonly author: string; readonly why: string }[]
}

/** The one comment about a Run: its progress, its questions and its result. */
export function statusText({
  id,
  run,
  outcome,
  stories,
  questions,
  remarks,
  problem,
  unused,
  ...more
}: StatusInput): string {
  const change = changeLine(changeIn(more.calls))
  const branch = run === null ? null : publishedBranch(run)
  const error = run?.data.error?.code
  // The message of an error is left out: it may name files of the machine.
  const sentence = error === undefined ? outcome?.sentence : `An error stopped it (${error}).`
  const facts = [
    `Run: \`${id}\``,
    outcome === null ? 'State: it waits for its turn.' : `State: **${outcome.code}**. ${inertWords(sentence ?? '')}`,
    branch !== null && `Branch: ${inertWords(branch)}`,
    change !== null && change,
    remarks.length > 0 && `Remarks: ${countsOf(remarks)}`,
    problem !== null && `The result is not handed over: ${inertWords(problem)}`,
  ]
  const rows = stories.flatMap((story) => {
    const [name, title] = [nameOf(story), capText(story.data.planned?.title ?? '', limits.forge.claimChars)]
    return name === null ? [] : [`| ${inertWords(name)} | ${inertWords(title)} | ${story.state} |`]
  })
  return [
    'Drydock works on this.',
    list(facts),
    rows.length === 0
      ? ''
      : ['| story | | state |', '| --- | --- | --- |', ...rows.slice(0, limits.forge.toldStories)].join('\n'),
    ...questions.slice(0, limits.forge.toldQuestions).map(questionText),
    list(
      unused
        .slice(-limits.forge.toldQuestions)
        .map(({ author, why }) => `The answer of ${inertWords(author)} was not used: ${inertWords(why)}`),
    ),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function countsOf(remarks: RunNow['remarks']): string {
  const counts = new Map<string, number>()
  for (const { state } of remarks) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ')
}

function questionText({ message, choice, findings }: RunNow['questions'][number]): string {
  const { id, content } = message
  const options = choice === null ? '' : `\n\n${choice.options.map((option, i) => `${i + 1}. ${option}`).join('\n')}`
  const asked = inertBlock(capText(`${content}${options}`, limits.forge.whatChars))
  const how = acceptLine(message, findings)
  const accepting = how && `In a terminal, ${how}\n\n`
  return `### Question ${id}\n\n${asked}\n\n${accepting}Somebody who may write here answers with a comment that begins with \`drydock reply ${id}\`.`
}

function list(items: readonly (string | false)[]): string {
  return items
    .filter((item) => item !== false)
    .map((item) => `- ${item}`)
    .join('\n')
}
