import type { Finish } from '../../../api/finish.ts'
import { placeText } from '../../../domain/remark/remark-findings.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Built } from '../../commands/land/landable.ts'
import { releaseOf, whoHolds, whyItHolds } from '../../text/holds-text.ts'
import type { Hold } from './holds.ts'
import { standing } from './standing.ts'

type FinishFacts = Pick<Finish, 'landings' | 'change' | 'applied'>

/** The verdict in the words of the result's page, even if a follow-up was asked for. */
export function verdictOf(
  asked: Run,
  { run, holds }: Pick<Built, 'run' | 'holds'>,
  told: FinishFacts & { readonly you: string | null },
): Finish['verdict'] {
  const built = told.applied === null ? 'Built' : 'Built and applied'
  const arrived = standing(told)
  const stands =
    holds.length > 0
      ? `${arrived ?? built}, and held by ${whoHolds(holds, told.you)}`
      : (arrived ?? (told.applied === null ? 'Built and ready' : built))
  const fell = asked.id !== run.id && asked.state !== 'DONE'
  return {
    title: fell ? `This follow-up ${isEnded(asked.state) ? 'ended' : 'is'} ${asked.state}` : stands,
    of_run: fell ? stands : null,
    holds: holds.map(toHold),
  }
}

function toHold(hold: Hold): Finish['verdict']['holds'][number] {
  const said = { why: whyItHolds(hold), command: releaseOf(hold) }
  if (hold.kind === 'finding') {
    const { run, story, finding } = hold
    const { id, file, line, claim } = finding
    const place = line === undefined ? file : `${file}:${line}`
    const of = { run: run.id, story: nameOf(story) }
    return { kind: 'finding', ...of, id, by: 'the gate', place, text: claim, follow_up: null, ...said }
  }
  if (hold.kind === 'follow_up') {
    const { id, state } = hold.run
    const nothing = { story: null, id: null, place: '', text: '' }
    return { kind: 'follow_up', run: id, by: id, ...nothing, follow_up: { run: id, state }, ...said }
  }
  const { run, story, id, author: by, text, followUp: follow_up } = hold.remark
  return { kind: 'comment', run, story, id, by, place: placeText(hold.remark), text, follow_up, ...said }
}
